// One file with a line for each message: its cursor in the stream and the postings that it made, in one write.
// An incomplete line is left by a crash before the commit: it never happened and is cut off.
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

export class Ledger {
  #file;

  /** `onLine` is called with every line that the file already holds. */
  constructor(path, onLine) {
    this.#file = openSync(path, 'a+');
    this.place = null; // {epoch, sequence, hash, key} of the last message that is safe with us; the table's key
    const bytes = readFileSync(path);
    const whole = bytes.lastIndexOf(0x0a) + 1;
    if (whole < bytes.length) {
      ftruncateSync(this.#file, whole);
      fsyncSync(this.#file);
    }
    for (const text of bytes.subarray(0, whole).toString('utf8').split('\n')) {
      if (text === '') continue;
      const line = JSON.parse(text);
      this.#remember(line);
      onLine(line);
    }
  }

  /** Write lines and wait for the disk. When this returns they are durable. */
  commit(lines) {
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.#file, bytes, written);
    }
    fsyncSync(this.#file);
    lines.forEach((line) => this.#remember(line));
  }

  close() {
    closeSync(this.#file);
  }

  #remember({ epoch, sequence, hash, key = null }) {
    this.place = { epoch, sequence, hash, key };
  }
}
