// The page of a player: signs in, sits down at up to four tables, draws, and listens for keys.

import { h, patch } from "/static/app/dom.js";
import { loadBoards } from "/static/app/games.js";
import { wear } from "/static/app/theme.js";
import { language, loadWords, t } from "/static/app/words.js";
import { ask, onRefused, signedIn, signIn } from "./calls.js";
import { chatWindow, showNewest } from "./chat.js";
import { icon } from "./icons.js";
import { Held, listen } from "./keys.js";
import { Panels } from "./panels.js";
import { Seat } from "./seat.js";
import { showDecision, showResult, tableSeat } from "./table.js";

const MOST_TABLES = 4;
const SEATS = "dealer-table.seats";
const page = document.getElementById("page");

let house = null;
let chosen = null;
let seats = [];
let active = null;
let wrong = false;
let asked = null;
let held = null;

const panels = new Panels(document.getElementById("panels"), {
  chosen: () => ({ ...chosen, language }),
  choose,
  languages: ["en", "zh"],
  sit,
  house: () => house,
  sitsAt: (path) => seats.some((seat) => seat.path === path),
});

const act = {
  activate: (seat) => {
    if (active === seat) return;
    active = seat;
    draw();
  },
  leave,
  again: (seat) => {
    const at = seats.indexOf(seat);
    seats[at] = seated(seat.path);
    active = seats[at];
    draw();
  },
  open: (name, seat = active) => panels.open(name, seat),
  undoing,
};

/** The UNDO of a seat, for its button and its keys; one is held at a time. */
function heldFor(seat) {
  if (held?.seat !== seat) {
    held?.forget();
    held = new Held(() => seat.undo(), () => seat.undo(true));
    held.seat = seat;
  }
  return held;
}

function undoing(seat) {
  return {
    onpointerdown: () => heldFor(seat).down(),
    onpointerup: () => heldFor(seat).up(),
    onpointerleave: () => heldFor(seat).forget(),
    oncontextmenu: (event) => event.preventDefault(),
    // ENTER on the button comes without a pointer.
    onclick: (event) => event.detail === 0 && event.pointerType !== "touch" && event.pointerType !== "mouse" && seat.undo(),
  };
}

function seated(path) {
  return new Seat(path, house, () => chosen, changed, () => signedOut(true));
}

/** Sit down: instead of the active table, or beside it. */
function sit(path, beside) {
  const there = seats.find((seat) => seat.path === path);
  if (there) active = there;
  else if (beside && seats.length >= MOST_TABLES) return active?.say("", t("lobby.full", { most: MOST_TABLES }));
  else {
    const before = beside ? null : active;
    active = seated(path);
    if (before) {
      before.leave();
      seats = seats.map((seat) => (seat === before ? active : seat));
      if (!chosen.sound) choose({ sound: true }); // "if you change tables, the sound will automatically unmute"
    } else seats = [...seats, active];
  }
  remember();
  panels.close();
  draw();
}

function leave(seat) {
  seat.leave();
  seats = seats.filter((other) => other !== seat);
  if (active === seat) active = seats[0] ?? null;
  remember();
  draw();
}

const remember = () => sessionStorage.setItem(SEATS, JSON.stringify(seats.map((seat) => seat.path)));

/** The player's settings, kept by the service. */
async function choose(change) {
  chosen = { ...chosen, ...change };
  draw();
  await Promise.all([ask("PUT", "/settings", chosen), "language" in change && speak(change.language)]);
}

/** Another language, without leaving the table. */
async function speak(code) {
  history.replaceState(null, "", `?lang=${code}`);
  await loadWords();
  draw();
}

function signedOut(refused) {
  for (const seat of seats) seat.leave();
  seats = [];
  active = null;
  wrong = refused;
  signIn(null);
  chosen = null;
  draw();
}

function changed() {
  if (asked === null) asked = document.hidden ? setTimeout(draw) : requestAnimationFrame(draw);
}

function draw() {
  asked = null;
  document.title = active ? `${t("table", { table: active.table })} · ${t("seat")}` : t("seat");
  const shown = signedIn() && chosen !== null;
  patch(page, shown ? [toolbar(), tables()] : [door()]);
  seats.forEach(showDecision);
  for (const seat of seats) showResult(seat, seat === active);
  showNewest(active);
  panels.draw();
}

