// What every board has: the head, the light with the clock, the notice, the winning spots, the shoe.

import { smallCard } from "./cards.js";
import { h } from "./dom.js";
import { limits } from "./limits.js";
import { gameWords, known, spotWords, t, timeOfDay } from "./words.js";

// The way to us takes time: rather a moment too few than one too many.
const WAY_MS = 200;

/** Seconds until the running clock is over, null where none runs. */
export function secondsLeft(display, now) {
  if (!display?.countdown_end) return null;
  return Math.max(0, Math.ceil((Date.parse(display.countdown_end) - now - WAY_MS) / 1000));
}

/** Where we are: game, table, game number. */
export function head(view, now) {
  const display = view.display ?? {};
  return h(
    "header",
    { class: "head" },
    h("h1", {}, display.game ? gameWords(display.game) : t("board")),
    h("p", { class: "table-name" }, t("table", { table: view.table }), h("span", { class: "site" }, view.site)),
    view.mode === "test" && h("p", { class: "badge test" }, t("test-mode")),
    h(
      "p",
      { class: "game-number" },
      h("span", { class: "label" }, t("game-number")),
      h("span", { class: "number" }, display.game_number ?? "--:--:--"),
    ),
    h("p", { class: "wall-clock" }, h("span", { class: "label" }, t("time")), timeOfDay(now)),
  );
}

/** The traffic light: which lamp burns stands in its place, its colour and in words. */
export function lamp(light) {
  const lamps = ["red", "yellow", "green"];
  return h(
    "svg",
    { class: "lamp", viewBox: "0 0 30 80", role: "img", "aria-label": t(`light.${light}`) },
    h("rect", { class: "case", x: 1, y: 1, width: 28, height: 78, rx: 9 }),
    lamps.map((name, at) =>
      h("circle", { class: `${name}${name === light ? " on" : ""}`, cx: 15, cy: 16 + 24 * at, r: 9.5 }),
    ),
  );
}

/** Phase, light and countdown. Without a signal all of them are old, and none is shown. */
export function state(view, ok, now) {
  const display = view.display ?? {};
  const left = ok ? secondsLeft(display, now) : null;
  const light = ok && display.hold == null ? display.light : ok ? "red" : "none";
  return h(
    "section",
    { class: `state light-${light}`, "aria-label": t("state") },
    lamp(light ?? "none"),
    h("p", { class: "phase", role: "status" }, ok ? phaseWords(display) : t("no-signal")),
    h(
      "p",
      { class: `countdown${left === null ? "" : left <= 5 ? " soon" : left >= 100 ? " long" : ""}`, role: "timer", "aria-live": "off" },
      left === null ? "" : clockText(left),
    ),
  );
}

/** Seconds, or minutes and seconds where there are many. */
export const clockText = (left) =>
  left < 100 ? String(left) : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;

/** The phase in words. */
export function phaseWords(display) {
  if (display.hold) return t("phase.hold");
  if (display.void) return t("phase.void");
  if (shoeIsOver(display)) return t("phase.shoe-change");
  return t(`phase.${display.phase ?? "idle"}`);
}

// No round may open any more from this shoe, or there is none yet.
const NEW_SHOE = ["no_shoe", "shoe_finished", "wrong_count", "foreign_card", "excess", "shortage"];
const shoeIsOver = ({ phase, may_open: may }) =>
  (phase === "idle" || phase === "settled") && may?.open === false && NEW_SHOE.includes(may.code);

/** Hold, void, last round: one strip that is always there, so that nothing moves when it speaks. */
export function notice(view, signal) {
  const display = view.display ?? {};
  const [kind, text] = noticeWords(view, display, signal);
  const words = Array.isArray(text) ? text : [text];
  return h(
    "section",
    { class: `notice ${kind}`, role: kind === "none" ? null : "alert", "aria-label": t("notice") },
    h("strong", {}, words[0]),
    words[1] && h("span", {}, words[1]),
  );
}

function noticeWords(view, display, signal) {
  if (!signal.ok) return ["silent", silentWords(signal)];
  if (display.hold) {
    const key = `hold.${display.hold.reason}`;
    return ["hold", [t("notice.hold"), known(key) ? t(key) : display.hold.meaning]];
  }
  if (display.void) return ["void", [t("notice.void"), voidWords(display.void)]];
  if (display.last_round) {
    return ["last-round", t(shoeIsOver(display) ? "notice.shoe-change" : "notice.last-round")];
  }
  return ["none", ""];
}

/** Why a round was annulled, in plain words, with its paragraph. */
export function voidWords(annulled) {
  const why = t(`void.${annulled.reason}`);
  return `${why}${annulled.rule ? ` (${annulled.rule})` : ""}. ${t("void.refund")}`;
}

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

/** The places to bet that win, and what they pay; at live odds each bet has its own price. */
export function winners(display) {
  const bets = Object.entries(display.result?.bets ?? {}).filter(([, bet]) => bet.result === "win");
  return h(
    "ul",
    { class: `winners${bets.length > 4 ? " many" : ""}`, "aria-label": t("winning-spots") },
    bets.map(([spot, bet]) =>
      h(
        "li",
        { key: spot, "data-spot": spot },
        h("span", { class: "spot" }, spot.startsWith("card_") ? smallCard(spot.slice(5)) : spotWords(spot, display.names)),
        h("span", { class: "pays" }, bet.pays ?? t("odds")),
      ),
    ),
  );
}

/** How far the shoe is, and what may be staked. */
export function shoe(display) {
  const told = display.shoe;
  const part = told && told.cards > 0 ? (100 * (told.cards - told.left)) / told.cards : 0;
  return h(
    "section",
    { class: "shoe", "aria-label": t("shoe") },
    h("span", { class: "label" }, t("shoe")),
    h(
      "span",
      {
        class: "bar",
        role: "progressbar",
        "aria-label": t("shoe.dealt"),
        "aria-valuemin": "0",
        "aria-valuemax": "100",
        "aria-valuenow": String(Math.round(part)),
      },
      h("span", { class: "done", "--part": `${part}%` }),
    ),
    h("span", { class: "left" }, told ? t("shoe.left", { left: told.left, cards: told.cards }) : t("shoe.none")),
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
