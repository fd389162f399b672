// The board of one table, drawn from its picture and the state of the signal.

import { feltIsOpen, shoe } from "./common.js";
import { dress, h, memo, once } from "./dom.js";
import { boardOf } from "./games.js";
import { head, notice, signalOf } from "./head.js";
import { jackpot, resting } from "./media.js";
import { worthOf, worths } from "./pays.js";
import { listen } from "./sound.js";
import { state } from "./state.js";
import { both, fromTheLeft, gameWords, t } from "./words.js";

/** The last rounds, newest first; the style shows as many as there is room for. */
function lastResults(display, game) {
  const entries = [...(display.last_results ?? [])].reverse();
  return h(
    "section",
    { class: "last", "aria-label": t("last-results") },
    h("h2", {}, t("last-results")),
    h(
      "ol",
      {},
      entries.map((entry) =>
        h("li", { key: entry.round, "data-round": entry.round }, h("span", { class: "when" }, fromTheLeft(entry.game_number)), game.last(entry)),
      ),
    ),
  );
}

/** The whole board; `stream` is the state of the signal, `now` the board's time in ms. */
export function tableBoard(view, stream, now) {
  const signal = signalOf(stream, view);
  const display = view?.display;
  if (!display?.game) return waiting(view, signal, now);
  const game = boardOf(display);
  const speaks = notice(view, signal);
  listen(view, signal, now);
  const top = [head(view, now), jackpot(signal.jackpot)];
  const idle = signal.ok ? resting(display) : null;
  if (idle) {
    const shown = [state(view, true, now, outcome(display, game)), idle, speaks, shoe(display)];
    return [...top, h("main", { class: `board shows-media${speaks ? " speaks" : ""} game-${display.game}`, "data-phase": display.phase }, shown)];
  }
  return [
    ...top,
    h(
      "main",
      {
        class: `board game-${display.game} ${game.boardClass?.(display) ?? ""}${signal.ok ? "" : " stale"}${speaks ? " speaks" : ""}`,
        "data-phase": display.phase,
      },
      state(view, signal.ok, now, outcome(display, game)),
      felt(view),
      once("still", view, () => still(display, game, view)),
      speaks,
    ),
  ];
}

/** The cards alone, at once: they do not wait for roads and lists. Whether there was a felt to lay them on. */
export function showCards(view) {
  const shown = document.querySelector(`.board.game-${view.display?.game} > .felt`);
  if (!shown) return false;
  dress(shown, felt(view));
  return true;
}

const felt = (view) =>
  once("felt", view, () => {
    const { display } = view;
    const game = boardOf(display);
    const lies = (feltIsOpen(display) && game.stage?.(view)) || game.felt(view);
    return h("section", { class: `felt ${game.feltClass?.(view) ?? ""}`, "aria-label": t("cards") }, lies);
  });

/** What changes with the picture and not with the clock; in it, what changes once a round. */
const still = (display, game, view) => [
  h(
    "section",
    { class: "bets", "aria-label": worthOf(display), "aria-live": "polite" },
    display.void ? null : display.result ? game.won(display) : (game.worths ?? worths)(display, game.spots, feltIsOpen(display) ? game.staged : []),
  ),
  h("section", { class: "game", "aria-label": gameWords(display.game) }, memo("game", drawnFrom(display), () => game.board(view))),
  memo("last", [display.game, display.last_results], () => lastResults(display, game)),
  shoe(display),
];

/** All that a game's own board is drawn from. */
const drawnFrom = (display) => {
  const { game, layout, scoreboard, result, last_results, pays } = display;
  return [game, layout, scoreboard, result, last_results, pays, feltIsOpen(display)];
};

function outcome(display, game) {
  if (display.void) return h("p", { class: "outcome void" }, h("span", { class: "outcome-words", "data-fit": "both" }, both("result.void")));
  return game.outcome(display);
}

/** Nothing is known of the table yet. */
function waiting(view, signal, now) {
  return [
    head(view, now),
    h("main", { class: "board empty" }, h("p", { class: "waiting", role: "status" }, both("waiting")), notice(view, signal)),
  ];
}
