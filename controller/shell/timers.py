"""The table's clocks against the monotonic clock: a clock that is over becomes a ``timer_elapsed`` event."""

from __future__ import annotations

from controller.round.state import Timer
from controller.vocabulary.events import TimerElapsed

FAR_S = 3600.0


class Timers:
    """Deadlines of the running clocks. Each is measured from the moment it was seen first, in full."""

    def __init__(self) -> None:
        self._deadlines: dict[Timer, int] = {}

    def follow(self, timers: tuple[Timer, ...], now_ns: int) -> None:
        """Run exactly these; one that runs already keeps its deadline."""
        self._deadlines = {
            timer: self._deadlines.get(timer, now_ns + timer.seconds * 1_000_000_000) for timer in timers
        }

    def due(self, now_ns: int) -> list[TimerElapsed]:
        """The events of the clocks that are over, each once, the earliest first."""
        over = [timer for timer, deadline in self._deadlines.items() if deadline <= now_ns]
        over.sort(key=lambda timer: (self._deadlines[timer], timer.name))
        for timer in over:
            del self._deadlines[timer]
        return [TimerElapsed(timer.name, timer.round) for timer in over]

    def wait_s(self, now_ns: int) -> float:
        """Seconds until the next one is over."""
        if not self._deadlines:
            return FAR_S
        return max(0.0, (min(self._deadlines.values()) - now_ns) / 1e9)
