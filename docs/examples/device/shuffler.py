"""python shuffler.py /dev/ttyUSB0: a shuffling machine's end of the line, as its firmware would do it.

Reads what the machine does from standard input, a line each (`start`, `done 416`, `loaded 8`, `fail jam`),
says it to the table, and prints the table's answer. Python's own library is enough; so is any language that
can write a line to a serial port.
"""

from __future__ import annotations

import os
import select
import sys
import termios
import time
import tty

ANSWER_WITHIN_S = 2.0
TRIES = 5
WORDS = {"start": "START", "done": "DONE", "fail": "FAIL", "loaded": "LOADED", "count": "COUNT"}


class Line:
    """9600 8N1, lines of ASCII, and an answer for each line once the table has it on disk."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._fd)
        settings = termios.tcgetattr(self._fd)
        settings[4] = settings[5] = termios.B9600
        termios.tcsetattr(self._fd, termios.TCSANOW, settings)
        self._read = b""

    def say(self, words: str) -> str:
        """Send a line until it is answered. Silence means that nobody knows whether it was taken."""
        for _ in range(TRIES):
            os.write(self._fd, words.encode("ascii") + b"\n")
            answer = self._answer()
            if answer is not None:
                return answer
        raise TimeoutError(f"the table does not answer to {words}")

    def _answer(self) -> str | None:
        end = time.monotonic() + ANSWER_WITHIN_S
        while b"\n" not in self._read:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._fd], [], [], left)[0]:
                self._read = b""
                return None
            self._read += os.read(self._fd, 256)
        line, _, self._read = self._read.partition(b"\n")
        return line.decode("ascii").strip()


def main() -> None:
    """First identify ourselves; then report what happens."""
    line = Line(sys.argv[1])
    for words in ("VERSION example 1.0", "SERIAL 000123"):
        print(f"{words}: {line.say(words)}", flush=True)
    for happened in sys.stdin:
        word, *rest = happened.split() or [""]
        if word not in WORDS:
            print(f"this machine cannot {word!r}", file=sys.stderr)
            continue
        words = " ".join([WORDS[word], *rest])
        print(f"{words}: {line.say(words)}", flush=True)


if __name__ == "__main__":
    main()
