// The page for a screen without a keyboard: /kiosk?table=<site>/<id>[&table=...][&every=15]
// One table is shown for ever, several take turns; without a name it is all tables of this board.

import { showCards, tableBoard } from "./board.js";
import { patch } from "./dom.js";
import { begin, drawing, moment } from "./page.js";
import { Signal } from "./signal.js";
import { t } from "./words.js";

const asked = new URLSearchParams(location.search);
const named = asked.getAll("table");
const nothing = { site: "", table: "", mode: "live", display: null };
const everyMs = 1000 * Math.min(3600, Math.max(3, Number(asked.get("every")) || 15));

function start() {
  const paths = new Set(named);
  let shown = { path: "", view: nothing, signal: null };
  let coming = null;
  let turnedAt = 0;

  const stream = () => shown.signal ?? floor;
  const draw = drawing(
    () => `${shown.path} ${moment(shown.view, stream().state, stream().now())}`,
    () => {
      document.title = t("title.kiosk");
      patch(document.body, tableBoard(shown.view, stream().state, stream().now()));
    },
  );
  const floor = new Signal("/stream/tables", ["name", "gone"], follow, look);

  function follow(name, body) {
    if (named.length > 0) return;
    if (name === "name") paths.add(body.path);
    else paths.delete(body.path);
  }

  // The next table is called for, and shown when it has come; until then the last one stays.
  function turn() {
    const order = [...paths].sort();
    const due = shown.path === "" || (order.length > 1 && performance.now() - turnedAt > everyMs);
    if (coming !== null || order.length === 0 || !due) return;
    turnedAt = performance.now();
    const path = order[(order.indexOf(shown.path) + 1) % order.length];
    coming = { path, view: nothing, signal: null };
    const called = coming;
    called.signal = new Signal(
      `/stream/table/${path}`,
      ["table", "gone"],
      (name, body) => {
        called.view = name === "table" ? body : nothing;
        if (coming === called) arrive(called);
        showCards(called.view);
        draw.changed();
      },
      look,
    );
  }

  function arrive(called) {
    shown.signal?.close();
    shown = called;
    coming = null;
    turnedAt = performance.now();
  }

  function look() {
    if (coming !== null && shown.path !== "" && performance.now() - turnedAt > everyMs) {
      coming.signal.close();
      coming = null;
    }
    turn();
    draw.look();
  }

  // The screen must not fall asleep; where the browser cannot promise that, the system's settings must.
  const stayAwake = () => navigator.wakeLock?.request("screen").catch(() => {});
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && stayAwake());
  stayAwake();
}

begin(start);
