// One seat at one table: what it knows, and what the player does there. Calls go out one after the other, as clicked.

import { secondsLeft } from "/static/app/state.js";
import { Signal } from "/static/app/signal.js";
import { t } from "/static/app/words.js";
import { added, betsOpen, doubled, numberOf, offered, onTheWay, repeated, stakes, takes, total, undecided } from "./bets.js";
import { ask, callId, change } from "./calls.js";
import { chipsFor, money } from "./money.js";
import { play } from "./sound.js";
import { SeatSource } from "./stream.js";

const MESSAGE_MS = 4000;
const RESUMED_MS = 6000;
const SOON_S = 5;
const EVENTS = ["table", "gone", "felt", "seat", "purse", "chat", "taken"];

export class Seat {
  /** `changed` is called when something is another; `house` and `chosen()` are the house's and the player's settings. */
  constructor(path, house, chosen, changed, refused) {
    this.path = path;
    [this.site, this.table] = path.split("/");
    this.house = house;
    this.chosen = chosen;
    this.changed = changed;
    this.view = null;
    this.felt = null;
    this.own = null;
    this.balance = null;
    this.chip = null;
    this.talk = [];
    this.talks = false;
    this.taken = false;
    this.calls = new Map();
    this.undone = new Set();
    this.answered = [];
    this.messages = new Map();
    this.resumed = 0;
    this.deciding = new Set();
    this.queue = Promise.resolve();
    const url = `/api/v1/tables/${path}/stream`;
    this.signal = new Signal(url, EVENTS, (name, body) => this.hear(name, body), () => this.look(), (address) => new SeatSource(address, refused));
  }

  leave() {
    this.signal.close();
  }

  hear(name, body) {
    const before = { felt: this.felt, own: this.own, view: this.view };
    if (name === "table") this.view = body;
    if (name === "gone") this.view = null;
    if (name === "felt") this.felt = body;
    if (name === "seat") this.own = this.renewed(body);
    if (name === "chat") this.talk = body.lines;
    if (name === "purse") this.balance = body.balance;
    if (name === "taken") {
      this.taken = true;
      this.signal.close();
    }
    this.noticed(before);
    this.changed();
  }

  /** A picture, put right where it is older than answers that came before it: what was taken lies, what was undone does not. */
  renewed(own) {
    this.answered = this.answered.filter((bet) => bet.round === own?.round && numberOf(bet) > own.placed);
    return this.without(own && { ...own, bets: [...own.bets, ...this.answered] });
  }

  /** The player's bets without those taken back. */
  without(own) {
    return own && { ...own, bets: own.bets.filter((bet) => !this.undone.has(bet.id)) };
  }

  /** Ten times a second: the picture is drawn anew only where time has changed it. */
  look() {
    const { ok, why } = this.signal?.state ?? {};
    const seen = `${ok} ${why} ${this.signal && secondsLeft(this.view?.display, this.signal.now())} ${this.justResumed}`;
    if (seen === this.seen) return;
    this.seen = seen;
    if (secondsLeft(this.view?.display, this.signal.now()) === SOON_S && betsOpen(this.felt)) this.sounds("soon");
    this.changed();
  }

  /** Whether the table has gone on after a hold a moment ago. */
  get justResumed() {
    return Date.now() - this.resumed < RESUMED_MS;
  }

  /** What a player hears or is told because of a change. */
  noticed({ felt, own, view }) {
    const opened = this.felt?.round !== felt?.round;
    if (opened) this.messages.clear();
    if (view?.display?.hold && this.view && !this.view.display?.hold && !this.view.display?.void) this.resumed = Date.now();
    if (felt && betsOpen(felt) && !betsOpen(this.felt)) {
      this.sounds("closed");
      for (const spot of this.messages.keys()) if (spot) this.messages.delete(spot);
    }
    if (undecided(this.felt, this.own).length > undecided(felt, own).length) this.sounds("decide");
    if (this.own?.returned > 0 && own?.returned === null && this.own.returned > this.own.staked) this.sounds("win");
  }

  sounds(name) {
    play(name, this.chosen());
  }

  get currency() {
    return this.felt?.limits?.currency ?? null;
  }

  get chips() {
    return chipsFor(this.house.chips, this.felt);
  }

  /** The chip in hand: the chosen one, or the highest below it that the balance covers. */
  get inHand() {
    const covered = this.chips.filter((chip) => chip <= this.spendable);
    return covered.includes(this.chip) ? this.chip : (covered.findLast((chip) => chip < (this.chip ?? 0)) ?? covered[0] ?? null);
  }

  /** The balance less the chips that are on their way. */
  get spendable() {
    return (this.balance ?? 0) - total(this.waiting);
  }

  /** The bets that were sent and are not told as taken yet. */
  get waiting() {
    return onTheWay(this.own, this.calls);
  }

