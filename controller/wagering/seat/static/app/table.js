// The picture of one seat: where the round is, the cards, the decision, the spots, the chips, the money.

import { phaseWords, signalOf, silentWords, voidWords } from "/static/app/head.js";
import { clockText, lamp, secondsLeft } from "/static/app/state.js";
import { byPosition, hand as cardRow } from "/static/app/cards.js";
import { h } from "/static/app/dom.js";
import { boardOf } from "/static/app/games.js";
import { gameWords, known, percent, positionWords, t } from "/static/app/words.js";
import { askedHands, betsOpen, undecided } from "./bets.js";
import { chipText, colour, money } from "./money.js";
import { icon } from "./icons.js";
import { layout } from "./layout.js";

/** One table. `act` has what the page does: leave, panels. */
export function tableSeat(seat, { now, active, several, act }) {
  const signal = signalOf(seat.signal.state, seat.view);
  const display = seat.view?.display;
  const ready = seat.felt?.round != null && display?.game;
  return h(
    "article",
    {
      key: seat.path,
      class: `table game-${display?.game ?? "none"}${active ? " active" : ""}${signal.ok ? "" : " stale"}`,
      "data-table": seat.path,
      "data-phase": seat.felt?.phase ?? null,
      "aria-label": t("table", { table: seat.table }),
      onpointerdown: () => act.activate(seat),
    },
    head(seat, signal, display, several, act, now),
    notice(seat, signal, display),
    seat.taken && takenOver(seat, act),
    !seat.taken && !ready && h("p", { class: "waiting", role: "status" }, t("seat.waiting")),
    !seat.taken && ready && [video(seat), felt(seat), decision(seat, now), layout(seat), bar(seat, signal.ok, act)],
  );
}

function head(seat, signal, display, several, act, now) {
  const heard = signal.ok && !seat.taken; // what another device plays is not told here any more
  const left = heard && display ? secondsLeft(display, now) : null;
  const light = !heard ? "none" : display?.hold ? "red" : (display?.light ?? "none");
  return h(
    "header",
    { class: `head light-${light}` },
    h(
      "div",
      { class: "now" },
      lamp(light),
      h("p", { class: "phase", role: "status" }, seat.taken ? "" : heard && display ? phase(seat, display) : t("no-signal")),
      h("p", { class: `countdown${left === null ? "" : left <= 5 ? " soon" : ""}`, role: "timer", "aria-live": "off" }, left === null ? "" : clockText(left)),
    ),
    h(
      "div",
      { class: "about" },
      h(
        "h2",
        { class: "where" },
        h("span", { class: "game-name" }, display?.game ? gameWords(display.game) : t("table", { table: seat.table })),
        h("span", { class: "table-name" }, t("table", { table: seat.table })),
      ),
      h("p", { class: "game-number" }, h("span", { class: "label" }, t("game-number")), " ", display?.game_number ?? "--:--:--"),
      h("button", { class: "limits-button", type: "button", onclick: () => act.open("limits", seat) }, t("limits"), " ", h("b", {}, limitText(seat))),
      several && h("button", { class: "leave", type: "button", "aria-label": t("seat.leave", { table: seat.table }), onclick: () => act.leave(seat) }, "×"),
    ),
  );
}

function limitText(seat) {
  const told = seat.felt?.limits?.table;
  return told ? t("limits.range", { min: money(told.min, seat.currency), max: money(told.max, seat.currency) }) : "";
}

/** The phase; who let the clock run out is told so where the time stood. */
function phase(seat, display) {
  const folded = Object.values(seat.own?.decisions ?? {}).includes("auto");
  if (folded && seat.own.round === display.round && !display.hold && ["dealing", "reveal"].includes(display.phase)) return t("decided.auto.mine");
  return phaseWords(display);
}

function notice(seat, signal, display) {
  const [kind, text] = noticeOf(seat, signal, display);
  return h("p", { class: `notice ${kind}`, role: kind === "none" ? null : "alert" }, text);
}

