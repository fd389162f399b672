// The dealer's page: /dealer/<site>/<id> says the next legal step in big words, what is to be paid, and in a hold why,
// what proves it and what may be chosen.

import { acknowledging, badgeForm, isAsking, openForm, seenBy } from "./acknowledge.js";
import { arrange } from "./arrange.js";
import { byPosition, hand, playingCard } from "./cards.js";
import { h } from "./dom.js";
import { evidence } from "./evidence.js";
import { boardOf } from "./games.js";
import { head, notice, signalOf } from "./head.js";
import { limits } from "./limits.js";
import { begin, followTable } from "./page.js";
import { worths } from "./pays.js";
import { settling } from "./settling.js";
import { listen } from "./sound.js";
import { state } from "./state.js";
import { alertWords, asItBegins, both, doubled, known, positionWords, t } from "./words.js";

/** Which chips move: a dealer is not sent to take what nobody lost, nor what nobody staked. */
function resultWords({ result, free_hand }) {
  if (free_hand) return t("act.result.free");
  const ends = Object.values(result?.bets ?? {}).map((bet) => bet.result);
  const [lost, won] = [ends.includes("lose"), ends.includes("win")];
  if (lost === won) return t(!lost && ends.length > 0 ? "act.result.return" : "act.result");
  return t(won ? "act.result.pay" : "act.result.collect");
}

/** The step in words. */
export function actWords(act, display) {
  const values = { ...act, position: act.position ? positionWords(act.position) : "" };
  if (act.code === "result") return resultWords(display);
  if (act.code === "decision" && display.free_hand) return t("act.decision.free");
  if (act.code === "third") return t(`act.third.${act.position}`);
  if (act.code === "draw") return act.card > 1 ? t("act.draw.next", values) : t("act.draw", values);
  if (act.code === "reveal" && act.position) return t("act.reveal.hand", values);
  if (act.code === "burn") return t(act.cards === 1 ? "act.burn.one" : "act.burn", values);
  if (act.code === "wait") return known(`wait.${act.why}`) ? t(`wait.${act.why}`) : asItBegins(act.message);
  return t(`act.${act.code}`);
}

/** The key that ends the step, or what ends it without one. */
function keyOf({ code, position }, { closes }) {
  if (code === "reveal" && position) return t("key.reveal.hand", { hand: position });
  const key = code === "betting" && closes ? `key.betting.${closes}` : `key.${code}`;
  return known(key) ? t(key) : "";
}

/** What is awaited, where the step does not say it; no word more where it does. */
const awaited = ({ code }, { awaits }) => (known(`await.${code}`) ? t(`await.${code}`, { consumer: awaits }) : "");

function choiceSays(choice, { free_hand, hold }) {
  if (choice !== "void") return t(`choice.${choice}.says`);
  return t(hold?.round === null ? "choice.void.says.none" : free_hand ? "choice.void.says.free" : "choice.void.says");
}

function choices(act, display) {
  if (act.code !== "hold") return null;
  return h(
    "ul",
    { class: "choices", "aria-label": t("choices") },
    (act.choices ?? []).map((choice) =>
      h("li", { key: choice, "data-choice": choice }, h("b", {}, t(`choice.${choice}`)), h("span", {}, choiceSays(choice, display))),
    ),
  );
}

function nextOut({ act, under_key }) {
  const out = under_key?.next_out?.length ? under_key.next_out : act.next_out;
  if (!out) return null;
  return h(
    "p",
    { class: "next-out" },
    h("span", {}, t("next-out")),
    out.map((card, at) => playingCard(card, `out${at}`)),
  );
}

/** The cards that count, where the game has such. */
const marked = (view, name) => (view.display.game ? (boardOf(view.display).framed?.(view, name) ?? null) : null);

/** What the face-up cards of a hand make, where the game tells that. */
const tally = (view, name, lie) => (view.display.game ? (boardOf(view.display).tally?.(view, name, lie) ?? null) : null);

const OF_A_ROW = 12;
const ONE_BELOW_THE_OTHER = 5;

/** The hands in a grid whose tracks are as wide as a card. How many tracks there are is arrange.js's to say; in the hand the
 *  page is scrolled, and the hands stand one below the other or, where there are many, in pairs. */
