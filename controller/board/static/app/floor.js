// The floor: every table with its state, phase, last result and alerts. A click, or Enter, opens it.

import { clockText, lamp, phaseWords, secondsLeft, signalOf, silentWords } from "./common.js";
import { h, patch } from "./dom.js";
import { boardOf } from "./games.js";
import { begin, drawing } from "./page.js";
import { Signal } from "./signal.js";
import { gameWords, known, t, timeOfDay } from "./words.js";

const natural = new Intl.Collator("en", { numeric: true }).compare;

function lastWords(line) {
  if (!line.last) return "–";
  if (line.last.void) return t("result.void");
  return boardOf(line).brief(line.last.outcome) ?? line.last.game_number;
}

// Lines of a card for what is wrong: every card is as high as any other, so that nothing moves when it speaks.
const ROOM = 3;

/** Why nothing comes, why the table waits, and what else wants a person; what has no room is counted. */
function wrong(line, signal) {
  const said = line.alerts.map((alert) => [alert.id, alertWords(alert)]);
  if (line.hold) said.unshift(["hold", known(`hold.${line.hold}`) ? t(`hold.${line.hold}`) : line.hold]);
  const shown = said.length > ROOM ? said.slice(0, ROOM - 1) : said;
  const [since, why] = signal.ok ? [] : silentWords(signal);
  return h(
    "span",
    { class: `card-alerts of-${shown.length}${why ? " with-why" : ""}` },
    since && why && h("span", { class: "why" }, why),
    shown.map(([id, words]) => h("span", { class: "alert", key: id, title: words }, words)),
    shown.length < said.length && h("span", { class: "more" }, t("alerts.more", { n: said.length - shown.length })),
  );
}

function tableCard(line, stream, now) {
  const signal = signalOf(stream, line);
  const troubled = line.hold || line.alerts.length > 0;
  const light = !signal.ok ? "none" : line.hold ? "red" : line.light;
  const left = signal.ok ? secondsLeft(line, now) : null;
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
        h("span", { class: "card-game" }, line.game ? shortGame(line.game) : t("waiting")),
      ),
      h(
        "span",
        { class: "card-phase" },
        signal.ok ? phaseWords(line) : silentWords(signal)[0],
        h("span", { class: "card-clock" }, left === null ? "" : clockText(left)),
      ),
      h("span", { class: "card-last" }, h("span", { class: "label" }, t("last-result")), lastWords(line)),
      h("span", { class: "card-number" }, h("span", { class: "label" }, t("game-number")), line.game_number ?? "–"),
      wrong(line, signal),
    ),
  );
}

const shortGame = (game) => (known(`game.short.${game}`) ? t(`game.short.${game}`) : gameWords(game));

const alertWords = (alert) => (known(`alert.${alert.code}`) ? t(`alert.${alert.code}`) : alert.message);

// So many tables stand on one screen without scrolling, each as large as that allows.
const SIZES = [4, 9, 20, 30, 42];
const fitting = (tables) => `fits-${SIZES.find((most) => tables <= most) ?? "more"}`;

function start() {
  const lines = new Map();
  const draw = drawing(() => `${stream.state.ok} ${stream.state.why} ${Math.floor(stream.now() / 1000)}`, paint);
  const told = (name, body) => {
    if (name === "line") lines.set(body.path, body);
    else lines.delete(body.path);
    draw.changed();
  };
  const stream = new Signal("/stream/floor", ["line", "gone"], told, () => draw.look());

  function paint() {
    const now = stream.now();
    const signal = stream.state;
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
        { class: `floor ${fitting(paths.length)}` },
        paths.length === 0
          ? h("p", { class: "waiting", role: "status" }, t("floor.empty"))
          : h("ul", { "aria-label": t("floor") }, paths.map((path) => tableCard(lines.get(path), signal, now))),
      ),
    ]);
  }
}

begin(start);
