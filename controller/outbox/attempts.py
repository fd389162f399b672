"""When to reach for the broker again, and in which version of MQTT. Pure: times are passed in."""

from __future__ import annotations

from controller.outbox.broker import Protocol
from controller.outbox.reports import ConnectionLost, ConnectionRefused

BACK_OFF_S = (0.1, 0.2, 0.4)
"""Between attempts while nobody answers; the last one stays: a returning broker is noticed at once."""
REFUSED_BACK_OFF_S = (1.0, 2.0, 5.0)
STEADY_S = 10.0
"""A connection that lasted this long resets the back-off."""
CONNACK_TIMEOUT_S = 10.0


class Attempts:
    """One attempt follows the other, with growing waits, until one holds."""

    def __init__(self, newest: Protocol) -> None:
        """``newest``: the version of MQTT that each connection is tried with first."""
        self.protocol: Protocol = newest
        """What the attempt under way speaks."""
        self.again = False
        """The broker that was just tried is asked once more, in the older version of MQTT."""
        self.opened_s: float | None = None
        """When the attempt or connection under way began; None while there is none."""
        self.next_s = 0.0
        """When the next one may begin."""
        self._newest = newest
        self._why = dict[str, str]()
        """What came of the last attempt at each broker, since one has let us in."""
        self._know_5 = set[str]()
        """Brokers that have let us in in MQTT 5."""
        self._failures = 0

    def due(self, now_s: float) -> bool:
        """Whether the next attempt may be made now."""
        return self.opened_s is None and now_s >= self.next_s

    def begin(self, now_s: float) -> None:
        """An attempt is made now."""
        self.opened_s = now_s
        self.protocol = "3.1.1" if self.again else self._newest
        self.again = False

    def unanswered(self, now_s: float) -> bool:
        """Whether the attempt under way should have had its CONNACK by now."""
        return self.opened_s is not None and now_s - self.opened_s >= CONNACK_TIMEOUT_S

    @property
    def why(self) -> str:
        """Why there is no connection, of every broker that was tried: who tells people says it once, and not
        at each attempt what the one before has said of another.
        """
        return "; ".join(dict.fromkeys(self._why.values()))

    def let_in(self, where: str) -> None:
        """The broker ``where`` has let us in."""
        self._why.clear()
        if self.protocol == "5":
            self._know_5.add(where)

    def end(
        self, report: ConnectionRefused | ConnectionLost, now_s: float, *, where: str, was_connected: bool
    ) -> None:
        """The attempt at the broker ``where`` failed, or the connection ended."""
        if was_connected and self.opened_s is not None and now_s - self.opened_s > STEADY_S:
            self._failures = 0
        waits = REFUSED_BACK_OFF_S if isinstance(report, ConnectionRefused) else BACK_OFF_S
        self.again = self.protocol == "5" and self._knows_only_the_older(report, where)
        if not self.again or where not in self._why:
            self._why[where] = report.reason
        self.opened_s = None
        self.next_s = now_s + (0.0 if self.again else waits[min(self._failures, len(waits) - 1)])
        self._failures += not self.again

    def _knows_only_the_older(self, report: ConnectionRefused | ConnectionLost, where: str) -> bool:
        """Whether the broker may know no MQTT 5: it says so, or hangs up on it and never knew better. What is
        said about one connection is not believed of the next: a broker may be dying, or get a new version.
        """
        if isinstance(report, ConnectionRefused):
            return report.unsupported
        return report.silent and where not in self._know_5
