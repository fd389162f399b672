// The floor, for the pit: what needs a person first, and for how long. A click, or Enter, opens the dealer's page.

import { acknowledging, badgeForm, openForm, seenBy, unseen } from "./acknowledge.js";
import { h, patch } from "./dom.js";
import { chosen, controls, pageOf } from "./floor-view.js";
import { boardOf } from "./games.js";
import { holdWords, phaseWords, shoeIsOver, signalOf, silentWords } from "./head.js";
import { houseMark } from "./house.js";
import { range } from "./limits.js";
import { begin, drawing } from "./page.js";
import { Signal } from "./signal.js";
import { listenFloor } from "./sound.js";
import { clockText, lamp, secondsLeft } from "./state.js";
import { alertWords, asItBegins, doubled, fromTheLeft, gameWords, joined, known, t, timeOfDay } from "./words.js";

function lastWords(line) {
  if (!line.last) return "–";
  if (line.last.void) return t("result.void");
  return boardOf(line).brief(line.last.outcome) ?? fromTheLeft(line.last.game_number);
}

/** The least and the most that may be staked; nothing where the house says nothing of limits. */
const stakes = ({ limits: told }) => (told?.table ? range(told.table, told.currency) : "");

/** How far the shoe is. */
function shoeWords(line) {
  if (line.last_round && !shoeIsOver(line)) return h("b", { class: "last-one" }, t("floor.last-round"));
  return line.left === null ? "" : t("floor.left", { left: line.left });
}

// What is wrong has so many parts: every card is as high as any other, so that nothing moves when it speaks.
const ROOM = 3;

/** Why nothing comes, why the table waits, and what else wants a person; what has no room is counted. */
function wrong(line, signal) {
  const fresh = unseen(line);
  const said = [...fresh, ...line.alerts.filter((alert) => !fresh.includes(alert))].map((alert) => [alert.id, alertWords(alert), seenBy(line, alert)]);
  if (line.hold) said.unshift(["hold", holdWords({ reason: line.hold }), null]);
  const shown = said.length > ROOM ? said.slice(0, ROOM - 1) : said;
  const [since, why] = signal.ok ? [] : silentWords(signal);
  return h(
    "span",
    { class: `card-alerts of-${shown.length}${why ? " with-why" : ""}` },
    since && why && h("span", { class: "why" }, why),
    shown.map(([id, words, seen]) => h("span", { class: `alert${seen ? " seen" : ""}`, key: id, title: words }, seen, seen && " ", words)),
    shown.length < said.length && h("span", { class: "more" }, t("alerts.more", { n: said.length - shown.length })),
  );
}

/** For how long the table has been waiting; a board that found it so says at least how long. */
function heldFor(line, now) {
  const seconds = Math.max(0, Math.floor((now - Date.parse(line.held_since)) / 1000));
  const minutes = Math.floor(seconds / 60);
  const time = minutes < 60 ? fromTheLeft(`${minutes}:${String(seconds % 60).padStart(2, "0")}`) : t("time.long", { hours: Math.floor(minutes / 60), minutes: minutes % 60 });
  return t(line.held_before ? "floor.held.least" : "floor.held", { time });
}

function phaseLine(line, signal, now) {
  if (!signal.ok) return silentWords(signal)[0];
  return line.hold && line.held_since ? heldFor(line, now) : phaseWords(line);
}

