"""All consumers of a table: who is told something apart from the others, and for whom the stream waits.

Times are monotonic seconds.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.outbox.follower import PACE, Follower, Pace
from controller.outbox.outgoing import StreamMessage

MOST_WAITING = 500
"""No more wait for a consumer that is there: a broker with its defaults keeps 1,000 for a slow reader, and
drops what is more."""


class Followers(dict[str, Follower]):
    """By their names."""

    pace: Pace
    """Of all that is late."""

    def __init__(self, consumers: dict[str, Follower]) -> None:
        super().__init__(consumers)
        self.pace = Pace()

    @property
    def there(self) -> list[Follower]:
        """Those of whom we know that they are there."""
        return [consumer for consumer in self.values() if consumer.present]

    def hearing(self, message: StreamMessage) -> Iterator[Follower]:
        """Those to whom a message goes."""
        return (consumer for name, consumer in self.items() if message.to in (None, name))

    def alone(self, position: int, now_s: float) -> StreamMessage | None:
        """What goes to one consumer alone now, at its own pace; the stream is at ``position``."""
        for name, consumer in self.items():
            grant = consumer.grant if consumer.grant is not None and consumer.grant.wants(position) else None
            if grant and (0 <= grant.told - consumer.cursor < PACE or self.pace.grants(now_s)):
                return StreamMessage(grant.told + 1, True, name, own=not consumer.denied)
            served = consumer.served
            if served is not None and served >= position:
                consumer.served = None
            elif served is not None and served - consumer.cursor < PACE:
                return StreamMessage(served + 1, True, name, own=consumer.own)
        return None

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
