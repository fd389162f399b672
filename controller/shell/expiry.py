"""Certificates end while a table runs: looked at once an hour, said in time, taken back when there is a new
one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from controller.outbox.broker import BrokerSettings
from controller.outbox.certificates import Ending, endings, verdict
from controller.shell.conditions import Found, Moment
from controller.vocabulary.conditions import CERTIFICATE

EVERY_NS = 3600 * 1_000_000_000


class CertificateWatch:
    """Looks at our own certificates, and at the one that the broker showed last."""

    def __init__(
        self,
        broker: BrokerSettings,
        warn_days: int,
        shown: Callable[[], float | None],
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        """``shown``: when the broker's certificate ends, seconds since 1970, where it showed one; ``wall_s``:
        now.
        """
        self._broker = broker
        self._warn_days = warn_days
        self._shown = shown
        self._wall_s = wall_s
        self._found: Found = {}
        self._next_ns = 0
        self._seen: float | None = None
        self.ends_s: dict[str, float] = {}
        """Which certificate -> when it ends, seconds since 1970."""

    def look(self, now: Moment) -> Found:
        """``certificate-client`` and so on; looked at where it is time again, or the broker showed another
        one.
        """
        shown = self._shown()
        if self._broker.ca_file is not None and (now.monotonic_ns >= self._next_ns or shown != self._seen):
            self._next_ns, self._seen = now.monotonic_ns + EVERY_NS, shown
            self._found = self._looked(shown)
        return self._found

    def _looked(self, shown: float | None) -> Found:
        found = endings(self._broker)
        if shown is not None:
            found.append(Ending("broker", "", shown))
        self.ends_s = {one.which: one.ends_s for one in found if one.ends_s is not None}
        said = {one.which: verdict(one, self._wall_s(), self._warn_days) for one in found}
        return {CERTIFICATE.named(which): CERTIFICATE.holds(text) for which, text in said.items() if text}
