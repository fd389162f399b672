// A game that has no board of its own yet: the cards by hand, the winning spots, the last rounds.

import { byPosition, hand, smallCard } from "./cards.js";
import { voidMark, winners } from "./common.js";
import { h } from "./dom.js";
import { doubled, positionWords } from "./words.js";

/** The cards have the room that a game's own board would have. */
export const boardClass = () => "plain";

export function felt(view) {
  return Object.entries(byPosition(view.display)).map(([name, cards]) =>
    h("section", { key: name, class: "side", "aria-label": positionWords(name) }, h("h2", {}, doubled(() => positionWords(name))), hand(cards, cards.length, name)),
  );
}

export const outcome = () => null;

export const won = winners;

export const board = () => null;

export function last(entry) {
  if (entry.void) return voidMark();
  return Object.entries(entry.hands).map(([name, cards]) =>
    h("span", { key: name, class: "cards" }, h("span", { class: "when" }, positionWords(name)), cards.map(smallCard)),
  );
}

/** The result in a few words, for the floor; null where there are none. */
export const brief = () => null;
