// The head of a page, and the strip that speaks when something is not as it should be.

import { h } from "./dom.js";
import { houseMark } from "./house.js";
import { asItBegins, both, doubled, gameWords, joined, known, t, timeOfDay } from "./words.js";

/** Where we are: house, game, table, the round that people name; `back` is a way out where the page has one. */
export function head(view, now, back = null) {
  const display = view.display ?? {};
  return h(
    "header",
    { class: "head" },
    back,
    houseMark(),
    h("h1", { "data-fit": "" }, doubled(() => (display.game ? gameWords(display.game) : t("board")))),
    h("p", { class: "table-name", "data-fit": "" }, t("table", { table: view.table }), " ", h("span", { class: "site" }, asItBegins(view.site))),
    view.mode === "test" && h("p", { class: "badge test" }, both("test-mode")),
    display.last_round && !shoeIsOver(display) && h("p", { class: "badge last-round" }, both("notice.last-round")),
    display.free_hand && h("p", { class: "badge free" }, both("free-hand")),
    display.game_number &&
      h("p", { class: "game-number" }, h("span", { class: "label" }, t("game-number")), " ", h("span", { class: "number" }, display.game_number)),
    h("p", { class: "wall-clock", "aria-label": t("time") }, timeOfDay(now, 2)),
  );
}

/** The phase in words. */
export function phaseWords(display) {
  if (display.hold) return t("phase.hold");
  if (isClosed(display)) return t("phase.closed");
  if (display.void) return t("phase.void");
  if (shoeIsOver(display)) return t("phase.shoe-change");
  if (display.phase === "decision" && display.free_hand) return t("free-hand");
  return t(`phase.${display.phase ?? "idle"}`);
}

const awaits = ({ phase, may_open: may }, codes) =>
  (phase === "idle" || phase === "settled") && may?.open === false && codes.includes(may.code);

/** Whether nobody plays before a supervisor opens the table. */
export const isClosed = (display) => awaits(display, ["table_closed"]);

// No round may open any more from this shoe, or there is none yet.
const NEW_SHOE = ["no_shoe", "shoe_finished", "wrong_count", "foreign_card", "excess", "shortage"];
export const shoeIsOver = (display) => awaits(display, NEW_SHOE);

/** No signal, hold, void, end of the shoe: a strip that lies where the bets stand, so that nothing moves when it
 *  speaks, and that leaves them alone while there is nothing to say. */
export function notice(view, signal) {
  const [kind, words] = noticeWords(view, view.display ?? {}, signal);
  if (kind === "none") return null;
  return h(
    "section",
    { class: `notice ${kind}`, role: "alert", "aria-label": t("notice"), key: "notice" },
    h("strong", { "data-fit": "both" }, words[0]),
    words[1] && h("span", { "data-fit": "both" }, words[1]),
  );
}

function noticeWords(view, display, signal) {
  if (!signal.ok) return ["silent", [0, 1].map((at) => doubled(() => silentWords(signal)[at]))];
  if (display.hold) return ["hold", [both("notice.hold"), doubled(() => holdWords(display.hold))]];
  if (display.void) return ["void", [both("notice.void"), doubled(() => voidWords(display))]];
  if (shoeIsOver(display)) return ["last-round", [both("notice.shoe-change")]];
  return ["none", []];
}

/** Why the table waits; a reason that we have no words for as the table says it. */
export function holdWords(hold) {
  const key = `hold.${hold.reason}`;
  return known(key) ? t(key) : asItBegins(hold.meaning ?? hold.reason);
}

/** Why a round was annulled, in plain words: a player need not know the paragraph. */
export const voidWords = ({ void: annulled, free_hand }) => joined("sentences", [t(`void.${annulled.reason}`), !free_hand && t("void.refund")]);

/** No signal since when, and of what. */
export function silentWords(signal) {
  if (signal.why === "connecting") return [t("connecting"), ""];
  const since = signal.since ? t("no-signal.since", { time: timeOfDay(signal.since) }) : t("no-signal");
  return [since, t(`silent.${signal.why}`)];
}

/** The signal of one table: the stream's own, or the table's silence. */
export function signalOf(stream, view) {
  if (!stream.ok || !view?.silence) return stream;
  return { ok: false, why: view.silence.why, since: view.silence.since };
}