function noticeOf(seat, signal, display) {
  if (seat.taken) return ["none", ""];
  if (!signal.ok) return ["silent", silentWords(signal).filter(Boolean).join(" · ")];
  if (display?.hold) {
    const why = known(`hold.${display.hold.reason}`) ? t(`hold.${display.hold.reason}`) : "";
    return ["hold", [t("notice.paused"), why].filter(Boolean).join(" ")];
  }
  if (display?.void) return ["void", `${t("notice.cancelled")} ${voidWords(display)}.${display.void.rule ? ` (${display.void.rule})` : ""}`];
  const own = seat.messages.get("");
  if (own) return ["own", own];
  if (seat.own?.given_back && betsOpen(seat.felt) && seat.placed === 0) return ["own", t("notice.given-back")];
  if (seat.justResumed) return ["own", t("notice.continues")];
  if (display?.free_hand) return ["own", t("notice.free-hand")];
  if (display?.last_round) return ["own", t("notice.last-round")];
  return ["none", ""];
}

function takenOver(seat, act) {
  return h(
    "div",
    { class: "taken" },
    h("p", { role: "alert" }, t("seat.taken")),
    h("button", { type: "button", onclick: () => act.again(seat) }, t("seat.again")),
  );
}

function video(seat) {
  const address = seat.house.videos[seat.path];
  const { video: quality, sound, voice_volume: volume } = seat.chosen();
  if (!address || quality === "off") return null;
  const source = `${address}#quality=${quality}&volume=${sound ? volume : 0}`;
  return h("iframe", { class: "video", title: t("video", { table: seat.table }), src: source, allow: "autoplay; fullscreen", referrerpolicy: "no-referrer" });
}

function felt(seat) {
  const { view } = seat;
  const game = boardOf(view.display);
  return h(
    "div",
    { class: `felt ${game.feltClass?.(view) ?? ""}`, role: "group", "aria-label": t("cards") },
    withFolded(seat, game.felt(view)),
    h("div", { class: "result", "aria-live": "polite" }, !view.display.void && game.outcome(view.display), won(seat)),
  );
}

/** The board's felt; each hand that this player folded says so, for its cards may beat the dealer all the same. Not before
 * decisions are over: no button of another hand moves under a finger. */
function withFolded({ own, view }, drawn) {
  const made = own?.round === view.display.round && view.display.phase !== "decision" ? own.decisions : {};
  const gone = Object.keys(made).filter((name) => made[name] !== "play");
  if (gone.length === 0) return drawn;
  return drawn.map((one) => {
    const hand = gone.find((name) => one.attributes.class.split(" ").includes(name));
    if (!hand) return one;
    const [title, ...rest] = one.children;
    const said = h("p", { class: "own" }, t(`folded.${made[hand]}`));
    return { ...one, attributes: { ...one.attributes, class: `${one.attributes.class} folded` }, children: [title, said, ...rest] };
  });
}

/** What the round brought, when it is decided. */
function won(seat) {
  const { own } = seat;
  if (!own || own.returned === null || own.round !== seat.felt.round || own.bets.length === 0) return null;
  if (own.bets.every((bet) => bet.state === "refunded")) return h("p", { class: "won back" }, t("round.refunded", { sum: money(own.returned, seat.currency) }));
  const kind = own.returned > own.staked ? "win" : own.returned > 0 ? "some" : "nothing";
  const sums = { sum: money(own.returned, seat.currency), won: money(own.returned - own.staked, seat.currency) };
  return h("p", { class: `won ${kind}`, "data-returned": own.returned }, t(`round.${kind}`, sums));
}

/** A decision that has just been asked for is brought into sight. */
export function showDecision(seat) {
  const asked = undecided(seat.felt, seat.own).length > 0;
  if (asked && !seat.asked) document.querySelector(`[data-table="${seat.path}"] .decision`)?.scrollIntoView({ block: "nearest" });
  seat.asked = asked;
}

let fingers = 0;
for (const name of ["touchstart", "touchend", "touchcancel"]) addEventListener(name, ({ touches }) => (fingers = touches.length), { passive: true });

/** What a round has just brought is brought into sight with its cards, unless a finger holds the page, or a player would be
 * taken away from another table. */
export function showResult(seat, active) {
  const told = !seat.taken && seat.felt?.round != null && won(seat) !== null;
  const table = told && !seat.toldResult && document.querySelector(`[data-table="${seat.path}"]`);
  if (table && fingers === 0 && (active || getComputedStyle(table).overflowY === "auto")) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const cards = table.querySelector(".felt");
    const block = cards.offsetHeight > innerHeight / 2 ? "start" : "nearest";
    cards.scrollIntoView({ block, behavior: still ? "instant" : "smooth" });
  }
  seat.toldResult = told;
}

/** MAKE YOUR DECISION: each hand that the player has a bet on, until all are decided. One that is decided keeps its place: no
 * button of another hand moves under a finger. */
