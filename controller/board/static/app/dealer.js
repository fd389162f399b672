// The dealer's page: /dealer/<site>/<id> says the next legal step in big words, what is to be paid, and in a hold why,
// what proves it and what may be chosen.

import { acknowledging, badgeForm, isAsking, openForm, seenBy } from "./acknowledge.js";
import { byPosition, hand, playingCard } from "./cards.js";
import { h } from "./dom.js";
import { evidence } from "./evidence.js";
import { boardOf } from "./games.js";
import { head, notice, signalOf } from "./head.js";
import { begin, followTable } from "./page.js";
import { settling } from "./settling.js";
import { listen } from "./sound.js";
import { state } from "./state.js";
import { alertWords, asItBegins, both, doubled, known, positionWords, t } from "./words.js";

/** The step in words. */
export function actWords(act) {
  const values = { ...act, position: act.position ? positionWords(act.position) : "" };
  if (act.code === "third") return t(`act.third.${act.position}`);
  if (act.code === "draw") return act.card > 1 ? t("act.draw.next", values) : t("act.draw", values);
  if (act.code === "reveal" && act.position) return t("act.reveal.hand", values);
  if (act.code === "burn") return t(act.cards === 1 ? "act.burn.one" : "act.burn", values);
  if (act.code === "wait") return known(`wait.${act.why}`) ? t(`wait.${act.why}`) : asItBegins(act.message);
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

function nextOut({ act, under_key }) {
  const out = under_key?.next_out?.length ? under_key.next_out : act.next_out;
  if (!out) return null;
  return h(
    "p",
    { class: "next-out" },
    h("span", {}, t("next-out")),
    out.map((card, at) => playingCard(card, `out${at}`)),
  );
}

/** The cards that count, where the game has such. */
const marked = (view, name) => (view.display.game ? (boardOf(view.display).framed?.(view, name) ?? null) : null);

function cards(view) {
  const lie = byPosition(view.display);
  const many = view.display.cards.length > 14 ? " many" : "";
  return h(
    "section",
    { class: `lying${many}`, "aria-label": t("cards"), "--count": String(view.display.cards.length) },
    Object.entries(lie).map(([name, hands]) =>
      h("div", { class: "dealt", key: name }, h("h2", {}, doubled(() => positionWords(name))), hand(hands, hands.length, name, marked(view, name))),
    ),
  );
}

function alerts(view, changed) {
  if (view.alerts.length === 0) return null;
  return h(
    "section",
    { class: "alerts", "aria-label": t("alerts") },
    h(
      "ul",
      {},
      view.alerts.map((alert) => h("li", { key: alert.id, class: alert.id in view.seen ? "seen" : "", "data-alert": alert.id }, doubled(() => alertWords(alert)), seenBy(view, alert))),
    ),
    acknowledging(view, changed, t("acknowledge")),
  );
}

const NEWEST = 4;

/** What players say at the table, as the service of their seats tells it. */
function talk(view) {
  const lines = view.chat?.lines ?? [];
  if (lines.length === 0) return null;
  return h(
    "section",
    { class: "talk", "aria-label": t("chat") },
    h("ol", {}, lines.slice(-NEWEST).map(({ number, player, text }) => h("li", { key: number }, h("b", {}, asItBegins(player)), " ", asItBegins(text)))),
  );
}

/** One step back to the floor. */
const back = () =>
  h("a", { class: "way-back", href: `/${location.search}`, "aria-label": t("back"), title: t("back") }, h("span", { "aria-hidden": "true" }, "‹ "), t("floor"));

function page(view, stream, now, changed) {
  const signal = signalOf(stream, view);
  if (!view.display) {
    return [
      head(view, now, back()),
      h("main", { class: "dealer-page" }, h("p", { class: "waiting", role: "status" }, both("waiting")), notice(view, signal)),
    ];
  }
  const { act, display } = view;
  listen(view, signal, now, true);
  const held = act?.code === "hold";
  const settled = signal.ok && !held && display.game ? settling(display) : null;
  return [
    head(view, now, back()),
    h(
      "main",
      { class: `dealer-page${signal.ok ? "" : " stale"}${held ? " holds" : settled ? " settles" : ""}` },
      state(view, signal.ok, now, settled && boardOf(display).outcome(display)),
      notice(view, signal),
      act &&
        h(
          "section",
          { class: `act act-${act.code}`, "aria-live": "assertive", "aria-label": t("next-step"), "data-act": act.code },
          h("p", { class: "act-words" }, doubled(() => (signal.ok ? actWords(act) : t("act.no-signal")))),
          signal.ok && keyOf(act) && h("p", { class: "act-key" }, keyOf(act)),
          signal.ok && choices(act),
          signal.ok && nextOut(view),
        ),
      signal.ok && held && display.hold ? evidence(display.hold, view.under_key?.cards) : settled && h("section", { class: "work", "aria-label": t("settle") }, settled),
      cards(view),
      talk(view),
      alerts(view, changed),
    ),
    badgeForm(changed),
  ];
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !isAsking()) location.assign(`/${location.search}`);
});

begin(() => followTable("title.dealer", "dealer", page, { after: openForm }));
