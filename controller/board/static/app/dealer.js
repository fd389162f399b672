// The dealer's page: /dealer/<site>/<id> says the next legal step in big words; in a hold, why and what may be chosen.

import { byPosition, hand, playingCard } from "./cards.js";
import { head, notice, signalOf, state } from "./common.js";
import { h } from "./dom.js";
import { begin, followTable } from "./page.js";
import { known, positionWords, t } from "./words.js";

/** The step in words. */
export function actWords(act) {
  const values = { ...act, position: act.position ? positionWords(act.position) : "" };
  if (act.code === "third") return t(`act.third.${act.position}`);
  if (act.code === "draw") return act.card > 1 ? t("act.draw.next", values) : t("act.draw", values);
  if (act.code === "reveal" && act.position) return t("act.reveal.hand", values);
  if (act.code === "burn") return t(act.cards === 1 ? "act.burn.one" : "act.burn", values);
  if (act.code === "wait") return known(`wait.${act.why}`) ? t(`wait.${act.why}`) : act.message;
  return t(`act.${act.code}`);
}

const keyOf = (act) => (known(`key.${act.code}`) ? t(`key.${act.code}`) : "");

function choices(act) {
  if (act.code !== "hold") return null;
  return h(
    "ul",
    { class: "choices", "aria-label": t("choices") },
    (act.choices ?? []).map((choice) =>
      h("li", { key: choice, "data-choice": choice }, h("b", {}, t(`choice.${choice}`)), h("span", {}, t(`choice.${choice}.says`))),
    ),
  );
}

function nextOut(act) {
  if (!act.next_out) return null;
  return h(
    "p",
    { class: "next-out" },
    h("span", {}, t("next-out")),
    act.next_out.map((card, at) => playingCard(card, `out${at}`)),
  );
}

function cards(view) {
  const lie = byPosition(view.display);
  return h(
    "section",
    { class: `felt small${view.display.cards.length > 14 ? " many" : ""}`, "aria-label": t("cards") },
    Object.entries(lie).map(([name, hands]) =>
      h("div", { class: "dealt", key: name }, h("h2", {}, positionWords(name)), hand(hands, hands.length, name)),
    ),
  );
}

function alerts(view) {
  return h(
    "ul",
    { class: "alerts", "aria-label": t("alerts") },
    view.alerts.map((alert) =>
      h("li", { key: alert.id, "data-alert": alert.id }, known(`alert.${alert.code}`) ? t(`alert.${alert.code}`) : alert.message),
    ),
  );
}

function page(view, stream, now) {
  const signal = signalOf(stream, view);
  if (!view.display) {
    return [head(view, now), notice(view, signal), h("main", { class: "dealer-page" }, h("p", { class: "waiting", role: "status" }, t("waiting")))];
  }
  const { act } = view;
  return [
    head(view, now),
    notice(view, signal),
    h(
      "main",
      { class: `dealer-page${signal.ok ? "" : " stale"}` },
      state(view, signal.ok, now),
      act && h(
        "section",
        { class: `act act-${act.code}`, "aria-live": "assertive", "aria-label": t("next-step"), "data-act": act.code },
        h("p", { class: "act-words" }, signal.ok ? actWords(act) : t("act.no-signal")),
        h("p", { class: "act-key" }, signal.ok ? keyOf(act) : ""),
        signal.ok && choices(act),
        signal.ok && nextOut(act),
      ),
      cards(view),
      alerts(view),
    ),
  ];
}

begin(() => followTable("title.dealer", page));
