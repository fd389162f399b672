// What a player may stake, as the house set it: for the table, and for spots with limits of their own.

import { h } from "./dom.js";
import { both, doubled, fromTheLeft, language, spotWords, t, wagerWords } from "./words.js";

// Figures are those of cards and clocks in every language, and stand as we isolate them: signs of another order go.
const LATIN = { numberingSystem: "latn" };
const ORDERS = /[\u200e\u200f\u061c]/g;

/** An amount of minor units as it is written in the board's language. */
export function money(minor, currency) {
  const format = new Intl.NumberFormat(language, { style: "currency", currency, trailingZeroDisplay: "stripIfInteger", ...LATIN });
  return fromTheLeft(format.format(minor / 10 ** format.resolvedOptions().maximumFractionDigits).replace(ORDERS, ""));
}

/** The least and the most that may be staked; where it takes words, in both languages. */
export function range({ min, max }, currency) {
  const most = money(max, currency);
  return min > 0 ? fromTheLeft(t("limits.range", { min: money(min, currency), max: most })) : both("limits.most", { max: most });
}

/** What may be staked on one spot; null where the house says nothing of limits. */
export function limitOf({ limits: told }, spot) {
  const limit = told?.spots?.[spot] ?? told?.table;
  return limit ? range(limit, told.currency) : null;
}

/** Name and limit of each spot that has its own; those of all hands or seats together where they are the same. */
function ownLimits({ table, spots }, names) {
  const same = (one, other) => one?.min === other?.min && one?.max === other?.max;
  const wager = (spot) => spot.split(".").at(-1);
  const named = {};
  for (const [spot, limit] of Object.entries(spots)) {
    if (same(limit, table)) continue;
    const alike = Object.entries(spots).every(([other, one]) => wager(other) !== wager(spot) || same(one, limit));
    const name = () => (alike && spot.includes(".") ? wagerWords(wager(spot), names) : spotWords(spot, names));
    named[name()] = [name, limit];
  }
  return Object.entries(named).map(([key, [name, limit]]) => [key, doubled(name), limit]);
}

/** One line, null where the house says nothing of limits. */
export function limits({ limits: told, names }) {
  if (!told) return null;
  const shown = [...(told.table ? [["table", both("limits"), told.table]] : []), ...ownLimits(told, names)];
  return h(
    "dl",
    { class: "limits", "aria-label": t("limits"), "data-fit": "" },
    shown.map(([key, name, limit]) =>
      h("div", { key }, h("dt", {}, name), h("dd", {}, range(limit, told.currency))),
    ),
  );
}
