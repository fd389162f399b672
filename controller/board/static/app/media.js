// The house's jackpot; and its picture or film where nobody plays: while a shoe is changed, before its first round, or at a
// closed table, and not before the last result has been seen.

import { feltIsFree } from "./common.js";
import { h } from "./dom.js";
import { isClosed, shoeIsOver } from "./head.js";
import { houseMedia } from "./house.js";
import { money } from "./limits.js";
import { t } from "./words.js";

// So long a result is looked at, though no other round can follow it.
const SEEN_MS = 30_000;
let last = "";
let since = 0;

/** Whether the result that lies there has been looked at: it is the last one, and came a while ago. */
function wasSeen({ result }) {
  const now = performance.now();
  const told = JSON.stringify(result ?? null);
  if (told !== last) [last, since] = [told, now];
  return result == null || now - since > SEEN_MS;
}

/** Whether nothing on the felt concerns a player. */
function rests(display) {
  const seen = wasSeen(display);
  if (display.hold || display.void) return false;
  if (isClosed(display) || shoeIsOver(display)) return seen;
  const rounds = display.scoreboard?.bead.length;
  // Another shoe is loaded: the result that still stands was the last of the one before.
  if (display.phase === "settled") return rounds === 0;
  return display.phase === "idle" && feltIsFree(display) && !rounds;
}

// A film begins without a sound, and stands still where the system asks for reduced motion.
function play({ target }) {
  target.muted = true;
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) target.play().catch(() => {});
}

/** The house's jackpot in a strip: its name gives way, its amount never does; null where there is none. */
export function jackpot(told) {
  if (!told) return null;
  return h(
    "section",
    { class: "jackpot", "aria-label": t("jackpot"), key: "jackpot" },
    h("p", { class: "name", "data-fit": "" }, told.name),
    h("p", { class: "amount" }, money(told.amount, told.currency)),
  );
}

/** The house's media while the table rests; null where it plays, or the house has none. */
export function resting(display) {
  const shown = houseMedia();
  if (shown === null || !rests(display)) return null;
  const film = shown.kind.startsWith("video/");
  return h(
    "section",
    { class: "media", "aria-label": t("house-media"), key: "media" },
    film
      ? h("video", { src: shown.address, muted: true, loop: true, playsinline: true, preload: "auto", "aria-hidden": "true", onloadeddata: play })
      : h("img", { src: shown.address, alt: "" }),
  );
}
