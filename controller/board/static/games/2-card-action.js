// 2 Card Action: two cards and their sum, the table's layout with the winning spots lit, the last rounds, hot and cold.

import { byPosition, hand, smallCard, suitSign } from "../app/cards.js";
import { voidMark, winners } from "../app/common.js";
import { h } from "../app/dom.js";
import { rankText, spotWords, t } from "../app/words.js";

const RANKS = [..."A23456789TJQK"];
const NAMED = 3;

export function felt(view) {
  const lie = byPosition(view.display);
  return ["first", "second"].map((name) =>
    h("section", { class: "side", "aria-label": t(`position.${name}`) }, hand(lie[name] ?? [], 1, name)),
  );
}

export function outcome(display) {
  const told = display.result?.outcome;
  if (!told) return null;
  return h(
    "p",
    { class: "outcome" },
    h("span", { class: "outcome-words" }, t("result.sum")),
    h("span", { class: "score" }, String(told.sum)),
    told.pair && h("span", { class: "tag" }, t("pair")),
    told.suited && h("span", { class: "tag" }, t("suited")),
  );
}

export const won = winners;

function cell(spot, lit, wide, label) {
  const pays = lit[spot];
  return h(
    "li",
    {
      key: spot,
      class: `cell${pays ? " lit" : ""}`,
      "data-spot": spot,
      "data-lit": pays ? pays : null,
      "--wide": String(wide),
      "aria-label": pays ? t("layout.wins", { spot: spotWords(spot), pays }) : spotWords(spot),
    },
    h("span", { class: "cell-name", "aria-hidden": "true" }, label),
  );
}

/** The betting layout, in the order of Appendix B (36 spots) or C (100 spots). */
function layout(display) {
  const bets = Object.entries(display.result?.bets ?? {});
  const lit = Object.fromEntries(bets.filter(([, bet]) => bet.result === "win").map(([spot, bet]) => [spot, bet.pays]));
  const large = display.layout === "C";
  const cells = [];
  if (large) {
    for (const suit of "SHCD") {
      for (const rank of RANKS) cells.push(cell(`card_${rank}${suit}`, lit, 1, [rankText(rank), suitSign(suit)]));
    }
    for (const rank of RANKS) cells.push(cell(`pair_${rank}`, lit, 1, [h("i", {}, rankText(rank)), h("i", {}, rankText(rank))]));
  }
  for (const rank of RANKS) cells.push(cell(`single_${rank}`, lit, 1, rankText(rank)));
  for (let sum = large ? 3 : 2; sum <= 20; sum += 1) cells.push(cell(`sum_${sum}`, lit, 1, String(sum)));
  const wide = large ? [2, 2, 2, 2] : [3, 4, 6, 7];
  ["any_pair", "field", "ace_plus", "bonus"].forEach((spot, at) => cells.push(cell(spot, lit, wide[at], t(`spot.${spot}`))));
  return h("ol", { class: `layout ${large ? "large" : "small"}`, "aria-label": t("layout") }, cells);
}

/** The most and the least frequent of the last rounds, with how often; equal ones in their order. */
function ranked(keys, seen) {
  const times = keys.map((key) => [key, seen.filter((one) => one === key).length]);
  const hot = times.filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1]);
  const cold = times.sort((a, b) => a[1] - b[1]);
  return { hot: hot.slice(0, NAMED), cold: cold.slice(0, NAMED) };
}

function hotAndCold(display) {
  const rounds = (display.last_results ?? []).filter((entry) => entry.outcome);
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
    groups.flatMap(([name, { hot, cold }, text]) => [
      h("div", { class: "hot", key: `hot-${name}`, "data-hot": name }, h("dt", {}, t(`hot.${name}`)), list(hot, text)),
      h("div", { class: "cold", key: `cold-${name}`, "data-cold": name }, h("dt", {}, t(`cold.${name}`)), list(cold, text)),
    ]),
  );
}

function list(entries, text) {
  return h(
    "dd",
    {},
    entries.map(([key, count]) =>
      h("span", { class: "entry", key }, h("b", {}, text(key)), h("small", {}, `×${count}`)),
    ),
  );
}

export function board(view) {
  return [layout(view.display), hotAndCold(view.display)];
}

export function last(entry) {
  if (entry.void) return voidMark();
  return [
    h("span", { class: "mark sum", "data-sum": entry.outcome.sum }, String(entry.outcome.sum)),
    h("span", { class: "cards" }, Object.values(entry.hands).flat().map(smallCard)),
  ];
}

export const brief = (told) => `${t("result.sum")} ${told.sum}`;
