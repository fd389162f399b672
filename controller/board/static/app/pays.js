// What a bet is worth until there is a result: its live price, or what the pay table says.

import { h } from "./dom.js";
import { asItBegins, both, doubled, fromTheLeft, inPercent, joined, known, percent, rankText, spotWords, t, wagerWords } from "./words.js";

/** What stands above the place of the result while there is none. */
export function worthOf({ odds, pays, result }) {
  if (result) return t("winning-spots");
  const offered = Object.values(odds?.offered ?? {});
  if (offered.length > 0) return t(isOffered(odds) ? "odds" : "odds.chances");
  return Object.keys(pays ?? {}).length > 0 ? t("pays") : t("result");
}

/** Marks the place of a bet as one with a live price, or as one that a pay table has. */
export const worthIn = ({ odds }, bet) => ({ [bet in (odds?.offered ?? {}) ? "data-odds" : "data-pays"]: bet });

/** Name and worth of each bet, in the order of the game, the house's own ones last, but of those `elsewhere`; null where
 *  nothing is told. */
export function worths(display, order = [], elsewhere = []) {
  const live = display.odds?.offered ?? {};
  const paid = display.pays ?? {};
  const bets = new Set([...order, ...Object.keys(live), ...Object.keys(paid)]);
  const told = [...bets].filter((bet) => (bet in live || bet in paid) && !elsewhere.includes(bet));
  if (told.length === 0) return null;
  return [
    h("h2", { class: "worth" }, doubled(() => worthOf(display))),
    h(
      "dl",
      { class: `odds${told.length > 8 ? " many" : ""}`, "aria-label": worthOf(display), "--tiles": String(told.length), "--of-a-row": String(ofARow(told.length)) },
      told.map((bet) =>
        h(
          "div",
          { class: "price", key: bet, ...worthIn(display, bet) },
          h("dt", { "data-fit": "" }, doubled(() => nameOf(bet, display.names))),
          h("dd", { "data-fit": "" }, worth(display, bet)),
        ),
      ),
    ),
  ];
}

/** Rows of nine at most, each as long as the others where that can be. */
const ofARow = (bets) => Math.ceil(bets / Math.ceil(bets / 9));

/** The price of a spot, or what the pay table pays for it; a dash where neither is told. */
export function worth({ odds, pays }, bet) {
  if (bet in (odds?.offered ?? {})) return price(odds, bet);
  return pays?.[bet] ? range(pays[bet].rows, saidOf({ odds })) : t("odds.suspended");
}

/** Whether any bet has a live price now: a price has the stake in it, and beside it stands nothing that has not. */
const isOffered = (odds) => Object.values(odds?.offered ?? {}).some((price) => price !== null);

const saidOf = ({ odds }) => (isOffered(odds) ? asPrice : fromTheLeft);

const asPrice = (ratio) => fromTheLeft((1 + times(ratio)).toFixed(2));

/** What a house keeps of an even win, in percent, where it pays a little less than even money: 0.95:1 is 5. */
export function commission({ pays }, bet) {
  const wins = (pays?.[bet]?.rows ?? []).flatMap((row) => row.pays ?? []);
  const part = wins.length === 1 ? 1 - times(wins[0]) : 0;
  return part > 0 && part <= 0.1 ? inPercent(Number((100 * part).toFixed(2))) : null;
}

const conditions = ({ when }) => when.split(", ").filter(Boolean);

/** What a win of the spot pays where nothing special comes: the row whose conditions every other win of it asks for, too. */
function usualOf(rows) {
  const wins = rows.filter((row) => row.pays);
  return wins.find((row) => wins.every((win) => conditions(row).every((one) => conditions(win).includes(one))));
}

/** What of a win makes it a special one, as "6 points"; null where we have no words for it. */
function specialWords(asked, bet) {
  const found = ["total", "cards"].flatMap((field) => {
    const given = asked.find((one) => one.startsWith(`${bet}_${field} `));
    return given ? [t(`pays.${field}`, { n: given.slice(given.indexOf(" ") + 1).replaceAll(" or ", "/") })] : [];
  });
  return found.length === asked.length ? joined("list", found) : null;
}

/** The pay of a spot that pays otherwise only in special cases, and those in words, as "1:2 with 6 points": a house's Banker
 *  without commission. Null where all its wins pay alike, or we have no words for what a pay depends on. */
export function specials(display, bet) {
  if (bet in (display.odds?.offered ?? {})) return null;
  const rows = display.pays?.[bet]?.rows ?? [];
  const usual = usualOf(rows);
  if (!usual) return null;
  const special = rows.slice(0, rows.indexOf(usual)).filter((row) => conditions(usual).every((one) => conditions(row).includes(one)));
  if (special.length === 0) return null;
  const words = () =>
    special.map((row) => {
      const when = specialWords(conditions(row).filter((one) => !conditions(usual).includes(one)), bet);
      return when && t(`pays.${row.result}`, { pays: row.pays && saidOf(display)(row.pays), when });
    });
  return words().includes(null) ? null : { usual: saidOf(display)(usual.pays), words: doubled(() => joined("remarks", words())) };
}

/** A spot, or a kind of bet that stands for several of them. */
export const nameOf = (bet, names) => (known(`wager.${bet}`) ? wagerWords(bet, names) : spotWords(bet, names));

/** The price while bets are taken at it, else the chance, which moves with each card. */
function price({ id, offered, probabilities }, spot) {
  if (offered[spot] !== null) return fromTheLeft(offered[spot].toFixed(2));
  const chance = id === null ? probabilities[spot] : undefined;
  return chance === undefined ? t("odds.suspended") : percent(chance, 1);
}

const times = (pays) => pays.split(":").reduce((won, staked) => won / staked);

/** What wins pay, `said` for each ratio: one, or the least and the most. */
function range(rows, said) {
  const wins = rows.flatMap(({ pays }) => pays ?? []).sort((one, other) => times(one) - times(other));
  const [least, most] = [wins[0], wins.at(-1)];
  if (least === undefined) return t("odds.suspended");
  return least === most ? said(least) : fromTheLeft(t("limits.range", { min: said(least), max: said(most) }));
}

/** When a row of a pay table counts: in words by its name, or as the rules print its cards. */
function rowWords(row) {
  const key = `when.${row.when.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/_$/, "")}`;
  if (known(key)) return both(key);
  if (!/\d|[AKQJ],/.test(row.when)) return asItBegins(row.says);
  const [, cards, how] = /^(.*?)(?: \((Suited|Unsuited)\))?$/.exec(row.when);
  const printed = fromTheLeft(cards.replaceAll(" or ", "\u2002").replace(" to ", " – ").replace(/\bT\b/g, rankText("T")));
  return how ? [printed, " ", doubled(() => t(how.toLowerCase()).toLocaleLowerCase())] : printed;
}

/** The pay table as a box for each of these bets, as a layout prints it. */
export function payBoxes({ pays, names }, bets) {
  return bets
    .filter((bet) => pays?.[bet])
    .map((bet) =>
      h(
        "section",
        { class: "pay-box", key: bet, "data-pays": bet },
        h("h2", { "data-fit": "" }, doubled(() => nameOf(bet, names))),
        h(
          "dl",
          {},
          pays[bet].rows
            .filter((row) => row.pays)
            .map((row, at) =>
              h("div", { key: String(at) }, h("dt", { "data-fit": "" }, rowWords(row)), h("dd", {}, fromTheLeft(row.pays))),
            ),
        ),
      ),
    );
}
