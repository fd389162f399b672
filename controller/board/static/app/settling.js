// The result for the dealer, in the order of the work: collect what lost, give back what pushes, pay what won.

import { inOrder } from "./common.js";
import { h } from "./dom.js";
import { both, doubled, fromTheLeft, spotWords, t } from "./words.js";

const MOST_NAMED = 10;

function step(name, spots, say) {
  if (spots.length === 0) return null;
  return h(
    "li",
    { class: `step ${name}`, key: name, "data-step": name },
    h("h2", {}, both(`settle.${name}`)),
    h("ul", {}, say(spots)),
  );
}

/** What is to be done with the chips, in the order of the layout; null before there is a result, and of a free hand: nobody has
 *  a bet. It stands until the next round: a table that settles by itself is settled before a chip has moved. */
export function settling(display, order) {
  const bets = inOrder(display.result?.bets, order);
  if (bets.length === 0 || display.void || display.free_hand) return null;
  const of = (result) => bets.filter(([, bet]) => bet.result === result);
  const name = (spot) => doubled(() => spotWords(spot, display.names));
  const named = (spots) =>
    spots.length > MOST_NAMED
      ? h("li", { key: "rest" }, both("settle.all-others"))
      : spots.map(([spot]) => h("li", { key: spot, "data-spot": spot }, name(spot)));
  const paid = (spots) =>
    spots.map(([spot, bet]) =>
      h("li", { key: spot, "data-spot": spot }, h("span", { "data-fit": "" }, name(spot)), h("b", {}, bet.pays ? fromTheLeft(bet.pays) : t("odds"))),
    );
  return h("ol", { class: "settling", "aria-label": t("settle") }, [
    step("collect", of("lose"), named),
    step("return", of("push"), named),
    step("pay", of("win"), paid),
  ]);
}
