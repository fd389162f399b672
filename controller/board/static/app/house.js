// A house's own look, as the board tells it: name, logo, a line for the idle table.

import { h } from "./dom.js";

let house = {};

/** Take what the board told of the house. */
export function settle(told) {
  house = told ?? {};
}

/** Its logo or its name, null where it has none. */
export function houseMark() {
  if (house.logo) return h("img", { class: "logo", src: house.logo, alt: house.name ?? "" });
  return house.name ? h("p", { class: "house", "data-fit": "" }, house.name) : null;
}
