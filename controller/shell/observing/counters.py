"""What the loop counts since the start of this process."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import msgspec

from controller.vocabulary.histogram import Histogram


class LoopCounters(msgspec.Struct):
    """Figures of one loop."""

    readings: int = 0
    events: int = 0
    messages: int = 0
    commits: int = 0
    failed_commits: int = 0
    commit_s: Histogram = msgspec.field(default_factory=Histogram)
    """How long the disk took for each transaction that it took."""
    last_error: str = ""