function decision(seat, now) {
  if (undecided(seat.felt, seat.own).length === 0) return null;
  const hands = askedHands(seat.felt, seat.own);
  const { display } = seat.view;
  const left = secondsLeft(display, now);
  return h(
    "div",
    { class: "decision", role: "group", "aria-label": t("decide") },
    h("h3", {}, t("decide"), left !== null && h("span", { class: "decision-time" }, ` ${clockText(left)}`)),
    h("div", { class: "decision-hands" }, hands.map((name) => decisionHand(seat, name, display))),
  );
}

function decisionHand(seat, name, display) {
  const terms = seat.felt.decisions[name];
  const cost = terms.times * seat.own.bets.filter((bet) => bet.spot === terms.base && bet.state === "open").reduce((sum, bet) => sum + bet.stake, 0);
  const made = display.combinations?.[name];
  const decided = seat.own.decisions[name];
  const busy = decided !== undefined || seat.deciding.has(name) || seat.felt.held;
  const pressed = (choice) => decided && String(decided === choice);
  const strength = seat.view.strength?.[name];
  return h(
    "div",
    { key: name, class: "decision-hand", role: "group", "aria-label": positionWords(name), "data-decide": name },
    h("h4", {}, positionWords(name)),
    cardRow(byPosition(display)[name] ?? [], 2, `decide-${name}`),
    h("p", { class: "combination" }, made ? t(`category.${made}`) : ""),
    strength && h("p", { class: "chance" }, t("strength"), " ", h("b", {}, percent(strength.win, strength.total))),
    h(
      "div",
      { class: "choices" },
      h(
        "button",
        {
          class: "play",
          type: "button",
          "aria-pressed": pressed("play"),
          disabled: busy || cost > seat.spendable,
          onclick: () => seat.decide(name, "play"),
        },
        t("decide.play"),
        h("small", {}, money(cost, seat.currency)),
      ),
      h(
        "button",
        { class: "fold", type: "button", "aria-pressed": pressed("fold"), disabled: busy, onclick: () => seat.decide(name, "fold") },
        t("decide.fold"),
      ),
    ),
    !decided && cost > seat.spendable && h("p", { class: "short" }, t("error.insufficient_balance")),
  );
}

/** Chips and what is done with bets; the balance and what is staked. */
function bar(seat, heard, act) {
  const open = betsOpen(seat.felt);
  const able = open && heard; // a table that is not heard takes nothing, nor gives it back
  const inHand = seat.inHand;
  const repeats = seat.placed === 0;
  return h(
    "footer",
    { class: `bar${open ? "" : " closed"}` },
    h(
      "div",
      { class: "tools" },
      tool("undo", heard && (seat.undoable || seat.waiting.length > 0), act.undoing(seat), icon("undo")),
      h(
        "div",
        { class: "chips", role: "radiogroup", "aria-label": t("chips") },
        seat.chips.map((chip, at) =>
          h(
            "button",
            {
              key: `chip${at}`,
              class: `chip ${colour(seat.chips, chip)}`,
              type: "button",
              role: "radio",
              "aria-checked": String(chip === inHand),
              "aria-label": t("chip", { value: money(chip, seat.currency) }),
              "data-chip": chip,
              disabled: !heard || chip > seat.spendable,
              onclick: () => seat.choose(chip),
            },
            h("span", { "aria-hidden": "true" }, chipText(chip, seat.currency)),
          ),
        ),
      ),
      repeats
        ? tool("repeat", able && seat.repeatable.length > 0, { onclick: () => seat.repeat() }, icon("repeat"))
        : tool("double", able && seat.doublable.length > 0, { onclick: () => seat.double() }, "2×"),
    ),
    h(
      "dl",
      { class: "sums" },
      h("div", {}, h("dt", {}, t("balance")), h("dd", { "data-sum": "balance" }, money(seat.balance ?? 0, seat.currency))),
      h("div", {}, h("dt", {}, t("total-bet")), h("dd", { "data-sum": "total", "aria-busy": seat.waiting.length > 0 && "true" }, money(seat.placed, seat.currency))),
    ),
  );
}

const tool = (name, able, acts, sign) =>
  h(
    "button",
    { key: name, class: `tool ${name}`, type: "button", "aria-disabled": able ? null : "true", ...acts },
    h("span", { class: "sign", "aria-hidden": "true" }, sign),
    h("span", { class: "tool-name" }, t(`tool.${name}`)),
  );
