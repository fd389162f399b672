"""What the recorder counts."""

from __future__ import annotations

import msgspec

from controller.vocabulary.histogram import Histogram

STEP_S = 0.2
"""Who waits for something to come looks around this often."""


class Figures(msgspec.Struct):
    """Since the start of the process. One thread writes each; others read."""

    recording: bool = False
    """False: another recorder of that name records, or there is no database."""
    connected: bool = False
    tables: int = 0
    came: int = 0
    """Messages that came, repeats too."""
    recorded: int = 0
    commits: int = 0
    questions: int = 0
    """Resends and snapshots that were asked for."""
    alarms: int = 0
    failures: int = 0
    """How often the database failed."""
    missing: int = 0
    """Messages that the tables have and we have not."""
    behind: int = 0
    """Tables of which something is missing."""
    webhook_failures: dict[str, int] = msgspec.field(default_factory=dict)
    """Webhook -> how often the telling failed of something that nobody foresaw."""
    moved_s: float = 0.0
    """When the thread that works with the database last went on, monotonic; 0: there is no database."""
    commit_s: Histogram = msgspec.field(default_factory=Histogram)

    def wrote(self, count: int, took_s: float) -> None:
        """One transaction more."""
        self.recorded += count
        self.commits += 1
        self.commit_s.observe(took_s)
