// 2 Card Action: two cards and their sum, the table's layout with the winning spots lit, the last rounds, hot and cold.

import { byPosition, hand, smallCard, suitSign } from "../app/cards.js";
import { voidMark, winners } from "../app/common.js";
import { h } from "../app/dom.js";
import { payBoxes, worths as listed } from "../app/pays.js";
import { both, doubled, fromTheLeft, rankText, spotWords, t, wagerWords } from "../app/words.js";

const RANKS = [..."A23456789TJQK"];
const NAMED = 3;
// No sign between them: in one language or another each is taken for a figure.
const FIELD = [3, 4, 5, 6, 7, 13, 14, 15, 16, 17].join("\u2002");

/** For the dealer's page: the first card has room for the second beside it. */
export const places = ({ cards }) => (cards.length === 1 ? 2 : 1);

export const boardClass = (display) => `layout-${display.layout}`;

/** Appendix C prints its pay boxes beside the layout: they stand where the cards will lie while bets are open. */
export const stage = ({ display }) =>
  display.layout === "C" ? h("div", { class: "boxes" }, payBoxes(display, ["bonus", "ace_plus", "specific_card", "single"])) : null;

export function felt({ display }) {
  const lie = byPosition(display);
  return ["first", "second"].map((name) =>
    h("section", { class: "card-place", "aria-label": t(`position.${name}`) }, hand(lie[name] ?? [], 1, name)),
  );
}

export function outcome(display) {
  const told = display.result?.outcome;
  if (!told) return null;
  return h(
    "p",
    { class: "outcome" },
    h("span", { class: "outcome-words", "data-fit": "both" }, both("result.sum")),
    h("span", { class: "score" }, String(told.sum)),
    h("span", { class: "tags" }, told.pair && h("span", { class: "tag" }, both("pair")), told.suited && h("span", { class: "tag" }, both("suited"))),
  );
}

export const won = winners;

const PRINTED = ["single", "total_sum", "any_pair", "field", "bonus", "ace_plus", "specific_card", "specific_pair"];

/** The layout says its odds itself: what stands beside it are the house's own spots. */
export const worths = (display) => listed({ ...display, pays: Object.fromEntries(Object.entries(display.pays ?? {}).filter(([bet]) => !PRINTED.includes(bet))) });

function cell(spot, lit, label, pays = null) {
  const wins = lit[spot];
  return h(
    "li",
    {
      key: spot,
      class: `cell${wins ? " lit" : ""}`,
      "data-spot": spot,
      "data-lit": wins ? wins : null,
      "aria-label": wins ? t("layout.wins", { spot: spotWords(spot), pays: wins }) : spotWords(spot),
    },
    h("span", { class: "cell-name", "aria-hidden": "true", "data-fit": "" }, label),
    pays && h("span", { class: "cell-pays", "aria-hidden": "true", "data-fit": "" }, fromTheLeft(pays)),
  );
}

/** A row of the layout with its name at the side; without one it takes the whole width. */
function row(name, cells, kind) {
  return h(
    "li",
    { class: `row ${kind}`, key: `${kind}${name ?? ""}${cells[0].key}`, "--cells": String(cells.length) },
    name && h("span", { class: "row-name", "data-fit": "" }, doubled(() => wagerWords(name))),
    h("ol", {}, cells),
  );
}