function door() {
  const enter = async (event) => {
    event.preventDefault();
    signIn(new FormData(event.target).get("token").trim());
    await begin();
  };
  return h(
    "main",
    { class: "door" },
    h("h1", {}, t("seat.welcome")),
    h(
      "form",
      { onsubmit: enter },
      h("label", { for: "token" }, t("seat.token")),
      h("input", { id: "token", name: "token", type: "password", autocomplete: "current-password", required: true, "aria-describedby": wrong ? "wrong" : null }),
      wrong && h("p", { id: "wrong", role: "alert" }, t("seat.wrong")),
      h("button", { type: "submit" }, t("seat.enter")),
    ),
  );
}

function toolbar() {
  const inside = (name, sign) => [icon(sign), h("span", { class: "global-name", "aria-hidden": "true" }, t(`button.${name}`))];
  const seen = (name) => ({ key: name, class: `global ${name}`, "aria-label": t(`button.${name}`), title: t(`button.${name}`) });
  const button = (name, click, sign = name, pressed = null) => h("button", { ...seen(name), type: "button", "aria-pressed": pressed, onclick: click }, inside(name, sign));
  const link = (name, address) => address && h("a", { ...seen(name), href: address, target: "_blank", rel: "noopener noreferrer" }, inside(name, name));
  return h(
    "nav",
    { class: "toolbar", "aria-label": t("seat.menu") },
    button("lobby", () => act.open("lobby")),
    h("span", { class: "gap" }),
    link("cashier", house.cashier),
    button("responsible", () => act.open("responsible")),
    house.chat && active && button("chat", talk, "chat", String(active.talks)),
    button("history", () => act.open("history")),
    button("sound", () => choose({ sound: !chosen.sound }), chosen.sound ? "sound" : "muted", String(chosen.sound)),
    button("settings", () => act.open("settings")),
    button("help", () => act.open("help")),
    document.fullscreenEnabled && button("fullscreen", fullscreen),
    button("out", () => signedOut(false)),
  );
}

function talk() {
  active.talks = !active.talks;
  draw();
}

function fullscreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

function tables() {
  return h(
    "main",
    { class: `tables-open of-${seats.length}` },
    h("h1", { class: "unseen" }, t("seat")),
    seats.map((seat) => tableSeat(seat, { now: seat.signal.now(), active: seat === active && seats.length > 1, several: seats.length > 1, act })),
    active && chatWindow(active, changed),
    seats.length === 0 && h("p", { class: "waiting" }, t("seat.choose")),
  );
}

/** Sit down where the player sat before in this tab; at the only table; or choose in the lobby. */
async function begin() {
  const [mine, told] = await Promise.all([ask("GET", "/settings"), ask("GET", "/tables")]);
  if (mine.status !== 200) return signedOut(mine.status === 401 || mine.status === 403);
  chosen = mine.body;
  if (chosen.language && chosen.language !== language && !new URLSearchParams(location.search).has("lang")) {
    await speak(chosen.language);
  }
  wrong = false;
  const there = told.body.map(({ site, table }) => `${site}/${table}`);
  const before = JSON.parse(sessionStorage.getItem(SEATS) ?? "[]").filter((path) => there.includes(path));
  const wanted = before.length > 0 ? before : there.length === 1 ? there : [];
  seats = wanted.slice(0, MOST_TABLES).map(seated);
  active = seats[0] ?? null;
  remember();
  draw();
  if (seats.length === 0) act.open("lobby");
}

/** A link may bring a token behind its #, which is sent to no server; it does not stay in the address. */
function fromLink() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return false;
  signedOut(false);
  signIn(token);
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

async function start() {
  const { games } = await loadWords();
  await loadBoards(games);
  wear({});
  house = await (await fetch("/house")).json();
  fromLink();
  addEventListener("hashchange", () => fromLink() && begin());
  onRefused(() => signedOut(true));
  listen(() => (panels.isOpen ? null : active), heldFor);
  if (signedIn()) await begin();
  else draw();
}

start().catch(() => setTimeout(() => location.reload(), 2000));
