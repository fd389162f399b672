"""The sentinel: outputs go safe when the loop stalls, and only then may the service manager wait longer.

It shares nothing with the loop but the time of its last progress and one thread-safe way to put the outputs
safe. It is *not* responsible for a process that is frozen as a whole or killed: then it is silent as well,
and the service manager's watchdog and ``safe-outputs`` do the rest.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

log = logging.getLogger(__name__)

STEP_S = 0.2
"""A loop with nothing to do makes progress at least so often."""
FRESH_S = 0.3
"""Younger progress feeds the watchdog by itself. The longer this is, the later the manager takes over from a
loop that hangs in an output, where the sentinel cannot put it safe."""
PATIENCE_S = 0.7
"""Older progress is none: the loop stalls. A sync that takes longer is seen at the lamps."""
LOOK_S = 0.05
FEED_S = 0.2


class Heartbeat:
    """When the loop last got somewhere, by the machine's own clock: the service manager counts by it too."""

    def __init__(self) -> None:
        self.at_s = time.monotonic()

    def beat(self) -> None:
        """The loop got somewhere just now."""
        self.at_s = time.monotonic()


class Sentinel:
    """Looks at the loop's progress from a thread of its own."""

    def __init__(
        self,
        heartbeat: Heartbeat,
        put_safe: Callable[[], bool],
        feed: Callable[[], None],
        *,
        goes_on_s: float,
    ) -> None:
        """``put_safe``: every output into its safe state, whether that is so now; returns in a moment also
        where the loop hangs in an output. ``feed``: the service manager's watchdog. ``goes_on_s``: so long a
        loop that stalls is fed for, once its outputs are safe.
        """
        self._heartbeat = heartbeat
        self._put_safe = put_safe
        self._feed = feed
        self._goes_on_s = goes_on_s
        self._ready = False
        self._fed_s = 0.0
        self._stalls = False
        self._leave = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sentinel", daemon=True)

    def start(self) -> None:
        """Begin to look; nothing is fed before :meth:`ready`."""
        self._heartbeat.beat()
        self._thread.start()

    def ready(self) -> None:
        """The service manager has been told that the daemon is ready: from now on it counts."""
        self._ready = True

    def stop(self) -> None:
        """Look no more."""
        self._leave.set()
        self._thread.join(PATIENCE_S)

    def look(self, now_s: float) -> None:
        """Feed where the loop goes on; where it stalls, put the outputs safe first."""
        stalled_s = now_s - self._heartbeat.at_s
        if stalled_s < PATIENCE_S:
            if stalled_s < FRESH_S:
                self._feed_at(now_s)
                self._note(False, "the loop goes on")
        elif self._put_safe():
            if stalled_s < self._goes_on_s:
                self._feed_at(now_s)
            self._note(
                True, "the loop stalls (a slow disk?): the outputs are in the safe state until it goes on"
            )

    def _feed_at(self, now_s: float) -> None:
        if self._ready and now_s - self._fed_s >= FEED_S:
            self._fed_s = now_s
            self._feed()

    def _note(self, stalls: bool, text: str) -> None:
        """Said last, and once: a log that blocks must not come between a loop that stalls and its outputs."""
        if stalls != self._stalls:
            self._stalls = stalls
            log.warning("%s", text)

    def _run(self) -> None:
        while not self._leave.wait(LOOK_S):
            try:
                self.look(time.monotonic())
            except Exception:  # whatever it is: nobody else puts the outputs of a loop that stalls safe
                log.exception("the loop could not be looked after")