function tableCard(line, stream, now, changed) {
  const signal = signalOf(stream, line);
  const light = !signal.ok ? "none" : line.hold ? "red" : line.light;
  const left = signal.ok ? secondsLeft(line, now) : null;
  const state = `${line.hold ? " held" : ""}${line.hold || unseen(line).length > 0 ? " troubled" : ""}${signal.ok ? "" : " stale"}`;
  return h(
    "li",
    { key: line.path, "data-table": line.path },
    h(
      "a",
      { class: `table-card${state}`, href: `/dealer/${line.path}${location.search}` },
      h("span", { class: "card-head" }, h("span", { class: "card-name", "data-fit": "" }, lamp(light ?? "none"), t("table", { table: line.table }))),
      h(
        "span",
        { class: "card-phase" },
        h("span", { class: "card-words", "data-fit": "both" }, doubled(() => phaseLine(line, signal, now))),
        line.mode === "test" && h("span", { class: "badge test" }, t("test-mode")),
        h("span", { class: "card-clock" }, left === null ? "" : clockText(left)),
      ),
      h(
        "span",
        { class: "card-more" },
        h("span", { class: "card-game narrow-away" }, h("span", { "data-fit": "" }, line.game ? shortGame(line.game) : t("waiting"), t("join.remarks"), h("span", { class: "site" }, asItBegins(line.site)))),
        h(
          "span",
          { class: "card-stakes narrow-away" },
          h("span", { "data-fit": "" }, stakes(line)),
          h("span", { class: "card-dealer", "data-fit": "" }, line.dealer && [h("span", { class: "label" }, t("floor.badge")), asItBegins(line.dealer)]),
        ),
        h(
          "span",
          { class: "narrow-away" },
          h("span", { class: "card-last", "data-fit": "" }, h("span", { class: "label" }, t("last-result")), lastWords(line)),
          line.pace !== null && h("span", { class: "card-pace" }, t("floor.pace", { n: line.pace })),
        ),
        h(
          "span",
          { class: "narrow-away" },
          h("span", { class: "card-shoe", "data-fit": "" }, shoeWords(line)),
          h("span", { class: "card-number" }, h("span", { class: "label" }, t("game-number")), fromTheLeft(line.game_number ?? "–")),
        ),
      ),
      wrong(line, signal),
    ),
    h("a", { class: "to-board", href: `/table/${line.path}${location.search}`, "aria-label": joined("list", [t("floor.board"), t("table", { table: line.table })]), title: t("floor.board") }, "↗"),
    acknowledging(line, changed, "✓"),
  );
}

const shortGame = (game) => (known(`game.short.${game}`) ? t(`game.short.${game}`) : gameWords(game));

// So many tables stand on one screen without scrolling.
const MOST = 42;

/** The fewest columns in which so many cards, each 13 wide and 10.5 high, are about as large as they can be. */
function grid(tables) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const rows = (columns) => Math.max(1, Math.ceil(tables / columns));
  const size = (columns) => Math.min((innerHeight - 7 * rem) / rows(columns) / 10.5, innerWidth / columns / 13);
  const all = Array.from({ length: Math.max(1, tables) }, (_, at) => at + 1);
  const columns = all.find((one) => size(one) >= 0.93 * Math.max(...all.map(size)));
  return { "--columns": String(columns), "--rows": String(rows(columns)) };
}

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
    const all = [...lines.values()];
    const wanted = chosen(all, signal);
    const calls = all.filter((line) => line.hold || unseen(line).length > 0);
    if (signal.ok) listenFloor([...lines.keys()], calls.map((line) => line.path));
    const { shown, page, pages } = pageOf(wanted, MOST);
    patch(document.body, [
      h(
        "header",
        { class: "head" },
        houseMark(),
        h("h1", {}, t("floor")),
        h("p", { class: "table-name" }, t(all.length === 1 ? "tables.one" : "tables", { n: all.length })),
        h("p", { class: "wall-clock", "aria-label": t("time") }, timeOfDay(now)),
      ),
      signal.ok
        ? controls(all, signal, page, pages, draw.changed)
        : h(
            "section",
            { class: "notice silent", role: "alert", "aria-label": t("notice"), key: "notice" },
            [0, 1].map((at) => h(at === 0 ? "strong" : "span", { "data-fit": "both" }, doubled(() => silentWords(signal)[at]))),
          ),
      h(
        "main",
        { class: "floor", key: "floor" },
        shown.length === 0
          ? h("p", { class: "waiting", role: "status" }, t(all.length === 0 ? "floor.empty" : "floor.none"))
          : h("ul", { "aria-label": t("floor"), ...grid(pages > 1 ? MOST : wanted.length) }, shown.map((line) => tableCard(line, signal, now, draw.changed))),
      ),
      badgeForm(draw.changed),
    ]);
    openForm();
  }
}

begin(start);
