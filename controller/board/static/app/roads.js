// The five roads of baccarat and the ask-road, from `scoreboard` of the table's message.

import { h } from "./dom.js";
import { both, doubled, fromTheLeft, joined, known, percent, t } from "./words.js";

const ROWS = 6;
const CELL = 10;

// Paper beyond the cells, for the frame of a mark at the edge.
const MARGIN = 2;

// How far out of its cell the frame of the newest mark stands; on the bead plate, where all cells are full, on the cell's own
// lines, between the discs.
const AROUND = 1.2;
const ON_THE_LINES = 0;

// Columns in each shape of board, for bead plate, big road and each derived road: so many stand there from the beginning;
// more shrink the cells. No cell is smaller than an eightieth of a screen's height, in the hand than nine pixels
// (style/roads.css gives the places that this is counted from): of a road that would need that the newest columns stand.
const inTheHand = (abreast) => Math.floor(innerWidth / (10 * abreast));
const ROOM = [
  ["(max-width: 700px)", [14, 30, 30], () => [inTheHand(1), inTheHand(1), inTheHand(1)]],
  ["(max-height: 500px)", [16, 46, 25], () => [inTheHand(2), inTheHand(1.6), inTheHand(3)]],
  ["(max-aspect-ratio: 1/1)", [15, 36, 21], () => [35, 70, 23]],
  ["(max-aspect-ratio: 13/10)", [12, 40, 18], () => [30, 58, 19]],
  ["(max-aspect-ratio: 3/2)", [12, 44, 18], () => [30, 58, 19]],
  ["(min-aspect-ratio: 3/1)", [15, 46, 56], () => [40, 90, 90]],
  ["(min-aspect-ratio: 9/4)", [15, 76, 39], () => [50, 125, 41]],
  ["all", [16, 46, 23], () => [50, 78, 25]],
];

/** What the screen's shape has room for: of each road the columns that it has, and the most that it may have. */
export function room() {
  const [, columns, most] = ROOM.find(([shape]) => matchMedia(shape).matches);
  return columns.map((one, at) => [one, most()[at]]);
}

/** A grid of six rows: its place has room for `columns`, where more are filled all cells shrink, and one column is always
 *  free for what comes; beyond `most` the oldest columns go. `marks` have column and row from 0; `said` stands beside its
 *  name. */
function grid(name, [columns, most], marks, draw, said = null, around = AROUND) {
  const last = marks.reduce((found, mark) => Math.max(found, mark.column), -1);
  const shown = Math.min(most, Math.max(columns, last + 2));
  const first = Math.max(0, last + 2 - shown);
  const [left, right] = [first * CELL, (first + shown) * CELL];
  const height = ROWS * CELL;
  const lines = [];
  for (let x = left; x <= right; x += CELL) lines.push(`M${x} 0V${height}`);
  for (let y = 0; y <= ROWS; y += 1) lines.push(`M${left} ${y * CELL}H${right}`);
  const paper = { x: left - MARGIN, y: -MARGIN, width: right - left + 2 * MARGIN, height: height + 2 * MARGIN };
  const newest = marks.at(-1);
  return h(
    "figure",
    { class: `road ${name}`, "data-first": String(first), "data-columns": String(shown) },
    h("figcaption", {}, h("span", {}, doubled(() => t(`road.${name}`))), said),
    h(
      "svg",
      {
        viewBox: Object.values(paper).join(" "),
        // On the side of its name.
        preserveAspectRatio: document.documentElement.dir === "rtl" ? "xMaxYMin meet" : "xMinYMin meet",
        role: "img",
        "aria-label": roadWords(name, marks),
      },
      h("rect", { class: "paper", ...paper }),
      h("path", { class: "lines", d: lines.join("") }),
      marks
        .filter(({ column }) => column >= first)
        .map((mark) =>
          h(
            "g",
            {
              key: `${mark.column}/${mark.row}`,
              class: `mark ${mark.kind}${mark === newest ? " newest" : ""}`,
              "data-at": `${mark.column},${mark.row}`,
              "data-kind": mark.kind,
              "data-ties": mark.ties || null,
              transform: `translate(${mark.column * CELL} ${mark.row * CELL})`,
            },
            mark === newest && frame(around),
            draw(mark),
          ),
        ),
    ),
  );
}