function cards(view) {
  const { display } = view;
  const hands = Object.entries(byPosition(display));
  const room = (display.game && boardOf(display).places?.(display)) ?? 1;
  const longest = Math.max(room, ...hands.map(([, lie]) => lie.length));
  const spans = hands.map(([, lie]) => Math.max(room, lie.length));
  const inTheHand = Math.min(OF_A_ROW, longest * (hands.length <= ONE_BELOW_THE_OTHER ? 1 : 2));
  return h(
    "section",
    { class: "lying", "aria-label": t("cards"), "--in-the-hand": String(inTheHand), "--least": String(Math.min(...spans)) },
    hands.map(([name, lie], at) => {
      const span = String(spans[at]);
      return h(
        "div",
        { class: "dealt", key: name, "--span": span, "data-span": span },
        h("h2", { "data-fit": "" }, doubled(() => positionWords(name)), " ", h("b", { class: "tally", "data-tally": name }, tally(view, name, lie))),
        hand(lie, lie.length, name, marked(view, name)),
      );
    }),
  );
}

/** What a dealer is asked while nothing lies: what each bet pays, what may be staked, how far the shoe is. */
function terms(display) {
  const pays = display.game ? worths(display, boardOf(display).spots) : null;
  if (!pays) return null;
  const { left, cards: all } = display.shoe ?? {};
  return h(
    "section",
    { class: "price-list", "aria-label": t("pays") },
    pays,
    limits(display),
    h("p", { class: "cards-left" }, doubled(() => (display.shoe ? t("shoe.left", { left, cards: all }) : t("shoe.none")))),
  );
}

function alerts(view, changed) {
  if (view.alerts.length === 0) return null;
  return h(
    "section",
    { class: "alerts", "aria-label": t("alerts") },
    h(
      "ul",
      {},
      view.alerts.map((alert) => h("li", { key: alert.id, class: alert.id in view.seen ? "seen" : "", "data-alert": alert.id }, doubled(() => alertWords(alert)), seenBy(view, alert))),
    ),
    acknowledging(view, changed, t("acknowledge")),
  );
}

const NEWEST = 4;

/** What players say at the table, as the service of their seats tells it. */
function talk(view) {
  const lines = view.chat?.lines ?? [];
  if (lines.length === 0) return null;
  return h(
    "section",
    { class: "talk", "aria-label": t("chat") },
    h("ol", {}, lines.slice(-NEWEST).map(({ number, player, text }) => h("li", { key: number }, h("b", {}, asItBegins(player)), " ", asItBegins(text)))),
  );
}

/** One step back to the floor. */
const back = () =>
  h("a", { class: "way-back", href: `/${location.search}`, "aria-label": t("back"), title: t("back") }, h("span", { "aria-hidden": "true" }, "‹ "), t("floor"));

function page(view, stream, now, changed) {
  const signal = signalOf(stream, view);
  if (!view.display) {
    return [
      head(view, now, back()),
      h("main", { class: "dealer-page" }, h("p", { class: "waiting", role: "status" }, both("waiting")), notice(view, signal)),
    ];
  }
  const { act, display } = view;
  listen(view, signal, now, true);
  const held = act?.code === "hold";
  const over = signal.ok && !held && display.game && !display.void;
  const settled = over ? settling(display, boardOf(display).spots) : null;
  const asked = over && display.cards.length === 0 && !display.free_hand ? terms(display) : null;
  return [
    head(view, now, back()),
    h(
      "main",
      { class: `dealer-page${display.cards.length > 0 ? "" : " bare"}${signal.ok ? "" : " stale"}${held ? " holds" : settled ? " settles" : asked ? " asked" : ""}` },
      state(view, signal.ok, now, over && boardOf(display).outcome(display)),
      notice(view, signal),
      act &&
        h(
          "section",
          { class: `act act-${act.code}`, "aria-live": "assertive", "aria-label": t("next-step"), "data-act": act.code },
          h("p", { class: "act-words" }, doubled(() => (signal.ok ? actWords(act, display) : t("act.no-signal")))),
          signal.ok && awaited(act, display) && h("p", { class: "act-awaits" }, doubled(() => awaited(act, display))),
          signal.ok && keyOf(act, display) && h("p", { class: "act-key" }, keyOf(act, display)),
          signal.ok && choices(act, display),
          signal.ok && nextOut(view),
        ),
      signal.ok && held && display.hold ? evidence(display.hold, view.under_key?.cards) : settled ? h("section", { class: "work", "aria-label": t("settle") }, settled) : asked,
      cards(view),
      talk(view),
      alerts(view, changed),
    ),
    badgeForm(changed),
  ];
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !isAsking()) location.assign(`/${location.search}`);
});

function after() {
  arrange();
  openForm();
}

begin(() => followTable("title.dealer", "dealer", page, { after }));
