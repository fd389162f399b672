"""How long the oldest message that somebody has not acknowledged has waited. Pure: times are passed in.

Counted by the monotonic clock, so that steps of the wall clock open and stop no round.
"""

from __future__ import annotations

from collections import deque

MOST_MARKS = 4096
"""Of a long absence every second mark is dropped then: the oldest one, which decides, stays."""


class BacklogAge:
    """Told from time to time where the stream ends and what is acknowledged."""

    def __init__(self, before_s: float) -> None:
        """``before_s``: so long what waits at the first look had waited already."""
        self._before_s = before_s
        self._marks: deque[tuple[int, float]] = deque()
        """The stream's head, and since when it has been there (or further on), in order."""

    def age_s(self, head: int, acknowledged: int, now_s: float) -> float:
        """Seconds that the oldest message above ``acknowledged`` has waited, as far as the looks can tell; 0
        if none waits.
        """
        if not self._marks:
            self._marks.append((head, now_s - self._before_s))
        elif head > self._marks[-1][0]:
            self._marks.append((head, now_s))
        while len(self._marks) > 1 and self._marks[0][0] <= acknowledged:
            self._marks.popleft()
        if len(self._marks) > MOST_MARKS:
            self._marks = deque(list(self._marks)[::2])
        oldest_head, since_s = self._marks[0]
        return now_s - since_s if oldest_head > acknowledged else 0.0
