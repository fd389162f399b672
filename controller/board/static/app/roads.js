// The five roads of baccarat and the ask-road, from `scoreboard` of the table's message.

import { h } from "./dom.js";
import { t } from "./words.js";

const ROWS = 6;
const CELL = 10;

/** A grid of six rows whose newest columns are in sight; `marks` have column and row from 0. */
function grid(name, columns, marks, draw) {
  const last = marks.reduce((most, mark) => Math.max(most, mark.column), -1);
  const first = Math.max(0, last - columns + 1);
  const width = columns * CELL;
  const height = ROWS * CELL;
  const lines = [];
  for (let x = 0; x <= columns; x += 1) lines.push(`M${x * CELL} 0V${height}`);
  for (let y = 0; y <= ROWS; y += 1) lines.push(`M0 ${y * CELL}H${width}`);
  return h(
    "figure",
    { class: `road ${name}` },
    h("figcaption", {}, t(`road.${name}`)),
    h(
      "svg",
      {
        viewBox: `-0.5 -0.5 ${width + 1} ${height + 1}`,
        preserveAspectRatio: "xMinYMin meet",
        role: "img",
        "aria-label": t("road.label", { road: t(`road.${name}`), count: marks.length }),
      },
      h("rect", { class: "paper", x: 0, y: 0, width, height }),
      h("path", { class: "lines", d: lines.join("") }),
      marks
        .filter((mark) => mark.column >= first)
        .map((mark) =>
          h(
            "g",
            {
              key: `${mark.column}/${mark.row}`,
              class: `mark ${mark.kind}`,
              "data-at": `${mark.column},${mark.row}`,
              "data-kind": mark.kind,
              "data-ties": mark.ties || null,
              transform: `translate(${(mark.column - first) * CELL} ${mark.row * CELL})`,
            },
            draw(mark),
          ),
        ),
    ),
  );
}

/** Bead plate: every result, six to a column; dots for pairs (banker's above left, player's below right)
 *  and for a natural (above right). */
export function beadPlate(results, columns) {
  const marks = results.map((result, at) => ({
    ...result,
    kind: result.winner,
    column: Math.floor(at / ROWS),
    row: at % ROWS,
  }));
  return grid("bead", columns, marks, (mark) => [
    h("circle", { class: "disc", cx: 5, cy: 5, r: 4.5 }),
    h("text", { x: 5, y: 7.1, "text-anchor": "middle" }, t(`bead.${mark.winner}`)),
    mark.banker_pair && h("circle", { class: "pair banker-pair", cx: 1.9, cy: 1.9, r: 1.6 }),
    mark.player_pair && h("circle", { class: "pair player-pair", cx: 8.1, cy: 8.1, r: 1.6 }),
    mark.natural && h("circle", { class: "natural", cx: 8.1, cy: 1.9, r: 1.5 }),
  ]);
}

/** Big road: streaks as columns; a stroke and a number for ties. */
export function bigRoad(entries, columns) {
  const marks = entries.map((entry) => ({ ...entry, kind: entry.winner }));
  return grid("big-road", columns, marks, (mark) => [
    h("circle", { class: "ring", cx: 5, cy: 5, r: 3.8 }),
    mark.ties > 0 && h("path", { class: "tie-stroke", d: "M1.5 8.5L8.5 1.5" }),
    mark.ties > 1 && h("text", { class: "ties", x: 5, y: 7, "text-anchor": "middle" }, String(mark.ties)),
  ]);
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
  "big-eye-boy": () => h("circle", { class: "ring", cx: 5, cy: 5, r: 3.4 }),
  "small-road": () => h("circle", { class: "disc", cx: 5, cy: 5, r: 3.6 }),
  "cockroach-pig": () => h("path", { class: "slash", d: "M2 8L8 2" }),
};

/** One of the three derived roads. */
export const derivedRoad = (name, colours, columns) => grid(name, columns, laidOut(colours), SHAPES[name]);

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
        h("span", { class: "ask-name" }, t(`ask.${side}`)),
        names.map((name, at) => {
          const colour = ask[side][at];
          const words = `${t(`road.${name}`)}: ${t(`colour.${colour ?? "none"}`)}`;
          return h(
            "svg",
            {
              viewBox: "0 0 10 10",
              class: `mark ${name} ${colour ?? "nothing"}`,
              role: "img",
              "aria-label": words,
              "data-ask": `${side} ${name} ${colour ?? "none"}`,
            },
            colour ? SHAPES[name]() : h("path", { class: "dash", d: "M3 5L7 5" }),
          );
        }),
      ),
    ),
  );
}

/** Wins, pairs, naturals and ties of this shoe. */
export function counts(results) {
  const number = (test) => results.filter(test).length;
  const kinds = [
    ["banker", number((one) => one.winner === "banker")],
    ["player", number((one) => one.winner === "player")],
    ["tie", number((one) => one.winner === "tie")],
    ["banker-pair", number((one) => one.banker_pair)],
    ["player-pair", number((one) => one.player_pair)],
    ["natural", number((one) => one.natural)],
  ];
  return h(
    "dl",
    { class: "counts", "aria-label": t("counts") },
    kinds.map(([kind, count]) =>
      h("div", { class: `count ${kind}`, key: kind }, h("dt", {}, t(`count.${kind}`)), h("dd", {}, String(count))),
    ),
  );
}
