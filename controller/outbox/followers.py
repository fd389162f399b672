"""All consumers of a table: who is told something apart from the others, and for whom the stream waits.

Times are monotonic seconds.
"""

from __future__ import annotations

from controller.outbox.follower import Follower
from controller.outbox.grant import MOST_WAITING, PACE, Grant, Pace
from controller.outbox.outgoing import StreamMessage


class Followers(dict[str, Follower]):
    """By their names."""

    pace: Pace
    """Of all that is late."""
    grant: Grant | None
    """What somebody asked for again, for all: the stream waits, and goes on where it was."""

    def __init__(self, consumers: dict[str, Follower], ack_timeout_s: float) -> None:
        super().__init__(consumers)
        self._ack_timeout_s = ack_timeout_s
        self.pace = Pace()
        self.grant = None

    @property
    def there(self) -> list[Follower]:
        """Those of whom we know that they are there."""
        return [consumer for consumer in self.values() if consumer.present]

    def _hearing(self, message: StreamMessage) -> list[Follower]:
        """Those to whom a message goes."""
        return [consumer for name, consumer in self.items() if message.to in (None, name)]

    def _granted(self, message: StreamMessage) -> list[Grant]:
        """What was asked for again for those to whom it goes."""
        grants = [consumer.grant for consumer in self._hearing(message)]
        if message.to is None:
            grants.append(self.grant)
        return [grant for grant in grants if grant is not None]

    def sent(self, message: StreamMessage, now_s: float) -> None:
        """It has left."""
        for consumer in self._hearing(message):
            consumer.sent(message.sequence, now_s)
        for grant in self._granted(message):
            grant.sent(message.sequence, now_s)

    def gives_up(self, sequence: int) -> bool:
        """The journal does not hold this message any more. Where no consumer lacks it the resend that is to
        tell it ends; whether one did."""
        if any(consumer.cursor < sequence for consumer in self.values()):
            return False
        ended = [one for one in self.values() if one.grant is not None and one.grant.told + 1 == sequence]
        for one in ended:
            one.grant = None
        for_all = self.grant is not None and self.grant.told + 1 == sequence
        if for_all:
            self.grant = None
        return for_all or bool(ended)

    def arrived(self, message: StreamMessage) -> None:
        """The broker has it."""
        for grant in self._granted(message):
            grant.arrived(message.sequence)

    def lost(self, message: StreamMessage) -> None:
        """It did not get there: what was granted, or is being caught up with, goes on before it."""
        for consumer in self._hearing(message):
            consumer.lost(message.sequence)
        for grant in self._granted(message):
            grant.lost(message.sequence)

    def again_for_all(self, position: int) -> Grant | None:
        """What was asked for again for all, while it goes before the stream, which is at ``position``."""
        return self.grant if self.grant is not None and self.grant.wants(position) else None

    def alone(self, position: int, now_s: float) -> StreamMessage | None:
        """What goes to one consumer alone now, at its own pace; the stream is at ``position``."""
        for name, consumer in self.items():
            grant = consumer.grant if consumer.grant is not None and consumer.grant.wants(position) else None
            paced = grant is None or grant.reaches(consumer.cursor) or self.pace.grants(now_s)
            if grant is not None and paced and now_s >= grant.not_before_s(self._ack_timeout_s):
                return StreamMessage(grant.told + 1, True, name, own=not consumer.denied)
            served = consumer.served
            if served is not None and served >= position:
                consumer.served = None
            elif served is not None and served - consumer.cursor < PACE:
                return StreamMessage(served + 1, True, name, own=consumer.own)
        return None

    def due_s(self, position: int) -> list[float]:
        """When more of what is late may go; long ago: now."""
        grants = [one.grant for one in self.values() if one.grant is not None and one.grant.wants(position)]
        return [self.pace.due_s, *(grant.not_before_s(self._ack_timeout_s) for grant in grants)]

    def must_wait(self, at: int, position: int, now_s: float) -> bool:
        """Whether what is late and told to all, up to ``at`` by now, waits for somebody's acknowledgement, or
        for its time; the stream is at ``position``."""
        listening = [
            consumer.cursor
            for consumer in self.there
            if consumer.cursor <= at and not consumer.is_alone(position)
        ]
        waiting = at - min(listening, default=at - PACE)
        return waiting >= MOST_WAITING or (waiting >= PACE and not self.pace.grants(now_s))
