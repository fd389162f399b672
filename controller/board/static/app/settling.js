// The result for the dealer, in the order of the work: collect what lost, give back what pushes, pay what won.

import { h } from "./dom.js";
import { spotWords, t } from "./words.js";

const MOST_NAMED = 10;

function step(name, spots, say) {
  if (spots.length === 0) return null;
  return h(
    "li",
    { class: `step ${name}`, key: name, "data-step": name },
    h("h2", {}, t(`settle.${name}`)),
    h("ul", {}, say(spots)),
  );
}

/** What is to be done with the chips; null before there is a result. */
export function settling(display) {
  const bets = Object.entries(display.result?.bets ?? {});
  if (bets.length === 0 || display.void) return null;
  const of = (result) => bets.filter(([, bet]) => bet.result === result);
  const named = (spots) =>
    spots.length > MOST_NAMED
      ? h("li", { key: "rest" }, t("settle.all-others"))
      : spots.map(([spot]) => h("li", { key: spot, "data-spot": spot }, spotWords(spot, display.names)));
  const paid = (spots) =>
    spots.map(([spot, bet]) =>
      h("li", { key: spot, "data-spot": spot }, h("span", {}, spotWords(spot, display.names)), h("b", {}, bet.pays ?? t("odds"))),
    );
  return h("ol", { class: "settling", "aria-label": t("settle") }, [
    step("collect", of("lose"), named),
    step("return", of("push"), named),
    step("pay", of("win"), paid),
  ]);
}
