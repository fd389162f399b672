// Two Cards High: dealer and seats with five cards each, the two that play, and whether the hand qualifies.

import { byPosition, hand, smallCard } from "../app/cards.js";
import { handsWon, voidMark } from "../app/common.js";
import { h } from "../app/dom.js";
import { payBoxes } from "../app/pays.js";
import { both, doubled, fromTheLeft, joined, positionWords, rankText, t, wagerWords } from "../app/words.js";

const FIVE = 5;
const ENDS = { win: "wins", push: "pushes" };
/** Why the game's own main wager won, where the two hands do not show it, as its pay table names it. */
const WHY = { win_tie: "when.6c_tie", win_dealer_not_qualified: "when.6d_dealer_out" };

/** The seats that are shown: those that play; after the round, while its cards lie, those that were dealt to. */
function seats(display) {
  const lie = (display.cards ?? []).map((card) => card.position);
  const over = lie.length > 0 && ["settled", "idle"].includes(display.phase);
  const play = over ? [] : (display.seats ?? []).map((number) => `seat${number}`);
  return [...new Set([...lie, ...play])].filter((name) => name.startsWith("seat")).sort();
}

/** A standing in words: pair of tens, total 7, not qualified. */
function standing(told) {
  if (!told.qualifies) return t("qualifies.not");
  const rank = told.rank === 1 ? "A" : told.rank === 10 ? "T" : String(told.rank);
  return told.kind === "pair" ? t("pair-of", { rank: rankText(rank) }) : t("total-of", { n: told.rank });
}

const dealerWords = ({ dealer }) => joined("told", [t("position.dealer"), standing(dealer)]);

/** Wager -> how it ended, of a seat; a house may have wagers of its own. */
function wagersOf(display, name) {
  const own = Object.entries(display.result?.bets ?? {}).filter(([spot]) => spot.startsWith(`${name}.`));
  return Object.fromEntries(own.map(([spot, bet]) => [spot.slice(name.length + 1), bet]));
}

/** What the side wager won with, where it goes by the game's own table; else the name of the wager. */
const madeOf = (wager, told, names) =>
  wager === "side" && told.side && !names?.side ? t(`side.${told.side}`) : wagerWords(wager, names);

/** The two cards of a hand that count, once it has a result. */
export const framed = ({ sets, display }, name) => (display.result?.outcome[name] ? (sets?.[name] ?? []) : null);

function place(view, name, cards) {
  const { display } = view;
  const told = display.result?.outcome[name];
  const { main, ...others } = wagersOf(display, name);
  return h(
    "section",
    {
      key: name,
      class: `seat ${name === "dealer" ? "dealer" : "player"}${main?.result === "win" ? " wins" : ""}`,
      "aria-label": positionWords(name),
      "data-seat": name,
    },
    h(
      "h2",
      {},
      h("span", { class: "seat-name", "data-fit": "" }, doubled(() => positionWords(name))),
      h("span", { class: "verdict", "data-fit": "" }, told ? doubled(() => standing(told)) : ""),
    ),
    hand(cards, FIVE, name, framed(view, name)),
    h(
      "p",
      { class: "wagers", "data-fit": "" },
      main && h("span", { class: `wager ${main.result}` }, both(ENDS[main.result] ?? "loses", main)),
      main?.result === "win" && WHY[told?.result] && h("span", { class: "why" }, both(WHY[told.result])),
      Object.entries(others)
        .filter(([, bet]) => bet.result === "win")
        .map(([wager, { pays }]) =>
          h("span", { class: "wager win", "data-wager": wager, key: wager }, doubled(() => madeOf(wager, told, display.names)), " ", fromTheLeft(pays)),
        ),
    ),
  );
}

/** For the dealer: what a hand came to. */
export function tally({ display }, name) {
  const told = display.result?.outcome[name];
  return told ? standing(told) : null;
}

export const feltClass = (view) => `seats-${seats(view.display).length}`;

export function felt(view) {
  const lie = byPosition(view.display);
  return ["dealer", ...seats(view.display)].map((name) => place(view, name, lie[name] ?? []));
}

export function outcome(display) {
  const told = display.result?.outcome;
  if (!told) return null;
  return h(
    "p",
    { class: "outcome" },
    h("span", { class: "outcome-words", "data-fit": "both" }, doubled(() => dealerWords(told))),
  );
}

/** The seats say themselves what they won; before that the pay table stands in this place. */
export const won = () => null;

export const worths = (display) => h("div", { class: "boxes" }, payBoxes(display, Object.keys(display.pays ?? {})));

export const board = () => null;

export function last(entry) {
  if (entry.void) return voidMark();
  const won = Object.entries(entry.outcome).filter(([, told]) => String(told.result).startsWith("win"));
  return [
    h("span", { class: "mark dealer" }, dealerWords(entry.outcome)),
    h("span", { class: "cards" }, (entry.hands.dealer ?? []).map(smallCard)),
    h("span", { class: "category" }, t("seats-won", { seats: joined("list", won.map(([name]) => name.slice(4))) || "–" })),
  ];
}

export const brief = (told) => handsWon(told, (hand) => hand.result.startsWith("win"));