/** The betting layout, in the rows of Appendix A, B (36 spots) or C (100 spots). */
function layout(display) {
  const bets = Object.entries(display.result?.bets ?? {});
  const lit = Object.fromEntries(bets.filter(([, bet]) => bet.result === "win").map(([spot, bet]) => [spot, bet.pays]));
  const rowsOf = (bet) => display.pays?.[bet]?.rows ?? [];
  const only = (bet) => (rowsOf(bet).length === 1 ? rowsOf(bet)[0].pays : null);
  const sumPays = (sum) => rowsOf("total_sum").find((told) => told.when === String(sum))?.pays;
  const sums = (from, to) =>
    Array.from({ length: to - from + 1 }, (_, at) => cell(`sum_${from + at}`, lit, String(from + at), sumPays(from + at)));
  const singles = RANKS.map((rank) => cell(`single_${rank}`, lit, rankText(rank)));
  const named = (spot) => cell(spot, lit, both(`spot.${spot}`), only(spot));
  const field = cell("field", lit, [both("spot.field"), " ", h("small", {}, fromTheLeft(FIELD))], only("field"));
  const rows =
    display.layout === "C"
      ? [
          ...[..."SHCD"].map((suit, at) =>
            row(
              at === 0 ? "specific_card" : null,
              RANKS.map((rank) => cell(`card_${rank}${suit}`, lit, h("span", { dir: "ltr" }, rankText(rank), suitSign(suit)))),
              "specific",
            ),
          ),
          row("specific_pair", RANKS.map((rank) => cell(`pair_${rank}`, lit, fromTheLeft(`${rankText(rank)} ${rankText(rank)}`), only("specific_pair"))), "pairs"),
          row("single", singles, "singles"),
          row("total_sum", sums(3, 11), "sums"),
          row("total_sum", sums(12, 20), "sums"),
          row(null, ["any_pair", "bonus"].map(named).concat(field, named("ace_plus")), "named"),
        ]
      : [
          row("single", singles, "singles"),
          row("total_sum", sums(2, 20), "sums"),
          row(null, (display.layout === "A" ? ["any_pair", "ace_plus", "bonus"] : ["bonus", "any_pair", "ace_plus"]).map(named), "named"),
          row(null, [field], "field"),
        ];
  return h("ol", { class: `layout ${display.layout === "C" ? "large" : "small"}`, "aria-label": t("layout") }, rows);
}

/** The pay boxes that Appendices A and B print below the layout. */
const BOXES = { A: ["bonus", "single", "ace_plus"], B: ["bonus", "single", "ace_plus"] };

/** The most and the least frequent of the last rounds, with how often; equal ones in their order. */
function ranked(keys, seen) {
  const times = keys.map((key) => [key, seen.filter((one) => one === key).length]);
  const hot = times.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
  const cold = times.sort((a, b) => a[1] - b[1]);
  return { hot: hot.slice(0, NAMED), cold: cold.slice(0, NAMED) };
}

function hotAndCold(display) {
  const rounds = (display.last_results ?? []).filter((entry) => entry.outcome);
  if (rounds.length === 0) return null;
  const lowest = display.layout === "C" ? 3 : 2;
  const sums = Array.from({ length: 21 - lowest }, (_, at) => lowest + at);
  const cards = rounds.flatMap((entry) => Object.values(entry.hands).flat());
  const groups = [
    ["sums", ranked(sums, rounds.map((entry) => entry.outcome.sum)), String],
    ["ranks", ranked(RANKS, cards.map((card) => card[0])), rankText],
  ];
  return h(
    "dl",
    { class: "hot-cold", "aria-label": t("hot-cold", { n: rounds.length }) },
    h("div", { class: "of-rounds", key: "rounds" }, h("dt", { "data-fit": "" }, t("last-results")), h("dd", {}, String(rounds.length))),
    groups.flatMap(([name, { hot, cold }, text]) => [
      h("div", { class: "hot", key: `hot-${name}`, "data-hot": name }, h("dt", { "data-fit": "" }, both(`hot.${name}`)), list(hot, text)),
      h("div", { class: "cold", key: `cold-${name}`, "data-cold": name }, h("dt", { "data-fit": "" }, both(`cold.${name}`)), list(cold, text)),
    ]),
  );
}

function list(entries, text) {
  return h(
    "dd",
    { "data-fit": "" },
    entries.map(([key, count]) =>
      h("span", { class: "entry", dir: "ltr", key }, h("b", {}, text(key)), h("small", {}, `×${count}`)),
    ),
  );
}

export function board({ display }) {
  const boxes = BOXES[display.layout];
  return [layout(display), boxes && h("div", { class: "boxes" }, payBoxes(display, boxes)), hotAndCold(display)];
}

export function last(entry) {
  if (entry.void) return voidMark();
  return [
    h("span", { class: "mark sum", "data-sum": entry.outcome.sum }, String(entry.outcome.sum)),
    h("span", { class: "cards" }, Object.values(entry.hands).flat().map(smallCard)),
  ];
}

export const brief = (told) => `${t("result.sum")} ${told.sum}`;
