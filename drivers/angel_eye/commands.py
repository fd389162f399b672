"""Commands to an Angel Eye shoe: one at a time, sent again when refused for a passing reason or not
answered.

Without input or output: every call gets the time and returns what to send and what was decided.
"""

from __future__ import annotations

from collections import deque

import msgspec

from drivers.readings import CommandAnswered

# The line was at fault: say it again at once.
_GARBLED = frozenset(("01", "02", "03", "11"))
# The shoe has no time now: say it again after the time-out.
_BUSY = frozenset(("21", "22"))
LONGEST_QUEUE = 16


class Step(msgspec.Struct, frozen=True):
    """What follows from one call."""

    send: tuple[bytes, ...] = ()
    answered: tuple[CommandAnswered, ...] = ()


class _Waiting(msgspec.Struct):
    name: str
    frame: bytes
    tries: int = 0
    due_ns: int = 0


class CommandExchange:
    """Up to `tries` sendings of each command, `timeout_ns` apart. Not thread-safe."""

    def __init__(self, timeout_ns: int, tries: int = 3) -> None:
        self._timeout_ns = timeout_ns
        self._tries = tries
        self._queue: deque[_Waiting] = deque()

    def ask(self, name: str, frame: bytes, now_ns: int) -> Step:
        """Queue a command. A queue that is full answers at once that it could not be sent (code
        "queue_full").
        """
        if len(self._queue) >= LONGEST_QUEUE:
            return Step(answered=(CommandAnswered(name, False, "queue_full"),))
        self._queue.append(_Waiting(name, frame))
        return Step(send=(self._send(now_ns),)) if len(self._queue) == 1 else Step()

    def acknowledged(self, now_ns: int) -> Step | None:
        """ACK came; None if nobody waits for one."""
        return self._done(True, None, now_ns) if self._queue else None

    def denied(self, code: str, now_ns: int) -> Step | None:
        """NAK came; None if nobody waits for one."""
        if not self._queue:
            return None
        head = self._queue[0]
        if code in _BUSY and head.tries < self._tries:
            return Step()
        if code in _GARBLED and head.tries < self._tries:
            return Step(send=(self._send(now_ns),))
        return self._done(False, code, now_ns)

    def pass_time(self, now_ns: int) -> Step:
        """Send again, or give up, what was not answered in time."""
        if not self._queue or now_ns < self._queue[0].due_ns:
            return Step()
        if self._queue[0].tries < self._tries:
            return Step(send=(self._send(now_ns),))
        return self._done(False, None, now_ns)

    def abandon(self) -> Step:
        """The port is gone: nothing that waits will be answered."""
        names = [waiting.name for waiting in self._queue]
        self._queue.clear()
        return Step(answered=tuple(CommandAnswered(name, False, None) for name in names))

    def _send(self, now_ns: int) -> bytes:
        head = self._queue[0]
        head.tries += 1
        head.due_ns = now_ns + self._timeout_ns
        return head.frame

    def _done(self, ok: bool, code: str | None, now_ns: int) -> Step:
        answered = (CommandAnswered(self._queue.popleft().name, ok, code),)
        return Step(send=(self._send(now_ns),) if self._queue else (), answered=answered)
