// Which tables of the floor are shown, in which order, and the buttons that say so.

import { unseen } from "./acknowledge.js";
import { h } from "./dom.js";
import { signalOf } from "./head.js";
import { t } from "./words.js";

const natural = new Intl.Collator("en", { numeric: true }).compare;

const silent = (line, stream) => !signalOf(stream, line).ok;
const troubled = (line, stream) => Boolean(line.hold) || unseen(line).length > 0 || silent(line, stream);
const idle = (line) => ["idle", "settled", "shoe-change", null].includes(line.phase);

/** Name of a filter -> which tables it shows. */
const FILTERS = {
  all: () => true,
  trouble: troubled,
  hold: (line) => Boolean(line.hold),
  silent,
  alert: (line) => line.alerts.length > 0,
  dealing: (line, stream) => !idle(line) && !troubled(line, stream),
  idle: (line, stream) => idle(line) && !troubled(line, stream),
};

// What was chosen stays while this window is open: who looks at a table comes back to the same floor.
const KEPT = "floor";
let choice = { filter: "all", find: "", page: 1, ...JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") };

function choose(change, changed) {
  choice = { ...choice, page: 1, ...change };
  sessionStorage.setItem(KEPT, JSON.stringify(choice));
  changed();
}

/** Held tables first, the longest wait before all; then silent ones, then alerts that nobody has seen, then those that
 *  somebody has, then the rest by name. */
function byNeed(stream) {
  const rank = (line) => (line.hold ? 0 : silent(line, stream) ? 1 : unseen(line).length > 0 ? 2 : line.alerts.length > 0 ? 3 : 4);
  const since = (line) => (line.hold && line.held_since) || "";
  return (one, other) =>
    rank(one) - rank(other) || since(one).localeCompare(since(other)) || natural(one.path, other.path);
}

/** The tables that are asked for, in order. */
export function chosen(lines, stream) {
  const words = choice.find.trim().toLowerCase();
  const fits = FILTERS[choice.filter] ?? FILTERS.all;
  return lines
    .filter((line) => fits(line, stream) && `${line.path} ${line.game ?? ""} ${line.dealer ?? ""}`.toLowerCase().includes(words))
    .sort(byNeed(stream));
}

/** One page of them. */
export function pageOf(lines, most) {
  const pages = Math.max(1, Math.ceil(lines.length / most));
  const page = Math.min(choice.page, pages);
  return { shown: lines.slice((page - 1) * most, page * most), page, pages };
}

/** The counts, which are buttons, a field to find a table, and the pages where there are several. */
export function controls(lines, stream, page, pages, changed) {
  const count = (name) => lines.filter((line) => FILTERS[name](line, stream)).length;
  const turn = (name, to) =>
    h("button", { class: "turn", "aria-label": t(name), title: t(name), disabled: to < 1 || to > pages, onclick: () => choose({ page: to }, changed) }, name === "floor.before" ? "‹" : "›");
  return h(
    "nav",
    { class: "controls", "aria-label": t("floor.filter"), key: "controls" },
    Object.keys(FILTERS).map((name) =>
      h(
        "button",
        { key: name, class: `filter ${name}`, "data-filter": name, "aria-pressed": String(choice.filter === name), onclick: () => choose({ filter: name }, changed) },
        t(`floor.${name}`),
        " ",
        h("b", {}, String(count(name))),
      ),
    ),
    h("input", { key: "find", class: "find", type: "search", placeholder: t("floor.find"), "aria-label": t("floor.find"), value: choice.find, oninput: (event) => choose({ find: event.target.value }, changed) }),
    pages > 1 &&
      h("span", { key: "pages", class: "pages" }, turn("floor.before", page - 1), h("span", {}, t("floor.page", { page, pages })), turn("floor.after", page + 1)),
  );
}
