"""One consumer, as the schedule sees it: what it has, whether it is there, and what goes out again for it.

A consumer is there once its own word came, and until it has left a message unanswered for ``ack_timeout_s``.
One that says so in its acknowledgement (``repeats``) hears what goes out again on a topic of its own, so that
nobody else is sent what they have.
"""

from __future__ import annotations

from enum import Enum

MOST_DOUBLINGS = 6
"""A consumer that answers nothing is asked less and less often, at last after 64 times ``ack_timeout_s``."""


HELLO_S = 1.0
"""A consumer that repeats its acknowledgement so long after its next message left has not got that one."""
HEARD_TWICE_S = 0.25
"""One acknowledgement may be heard twice, on the topic of its own and on that of all: within this time."""
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


class Grant:
    """A resend that was granted: told to its end, whatever is acknowledged or asked for others meanwhile."""

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last
        self.told = first - 1
        """Up to here it has left."""
        self._unanswered: set[int] = set()
        """What left by it, and the broker has not answered for."""

    def wants(self, position: int) -> bool:
        """Whether more is to go before the stream, which is at ``position``, tells the rest itself."""
        return self.told < min(self.last, position)

    def covers(self, cursor: int, position: int) -> bool:
        """Whether what follows on ``cursor`` is on its way by this."""
        return self.wants(position) and self.first <= cursor + 1 <= self.last

    def sent(self, sequence: int) -> None:
        """Whoever it is for was sent this."""
        if sequence == self.told + 1:
            self.told = sequence
            self._unanswered.add(sequence)

    def arrived(self, sequence: int) -> None:
        """The broker has it."""
        self._unanswered.discard(sequence)

    def lost(self, sequence: int) -> None:
        """It did not get there. What left for another reason, long after it was told, takes nothing back."""
        if sequence in self._unanswered:
            self._unanswered.discard(sequence)
            self.told = min(self.told, sequence - 1)


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
        self.heard_s: float | None = None
        """When its own word came last."""
        self.early = False
        """It said again what it has, just after the next message had left: it may not have listened yet."""
        self.asked = False
        """It was asked with one message; the rest follows when it answers."""
        self.questions = 0
        """So often in a row, without an answer."""
        self.served: int | None = None
        """The last message that went to it alone, while what it lacks is to follow, up to the stream."""
        self.grant: Grant | None = None
        """What somebody asked for again, for this one alone."""

    def disconnected(self) -> None:
        """What was on its way is lost; what was granted is not."""
        self.since_s = self.sent_s = self.served = None
        self.asked = self.denied = self.early = False

    def says_again(self, now_s: float) -> bool:
        """It acknowledges again what it had: whether what it lacks goes again now. What has just left may yet
        arrive, and goes again if it has not."""
        twice = self.heard_s is not None and now_s - self.heard_s < HEARD_TWICE_S
        self.heard_s = now_s
        if self.sent_s is None or now_s - self.sent_s >= HELLO_S:
            return True
        if not twice:
            self.early, self.since_s = True, self.sent_s
        return False

    def moved(self, sequence: int, position: int, now_s: float) -> None:
        """It has everything up to ``sequence``; the stream is at ``position``."""
        self.cursor, self.heard_s, self.early = sequence, now_s, False
        self.since_s = self.sent_s = now_s if sequence < position else None
        if self.served is not None:
            self.served = max(self.served, sequence)

    def sent(self, sequence: int, now_s: float) -> None:
        """A message that it hears has left."""
        if self.cursor == sequence - 1:
            self.since_s = self.sent_s = now_s
        if self.served == sequence - 1:
            self.served = sequence

    def is_alone(self, position: int) -> bool:
        """Whether it is told what it lacks apart from the others, who do not wait for it."""
        granted = self.grant is not None and self.grant.covers(self.cursor, position)
        return granted or self.served is not None

    def lost(self, sequence: int) -> None:
        """A message that it should have heard did not get there."""
        if self.served is not None:
            self.served = max(min(self.served, sequence - 1), self.cursor)

    def patience_s(self, ack_timeout_s: float, *, bothers: bool) -> float:
        """How long it may leave something unanswered; ``bothers``: others would hear the question."""
        if self.early:
            return HELLO_S
        doublings = min(self.questions, MOST_DOUBLINGS) if self.own or bothers else 0
        return ack_timeout_s * (1 << doublings)
