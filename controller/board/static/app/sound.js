// Sounds, made here from tones, where the address asks for them (?sound=on): bets open, the last seconds, no more bets,
// a result; for dealer and pit that somebody is needed.

import { secondsLeft } from "./state.js";
import { sounded } from "./tones.js";

const wanted = new URLSearchParams(location.search).get("sound") === "on";
const LOUD = 0.25;

// Pitch in Hz, begin and length in seconds.
const TONES = {
  open: [[523, 0, 0.12], [784, 0.14, 0.2]],
  soon: [[880, 0, 0.07]],
  closed: [[440, 0, 0.14], [330, 0.16, 0.22]],
  result: [[523, 0, 0.14], [659, 0.14, 0.14], [784, 0.28, 0.3]],
  call: [[988, 0, 0.18], [740, 0.2, 0.18], [988, 0.5, 0.18], [740, 0.7, 0.18]],
};

/** Play one, where sounds are wanted; also on a page that nobody touches, if its browser was started so. */
function play(name) {
  if (wanted) sounded(TONES[name], LOUD);
}

const SOON_S = 5;
let heard = null;

/** What is to be heard of a table as it is now, after what was heard last; another table than before begins in silence. */
export function listen(view, signal, now, calls = false) {
  const display = view?.display;
  if (!wanted || !signal.ok || !display) return;
  const left = secondsLeft(display, now);
  const is = { path: view.path, phase: display.phase, result: display.result ? display.round : null, held: Boolean(display.hold), left };
  const was = heard;
  heard = is;
  if (was === null || was.path !== is.path) return;
  if (calls && is.held && !was.held) play("call");
  else if (is.result && is.result !== was.result) play("result");
  else if (is.phase === "betting" && was.phase !== "betting") play("open");
  else if (was.phase === "betting" && is.phase !== "betting") play("closed");
  else if (is.phase === "betting" && left !== null && left <= SOON_S && left > 0 && left !== was.left) play("soon");
}

let calm = new Set();

/** The floor: a table that was calm and begins to need somebody is heard. The tables of a page come one by one: one
 *  that is in trouble where it is first seen is no news. */
export function listenFloor(paths, troubled) {
  if (troubled.some((path) => calm.has(path))) play("call");
  calm = new Set(paths.filter((path) => !troubled.includes(path)));
}
