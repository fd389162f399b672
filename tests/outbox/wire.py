"""What stands under the pump in its tests: messages are numbered, and land when the test says so."""

from __future__ import annotations

from collections.abc import Mapping

from controller.outbox.pump import Pump, Row, Step

TIMEOUT_S = 30.0


class Wire:
    """A pump with message numbers counted, as the courier does it."""

    def __init__(self, cursors: Mapping[str, int], head: int = 0) -> None:
        self.pump = Pump(epoch=5, cursors=cursors, head=head, ack_timeout_s=TIMEOUT_S)
        self.now_s = 100.0
        self.mid = 0

    def send(self, most: int = 1000) -> list[Step]:
        """Launch what the pump wants to send now."""
        steps: list[Step] = []
        while len(steps) < most and (step := self.pump.next(self.now_s)) is not None:
            self.mid += 1
            self.pump.launch(self.mid, step, self.now_s)
            steps.append(step)
        return steps

    def send_and_land(self) -> list[Step]:
        """Launch, and let the broker answer for everything."""
        sent: list[Step] = []
        while steps := self.send():
            first = self.mid - len(steps) + 1
            for mid in range(first, self.mid + 1):
                self.pump.land(mid, self.now_s)
            sent += steps
        return sent


def rows(*sequences: int, historical: bool = False) -> list[Step]:
    return [Row(sequence, historical) for sequence in sequences]
