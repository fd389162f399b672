"""What broker and local socket have in common as a source of the board: a thread of its own, who is told, how
soon silence is reported, and a complaint that is logged once.
"""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from typing import Protocol

LOOK_EVERY_S = 0.1
SILENT_AFTER_S = 1.2
"""No sign of life for so long is no signal."""
HANG_UP_AFTER_S = 4.0


class Listener(Protocol):
    """Who is told; called from the threads of a source, must not block."""

    def connected(self) -> None:
        """A new connection: everything retained will come again."""

    def heard(self, topic: str, payload: bytes) -> None:
        """A message."""

    def complete(self) -> None:
        """All that was retained when we connected has come."""

    def alive(self, alive: bool) -> None:
        """The source answers, or has stopped answering; called on a change."""


class Follower(ABC):
    """Follows a source until :meth:`stop`; one that is not there is tried again."""

    def __init__(self, name: str, log: logging.Logger, listener: Listener) -> None:
        self._log = log
        self._listener = listener
        self._stop = threading.Event()
        self._alive = False
        self._complaint: str | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to look for the source."""
        self._thread.start()

    def stop(self) -> None:
        """Hang up and wait."""
        self._stop.set()
        self._thread.join(10)

    @abstractmethod
    def _run(self) -> None:
        """All connections, one after the other; until ``_stop`` is set."""

    def _say_alive(self, alive: bool) -> None:
        """Tell it on a change."""
        if alive != self._alive:
            self._alive = alive
            self._listener.alive(alive)

    def _judge(self, silent_s: float) -> bool:
        """After so long without a sign of life: say that there is no signal, and whether to hang up."""
        if silent_s > SILENT_AFTER_S:
            self._say_alive(False)
        return silent_s > HANG_UP_AFTER_S

    def _complain(self, trouble: str | None) -> None:
        """Say why there is no signal, once for each reason."""
        if trouble is not None and trouble != self._complaint and not self._stop.is_set():
            self._log.warning("no signal: %s", trouble)
        self._complaint = trouble
