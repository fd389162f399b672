// Amounts of minor units as people read them, and the chips of a table.

import { language } from "/static/app/words.js";

/** An amount as it is written in the player's language, with a true minus; a table without limits names no currency. */
export function money(minor, currency) {
  if (!currency) return new Intl.NumberFormat(language).format(minor);
  const format = new Intl.NumberFormat(language, { style: "currency", currency, trailingZeroDisplay: "stripIfInteger" });
  return format.format(minor / units(format)).replace("-", "\u2212");
}

/** How many minor units are one of those that people count in. */
export const unitOf = (currency) => (currency ? units(new Intl.NumberFormat("en", { style: "currency", currency })) : 1);

const units = (format) => 10 ** format.resolvedOptions().maximumFractionDigits;

/** The number on a chip, or on a pile of them: 5, 2.5K, 1,234.50; never rounded. */
export function chipText(minor, currency) {
  const unit = unitOf(currency);
  const value = minor / unit;
  const thousands = value < 1000 ? 0 : Math.floor(Math.log10(value) / 3);
  const short = thousands > 0 && minor % (unit * 10 ** (3 * thousands - 2)) === 0;
  const digits = minor % unit === 0 ? 0 : Math.log10(unit);
  const plain = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat("en", short ? { notation: "compact", maximumFractionDigits: 2 } : plain).format(value);
}

const MOST_CHIPS = 8;
const USUAL = { min: 100, max: 100_000 };

/** The colour of a pile: that of its highest chip. */
export const colour = (chips, worth) => `value-${Math.max(0, chips.findLastIndex((chip) => chip <= worth)) % MOST_CHIPS}`;

/** What chips are worth at a table, the least first: the house's, or those that fit the limits. */
export function chipsFor(chips, table) {
  if (chips.length > 0) return chips;
  const limits = Object.values(table?.spots ?? {}).filter((spot) => spot.min !== null);
  const least = limits.length > 0 ? Math.max(1, Math.min(...limits.map((spot) => spot.min))) : USUAL.min;
  const most = limits.length > 0 ? Math.max(...limits.map((spot) => spot.max)) : USUAL.max;
  const of = (steps) => {
    const found = [];
    for (let ten = 1; ten <= most; ten *= 10) for (const step of steps) found.push(step * ten);
    return found.filter((chip) => chip >= least && chip <= most);
  };
  const fine = of([1, 2, 5]);
  const shown = fine.length > MOST_CHIPS ? of([1, 5]) : fine;
  return (shown.length > 0 ? shown : [least]).slice(0, MOST_CHIPS);
}
