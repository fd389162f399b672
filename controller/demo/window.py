"""What a running table shows on its local socket, as it changes: how a dealer of software sees the felt."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from controller.vocabulary.display import Alert, MayOpen, ShownCard, ShownShoe
from controller.vocabulary.values import Phase

RETRY_S = 0.05
_LOOK_S = 0.5


class ShownResult(msgspec.Struct, frozen=True):
    """The result as far as a dealer reads it aloud."""

    outcome: msgspec.Raw


class ShownHold(msgspec.Struct, frozen=True):
    """A hold, and what ends it."""

    round: str | None
    reason: str
    choices: tuple[str, ...]


class ShownVoid(msgspec.Struct, frozen=True):
    """A void."""

    reason: str


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What of a display a dealer looks at."""

    phase: Phase
    round: str | None = None
    game_number: str | None = None
    cards: tuple[ShownCard, ...] = ()
    next: str | None = None
    result: ShownResult | None = None
    revision: int = 0
    void: ShownVoid | None = None
    hold: ShownHold | None = None
    shoe: ShownShoe | None = None
    may_open: MayOpen = MayOpen(False, None, None)
    awaits: str | None = None


class _Line(msgspec.Struct):
    topic: str = ""
    payload: msgspec.Raw = msgspec.Raw(b"null")
    complete: bool = False


class Window(threading.Thread):
    """Follows the socket of one life of a table until :meth:`stop`; a socket that is not there yet is tried
    again.
    """

    def __init__(self, path: Path, note: Callable[[Shown], None]) -> None:
        """``note`` is told each new display, in this thread."""
        super().__init__(name="window", daemon=True)
        self._path, self._note = path, note
        self._leave = threading.Event()
        self.news = threading.Condition()
        self.shown: Shown | None = None
        """None: nothing is known yet."""
        self.alerts: dict[str, str] = {}
        """Topic -> what it says, of what needs a person now."""
        self.beats = 0
        """The table says twice a second that its loop runs, and after each change."""

    def run(self) -> None:
        """Follow until :meth:`stop`."""
        while not self._leave.wait(RETRY_S):
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
                window.connect(str(self._path))
                window.settimeout(_LOOK_S)
                self._follow(window)

    def _follow(self, window: socket.socket) -> None:
        waiting = b""
        while not self._leave.is_set():
            try:
                came = window.recv(65536)
            except TimeoutError:
                continue
            if not came:
                return
            *whole, waiting = (waiting + came).split(b"\n")
            for line in whole:
                self._hear(msgspec.json.decode(line, type=_Line))

    def _hear(self, line: _Line) -> None:
        shown = None
        with self.news:
            if line.topic.endswith("/display"):
                self.shown = shown = msgspec.json.decode(line.payload, type=Shown)
            elif "/alerts/" in line.topic:
                alert = msgspec.json.decode(line.payload, type=Alert | None)
                self.alerts = {topic: says for topic, says in self.alerts.items() if topic != line.topic}
                if alert is not None:
                    self.alerts[line.topic] = alert.message
            elif not line.topic:
                self.beats += 1
            self.news.notify_all()
        if shown is not None:
            self._note(shown)

    def stop(self) -> None:
        """Hang up and wait."""
        self._leave.set()
        if self.ident is not None:
            self.join()
