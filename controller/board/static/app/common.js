// What the boards of several games have: the spots that win, the shoe, a void round.

import { smallCard } from "./cards.js";
import { h } from "./dom.js";
import { limits } from "./limits.js";
import { both, doubled, fromTheLeft, spotWords, t } from "./words.js";

/** The bets of a round in the order of the layout, where the game has one; the house's own ones last. */
export function inOrder(bets, order = []) {
  const place = ([spot]) => (order.includes(spot) ? order.indexOf(spot) : order.length);
  return Object.entries(bets ?? {}).sort((one, other) => place(one) - place(other));
}

/** The places to bet that win, and what they pay; at live odds each bet has its own price. Who wins while its own bet is given
 *  back stands there, too: nobody looks for a pay that does not come. */
export function winners(display, order) {
  const winner = display.result?.outcome?.winner;
  const bets = inOrder(display.result?.bets, order).filter(([spot, bet]) => bet.result === "win" || (bet.result === "push" && spot === winner));
  return h(
    "ul",
    { class: `winners${bets.length > 5 ? " many" : ""}`, "aria-label": t("winning-spots"), "--tiles": String(Math.max(1, bets.length)) },
    bets.map(([spot, bet]) =>
      h(
        "li",
        { class: bet.result, key: spot, "data-spot": spot },
        h(
          "span",
          { class: "spot", "data-fit": "" },
          spot.startsWith("card_") ? smallCard(spot.slice(5)) : doubled(() => spotWords(spot, display.names)),
        ),
        h("span", { class: "pays" }, bet.result === "push" ? both("pushes") : bet.pays ? fromTheLeft(bet.pays) : t("odds")),
      ),
    ),
  );
}

/** How far the shoe is, and what may be staked. */
export function shoe(display) {
  const told = display.shoe;
  const part = told && told.cards > 0 ? (100 * told.left) / told.cards : 0;
  return h(
    "section",
    { class: "shoe", "aria-label": t("shoe") },
    h("span", { class: "label" }, both("shoe")),
    h(
      "span",
      {
        class: "bar",
        role: "progressbar",
        "aria-label": t("shoe.part"),
        "aria-valuemin": "0",
        "aria-valuemax": "100",
        "aria-valuenow": String(Math.round(part)),
      },
      h("span", { class: "full", "--part": `${part}%` }),
    ),
    h("span", { class: "left" }, doubled(() => (told ? t("shoe.left", { left: told.left, cards: told.cards }) : t("shoe.none")))),
    limits(display),
  );
}

/** A void round among the last results. */
export const voidMark = () => h("span", { class: "mark void" }, t("result.void"));

/** How many hands won against the dealer. */
export function handsWon(told, won) {
  const hands = Object.entries(told).filter(([name]) => name !== "dealer");
  return t("hands-won", { won: hands.filter(([, hand]) => won(hand)).length, of: hands.length });
}

/** Whether the felt is free for what a player wants to know before staking: no card lies, no result stands. */
export const feltIsFree = (display) => (display.cards ?? []).length === 0 && !display.result && !display.void;

/** Whether bets are open and nothing lies yet. */
export const feltIsOpen = (display) => display.phase === "betting" && feltIsFree(display);
