// The board's stream: keeps it open through every outage, and knows when what it shows is old.

const SILENT_AFTER_MS = 1700;
// A connection that broke is tried again at once: only what stays broken is worth a word.
const BROKEN_AFTER_MS = 600;
const HANG_UP_AFTER_MS = 5000;
const LOOK_EVERY_MS = 200;

/** Follows `url`; calls `told(name, body)` for each event and `looked()` five times a second. `connect` opens the
 *  stream of an address: an EventSource, or what looks like one. */
export class Signal {
  constructor(url, names, told, looked, connect = (address) => new EventSource(address)) {
    this.url = url;
    this.connect = connect;
    this.names = names;
    this.told = told;
    this.looked = looked;
    this.offset = 0;
    this.beat = null;
    this.build = null;
    this.lastBeatAt = null;
    this.brokenAt = null;
    this.openedAt = 0;
    this.open();
    this.looking = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  /** End it: a browser has few connections to one server. */
  close() {
    clearInterval(this.looking);
    this.source.close();
  }

  /** The board's time now, ms since 1970: the clock of this screen may be wrong. */
  now() {
    return Date.now() + this.offset;
  }

  /** Whether the newest state is on its way to us, else since when not (null: nobody knows) and why. */
  get state() {
    if (this.beat === null) return { ok: false, why: "connecting", since: null };
    const now = performance.now();
    const broken = this.brokenAt !== null && now - this.brokenAt > BROKEN_AFTER_MS;
    if (broken || now - this.lastBeatAt > SILENT_AFTER_MS) {
      return { ok: false, why: "board", since: this.beat.now };
    }
    if (!this.beat.heard) return { ok: false, why: this.beat.source, since: this.beat.since };
    return { ok: true, why: null, since: null, jackpot: this.beat.jackpot ?? null };
  }

  open() {
    this.source?.close();
    this.openedAt = performance.now();
    const source = this.connect(this.url);
    this.source = source;
    source.addEventListener("error", () => {
      this.brokenAt ??= performance.now();
    });
    source.addEventListener("beat", (event) => this.heard(JSON.parse(event.data)));
    for (const name of this.names) source.addEventListener(name, (event) => this.told(name, JSON.parse(event.data)));
  }

  heard(beat) {
    if (this.build !== null && this.build !== beat.build) location.reload();
    this.build = beat.build;
    this.beat = beat;
    this.lastBeatAt = performance.now();
    this.brokenAt = null;
    this.offset = Date.parse(beat.now) - Date.now();
    this.looked();
  }

  look() {
    const silentSince = Math.max(this.lastBeatAt ?? 0, this.openedAt);
    const closed = this.source.readyState === EventSource.CLOSED;
    if (performance.now() - silentSince > (closed ? 1000 : HANG_UP_AFTER_MS)) this.open();
    this.looked();
  }
}
