"""When to reach for the broker again, and in which version of MQTT. Pure: times are passed in."""

from __future__ import annotations

from typing import Literal

from controller.outbox.reports import ConnectionLost, ConnectionRefused

Protocol = Literal["5", "3.1.1"]

BACK_OFF_S = (0.1, 0.2, 0.4)
"""Between attempts while nobody answers; the last one stays: a returning broker is noticed at once."""
REFUSED_BACK_OFF_S = (1.0, 2.0, 5.0)
STEADY_S = 10.0
"""A connection that lasted this long resets the back-off."""
CONNACK_TIMEOUT_S = 10.0


class Attempts:
    """One attempt follows the other, with growing waits, until one holds."""

    def __init__(self, newest: Protocol = "5") -> None:
        """``newest``: the version of MQTT that is tried first."""
        self.protocol: Protocol = newest
        """What the next attempt speaks."""
        self.opened_s: float | None = None
        """When the attempt or connection under way began; None while there is none."""
        self.next_s = 0.0
        """When the next one may begin."""
        self.understood = False
        """There was a connection in MQTT 5."""
        self._newest = newest
        self._failures = 0

    def due(self, now_s: float) -> bool:
        """Whether the next attempt may be made now."""
        return self.opened_s is None and now_s >= self.next_s

    def begin(self, now_s: float) -> None:
        """An attempt is made now."""
        self.opened_s = now_s

    def unanswered(self, now_s: float) -> bool:
        """Whether the attempt under way should have had its CONNACK by now."""
        return self.opened_s is not None and now_s - self.opened_s >= CONNACK_TIMEOUT_S

    def end(self, report: ConnectionRefused | ConnectionLost, now_s: float, *, was_connected: bool) -> None:
        """The attempt failed, or the connection ended."""
        self.understood |= was_connected and self.protocol == "5"
        if was_connected and self.opened_s is not None and now_s - self.opened_s > STEADY_S:
            self._failures = 0
        waits = REFUSED_BACK_OFF_S if isinstance(report, ConnectionRefused) else BACK_OFF_S
        wait_s = waits[min(self._failures, len(waits) - 1)]
        if self._change_protocol(report) and self._failures == 0:
            wait_s = 0.0
        self._failures += 1
        self.opened_s = None
        self.next_s = now_s + wait_s

    def _change_protocol(self, report: ConnectionRefused | ConnectionLost) -> bool:
        """Choose the version of MQTT for the next attempt; whether it is another one.

        A broker that rejects our version is believed for good; one that just hangs up may have died.
        """
        spoken = self.protocol
        if isinstance(report, ConnectionRefused) and report.unsupported:
            self._newest = "3.1.1"
        hung_up = isinstance(report, ConnectionLost) and report.silent and spoken == "5"
        self.protocol = "3.1.1" if hung_up else self._newest
        return self.protocol != spoken
