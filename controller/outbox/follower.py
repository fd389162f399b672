"""One consumer, as the schedule sees it: what it has, whether it is there, and what goes out again for it.

A consumer is there once its own word came, and until it has left a message unanswered for ``ack_timeout_s``.
One that says so in its acknowledgement (``repeats``) hears what goes out again on a topic of its own, so that
nobody else is sent what they have.
"""

from __future__ import annotations

from enum import Enum

from controller.outbox.grant import MOST_DOUBLINGS, Grant

HELLO_S = 1.0
"""A consumer that repeats its acknowledgement so long after its next message left has not got that one, where
its answers take no longer."""
HEARD_TWICE_S = 0.25
"""One acknowledgement may be heard twice, on the topic of its own and on that of all: within this time."""
LONGEST_AGAIN_S = 300.0
"""However long its answers take: what it says it lacks goes again after this time."""


class Answers:
    """How long a consumer's answers take, and with that how long what waits for it at the broker is; and how
    long, therefore, what was sent to it may yet arrive. Who sends again before that makes the wait longer.
    """

    def __init__(self) -> None:
        self.answer_s = 0.0
        """From a message's leaving to the acknowledgement that covers it, the last time."""
        self._answer_before_s = 0.0
        self._sequence: int | None = None
        """The message whose answer is awaited."""
        self._first_s = self._last_s = 0.0
        """When it left, and when it or one before it left last."""
        self._in_vain = 0
        """So often it was sent again since the last answer."""

    @property
    def patience_s(self) -> float:
        """What has not been answered after this time has not come: twice the time of the last answer."""
        return min(max(HELLO_S, 2 * self.answer_s), LONGEST_AGAIN_S)

    @property
    def silence_s(self) -> float:
        """So long a consumer may say nothing at all: one answer that took long may be that of a consumer that
        was away, two are a queue."""
        return min(self.patience_s, 2 * self._answer_before_s)

    @property
    def again_s(self) -> float:
        """So long after it left something goes again: longer each time that it goes in vain."""
        return min(self.patience_s * (1 << min(self._in_vain, 10)), LONGEST_AGAIN_S)

    def sent(self, sequence: int, now_s: float) -> None:
        """A message that the consumer lacks has left."""
        if self._sequence is None:
            self._sequence, self._first_s = sequence, now_s
        if sequence <= self._sequence:
            self._last_s = now_s

    def came(self, sequence: int, now_s: float) -> None:
        """An acknowledgement covers everything up to ``sequence``. What comes just after it was sent again is
        the answer to that: the consumer may have been away before."""
        self._in_vain = 0
        if self._sequence is not None and self._sequence <= sequence:
            at_once = now_s - self._last_s < HELLO_S
            self._answer_before_s = self.answer_s
            self.answer_s = now_s - (self._last_s if at_once else self._first_s)
            self._sequence = None

    def again(self) -> None:
        """What it lacks is sent again."""
        self._in_vain += 1

    def forget(self) -> None:
        """What was sent did not come: the consumer was away, or the connection was lost."""
        self._sequence, self._in_vain = None, 0


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
        self.answers = Answers()
        self.again_s: float | None = None
        """It has spoken while something was on its way to it: so long after ``since_s`` that goes again, if
        it has not come. It may not have listened yet."""
        self.asked_s: float | None = None
        """When it was asked with one message; the rest follows when it answers."""
        self.questions = 0
        """So often in a row, without an answer."""
        self.served: int | None = None
        """The last message that went to it alone, while what it lacks is to follow, up to the stream."""
        self.grant: Grant | None = None
        """What somebody asked for again, for this one alone."""

    def disconnected(self) -> None:
        """What was on its way is lost; what was granted is not."""
        self.since_s = self.sent_s = self.asked_s = self.again_s = self.served = None
        self.denied = False
        self.answers.forget()

    def speaks(self) -> None:
        """It says what it has, and nothing new: if it was not there, how long its answers took says nothing
        of now."""
        if not self.present:
            self.answers = Answers()

    def heard(self, now_s: float, ack_timeout_s: float) -> bool:
        """Its own word came, and it is there: whether what it was asked for with one message follows now.
        An answer that took longer may be one to what had left before the question, and the rest be on its
        way."""
        asked_s, self.asked_s = self.asked_s, None
        self.present, self.questions = True, 0
        if self.grant is not None:
            self.grant.heard(self.cursor)
        if asked_s is None or self.since_s is None:
            return False
        if now_s - asked_s < HELLO_S:
            return True
        self.again_s = min(self.answers.again_s, ack_timeout_s)
        return False

    def says_again(self, now_s: float) -> bool:
        """It acknowledges again what it had: whether what it lacks goes again now. What has just left may yet
        arrive, and goes again if it has not."""
        twice = self.heard_s is not None and now_s - self.heard_s < HEARD_TWICE_S
        self.heard_s = now_s
        again_s = self.answers.again_s
        if self.sent_s is None or now_s - self.sent_s >= again_s:
            return True
        if not twice:
            self.again_s, self.since_s = again_s, self.sent_s
        return False

    def moved(self, sequence: int, position: int, now_s: float) -> None:
        """It has everything up to ``sequence``; the stream is at ``position``."""
        self.answers.came(sequence, now_s)
        self.cursor, self.heard_s, self.again_s = sequence, now_s, None
        self.since_s = self.sent_s = now_s if sequence < position else None
        if self.served is not None:
            self.served = max(self.served, sequence)

    def sent(self, sequence: int, now_s: float) -> None:
        """A message that it hears has left."""
        if self.cursor < sequence:
            self.answers.sent(sequence, now_s)
        if self.cursor == sequence - 1:
            self.since_s = self.sent_s = now_s
            self.again_s = None  # whoever asked for it
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
        """How long it may leave something unanswered; ``bothers``: others would hear the question. Where
        others wait for it, too, they do not wait longer because its answers take long."""
        doublings = min(self.questions, MOST_DOUBLINGS) if self.own or bothers else 0
        silent_s = ack_timeout_s * (1 << doublings)
        if self.own or not bothers:
            silent_s = max(silent_s, self.answers.silence_s)
        return silent_s if self.again_s is None else min(self.again_s, silent_s)
