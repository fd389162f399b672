"""``python -m tests.faults.shim FOLDER run --config FILE``: the program with our disk and wires under it.

Everything runs as it does at a table; but every write and sync of the journal, every byte to the broker and
to a device passes here. What happens to it stands in ``FOLDER``:

``fault``    ``full``, ``io``, ``readonly`` or ``slow 2.0``: how the disk is now; a test may change it at any
             time, an empty or absent file is a disk without fault
``crash``    ``<kind> <before|after> <number>``: die with SIGKILL at the n-th write, sync, send or answer
``long``     while it is there no journal is small enough to be walked whole at the start
``log``      where to write down each of them, one JSON object a line, in order; only if the file is there
"""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.faults.disk import FULL, IO_ERROR_SYNC, IO_ERROR_WRITE, OK, READ_ONLY, Call, Disk, sqlite_on

CODES = {"full": FULL, "io": IO_ERROR_WRITE, "readonly": READ_ONLY}
KINDS = ("write", "sync", "send", "answer")
"""Where a crash may be: the journal's writes and syncs, bytes to the broker, bytes to a device."""


class Points:
    """Counts what happens, writes it down, and dies where it is told to."""

    def __init__(self, folder: Path) -> None:
        self._guard = threading.RLock()
        self._count: Counter[str] = Counter()
        self._crash = ("", "", 0)
        if (folder / "crash").exists():
            kind, when, number = (folder / "crash").read_text().split()
            self._crash = (kind, when, int(number))
        log = folder / "log"
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND) if log.exists() else -1

    def before(self, kind: str) -> int:
        """The number of this one, the first is 1."""
        with self._guard:
            self._count[kind] += 1
            number = self._count[kind]
        self._die((kind, "before", number))
        return number

    def after(self, kind: str, number: int, **what: Any) -> None:
        """It is done."""
        self.note(kind, **what)
        self._die((kind, "after", number))

    def note(self, kind: str, **what: Any) -> None:
        """Write it down."""
        if self._log >= 0:
            with self._guard:
                os_write(self._log, json.dumps({"kind": kind, **what}).encode() + b"\n")

    def _die(self, here: tuple[str, str, int]) -> None:
        if here == self._crash:
            os.kill(os.getpid(), signal.SIGKILL)


class ShimDisk(Disk):
    """The disk as the folder has it."""

    def __init__(self, folder: Path, points: Points) -> None:
        self._fault = folder / "fault"
        self._points = points
        self._numbers: dict[int, int] = {}

    def before(self, call: Call) -> int:
        if call.kind in KINDS:
            self._numbers[threading.get_ident()] = self._points.before(call.kind)
        words = self._fault.read_text().split() if self._fault.exists() else []
        if not words:
            return OK
        if words[0] == "slow":
            if call.kind == "sync":
                time.sleep(float(words[1]))
            return OK
        if call.kind == "sync":
            return IO_ERROR_SYNC if words[0] == "io" else OK
        return CODES[words[0]]

    def after(self, call: Call) -> None:
        what = {"name": call.path.name, "place": call.place, "content": text(call.content)}
        if call.kind in KINDS:
            self._points.after(call.kind, self._numbers[threading.get_ident()], **what)
        else:
            self._points.note(call.kind, **what)


def text(content: bytes) -> str:
    """Bytes as JSON carries them."""
    return base64.b64encode(content).decode("ascii")


os_write, os_read = os.write, os.read


def watch_wires(points: Points) -> None:
    """Let what goes to the broker and to devices pass by; what comes from devices is written down."""
    from paho.mqtt.client import sockpair_data

    send = socket.socket.send

    def passed_send(self: socket.socket, content: bytes, *flags: int) -> int:
        if content == sockpair_data:  # paho wakes its own thread
            return send(self, content, *flags)
        number = points.before("send")
        sent = send(self, content, *flags)
        points.after("send", number, content=text(bytes(content[:sent])))
        return sent

    def passed_write(handle: int, content: bytes) -> int:
        if not os.isatty(handle):
            return os_write(handle, content)
        number = points.before("answer")
        sent = os_write(handle, content)
        points.after("answer", number, port=os.ttyname(handle), content=text(content[:sent]))
        return sent

    def passed_read(handle: int, size: int) -> bytes:
        content = os_read(handle, size)
        if content and os.isatty(handle):
            points.note("heard", port=os.ttyname(handle), content=text(content))
        return content

    socket.socket.send = passed_send  # type: ignore[method-assign,assignment]
    os.write, os.read = passed_write, passed_read  # type: ignore[assignment]


def shimmed(folder: Path) -> tuple[str, ...]:
    """The command that is the program with ``folder`` under it."""
    return (sys.executable, "-m", "tests.faults.shim", str(folder))


def main() -> int:
    """The program, on our disk and wires."""
    folder = Path(sys.argv[1])
    from controller.__main__ import main as program
    from controller.journal import opening

    if (folder / "long").exists():
        opening.SMALL_ROWS = 0
    points = Points(folder)
    watch_wires(points)
    sys.argv[1:] = sys.argv[2:]
    with sqlite_on(ShimDisk(folder, points)):
        return program(sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())
