"""How long something took, counted in steps: cheap to keep, enough to see a tail."""

from __future__ import annotations

from bisect import bisect_left

import msgspec

BOUNDS_S = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Upper bounds of the steps in seconds; the last step has none."""


class Histogram(msgspec.Struct):
    """Of seconds. One thread writes; others read a :meth:`copy`."""

    counts: list[int] = msgspec.field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    """Of each step alone, the one without a bound last."""
    total_s: float = 0.0

    def observe(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BOUNDS_S, seconds)] += 1
        self.total_s += seconds

    def copy(self) -> Histogram:
        """As it is now."""
        return Histogram(list(self.counts), self.total_s)
