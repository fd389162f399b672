// Light, phase and clock of a table: what is seen from the door.

import { h } from "./dom.js";
import { isClosed, phaseWords } from "./head.js";
import { doubled, fromTheLeft, t } from "./words.js";

// The way to us takes time: rather a moment too few than one too many.
const WAY_MS = 200;

/** Seconds until the running clock is over, null where none runs. */
export function secondsLeft(display, now) {
  if (!display?.countdown_end) return null;
  return Math.max(0, Math.ceil((Date.parse(display.countdown_end) - now - WAY_MS) / 1000));
}

/** The traffic light: which lamp burns stands in its place, its colour and in words. */
export function lamp(light) {
  const lamps = ["red", "yellow", "green"];
  return h(
    "svg",
    { class: "lamp", viewBox: "0 0 80 30", role: "img", "aria-label": t(`light.${light}`) },
    h("rect", { class: "case", x: 1, y: 1, width: 78, height: 28, rx: 14 }),
    lamps.map((name, at) =>
      h("circle", { class: `${name}${name === light ? " on" : ""}`, cx: 16 + 24 * at, cy: 15, r: name === light ? 11 : 8 }),
    ),
  );
}

/** The part of its clock that is left: a page that is opened late begins where the time is. A table that does not say how
 *  long its clock runs has no bar. */
const partLeft = ({ countdown_s: whole }, left) => (whole > 0 ? Math.min(1, left / whole) : 0);

/** Phase, light and clock, or `outcome` where there is one. Without a signal all of them are old: none is shown. */
export function state(view, ok, now, outcome = null) {
  const display = view.display ?? {};
  const left = ok ? secondsLeft(display, now) : null;
  const told = ok ? outcome : null;
  // At a table that settles by itself and closes the result is as new as that: both are said.
  const closed = isClosed(display) ? " closed" : "";
  const light = ok && display.hold == null ? display.light : ok ? "red" : "none";
  const pace = left === null ? "" : left <= 5 ? " soon" : left >= 100 ? " long" : "";
  return h(
    "section",
    { class: `state light-${light}${told ? ` told${closed}` : ""}${left === null ? "" : " running"}`, "aria-label": t("state") },
    h(
      "div",
      { class: "light", "aria-live": "polite" },
      lamp(light ?? "none"),
      h("p", { class: "phase", role: "status", "data-fit": "both" }, doubled(() => (ok ? phaseWords(display) : t("no-signal")))),
      told,
      h("p", { class: `countdown${pace}`, role: "timer", "aria-live": "off" }, left === null ? "" : clockText(left)),
    ),
    h("span", { class: "drain", "--part": left === null ? "0%" : `${(100 * partLeft(display, left)).toFixed(1)}%` }),
  );
}

/** Seconds, or minutes and seconds where there are many. */
export const clockText = (left) =>
  left < 100 ? String(left) : fromTheLeft(`${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
