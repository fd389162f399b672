"""What was measured of the camera's reader, so that `check-config` and the documents can name it.

The figures come from `make misreads`: cards with marks of 3 pixels a module, scratched or degraded in sixteen
ways, in pictures of 640 x 480, read with zxing-cpp. Another camera, another mark or another decoder has other
figures: they say of which order a risk is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Misreads:
    """Of so many pictures, in how many another text than the card's was taken for its code."""

    pictures: int
    taken: int

    def __str__(self) -> str:
        """For people, for example "0 of 300,000 (95 %: below 1.0e-05)"."""
        return (
            f"{self.taken:,} of {self.pictures:,} (95 %: below {upper_bound(self.taken, self.pictures):.1e})"
        )


WITH_CHECK_DIGIT = Misreads(pictures=300_000, taken=0)
WITHOUT_CHECK_DIGIT = Misreads(pictures=60_000, taken=0)


def upper_bound(events: int, trials: int, confidence: float = 0.95) -> float:
    """The exact (Clopper-Pearson) one-sided upper bound of a probability; about 3 / trials for no event."""

    def at_most(p: float) -> float:
        terms = (
            math.lgamma(trials + 1)
            - math.lgamma(k + 1)
            - math.lgamma(trials - k + 1)
            + k * math.log(p)
            + (trials - k) * math.log1p(-p)
            for k in range(events + 1)
        )
        return sum(math.exp(term) for term in terms)

    if events >= trials:
        return 1.0
    low, high = events / trials, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(middle) > 1 - confidence else (low, middle)
    return high
