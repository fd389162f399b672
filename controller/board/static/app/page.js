// What the pages have in common: whose table they show, and when something is drawn.

import { forgetDrawn, patch } from "./dom.js";
import { fit, forget } from "./fit.js";
import { loadBoards } from "./games.js";
import { settle } from "./house.js";
import { Signal } from "./signal.js";
import { secondsLeft } from "./state.js";
import { wear } from "./theme.js";
import { loadWords, t } from "./words.js";

/** The table of an address, /table/<site>/<id> or with /test behind it, before anything is known of it. */
function addressed() {
  const [, , site, table, test] = location.pathname.split("/");
  const mode = test === "test" ? "test" : "live";
  return { site, table, mode, path: mode === "test" ? `${site}/${table}/test` : `${site}/${table}`, display: null };
}

// Cards that were drawn before all else are on the screen by then, here and on the other screens of this machine, were
// there twenty: at 50 ms the first of them drew their roads while the last still waited for the card.
const REST_MS = 120;

/** Draws with `paint` when what `seen` says is another than it was.
 *  `look` is called five times a second, `changed` when something was told: that is drawn with the next frame, however
 *  much was told until then, and in a page that nobody sees, which has no frames, at once. `rest` is `changed` where
 *  the cards are drawn already. */
export function drawing(seen, paint) {
  let drawn = null;
  let waits = false;
  function look() {
    const now = seen();
    if (now === drawn) return;
    drawn = now;
    paint();
    fit();
  }
  function anew() {
    waits = false;
    drawn = null;
    look();
  }
  function changed() {
    if (document.hidden) return anew();
    if (!waits) requestAnimationFrame(anew);
    waits = true;
  }
  function rest() {
    if (document.hidden) return anew();
    if (waits) return;
    waits = true;
    setTimeout(() => {
      waits = false;
      changed();
    }, REST_MS);
  }
  // Another size, or the typeface has come: what fitted may not fit now.
  addEventListener("resize", () => {
    forgetDrawn();
    changed();
  });
  document.fonts.addEventListener("loadingdone", () => {
    forget();
    changed();
  });
  return { look, changed, rest };
}

/** All that a picture of a table changes with, but for the picture itself: its clock on the wall has no seconds. */
export const moment = (view, signal, now) =>
  `${signal.ok} ${signal.why} ${secondsLeft(view.display, now)} ${Math.floor(now / 60_000)} ${JSON.stringify(signal.jackpot)}`;

/** The page of the one table of its address, from the players' or the dealer's channel. `first` draws what must not
 *  wait for the rest, and says whether it drew anything; `after` does what must wait until all is drawn. */
export function followTable(title, channel, picture, { first = () => false, after = () => {} } = {}) {
  const nothing = addressed();
  let view = nothing;
  const draw = drawing(
    () => moment(view, stream.state, stream.now()),
    () => {
      document.title = t(title, nothing);
      patch(document.body, picture(view, stream.state, stream.now(), () => draw.changed()));
      after();
    },
  );
  const told = (name, body) => {
    view = name === "table" ? body : nothing;
    if (first(view)) draw.rest();
    else draw.changed();
  };
  const stream = new Signal(`/stream/${channel}/${nothing.path}`, ["table", "gone"], told, () => draw.look());
}

/** Begin once there are words and boards; without them there is nothing to say, and the page tries again. */
export const begin = (start) => prepare().then(start, () => setTimeout(() => location.reload(), 2000));

async function prepare() {
  const told = await loadWords();
  wear(told.house ?? {});
  settle(told.house);
  await Promise.all([loadBoards(told.games), document.fonts.load("700 1rem Archivo")]);
}
