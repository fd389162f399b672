"""A publisher that speaks to nobody: what a table says that only listens stays in its record."""

from __future__ import annotations

from controller.outbox.publisher import LOOK_S, Publisher
from controller.outbox.schedule import BROKER


class MutePublisher(Publisher):
    """Never reaches for a broker; nothing waits for anybody."""

    def start(self, now_s: float) -> None:
        """No broker is called."""

    def publish(self, now_s: float) -> None:
        """It is in the record, and that is all."""
        self._stream.set_cursor(BROKER, self._stream.stream_head)

    def standing(self) -> tuple[int, int]:
        """Nothing waits."""
        head = self._stream.stream_head
        return head, head

    def due_s(self, now_s: float) -> float:
        """Nothing is due."""
        return now_s + LOOK_S
