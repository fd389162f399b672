"""A resend that was granted, and the pace of what is late. Times are monotonic seconds."""

from __future__ import annotations

PACE, PACE_S = 100, 1.0
"""So many messages that are late may wait for a consumer's acknowledgement; beyond that, and where nobody
acknowledges, as many leave in this time."""
MOST_WAITING = 500
"""No more wait for a consumer that is there: a broker with its defaults keeps 1,000 for a slow reader, and
drops what is more."""
MOST_DOUBLINGS = 6
"""A consumer that answers nothing is told or asked less and less often, at last after 64 times
``ack_timeout_s``."""


class Pace:
    """How many late messages leave in a time."""

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
    """A resend that was granted: told to its end, whatever is acknowledged or asked for others meanwhile. To
    one consumer it is told as fast as that one answers: what waits for it at the broker must not grow by it.
    One that acknowledges rarely is told as many at a time as it acknowledges, up to ``MOST_WAITING``.
    """

    def __init__(self, first: int, last: int) -> None:
        self.first = first
        self.last = last
        self.told = first - 1
        """Up to here it has left."""
        self._told_before = first - 1
        """Up to here it had left when it was begun again."""
        self._answered = first - 1
        """Up to here no answer is awaited any more."""
        self._heard_at = first - 1
        """So far its consumer said last that it is."""
        self._step = PACE
        """So many may wait for an answer."""
        self._told_s = 0.0
        """When it was told last."""
        self._silences = 0
        """So often in a row nobody answered, and it went on all the same."""
        self._unanswered: set[int] = set()
        """What left by it, and the broker has not answered for."""

    def wants(self, position: int) -> bool:
        """Whether more is to go before the stream, which is at ``position``, tells the rest itself."""
        return self.told < min(self.last, position)

    def covers(self, cursor: int, position: int) -> bool:
        """Whether what follows on ``cursor`` is on its way by this."""
        return self.wants(position) and self.first <= cursor + 1 <= self.last

    def reaches(self, cursor: int) -> bool:
        """Whether a consumer's ``cursor`` says how much of it has come."""
        return self.first - 1 <= cursor <= self.told

    def not_before_s(self, ack_timeout_s: float) -> float:
        """When the next of it may go to its consumer; long ago: now."""
        if self.told - self._answered < self._step:
            return 0.0
        return self._told_s + ack_timeout_s * (1 << min(self._silences, MOST_DOUBLINGS))

    def sent(self, sequence: int, now_s: float) -> None:
        """Whoever it is for was sent this."""
        if sequence != self.told + 1:
            return
        if self.told - self._answered >= self._step:
            self._answered, self._silences = self.told, self._silences + 1
            self._step = min(2 * self._step, MOST_WAITING)
        self.told, self._told_s = sequence, now_s
        self._unanswered.add(sequence)

    def heard(self, cursor: int) -> None:
        """Its consumer spoke: it has everything up to ``cursor``. Where that says nothing of what was told,
        that it spoke is the answer."""
        self._silences = 0
        if self.told < cursor <= self._told_before:
            self.told = cursor  # it was on its way after all
        if not self.reaches(cursor):
            self._answered = self.told
            return
        if cursor > self._heard_at:
            self._step = min(max(PACE, cursor - self._heard_at), MOST_WAITING)
        self._heard_at = cursor
        self._answered = max(self._answered, cursor)

    def again(self, cursor: int) -> None:
        """What was told beyond its consumer's ``cursor`` did not come."""
        if cursor < self.told:
            self._told_before = max(self.told, self._told_before)
            self.told = self._answered = self._heard_at = cursor
            self._silences = 0

    def arrived(self, sequence: int) -> None:
        """The broker has it."""
        self._unanswered.discard(sequence)

    def lost(self, sequence: int) -> None:
        """It did not get there. What left for another reason, long after it was told, takes nothing back."""
        if sequence in self._unanswered:
            self._unanswered.discard(sequence)
            self.told = min(self.told, sequence - 1)
            self._answered = min(self._answered, self.told)
