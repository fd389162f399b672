// Baccarat: both hands with their totals, the result, five roads, the ask-road and counts.

import { byPosition, hand, smallCard } from "../app/cards.js";
import { feltIsOpen, voidMark, winners } from "../app/common.js";
import { h } from "../app/dom.js";
import { limitOf } from "../app/limits.js";
import { commission, specials, worth, worthIn } from "../app/pays.js";
import { askRoad, beadPlate, bigRoad, counts, derivedRoad, room } from "../app/roads.js";
import { both, doubled, fromTheLeft, t } from "../app/words.js";

const POINTS = { A: 1, T: 0, J: 0, Q: 0, K: 0 };
/** In the order of the layout. */
export const spots = ["player", "banker", "tie", "player_pair", "banker_pair", "any_pair", "small", "big"];

/** 2.5.2: the last digit of the sum; null while a card lies face down, or none lies. */
function total(cards) {
  if (cards.length === 0 || cards.includes(null)) return null;
  return cards.reduce((sum, card) => sum + (POINTS[card[0]] ?? Number(card[0])), 0) % 10;
}

/** For the dealer's page: while a third card may come its place is kept, so that no card grows or shrinks for it. */
export const places = (display) => (display.result || display.void ? 1 : 3);

/** For the dealer: of the cards that lie face up, whatever else lies. */
export const tally = (view, name, cards) => (spots.includes(name) ? total(cards.filter((card) => card !== null)) : null);

function side(name, cards, won) {
  const points = total(cards);
  return h(
    "section",
    { class: `side ${name}${won ? " won" : ""}`, "aria-label": t(`position.${name}`) },
    h(
      "h2",
      {},
      h("span", { class: "side-name", "data-fit": "" }, both(`position.${name}`)),
      h("span", { class: "total", "data-total": name }, points === null ? "–" : String(points)),
    ),
    hand(cards, 3, name),
  );
}

/** While nothing lies: the place to bet, as it is on the layout, with what it pays and takes. */
function place(display, name) {
  const [kept, limit, special] = [commission(display, name), limitOf(display, name), specials(display, name)];
  const told = [kept && both("commission", { part: kept }), special?.words, limit].filter(Boolean);
  return h(
    "section",
    { class: `side open ${name}`, "aria-label": t(`position.${name}`), ...worthIn(display, name) },
    h("h2", {}, h("span", { class: "side-name", "data-fit": "" }, both(`position.${name}`))),
    h("p", { class: "worth-large", "data-fit": "" }, special?.usual ?? worth(display, name)),
    h("p", { class: "terms", "data-fit": "" }, told.map((one, at) => [at > 0 && t("join.remarks"), one])),
  );
}

/** The bets that stand on the free felt, large, while they are open. */
export const staged = ["player", "banker"];
export const stage = ({ display }) => staged.map((name) => place(display, name));

export function felt({ display }) {
  const lie = byPosition(display);
  const winner = display.result?.outcome.winner;
  return ["player", "banker"].map((name) => side(name, lie[name] ?? [], winner === name));
}

/** The Player's total first, in every direction of writing. */
const score = (told) => fromTheLeft(`${told.player_total}:${told.banker_total}`);

export function outcome(display) {
  const told = display.result?.outcome;
  if (!told) return null;
  return h(
    "p",
    { class: `outcome ${told.winner}` },
    h("span", { class: "outcome-words", "data-fit": "both" }, doubled(() => t(`result.${told.winner}`))),
    h("span", { class: "score" }, score(told)),
    told.natural && h("span", { class: "tag" }, both("natural")),
  );
}

export const won = (display) => winners(display, spots);

/** While bets are open how the round before went, if it was of this shoe. The list of the last rounds says it to those who
 *  listen. */
function roundBefore(display) {
  const entry = display.last_results?.at(-1);
  if (!feltIsOpen(display) || display.scoreboard.bead.length === 0 || !entry) return null;
  const winner = entry.outcome?.winner;
  const words = winner ? [h("b", { class: winner }, both(`result.short.${winner}`)), " ", h("b", {}, score(entry.outcome))] : both("result.void");
  return h("span", { class: "round-before", "aria-hidden": "true", "data-fit": "" }, both("last-result"), " ", words, " ", winner && inCards(entry));
}

export function board(view) {
  const scoreboard = view.display.scoreboard;
  if (!scoreboard) return null;
  const [bead, big, derived] = room();
  return h(
    "div",
    { class: "roads" },
    beadPlate(scoreboard.bead, bead),
    h("div", { class: "tally" }, counts(scoreboard.bead), askRoad(scoreboard.ask)),
    bigRoad(scoreboard.big_road, scoreboard.bead, big, roundBefore(view.display)),
    h(
      "div",
      { class: "derived" },
      derivedRoad("big-eye-boy", scoreboard.big_eye_boy, derived),
      derivedRoad("small-road", scoreboard.small_road, derived),
      derivedRoad("cockroach-pig", scoreboard.cockroach_pig, derived),
    ),
  );
}

/** Both hands of a round before, small. */
function inCards({ hands }) {
  const cards = (name) => h("span", { class: "cards" }, hands[name].map(smallCard));
  return h("span", { class: "hands" }, cards("player"), h("span", { class: "against" }, "|"), cards("banker"));
}

export function last(entry) {
  if (entry.void) return voidMark();
  const { winner } = entry.outcome;
  return [h("span", { class: `mark ${winner}` }, t(`result.short.${winner}`), " ", score(entry.outcome)), inCards(entry)];
}

export const brief = (told) => `${t(`result.short.${told.winner}`)} ${score(told)}`;
