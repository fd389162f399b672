// The floor: every table with its state, phase, last result and alerts. A click, or Enter, opens it.

import { clockText, lamp, phaseWords, secondsLeft, signalOf, silentWords } from "./common.js";
import { h, patch } from "./dom.js";
import { Signal } from "./signal.js";
import { gameWords, known, loadWords, t, timeOfDay } from "./words.js";

const natural = new Intl.Collator("en", { numeric: true }).compare;

function lastWords(line) {
  if (!line.last) return "–";
  if (line.last.void) return t("result.void");
  const told = line.last.outcome;
  if (line.game === "baccarat") return `${t(`result.short.${told.winner}`)} ${told.player_total}:${told.banker_total}`;
  if (line.game === "2-card-action") return `${t("result.sum")} ${told.sum}`;
  if (!known(`game.${line.game}`)) return line.last.game_number;
  const hands = Object.entries(told).filter(([name]) => name !== "dealer");
  const wins = hands.filter(([, hand]) => String(hand.result).startsWith("win") || hand.vs_dealer === "better");
  return t("hands-won", { won: wins.length, of: hands.length });
}

function tableCard(line, stream, now) {
  const signal = signalOf(stream, line);
  const troubled = line.hold || line.alerts.length > 0;
  const light = !signal.ok ? "none" : line.hold ? "red" : line.light;
  const left = signal.ok ? secondsLeft(line, now) : null;
  const phase = phaseWords({ ...line, hold: line.hold, void: line.void });
  return h(
    "li",
    { key: line.path, "data-table": line.path },
    h(
      "a",
      {
        class: `table-card${troubled ? " troubled" : ""}${signal.ok ? "" : " stale"}`,
        href: `/table/${line.path}${location.search}`,
      },
      lamp(light ?? "none"),
      h(
        "span",
        { class: "card-head" },
        h("span", { class: "card-table" }, t("table", { table: line.table })),
        h("span", { class: "card-site" }, line.site),
        line.mode === "test" && h("span", { class: "badge test" }, t("test-mode")),
      ),
      h("span", { class: "card-game" }, line.game ? gameWords(line.game) : t("waiting")),
      h(
        "span",
        { class: "card-phase" },
        signal.ok ? phase : silentWords(signal).join(" · "),
        h("span", { class: "card-clock" }, left === null ? "" : clockText(left)),
      ),
      h("span", { class: "card-last" }, h("span", { class: "label" }, t("last-result")), lastWords(line)),
      h("span", { class: "card-number" }, h("span", { class: "label" }, t("game-number")), line.game_number ?? "–"),
      h(
        "span",
        { class: "card-alerts" },
        line.hold && h("span", { class: "alert" }, known(`hold.${line.hold}`) ? t(`hold.${line.hold}`) : line.hold),
        line.alerts.map((alert) => h("span", { class: "alert", key: alert.id }, alertWords(alert))),
      ),
    ),
  );
}

const alertWords = (alert) => (known(`alert.${alert.code}`) ? t(`alert.${alert.code}`) : alert.message);

function start() {
  const lines = new Map();
  let drawn = "";
  const stream = new Signal(
    "/stream/floor",
    ["line", "gone"],
    (name, body) => {
      if (name === "line") lines.set(body.path, body);
      else lines.delete(body.path);
      drawn = "";
      draw();
    },
    () => draw(),
  );

  function draw() {
    const now = stream.now();
    const signal = stream.state;
    const wanted = `${signal.ok} ${signal.why} ${Math.floor(now / 1000)}`;
    if (wanted === drawn) return;
    drawn = wanted;
    document.title = t("title.floor");
    const paths = [...lines.keys()].sort(natural);
    patch(document.body, [
      h(
        "header",
        { class: "head" },
        h("h1", {}, t("floor")),
        h("p", { class: "table-name" }, t("tables", { n: paths.length })),
        h("p", { class: "wall-clock" }, h("span", { class: "label" }, t("time")), timeOfDay(now)),
      ),
      h(
        "section",
        { class: `notice ${signal.ok ? "none" : "silent"}`, role: signal.ok ? null : "alert", "aria-label": t("notice") },
        !signal.ok && [h("strong", {}, silentWords(signal)[0]), h("span", {}, silentWords(signal)[1])],
      ),
      h(
        "main",
        { class: "floor" },
        paths.length === 0
          ? h("p", { class: "waiting", role: "status" }, t("floor.empty"))
          : h("ul", { "aria-label": t("floor") }, paths.map((path) => tableCard(lines.get(path), signal, now))),
      ),
    ]);
  }
}

loadWords().then(start, () => setTimeout(() => location.reload(), 2000));
