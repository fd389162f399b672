// The stream of a seat. A browser's own EventSource cannot send a token, so this looks like one and reads it by fetch.

import { authorization } from "./calls.js";

/** Dispatches the events of `url`; `refused` is called where the service does not let us hear. */
export class SeatSource extends EventTarget {
  constructor(url, refused) {
    super();
    this.readyState = EventSource.CONNECTING;
    this.controller = new AbortController();
    this.follow(url, refused);
  }

  close() {
    this.readyState = EventSource.CLOSED;
    this.controller.abort();
  }

  async follow(url, refused) {
    try {
      const answer = await fetch(url, { headers: authorization(), signal: this.controller.signal, cache: "no-store" });
      if (answer.status === 401 || answer.status === 403) refused();
      if (!answer.ok) throw new Error(`stream: ${answer.status}`);
      this.readyState = EventSource.OPEN;
      await this.read(answer.body.pipeThrough(new TextDecoderStream()).getReader());
    } catch {
      // it ended: whoever listens opens it again
    }
    if (this.readyState !== EventSource.CLOSED) {
      this.readyState = EventSource.CLOSED;
      this.dispatchEvent(new Event("error"));
    }
  }

  async read(reader) {
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) this.tell(event);
    }
  }

  tell(event) {
    const lines = Object.fromEntries(event.split("\n").map((line) => line.split(/: (.*)/s, 2)));
    if (lines.event) this.dispatchEvent(new MessageEvent(lines.event, { data: lines.data }));
  }
}
