// Playing cards as SVG, drawn by us: a rank, a suit, a back. A card that lies face down has no name here either.

import { h } from "./dom.js";
import { cardWords, rankText } from "./words.js";

const SUITS = {
  S: "M10 1C13 6 19 9 19 14a4.6 4.6 0 0 1-8 3c.2 1.8.9 3 2.3 4H6.700C8.1 20 8.8 18.8 9 17a4.6 4.6 0 0 1-8-3C1 9 7 6 10 1z",
  H: "M10 21C4 15 1 11.5 1 7.200A4.9 4.9 0 0 1 10 4.6 4.9 4.9 0 0 1 19 7.200C19 11.5 16 15 10 21z",
  D: "M10 0.500C12 4.5 15 8 18 11c-3 3-6 6.5-8 10.500C8 17.5 5 14 2 11c3-3 6-6.5 8-10.500z",
  C: "M10 1a4.5 4.5 0 0 1 3.7 7.100A4.6 4.6 0 1 1 11 15.600c.1 2.4.9 4 2.4 5.400H6.600C8.1 19.6 8.9 18 9 15.600A4.6 4.6 0 1 1 6.3 8.1 4.5 4.5 0 0 1 10 1z",
};

// Slanting lines within the back's frame, from 5 to 56 across and from 5 to 79 down, both ways.
const LATTICE = Array.from({ length: 11 }, (_, at) => {
  const y = 12 * at - 36;
  const [from, to] = [Math.max(5, 10 - y), Math.min(56, 84 - y)];
  const [above, below] = [y + from - 5, y + to - 5];
  return from < to ? `M${from} ${above}L${to} ${below}M${61 - from} ${above}L${61 - to} ${below}` : "";
}).join("");

/** Whether a suit is printed in red. */
export const isRed = (card) => card[1] === "H" || card[1] === "D";

/** The sign of a suit alone, in the colour and about the size of the text around it. */
export function suitSign(suit) {
  return h("svg", { class: `suit ${isRed(`A${suit}`) ? "red" : "black"}`, viewBox: "0 0 20 22", "aria-hidden": "true" }, h("path", { d: SUITS[suit] }));
}

/** A whole card; `null` is a card that lies face down. */
export function playingCard(card, key, extra = "") {
  const label = cardWords(card);
  if (card === null) {
    return h(
      "svg",
      { key, class: `card back ${extra}`, viewBox: "0 0 60 84", role: "img", "aria-label": label },
      h("rect", { class: "sheet", x: 1, y: 1, width: 58, height: 82, rx: 6 }),
      h("rect", { class: "field", x: 4.5, y: 4.5, width: 51, height: 75, rx: 4 }),
      h("path", { class: "lattice", d: LATTICE }),
      h("rect", { class: "border", x: 2.6, y: 2.6, width: 54.8, height: 78.8, rx: 5 }),
      h("rect", { class: "medal", x: 18, y: 30, width: 24, height: 24, rx: 3, transform: "rotate(45 30 42)" }),
      h("path", { class: "medal-pip", d: SUITS.S, transform: "translate(22.5 33.5) scale(.75)" }),
    );
  }
  const rank = rankText(card[0]);
  return h(
    "svg",
    {
      key,
      class: `card face ${isRed(card) ? "red" : "black"} ${extra}`,
      viewBox: "0 0 60 84",
      role: "img",
      "aria-label": label,
      "data-card": card,
    },
    h("rect", { class: "sheet", x: 1, y: 1, width: 58, height: 82, rx: 6 }),
    // A queen's tail would run into her suit.
    h("text", { class: rank.length > 1 ? "rank wide" : "rank", x: 30, y: rank === "Q" ? 39 : 41, "text-anchor": "middle" }, rank),
    h("path", { class: "pip", d: SUITS[card[1]], transform: "translate(12.5 45) scale(1.75 1.6)" }),
  );
}

/** The place of a card that is not there yet. */
export function emptyPlace(key) {
  return h(
    "svg",
    { key, class: "card place", viewBox: "0 0 60 84", "aria-hidden": "true" },
    h("rect", { class: "outline", x: 2, y: 2, width: 56, height: 80, rx: 6 }),
  );
}

// Places whose card lies, or lay, face down: one that is turned up unfolds, one that is dealt open is there at once.
const down = new Set();

function turning(card, place) {
  if (card === null) down.add(place);
  return card !== null && down.has(place) ? " turned" : "";
}

/** The cards of a hand in a row, with places for those that may still come; of `played`, where it is known, those
 *  that count are marked. */
export function hand(cards, places, name, played = null) {
  for (const place of down) if (place.startsWith(`${name}/`) && Number(place.split("/")[1]) >= cards.length) down.delete(place);
  const row = cards.map((card, at) =>
    playingCard(card, `${name}${at}${card === null ? "d" : "u"}`, mark(card, played) + turning(card, `${name}/${at}`)),
  );
  for (let at = cards.length; at < places; at += 1) row.push(emptyPlace(`${name}${at}e`));
  return h("div", { class: "hand-cards", "data-hand": name }, row);
}

function mark(card, played) {
  if (played === null || card === null) return "";
  return played.includes(card) ? "plays" : "rests";
}

/** A card as small text: rank and sign. */
export function smallCard(card) {
  return h(
    "span",
    { class: `small-card ${isRed(card) ? "red" : "black"}`, dir: "ltr", role: "img", "aria-label": cardWords(card) },
    h("span", { "aria-hidden": "true" }, rankText(card[0])),
    suitSign(card[1]),
  );
}

/** Cards of `display` by position. */
export function byPosition(display) {
  const hands = {};
  for (const one of display.cards ?? []) (hands[one.position] ??= []).push(one.card);
  return hands;
}
