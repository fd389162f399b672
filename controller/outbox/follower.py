"""One consumer, as the schedule sees it: what it has, whether it is there, and what goes out again for it.

A consumer is there once its own word came, and until it has left a message unanswered for ``ack_timeout_s``.
One that says so in its acknowledgement (``repeats``) hears what goes out again on a topic of its own, so that
nobody else is sent what they have.
"""

from __future__ import annotations

from enum import Enum

MOST_DOUBLINGS = 6
"""A consumer that answers nothing is asked less and less often, at last after 64 times ``ack_timeout_s``."""


PACE, PACE_S = 100, 1.0
"""So many messages that are late may wait for a consumer's acknowledgement; beyond that, and where nobody
acknowledges, as many leave in this time."""


class Pace:
    """How many late messages leave in a time. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._since_s = 0.0
        self._left = 0

    def grants(self, now_s: float) -> bool:
        """Whether one more may leave now."""
        return self._left < PACE or now_s - self._since_s >= PACE_S

    def count(self, now_s: float) -> None:
        """One leaves."""
        if now_s - self._since_s >= PACE_S:
            self._since_s, self._left = now_s, 0
        self._left += 1

    @property
    def due_s(self) -> float:
        """When the next may leave; long ago: now."""
        return self._since_s + PACE_S if self._left >= PACE else 0.0


class AckVerdict(Enum):
    """What becomes of a consumer's acknowledgement."""

    MOVES = "moves"
    REPEATED = "repeated"
    UNKNOWN_CONSUMER = "unknown_consumer"
    OTHER_EPOCH = "other_epoch"
    BEYOND_HEAD = "beyond_head"
    BACKWARDS = "backwards"


class Follower:
    """Times are monotonic seconds."""

    def __init__(self, cursor: int, *, present: bool = False) -> None:
        self.cursor = cursor
        """Up to here it has everything."""
        self.present = present
        self.own = False
        """It listens on a topic of its own."""
        self.denied = False
        """The broker takes nothing from us there, on this connection."""
        self.since_s: float | None = None
        """Since when we wait for its cursor to move; None where nothing waits."""
        self.sent_s: float | None = None
        """When the message after its cursor left, on this connection."""
        self.asked = False
        """It was asked with one message; the rest follows when it answers."""
        self.questions = 0
        """So often in a row, without an answer."""
        self.served: int | None = None
        """The last message that went to it alone, while more are to follow."""
        self.last: int | None = None
        """Where that ends; None: where the stream is."""

    def disconnected(self) -> None:
        """What was on its way is lost."""
        self.since_s = self.sent_s = self.served = self.last = None
        self.asked = self.denied = False

    def moved(self, sequence: int, position: int, now_s: float) -> None:
        """It has everything up to ``sequence``; the stream is at ``position``."""
        self.cursor = sequence
        self.since_s = self.sent_s = now_s if sequence < position else None
        if self.served is not None:
            self.served = max(self.served, sequence)

    def was_sent(self, sequence: int, now_s: float) -> None:
        """A message that it hears has left."""
        if self.cursor == sequence - 1:
            self.since_s = self.sent_s = now_s

    def serve(self, after: int, last: int | None = None) -> None:
        """Send it alone what follows on ``after``; with ``last`` below that: no more."""
        self.served, self.last = (None, None) if last is not None and last <= after else (after, last)

    def patience_s(self, ack_timeout_s: float, *, bothers: bool) -> float:
        """How long it may leave something unanswered; ``bothers``: others would hear the question."""
        doublings = min(self.questions, MOST_DOUBLINGS) if self.own or bothers else 0
        return ack_timeout_s * (1 << doublings)
