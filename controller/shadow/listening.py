"""The other system's list as it grows, and the clock of a shoe that is listened to: one thread that delivers.

It looks like a device to the daemon, so ``top`` and metrics tell how much has come. The list is read and
nothing else; where its last line in the record ended, reading goes on after a restart.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from controller.journal.reader import SqliteReader
from controller.settings.model import Configuration, ShadowSettings
from controller.settings.shadow import follows_export
from controller.shadow.following import EXPORT, FollowLine, FollowShoe
from controller.shadow.old_line import MOST_BYTES
from controller.shell.intake import Answer, PortState, Received
from controller.shell.loop import Loop
from controller.vocabulary.codec import decode_event
from controller.vocabulary.errors import why
from controller.vocabulary.outside import unmarked

log = logging.getLogger(__name__)

LOOK_S = 0.2
"""So often the list and the table are looked at."""
AT_ONCE = 32
"""Lines on their way to the record at most; more wait in the file."""
BETWEEN_S = 3.0
"""A shoe that is listened to may still say something of its last card, as its own result."""
TOO_LONG = b"{} a line of more than 65,536 bytes"
"""Stands in the record for a line that is no round."""
_BACK = 500


class ListFile:
    """The list, from a place in it on. A list that became shorter, or another file, is read anew."""

    def __init__(self, path: Path, offset: int) -> None:
        self.path, self.offset = path, offset
        self.problem: str | None = None
        self._inode: int | None = None
        self._skipping = False

    def lines(self, most: int) -> list[tuple[bytes, int]]:
        """Up to so many further lines, each with where it ends; a last one without its end waits for it."""
        try:
            with self.path.open("rb") as file:
                return self._lines(file, most)
        except OSError as error:
            self.problem = f"{self.path}: {why(error)}"
            return []

    def _lines(self, file: BinaryIO, most: int) -> list[tuple[bytes, int]]:
        stat = os.fstat(file.fileno())
        if stat.st_size < self.offset or self._inode not in (None, stat.st_ino):
            log.warning("%s is another file than before: it is read from its start", self.path)
            self.offset = 0
        self._inode, self.problem = stat.st_ino, None
        file.seek(self.offset)
        found: list[tuple[bytes, int]] = []
        offset, skipping = self.offset, self._skipping
        while len(found) < most:
            line = file.readline(MOST_BYTES)
            if not line.endswith(b"\n"):
                if len(line) < MOST_BYTES:
                    break
                skipping = True  # the rest of a line that is too long
                offset += len(line)
                continue
            offset += len(line)
            if skipping:
                skipping = False
                found.append((TOO_LONG, offset))
            elif line.strip():
                text = unmarked(line) if offset == len(line) else line
                found.append((text.rstrip(b"\r\n"), offset))
        # Only now: where a later line cannot be read, those before it are read again.
        self.offset, self._skipping = offset, skipping
        return found


def read_up_to(journal: SqliteReader) -> int:
    """Where the last line that is in the record ended in its file; 0: none is."""
    head = journal.record_head
    while head > 0:
        after = max(0, head - _BACK)
        for record in reversed(list(journal.unchecked_records(after, head - after))):
            if b'"device":"export"' in record.body:
                _, stamp = decode_event(record.body)
                if stamp.report is not None:
                    return stamp.report
        head = after
    return 0


class Listener:
    """A driver to the daemon: it delivers courses."""

    name = EXPORT

    def __init__(self, configuration: Configuration, loop: Loop, offset: int) -> None:
        shadow = configuration.shadow or ShadowSettings()
        self._shadow, self._loop = shadow, loop
        self._deals = follows_export(configuration)
        self._named = shadow.shoes == "named"
        self._list = None if shadow.export is None else ListFile(Path(shadow.export), offset)
        self._room = threading.Semaphore(AT_ONCE)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lines = self._bytes = 0
        self._read: deque[tuple[bytes, int]] = deque()
        """Lines that are still to be delivered, each with where it ends."""
        self._failed: str | None = None
        self._mark: object = None
        self._since_s = time.monotonic()

    @property
    def state(self) -> PortState:
        """As of a device."""
        problem = self._failed or (None if self._list is None else self._list.problem)
        return PortState(
            self._shadow.export or "",
            connected=problem is None,
            bytes_in=self._bytes,
            frames_in=self._lines,
            last_error=problem,
        )

    def start(self, deliver: Callable[[Received], None]) -> None:
        """Begin; what is delivered goes to the loop itself, since it is no reading."""
        self._thread = threading.Thread(target=self._run, name="the other system's list", daemon=True)
        self._thread.start()

    def acknowledge(self, received: Received, answer: Answer) -> None:
        """Nobody is told anything."""

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                idle = self._step()
                self._failed = None
            except Exception as error:  # whatever it is: what was read stays to be delivered
                log.exception("the other system's list could not be followed")
                self._failed, idle = f"failed: {type(error).__name__}", True
            if idle:
                self._stopping.wait(LOOK_S)

    def _step(self) -> bool:
        """Deliver what there is; whether there was nothing."""
        deliver = self._loop.deliver
        if not self._read and self._list is not None:
            self._read.extend(self._list.lines(AT_ONCE))
        idle = not self._read
        while self._read:
            while not self._room.acquire(timeout=LOOK_S):
                if self._stopping.is_set():
                    return True
            raw, end = self._read[0]
            done = self._room.release
            try:
                deliver(FollowLine(raw, end, deals=self._deals, named=self._named, done=done))
            except BaseException:
                done()
                raise
            self._read.popleft()
            self._lines, self._bytes = self._lines + 1, self._bytes + len(raw)
        if not self._deals:
            deliver(self._shoe())
        return idle

    def _shoe(self) -> FollowShoe:
        state = self._loop.table.state
        if state is not None:
            drawn = None if state.shoe is None else (state.shoe.id, state.shoe.draws)
            hold = None if state.hold is None else (state.hold.number, state.hold.size)
            if (mark := (drawn, hold)) != self._mark:
                self._mark, self._since_s = mark, time.monotonic()
        return FollowShoe(
            named=self._named,
            still_s=time.monotonic() - self._since_s,
            between_s=BETWEEN_S,
            pause_s=float(self._shadow.pause_s),
        )
