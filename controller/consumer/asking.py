"""What a consumer asks its table for, when, and in vain how often. Times are monotonic seconds.

What is missing may be lost, or far behind in what waits for us at the broker. On a busy connection an *echo*
is asked for first: a resend that sends nothing. Its answer comes behind all that the table had sent before
it; what is missing then is lost. Asked for at once, everything on a crowded floor would be sent again and
again, and wait there with the rest.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from controller.vocabulary.replies import CommandError

ASK_EVERY_S = 5.0
"""What was asked for and has not come is asked for again; then after twice, four times as long, ..."""
MOST_DOUBLINGS = 4
LONG_S = 1.0
"""Answers that take longer say that a connection is busy."""
ECHO_LOST_S, MOST_LOST_S = 60.0, 300.0
"""The answer to an echo is not awaited longer than that; where answers take long, twice as long as the last
one, and at most so long."""
SURELY_IN_VAIN = 2
"""What was asked for on a busy connection more often than that did not get lost there each time."""
BUSY_A_SECOND = 100
"""So many messages in a second say so, too."""
SOME_A_SECOND = 2
"""Where not even so many come there is no queue: an answer that does not come got lost."""

Asks = Literal["all", "echo"]
"""Everything that is missing, or an echo."""
Wanted = tuple[int, int]
"""Epoch and sequence of the first message that is missing; zeros: where to begin."""


class Told(msgspec.Struct):
    """What we read of a table's reply."""

    ok: bool
    error: CommandError | None = None
    epoch: int = 0
    sequence: int = 0
    cursors: dict[str, int] | None = None
    last: int = msgspec.field(default=0, name="to")


class Traffic:
    """How many messages come over a connection."""

    def __init__(self) -> None:
        self._since_s = 0.0
        self._count = self._before = 0
        """In this second, and in the one before."""

    def came(self, count: int, now_s: float) -> None:
        """So many more."""
        if now_s - self._since_s >= 1.0:
            self._before = self._count if now_s - self._since_s < 2.0 else 0
            self._since_s, self._count = now_s, 0
        self._count += count

    def a_second(self, now_s: float) -> int:
        """So many come."""
        self.came(0, now_s)
        return max(self._count, self._before)


class Asking:
    """What was asked for, and what has come of it."""

    def __init__(self, traffic: Traffic) -> None:
        """``traffic``: of the connection, which others may share."""
        self._traffic = traffic
        self._wanted: Wanted | None = None
        self._asked: Asks = "all"
        """What was asked last."""
        self._asked_s: float | None = None
        """When; None: not on this connection, or not in this life of the table."""
        self._open = False
        """It has not been answered."""
        self._took_s: float | None = None
        """So long the last answer took; None: nobody knows."""
        self._times = 0
        """So often all was asked for since something that was missing came last."""
        self.in_vain = False
        """What was asked for now had been asked for before, and had its time to come."""

    def begin(self) -> None:
        """A connection has begun, or the table has just come: nothing of what was asked will be answered."""
        self._wanted = self._asked_s = None
        self._open, self._times, self._took_s = False, 0, None

    def answered(self, now_s: float) -> Asks:
        """The table's answer came, a refusal too; what had been asked. Where an echo is refused, by an older
        table, the refusal is one."""
        if self._open and self._asked_s is not None:
            self._took_s = now_s - self._asked_s
        self._open = False
        return self._asked

    def due(self, wanted: Wanted, now_s: float, *, surely: bool = False) -> Asks | None:
        """What is to be asked now, where this is missing; it is asked, then. ``surely``: it cannot be on its
        way."""
        asks = self._asks(wanted, now_s, surely=surely)
        if asks is not None:
            lost = self._asked == "echo" and self._open
            if self._open and self._asked_s is not None and self._some(now_s):
                self._took_s = max(self._took_s or 0.0, now_s - self._asked_s)  # at least
            before = self._times if wanted == self._wanted else 0
            self._times = before + (asks == "all")
            self.in_vain = not lost and before > (SURELY_IN_VAIN if self._busy(now_s) else 0)
            self._wanted, self._asked, self._asked_s, self._open = wanted, asks, now_s, True
        return asks

    def _asks(self, wanted: Wanted, now_s: float, *, surely: bool) -> Asks | None:
        busy = not surely and self._busy(now_s)
        if self._asked_s is None:
            return "echo" if busy else "all"
        waits_s = now_s - self._asked_s
        if wanted != self._wanted:  # what was missing came, and this is another gap
            twice_s = 2 * (self._took_s or 0.0) if self._open else 0.0
            patience_s = min(max(ASK_EVERY_S, twice_s), ECHO_LOST_S)
            return None if busy and waits_s < patience_s else "echo" if busy else "all"
        if self._asked == "echo":
            lost_s = min(max(ECHO_LOST_S, 2 * (self._took_s or 0.0)), MOST_LOST_S)
            if not self._crowded(now_s):
                lost_s = ASK_EVERY_S
            return "all" if not self._open or waits_s >= lost_s else None
        if waits_s < ASK_EVERY_S * (1 << min(self._times - 1, MOST_DOUBLINGS)):
            return None
        return "echo" if busy else "all"

    def _busy(self, now_s: float) -> bool:
        """Whether what is missing may be on its way."""
        late = self._open and self._asked_s is not None and now_s - self._asked_s >= LONG_S
        return (late and self._some(now_s)) or self._crowded(now_s)

    def _crowded(self, now_s: float) -> bool:
        """Much comes, or answers take long; or some comes, and nobody knows how long they take."""
        long = self._some(now_s) if self._took_s is None else self._took_s >= LONG_S
        return long or self._traffic.a_second(now_s) >= BUSY_A_SECOND

    def _some(self, now_s: float) -> bool:
        return self._traffic.a_second(now_s) >= SOME_A_SECOND