/** Around the newest mark, and never over it. */
const frame = (around) => h("rect", { class: "frame", x: -around, y: -around, width: CELL + 2 * around, height: CELL + 2 * around });

const HEARD = 6;

/** A road for those who listen: how many, and the last ones by name. */
function roadWords(name, marks) {
  const kind = (mark) => (known(`result.short.${mark.kind}`) ? t(`result.short.${mark.kind}`) : t(`colour.${mark.kind}`));
  const last = joined("list", marks.slice(-HEARD).map(kind));
  return t("road.label", { road: t(`road.${name}`), count: marks.length, last: last || t("colour.none") });
}

/** Dots for pairs: Banker's above left, Player's below right. */
const pairs = (mark) => [
  mark.banker_pair && h("circle", { class: "pair banker-pair", cx: 1.9, cy: 1.9, r: 1.6 }),
  mark.player_pair && h("circle", { class: "pair player-pair", cx: 8.1, cy: 8.1, r: 1.6 }),
];

/** For a natural, above right: a light dot with a dark edge, where those of pairs are dark with a light one. */
const natural = (mark) => mark.natural && h("circle", { class: "natural", cx: 8.1, cy: 1.9, r: 1.5 });

/** Bead plate: every result, six to a column; dots for pairs and for a natural. */
export function beadPlate(results, columns) {
  const marks = results.map((result, at) => ({
    ...result,
    kind: result.winner,
    column: Math.floor(at / ROWS),
    row: at % ROWS,
  }));
  const draw = (mark) => [
    h("circle", { class: "disc", cx: 5, cy: 5, r: 4.2 }),
    h("text", { x: 5, y: 7.1, "text-anchor": "middle" }, t(`bead.${mark.winner}`)),
    pairs(mark),
    natural(mark),
  ];
  return grid("bead", columns, marks, draw, null, ON_THE_LINES);
}

// Banker and red have something within, Player and blue nothing: told apart without colour too.
const ring = (full) => [h("circle", { class: "ring", cx: 5, cy: 5, r: 3.7 }), full && h("circle", { class: "heart", cx: 5, cy: 5, r: 1.3 })];

/** Big road: streaks as columns; a stroke and a number for ties, dots for the pairs and the natural of a win. Its entries are the
 *  results that are no tie, in their order; `said` stands beside its name. */
export function bigRoad(entries, results, columns, said) {
  const wins = results.filter((one) => one.winner !== "tie");
  const marks = entries.map((entry, at) => ({ ...wins[at], ...entry, kind: entry.winner }));
  const draw = (mark) => [
    ring(mark.kind === "banker"),
    mark.ties > 0 && h("path", { class: "tie-halo", d: "M1 9L9 1" }),
    mark.ties > 0 && h("path", { class: "tie-stroke", d: "M1 9L9 1" }),
    mark.ties > 1 && h("circle", { class: "ties-ground", cx: 5, cy: 5, r: 2.7 }),
    mark.ties > 1 && h("text", { class: "ties", x: 5, y: 6.8, "text-anchor": "middle" }, String(mark.ties)),
    pairs(mark),
    natural(mark),
  ];
  return grid("big-road", columns, marks, draw, said);
}

/** Where the marks of a derived road stand: a colour goes down, another one begins a column; tails turn right. */
export function laidOut(colours) {
  const marks = [];
  const filled = new Set();
  let start = -1;
  let column = 0;
  let row = 0;
  let turned = false;
  colours.forEach((kind, at) => {
    if (at === 0 || kind !== colours[at - 1]) {
      start += 1;
      while (filled.has(`${start},0`)) start += 1;
      [column, row, turned] = [start, 0, false];
    } else if (turned || row === ROWS - 1 || filled.has(`${column},${row + 1}`)) {
      column += 1;
      turned = true;
    } else {
      row += 1;
    }
    filled.add(`${column},${row}`);
    marks.push({ kind, column, row });
  });
  return marks;
}

