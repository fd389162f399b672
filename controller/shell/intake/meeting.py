"""Two witnesses of one card: what the one says must meet what the other says within a time.

Pure: every time goes in, in nanoseconds of the monotonic clock. The order of the two does not matter, for a
reader may sit before or behind the other.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Side = Literal["left", "right"]


class Word(msgspec.Struct, frozen=True):
    """What one witness said. A word that is not ``sure`` may meet another and is not missed alone."""

    at_ns: int
    text: str = ""
    sure: bool = True


class Meeting(msgspec.Struct):
    """Words that have met nothing yet, the oldest first."""

    within_ns: int
    waiting: dict[Side, list[Word]] = msgspec.field(default_factory=lambda: {"left": [], "right": []})

    def say(self, side: Side, word: Word) -> Word | None:
        """A witness speaks; the word of the other that it meets, or None if that is still to come."""
        others = self.waiting["right" if side == "left" else "left"]
        for other in others:
            if abs(word.at_ns - other.at_ns) <= self.within_ns:
                others.remove(other)
                return other
        self.waiting[side].append(word)
        return None

    def alone(self, now_ns: int) -> list[Side]:
        """The sides whose words have waited too long, one for each sure word, the oldest first."""
        late: list[tuple[int, Side]] = []
        for side, words in self.waiting.items():
            over = [word for word in words if now_ns - word.at_ns > self.within_ns]
            late += [(word.at_ns, side) for word in over if word.sure]
            self.waiting[side] = [word for word in words if word not in over]
        return [side for _, side in sorted(late)]

    def forget(self, side: Side) -> None:
        """What this side waits for can not come any more."""
        self.waiting[side].clear()

    def deadline_ns(self) -> int | None:
        """When ``alone`` may next have something to say."""
        times = [word.at_ns for words in self.waiting.values() for word in words]
        return min(times) + self.within_ns + 1 if times else None
