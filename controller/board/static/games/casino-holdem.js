// 2 Hand Casino Hold'em: dealer, community cards, both hands with their strength and the players' decisions.

import { byPosition, hand, smallCard } from "../app/cards.js";
import { feltIsOpen, handsWon, voidMark, winners } from "../app/common.js";
import { h } from "../app/dom.js";
import { payBoxes, worths as listed } from "../app/pays.js";
import { both, doubled, inPercent, percent, t } from "../app/words.js";

function strength(view, name) {
  const told = view.strength?.[name];
  const parts = told ? ["win", "tie", "lose"].map((key) => [key, (100 * told[key]) / told.total]) : [];
  const words = () => (told ? t("strength.words", { win: percent(told.win, told.total), tie: percent(told.tie, told.total) }) : "");
  return h(
    "div",
    { class: `strength${told ? "" : " unknown"}`, role: "img", "aria-label": told ? words() : t("strength.none"), "data-strength": name },
    h("span", { class: "meter" }, parts.map(([key, part]) => h("span", { class: key, key, "--part": `${part}%` }))),
    h("span", { class: "strength-words", "data-fit": "" }, doubled(words)),
  );
}

function decisions(display, name) {
  const told = display.decisions?.[name];
  return h(
    "p",
    { class: "decisions", "data-decisions": name },
    told &&
      ["play", "fold", "auto"].map((what) =>
        h(
          "span",
          { key: what, "data-decided": what },
          h("span", { "data-fit": "" }, both(`decided.${what}`)),
          " ",
          h("b", {}, String(told[what] ?? 0)),
          told.percent && h("small", {}, " ", inPercent(told.percent[what])),
        ),
      ),
  );
}

function verdict(display, name) {
  const told = display.result?.outcome[name];
  const made = display.combinations?.[name];
  if (!told) return h("span", { class: "verdict", "data-fit": "" }, made ? doubled(() => t(`category.${made}`)) : "");
  const standing = name === "dealer" ? (told.qualifies ? "qualifies" : "qualifies.not") : `vs-dealer.${told.vs_dealer}`;
  return [
    h("span", { class: `verdict ${told.vs_dealer ?? ""}`, "data-fit": "" }, doubled(() => t(`category.${told.category}`))),
    h("small", { class: `standing ${told.vs_dealer ?? ""}`, "data-fit": "" }, both(standing)),
  ];
}

/** For the dealer: what a hand makes with the board. */
export function tally({ display }, name) {
  const made = display.result?.outcome[name]?.category ?? display.combinations?.[name];
  return made ? t(`category.${made}`) : null;
}

/** The cards that count are framed: of the hands that beat the dealer, else of the dealer. `name` is a hand or a place
 *  of the community cards. */
export function framed(view, name) {
  const { sets, display } = view;
  if (!sets || !display.result) return null;
  const better = Object.entries(display.result.outcome).filter(([, told]) => told.vs_dealer === "better");
  const from = better.length > 0 ? better.map(([hand]) => hand) : ["dealer"];
  if (!(name in sets)) return from.flatMap((hand) => sets[hand] ?? []);
  return from.includes(name) ? sets[name] : [];
}

/** What stands on the free felt while bets are open. */
export const stage = ({ display }) => h("div", { class: "boxes" }, payBoxes(display, Object.keys(display.pays ?? {})));

/** What the felt says itself is not said again below it; a live price it does not say. */
export const worths = (display) => (feltIsOpen(display) && display.pays && !display.odds ? null : listed(display));

export function felt(view) {
  const { display } = view;
  const lie = byPosition(display);
  const community = [...(lie.flop ?? []), ...(lie.turn ?? []), ...(lie.river ?? [])];
  const seat = (name) =>
    h(
      "section",
      {
        class: `seat ${name}${display.result?.outcome[name]?.vs_dealer === "better" ? " wins" : ""}`,
        "aria-label": t(`position.${name}`),
      },
      h("h2", {}, h("span", { class: "seat-name", "data-fit": "" }, both(`position.${name}`)), verdict(display, name)),
      hand(lie[name] ?? [], 2, name, framed(view, name)),
      name !== "dealer" && h("div", { class: "players" }, strength(view, name), decisions(display, name)),
    );
  return [
    seat("dealer"),
    h(
      "section",
      { class: "seat community", "aria-label": t("community") },
      h("h2", {}, h("span", { class: "seat-name", "data-fit": "" }, both("community"))),
      hand(community, 5, "community", framed(view, "community")),
    ),
    seat("hand1"),
    seat("hand2"),
  ];
}

export function outcome(display) {
  const told = display.result?.outcome;
  if (!told) return null;
  return h(
    "p",
    { class: "outcome" },
    h("span", { class: "outcome-words", "data-fit": "both" }, doubled(() => handsWon(told, (hand) => hand.vs_dealer === "better"))),
    h("span", { class: "tags" }, h("span", { class: "tag" }, both(told.dealer.qualifies ? "dealer.qualifies" : "dealer.qualifies.not"))),
  );
}

export const won = winners;

export const board = () => null;

export function last(entry) {
  if (entry.void) return voidMark();
  return ["hand1", "hand2"].map((name) =>
    h(
      "span",
      { class: "hands", key: name },
      h("span", { class: `mark ${entry.outcome[name].vs_dealer}` }, t(`vs-dealer.short.${entry.outcome[name].vs_dealer}`)),
      h("span", { class: "cards" }, (entry.hands[name] ?? []).slice(0, 2).map(smallCard)),
      h("span", { class: "category" }, t(`category.${entry.outcome[name].category}`)),
    ),
  );
}

export const brief = (told) => handsWon(told, (hand) => hand.vs_dealer === "better");
