// Sounds, made here from tones: a chip, bets closing, a decision, a win. Muted and made softer in SETTINGS.

import { sounded } from "/static/app/tones.js";

const TONES = {
  chip: [[1900, 0, 0.03], [1300, 0.03, 0.04]],
  undo: [[700, 0, 0.05]],
  soon: [[880, 0, 0.07]],
  closed: [[440, 0, 0.12], [330, 0.13, 0.16]],
  decide: [[660, 0, 0.1], [990, 0.12, 0.14]],
  win: [[523, 0, 0.12], [659, 0.12, 0.12], [784, 0.24, 0.24]],
  refused: [[220, 0, 0.12]],
};

/** Play one, unless all is muted; a browser lets nothing be heard before the first touch. */
export function play(name, { sound, game_volume: volume }) {
  if (!sound || volume === 0 || !navigator.userActivation?.hasBeenActive) return;
  sounded(TONES[name], (0.25 * volume) / 100);
}
