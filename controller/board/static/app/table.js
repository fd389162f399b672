// The page of one table: /table/<site>/<id>

import { tableBoard } from "./board.js";
import { secondsLeft } from "./common.js";
import { patch } from "./dom.js";
import { Signal } from "./signal.js";
import { loadWords, t } from "./words.js";

const [, , site, table, test] = location.pathname.split("/");
const path = test === "test" ? `${site}/${table}/test` : `${site}/${table}`;
const nothing = { site, table, mode: test === "test" ? "test" : "live", path, display: null };

function start() {
  let view = nothing;
  let shown = "";
  const stream = new Signal(
    `/stream/table/${path}`,
    ["table", "gone"],
    (name, body) => {
      view = name === "table" ? body : nothing;
      shown = "";
      draw();
    },
    () => draw(),
  );

  // Ten looks a second; drawn when the picture, the signal or a second has changed.
  function draw() {
    const now = stream.now();
    const signal = stream.state;
    const wanted = `${signal.ok} ${signal.why} ${secondsLeft(view.display, now)} ${Math.floor(now / 1000)}`;
    if (wanted === shown) return;
    shown = wanted;
    document.title = t("title.table", { table, site });
    patch(document.body, tableBoard(view, signal, now));
  }
}

loadWords().then(start, () => setTimeout(() => location.reload(), 2000));
