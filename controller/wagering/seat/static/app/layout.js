// The betting spots of a table: grouped as the game's names say, with pays or live price, bets, and what came of them.

import { suitSign } from "/static/app/cards.js";
import { h } from "/static/app/dom.js";
import { boardOf } from "/static/app/games.js";
import { positionWords, rankText, spotWords, t, wagerWords } from "/static/app/words.js";
import { betsOpen, takes } from "./bets.js";
import { chipText, colour, money } from "./money.js";

/** Spots that are many of a kind, in the order of their groups -> what the pay table calls the kind. */
const GRIDS = { sum: "total_sum", single: "single", pair: "specific_pair", card: "specific_card" };

/** A spot of many alike: its kind and which one it is. */
function ofMany(spot) {
  const [, kind, which] = /^(sum|single|pair|card)_(\w+)$/.exec(spot) ?? [];
  return kind ? { kind, which } : null;
}

const RANKS = "A23456789TJQK";
const SUITS = "SHDC";

/** Where a spot stands among its like: as the game's own board has them, by number, by rank and suit. */
function order(spots, known) {
  const at = (spot) => {
    const many = ofMany(spot);
    const place = known.indexOf(spot);
    if (!many) return place < 0 ? known.length : place;
    return many.kind === "sum" ? Number(many.which) : 20 * Math.max(0, SUITS.indexOf(many.which[1] ?? "S")) + RANKS.indexOf(many.which[0]);
  };
  return spots.toSorted((one, other) => at(one) - at(other) || (one < other ? -1 : 1));
}

/** The spots in the order of the table: the single ones, those of a hand or seat together, and the many alike. */
function grouped(felt, known) {
  const groups = new Map([["main", null], ...Object.keys(GRIDS).map((kind) => [kind, null])]);
  const put = (name, kind, spot) => {
    if (!groups.get(name)) groups.set(name, { name, kind, spots: [] });
    groups.get(name).spots.push(spot);
  };
  for (const spot of order(Object.keys(felt.spots), known)) {
    const [hand, wager] = spot.split(".");
    const many = ofMany(spot);
    if (wager) put(hand, "hand", spot);
    else if (many) put(many.kind, "grid", spot);
    else put("main", "main", spot);
  }
  for (const [hand, { raised }] of Object.entries(felt.decisions)) put(hand, "hand", raised);
  return [...groups.values()].filter(Boolean);
}

/** What stands on a spot. */
function short(spot, names) {
  const many = ofMany(spot);
  if (spot.includes(".")) return wagerWords(spot.split(".")[1], names);
  if (!many) return spotWords(spot, names);
  if (many.kind === "card") return [rankText(many.which[0]), suitSign(many.which[1])];
  return many.kind === "pair" ? `${rankText(many.which)} ${rankText(many.which)}` : rankText(many.which);
}

/** What a bet there is worth: the live price, or what wins pay, the least and the most of it. */
export function worth(felt, display, spot) {
  const told = felt.spots[spot];
  if (told?.price != null) return told.price.toFixed(2);
  if (told?.pays) return told.pays;
  if (spot in (display?.odds?.offered ?? {})) return "–";
  const many = ofMany(spot);
  const paid = display?.pays ?? {};
  const rows = (paid[spot] ?? paid[spot.split(".").at(-1)] ?? paid[GRIDS[many?.kind]])?.rows ?? [];
  const times = (pays) => pays.split(":").reduce((won, staked) => won / staked);
  const wins = rows.flatMap(({ pays }) => pays ?? []).sort((one, other) => times(one) - times(other));
  if (wins.length === 0) return "";
  return wins[0] === wins.at(-1) ? wins[0] : t("limits.range", { min: wins[0], max: wins.at(-1) });
}

/** How a spot ended: from the result of the table, and what it brought the player. A folded hand's wagers are lost, whatever
    the cards would have brought. */
function ending(seat, spot) {
  const told = seat.view?.display?.result?.bets?.[spot];
  const mine = (seat.own?.bets ?? []).filter((bet) => bet.spot === spot && bet.returned !== null);
  const returned = mine.reduce((sum, bet) => sum + bet.returned, 0);
  const won = mine.some((bet) => bet.result === "win");
  const lost = mine.length > 0 && !won && returned === 0;
  const refunded = mine.every((bet) => bet.state === "refunded");
  return { lit: told?.result === "win" && !lost, returned: mine.length > 0 ? returned : null, won, refunded };
}

