// A house's own look, as the board tells it: name, logo, a picture or film for the idle table.

import { h } from "./dom.js";

let house = {};

/** Take what the board told of the house. */
export function settle(told) {
  house = told ?? {};
}

/** Its picture or film for an idle table: { address, kind }, or null. */
export const houseMedia = () => house.media ?? null;

/** Its logo or its name, null where it has none. */
export function houseMark() {
  if (house.logo) return h("img", { class: "logo", src: house.logo, alt: house.name ?? "" });
  return house.name ? h("p", { class: "house", "data-fit": "" }, house.name) : null;
}
