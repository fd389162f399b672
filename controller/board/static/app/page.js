// What the pages have in common: whose table they show, and when something is drawn.

import { secondsLeft } from "./common.js";
import { patch } from "./dom.js";
import { loadBoards } from "./games.js";
import { Signal } from "./signal.js";
import { loadWords, t } from "./words.js";

/** The table of an address, /table/<site>/<id> or with /test behind it, before anything is known of it. */
function addressed() {
  const [, , site, table, test] = location.pathname.split("/");
  const mode = test === "test" ? "test" : "live";
  return { site, table, mode, path: mode === "test" ? `${site}/${table}/test` : `${site}/${table}`, display: null };
}

/** Draws with `paint` when what `seen` says is another than it was.
 *  `look` is called ten times a second, `changed` when something was told: that is drawn with the next frame,
 *  however much was told until then, and in a page that nobody sees, which has no frames, at once. */
export function drawing(seen, paint) {
  let drawn = null;
  function look() {
    const now = seen();
    if (now === drawn) return;
    drawn = now;
    paint();
  }
  function changed() {
    drawn = null;
    if (document.hidden) look();
    else requestAnimationFrame(look);
  }
  return { look, changed };
}

/** All that a picture of a table changes with, but for the picture itself. */
export const moment = (view, signal, now) =>
  `${signal.ok} ${signal.why} ${secondsLeft(view.display, now)} ${Math.floor(now / 1000)}`;

/** The page of the one table of its address. `first` draws what must not wait for the next frame. */
export function followTable(title, picture, first = () => {}) {
  const nothing = addressed();
  let view = nothing;
  const draw = drawing(
    () => moment(view, stream.state, stream.now()),
    () => {
      document.title = t(title, nothing);
      patch(document.body, picture(view, stream.state, stream.now()));
    },
  );
  const told = (name, body) => {
    view = name === "table" ? body : nothing;
    first(view);
    draw.changed();
  };
  const stream = new Signal(`/stream/table/${nothing.path}`, ["table", "gone"], told, () => draw.look());
}

/** Begin once there are words and boards; without them there is nothing to say, and the page tries again. */
export const begin = (start) => loadWords().then(loadBoards).then(start, () => setTimeout(() => location.reload(), 2000));