const SHAPES = {
  "big-eye-boy": (kind) => ring(kind === "red"),
  "small-road": (kind) => [
    h("circle", { class: "disc", cx: 5, cy: 5, r: 4 }),
    kind === "blue" && h("circle", { class: "hole", cx: 5, cy: 5, r: 1.5 }),
  ],
  "cockroach-pig": (kind) => [
    h("path", { class: "slash", d: "M2 8L8 2" }),
    kind === "red" && h("circle", { class: "heart", cx: 5, cy: 5, r: 1.9 }),
  ],
};

/** One of the three derived roads. */
export const derivedRoad = (name, colours, columns) => grid(name, columns, laidOut(colours), (mark) => SHAPES[name](mark.kind));

/** What the next Player or Banker would add to the derived roads. */
export function askRoad(ask) {
  const names = Object.keys(SHAPES);
  return h(
    "section",
    { class: "ask", "aria-label": t("ask") },
    ["player", "banker"].map((side) =>
      h(
        "div",
        { class: `ask-side ${side}` },
        h("span", { class: "ask-name", "data-fit": "" }, both(`ask.${side}`)),
        names.map((name, at) => {
          const colour = ask[side][at];
          const words = joined("told", [t(`road.${name}`), t(`colour.${colour ?? "none"}`)]);
          return h(
            "svg",
            {
              viewBox: "0 0 10 10",
              class: `mark ${name} ${colour ?? "nothing"}`,
              role: "img",
              "aria-label": words,
              "data-ask": `${side} ${name} ${colour ?? "none"}`,
            },
            colour ? SHAPES[name](colour) : h("path", { class: "dash", d: "M3 5L7 5" }),
          );
        }),
      ),
    ),
  );
}

/** Who won how often on end, ties left out, in order. */
function streaks(results) {
  const runs = [];
  for (const { winner } of results.filter((one) => one.winner !== "tie")) {
    if (runs.at(-1)?.side === winner) runs.at(-1).times += 1;
    else runs.push({ side: winner, times: 1 });
  }
  return runs;
}

const runWords = ({ side, times }) => `${t(`bead.${side}`)} ${fromTheLeft(`×${times}`)}`;

/** Rounds, wins in number and percent, pairs, naturals, the running streak and the longest of this shoe. */
export function counts(results) {
  const number = (test) => results.filter(test).length;
  const kinds = [
    ["rounds", results.length],
    ...["banker", "player", "tie"].map((side) => [side, number((one) => one.winner === side), true]),
    ["banker-pair", number((one) => one.banker_pair)],
    ["player-pair", number((one) => one.player_pair)],
    ["natural", number((one) => one.natural)],
  ];
  const runs = streaks(results);
  const run = runs.at(-1);
  const longest = runs.reduce((most, one) => (one.times > (most?.times ?? 0) ? one : most), null);
  return h(
    "dl",
    { class: "counts", "aria-label": t("counts") },
    kinds.map(([kind, count, whole]) =>
      h(
        "div",
        { class: `count ${kind}`, key: kind },
        h("dt", { "data-fit": "" }, both(`count.${kind}`)),
        h("dd", {}, h("b", {}, String(count)), whole && h("small", {}, " ", percent(count, results.length, 0))),
      ),
    ),
    h(
      "div",
      { class: `count streak ${run?.side ?? ""}`, key: "streak" },
      h("dt", { "data-fit": "" }, both("count.streak")),
      h("dd", { "data-fit": "" }, h("b", {}, run ? runWords(run) : "–"), longest && h("small", {}, " ", doubled(() => t("count.longest", { run: runWords(longest) })))),
    ),
  );
}
