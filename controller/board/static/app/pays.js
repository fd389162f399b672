// What a bet is worth until there is a result: its live price, or what the pay table says.

import { h } from "./dom.js";
import { known, spotWords, t, wagerWords } from "./words.js";

/** What stands above the place of the result while there is none. */
export function worthOf({ odds, pays }) {
  const offered = Object.values(odds?.offered ?? {});
  if (offered.length > 0) return t(offered.some((price) => price !== null) ? "odds" : "odds.chances");
  return Object.keys(pays ?? {}).length > 0 ? t("pays") : t("result");
}

/** Name and worth of each bet, in the order of the game, the house's own ones last; null where nothing is told. */
export function worths(display, order = []) {
  const live = display.odds?.offered ?? {};
  const paid = display.pays ?? {};
  const bets = new Set([...order, ...Object.keys(live), ...Object.keys(paid)]);
  const told = [...bets].filter((bet) => bet in live || bet in paid);
  if (told.length === 0) return null;
  return h(
    "dl",
    { class: `odds${told.length > 8 ? " many" : ""}`, "aria-label": worthOf(display) },
    told.map((bet) =>
      h(
        "div",
        { class: "price", key: bet, [bet in live ? "data-odds" : "data-pays"]: bet },
        h("dt", {}, nameOf(bet, display.names)),
        h("dd", {}, bet in live ? price(display.odds, bet) : range(paid[bet].rows)),
      ),
    ),
  );
}

/** A spot, or a kind of bet that stands for several of them. */
const nameOf = (bet, names) => (known(`wager.${bet}`) ? wagerWords(bet, names) : spotWords(bet, names));

/** The price while bets are taken at it, else the chance, which moves with each card. */
function price({ id, offered, probabilities }, spot) {
  if (offered[spot] !== null) return offered[spot].toFixed(2);
  const chance = id === null ? probabilities[spot] : undefined;
  return chance === undefined ? t("odds.suspended") : `${(100 * chance).toFixed(1)} %`;
}

/** What wins pay: one ratio, or the least and the most. */
function range(rows) {
  const times = (pays) => pays.split(":").reduce((won, staked) => won / staked);
  const wins = rows.flatMap(({ pays }) => pays ?? []).sort((one, other) => times(one) - times(other));
  const [least, most] = [wins[0], wins.at(-1)];
  return least === most ? (least ?? t("odds.suspended")) : t("limits.range", { min: least, max: most });
}