/** The prices that a player's bets there were taken at: an offer bought is an offer paid. */
function bought(seat, spot) {
  const prices = (seat.own?.bets ?? []).filter((bet) => bet.spot === spot && bet.price !== undefined).map((bet) => `@ ${bet.price.toFixed(2)}`);
  return prices.length > 0 && h("span", { class: "bought" }, [...new Set(prices)].join(" "));
}

function words(seat, spot, worthText, lies, end) {
  const parts = [spotWords(spot, seat.view?.display?.names)];
  if (worthText) parts.push(t("spot.pays", { pays: worthText }));
  if (lies) parts.push(t("spot.lies", { stake: money(lies, seat.currency) }));
  if (end.returned !== null) parts.push(t("spot.returned", { returned: money(end.returned, seat.currency) }));
  return parts.join(", ");
}

function spotButton(seat, spot, lies) {
  const { felt } = seat;
  const display = seat.view?.display;
  const placeable = spot in felt.spots;
  const open = placeable && takes(felt, spot);
  const worthText = worth(felt, display, spot);
  const end = ending(seat, spot);
  const message = seat.messages.get(spot);
  const label = words(seat, spot, worthText, lies, end);
  const mark = end.won ? " won" : end.returned !== null ? (end.returned > 0 ? " back" : " lost") : "";
  return h(
    placeable ? "button" : "div",
    {
      key: spot,
      class: `spot${open ? " open" : ""}${end.lit ? " lit" : ""}${mark}${placeable ? "" : " raised"}`,
      type: placeable ? "button" : null,
      role: placeable ? null : "img",
      "data-spot": spot,
      "data-stake": lies || null,
      "aria-label": label,
      "aria-disabled": placeable && !open ? "true" : null,
      onclick: placeable ? () => seat.add(spot) : null,
    },
    h("span", { class: "spot-name" }, short(spot, display?.names)),
    h("span", { class: "spot-worth" }, worthText),
    bought(seat, spot),
    lies > 0 && h("span", { class: `bet ${colour(seat.chips, lies)}`, "aria-hidden": "true" }, chipText(lies, seat.currency)),
    end.returned > 0 && !end.refunded && h("span", { class: `brought${end.won ? "" : " back"}`, "aria-hidden": "true" }, `${end.won ? "+" : ""}${chipText(end.returned, seat.currency)}`),
    message && h("span", { class: "spot-message", role: "alert" }, message),
  );
}

/** What the player decided on a hand, in a word. */
function decided(seat, hand) {
  const made = seat.own?.decisions?.[hand];
  return made && h("span", { class: "decided" }, " ", t(`decided.${made}`));
}

/** The spots of a group in rows of which each begins anew on a narrow screen: a suit is one. */
const rows = (name, spots) => (name === "card" ? [...SUITS].map((suit) => spots.filter((spot) => spot.endsWith(suit))) : [spots]).filter((row) => row.length > 0);

/** All spots of the table. */
export function layout(seat) {
  const { felt } = seat;
  const lies = seat.lies;
  const names = seat.view?.display?.names;
  const groups = grouped(felt, boardOf(seat.view.display).spots ?? []);
  const hands = groups.filter(({ kind }) => kind === "hand");
  const title = (name) => (name in GRIDS ? wagerWords(GRIDS[name], names) : positionWords(name));
  const box = ({ name, kind, spots }) =>
    h(
      "div",
      { key: name, class: `group ${kind} of-${name}`, role: "group", "data-group": name, "aria-label": name === "main" ? t("bets") : title(name) },
      name !== "main" && h("h3", {}, title(name), decided(seat, name)),
      rows(name, spots).map((row) => h("div", { key: row[0], class: "spots" }, row.map((spot) => spotButton(seat, spot, lies[spot] ?? 0)))),
    );
  return h(
    "div",
    { class: `bets${betsOpen(felt) ? " open" : ""}`, role: "group", "aria-label": t("bets") },
    groups.filter(({ kind }) => kind !== "hand").map(box),
    hands.length > 0 && h("div", { class: `hands-bets${hands.length > 2 ? " many" : ""}` }, hands.map(box)),
  );
}