  get lies() {
    return stakes(this.own, this.waiting);
  }

  get placed() {
    return Object.values(this.lies).reduce((sum, stake) => sum + stake, 0);
  }

  /** Whether something of this betting round can be taken back. */
  get undoable() {
    if (!betsOpen(this.felt)) return false;
    const bets = this.own?.bets ?? [];
    return bets.some((bet) => bet.state === "open" && bet.betting_round === this.felt.betting_round);
  }

  get repeatable() {
    const bets = this.felt && this.placed === 0 ? repeated(this.felt, this.own) : [];
    return total(bets) <= this.spendable ? bets : [];
  }

  get doublable() {
    const bets = this.felt ? doubled(this.felt, this.lies) : [];
    return total(bets) <= this.spendable ? bets : [];
  }

  choose(chip) {
    this.chip = chip;
    this.changed();
  }

  /** A click on a spot. */
  add(spot) {
    if (!takes(this.felt, spot)) return betsOpen(this.felt) && this.say(spot, t("error.unknown_spot"));
    const chip = this.inHand;
    if (chip === null) return this.say(spot, t("error.insufficient_balance"));
    const bet = added(this.felt, this.lies, spot, chip);
    if (bet === null) return this.say(spot, t("message.maximum", { most: money(this.felt.spots[spot].max, this.currency) }));
    this.place([bet]);
    if (bet.stake < chip) this.say(spot, t("message.maximum", { most: money(this.felt.spots[spot].max, this.currency) }));
  }

  double() {
    if (this.doublable.length > 0) this.place(this.doublable);
  }

  repeat() {
    if (this.repeatable.length > 0) this.place(this.repeatable);
  }

  /** SPACE: the bets of the round before; once they lie, twice as much. */
  repeatOrDouble() {
    if (this.placed === 0) this.repeat();
    else this.double();
  }

  place(bets) {
    const { round } = this.felt;
    const id = callId();
    this.calls.set(id, bets);
    this.sounds("chip");
    this.next(async () => {
      const { status, body } = await change(`/tables/${this.path}/bets`, { id, round, bets: offered(this.felt, bets) });
      this.calls.delete(id);
      if (status === 201) this.took(round, id, body);
      else this.refused(bets.length === 1 ? bets[0].spot : "", body.error);
    });
  }

  undo(all = false) {
    if (!this.undoable && this.waiting.length === 0) return;
    const { round } = this.felt;
    this.sounds("undo");
    this.messages.clear();
    this.next(async () => {
      const { status, body } = await change(`/tables/${this.path}/bets/undo`, { round, ...(all && { all }) });
      if (status !== 200) return this.refused("", body.error);
      for (const bet of body.bets) this.undone.add(bet.id);
      if (this.own?.round === round) this.own = this.without(this.own);
      this.balance = body.balance;
    });
  }

  decide(hand, decision) {
    const { round } = this.felt;
    this.deciding.add(hand);
    this.sounds("chip");
    this.next(async () => {
      const id = callId();
      const { status, body } = await change(`/tables/${this.path}/decisions`, { id, round, hand, decision });
      this.deciding.delete(hand);
      if (status !== 201) return this.refused("", body.error);
      if (this.own?.round === round) this.own = { ...this.own, decisions: { ...this.own.decisions, [hand]: decision } };
      this.took(round, id, body);
    });
    this.changed();
  }

  /** The answer comes before the stream says the same; what the stream has said already is not added again. */
  took(round, call, { bets, balance }) {
    this.balance = balance;
    if (this.own?.round !== round) return;
    const known = new Set(this.own.bets.map((bet) => bet.id));
    const { betting_round } = this.felt;
    const fresh = bets
      .filter((bet) => !known.has(bet.id))
      .map((bet) => ({ ...bet, round, call, state: "open", betting_round }));
    this.answered.push(...fresh);
    this.own = { ...this.own, bets: [...this.own.bets, ...fresh] };
  }

  /** A line for the table. */
  async tell(text) {
    const { status, body } = await ask("POST", `/tables/${this.path}/chat`, { text });
    if (status !== 201) this.refused("", body.error);
    return status === 201;
  }

  next(call) {
    this.queue = this.queue.then(call).then(() => this.changed());
    this.changed();
  }

  refused(spot, { code }) {
    this.sounds("refused");
    const { min, max } = this.felt?.spots[spot] ?? {};
    this.say(spot, t(`error.${code}`, { min: money(min ?? 0, this.currency), most: money(max ?? 0, this.currency) }));
  }

  /** A message above a spot, or with no spot for the whole seat; it goes away by itself. */
  say(spot, text) {
    this.messages.set(spot, text);
    setTimeout(() => {
      if (this.messages.get(spot) === text) this.messages.delete(spot);
      this.changed();
    }, MESSAGE_MS);
    this.changed();
  }
}
