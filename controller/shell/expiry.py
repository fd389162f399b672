"""Certificates end while a table runs: looked at once an hour, said in time, taken back when there is a new
one.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.outbox.certificates import Ending, endings, verdict
from controller.outbox.mqtt import BrokerSettings
from controller.shell.health import CERTIFICATE, over
from controller.vocabulary.events import ConditionChanged

EVERY_NS = 3600 * 1_000_000_000


class ExpiryWatch:
    """Looks at our own certificates, and at the one that the broker showed last."""

    def __init__(
        self,
        broker: BrokerSettings,
        warn_days: int,
        shown: Callable[[], float | None],
        tell: Callable[[ConditionChanged], None],
    ) -> None:
        """``shown``: when the broker's certificate ends, seconds since 1970, where it showed one."""
        self._broker = broker
        self._warn_days = warn_days
        self._shown = shown
        self._tell = tell
        self._told: dict[str, str] = {}
        self._next_ns = 0
        self._seen: float | None = None
        self.ends_s: dict[str, float] = {}
        """Which certificate -> when it ends, seconds since 1970."""

    def look(self, now_ns: int, now_s: float) -> None:
        """Look where it is time again, or the broker showed another one; ``now_s``: since 1970."""
        shown = self._shown()
        if self._broker.ca_file is None or (now_ns < self._next_ns and shown == self._seen):
            return
        self._next_ns, self._seen = now_ns + EVERY_NS, shown
        found = endings(self._broker)
        if shown is not None:
            found.append(Ending("broker", "", shown))
        self.ends_s = {one.which: one.ends_s for one in found if one.ends_s is not None}
        for one in found:
            self._say(f"{CERTIFICATE}{one.which}", verdict(one, now_s, self._warn_days))

    def _say(self, condition: str, message: str | None) -> None:
        if message == self._told.get(condition):
            return
        if message is None:
            del self._told[condition]
            self._tell(over(condition))
        else:
            self._told[condition] = message
            self._tell(ConditionChanged(condition, True, message[:400]))
