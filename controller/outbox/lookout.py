"""Before which connection to look whether somebody else is this table, and what the look says."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from controller.outbox.claim import Claim, Denial, judge
from controller.outbox.mqtt import Link
from controller.outbox.reports import Report
from controller.outbox.rows import Rows
from controller.outbox.scout import Scout
from controller.outbox.status import Unit
from controller.outbox.topics import Topics

log = logging.getLogger(__name__)

AGAIN_S = 5.0
"""After so long without a word from the broker another unit may have taken over."""
BRIEF_S = 10.0
MOST_BRIEF = 2
"""So many connections in a row that held for less than ``BRIEF_S``: another unit may take our name."""
MOST_TRIES = 3
"""A broker that ends so many looks has told what it will."""


class Lookout:
    """Looks at the first connection, after a silence, and when another unit may have taken our name."""

    def __init__(
        self,
        topics: Topics,
        link: Link,
        unit: Unit,
        rows: Rows,
        previous: int | None,
        wall: Callable[[], datetime],
    ) -> None:
        self._topics = topics
        self._link = link
        self._unit = unit
        self._rows = rows
        self._previous = previous
        self._wall = wall
        self._scout: Scout | None = None
        self._broken = 0
        self._brief = 0
        self._up_s: float | None = None
        self._spoken = False
        self._heard_s: float | None = None

    @property
    def looking(self) -> bool:
        """Whether the connection under way is a look."""
        return self._scout is not None

    @property
    def client_name(self) -> str:
        """What a look adds to our name at the broker."""
        return f"-look-{self._unit.boot}"

    @property
    def limit_s(self) -> float | None:
        """When a look under way ends at the latest."""
        return None if self._scout is None else self._scout.limit_s

    def wanted(self, now_s: float) -> bool:
        """Whether the next connection must be a look."""
        return self._heard_s is None or now_s - self._heard_s > AGAIN_S

    def begin(self) -> None:
        """The connection that is opened now is a look."""
        self._scout = Scout(self._topics, self._link, self._rows.epoch, self._unit.boot, self._wall)

    def handle(self, report: Report, now_s: float) -> None:
        """A report of the look's connection."""
        if self._scout is not None:
            self._scout.handle(report, now_s)

    def connected(self, now_s: float) -> None:
        """The broker let us in as the table."""
        self._up_s = now_s

    def broke(self, now_s: float) -> None:
        """The connection ended; a look that was under way has to be made again."""
        up_s, self._up_s = self._up_s, None
        if up_s is not None:
            self._brief = self._brief + 1 if now_s - up_s < BRIEF_S else 0
            if self._brief >= MOST_BRIEF:
                self._brief, self._heard_s = 0, None
        if self._scout is not None and self._scout.limit_s is not None:
            self._broken += 1
            if self._broken >= MOST_TRIES:
                self._heard_s = float("inf")
        self._scout = None

    def done(self, now_s: float) -> bool:
        """Whether a look under way has seen enough."""
        return self._scout is not None and self._scout.done(now_s)

    def outcome(self, now_s: float) -> Denial | None:
        """What the look said; None: this unit may be the table."""
        if self._scout is None:
            return None
        seen, self._scout = self._scout.sighting, None
        claim = Claim(
            epoch=self._rows.epoch,
            boot=self._unit.boot,
            head=self._rows.stream_head,
            previous=self._previous,
            known=any(self._rows.cursors().values()),
            spoken=self._spoken,
        )
        self._broken = 0
        self._heard_s = now_s
        older = max(seen.epochs - {claim.epoch, claim.previous}, default=0)
        if not claim.known and older:
            log.warning("the broker knows this table under epoch %d; this journal is %d", older, claim.epoch)
        return judge(claim, seen)

    def heard(self, now_s: float) -> None:
        """The broker spoke to us as the table."""
        self._spoken = True
        self._heard_s = now_s
