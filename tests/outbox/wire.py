"""A schedule without a broker: what leaves it, and when it is answered."""

from __future__ import annotations

from collections.abc import Mapping

from controller.outbox.outgoing import OutgoingMessage, StreamMessage
from controller.outbox.schedule import Schedule

TIMEOUT_S = 30.0


class Wire:
    """Below the schedule: messages are numbered, and answered for when the test says so."""

    def __init__(
        self, cursors: Mapping[str, int], head: int = 0, *, window: int | None = 20, new: int = 0
    ) -> None:
        """``window`` None: not connected; ``new``: messages since it is."""
        self.schedule = Schedule(epoch=5, cursors=cursors, head=head, ack_timeout_s=TIMEOUT_S)
        if window is not None:
            self.schedule.connect(window)
            self.schedule.extend(head + new)
        self.now_s = 100.0
        self.mid = 0

    def send(self, most: int = 1000) -> list[OutgoingMessage]:
        """Send what the schedule wants to send now."""
        steps: list[OutgoingMessage] = []
        while len(steps) < most and (step := self.schedule.next(self.now_s)) is not None:
            self.mid += 1
            self.schedule.sent(self.mid, step, self.now_s)
            steps.append(step)
        return steps

    def send_and_answer(self) -> list[OutgoingMessage]:
        """Send, and let the broker answer for everything."""
        sent: list[OutgoingMessage] = []
        while steps := self.send():
            first = self.mid - len(steps) + 1
            for mid in range(first, self.mid + 1):
                self.schedule.answered(mid, self.now_s)
            sent += steps
        return sent


def rows(*sequences: int, historical: bool = False) -> list[OutgoingMessage]:
    return [StreamMessage(sequence, historical) for sequence in sequences]


def alone(name: str, *sequences: int) -> list[OutgoingMessage]:
    """What goes out again for one consumer, on its own topic."""
    return [StreamMessage(sequence, True, name, own=True) for sequence in sequences]
