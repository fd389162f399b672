"""What people and devices at the table are shown: traffic light, hold lamp, buzzer, and the lock of the shoe,
set whenever a draw would be illegal.

All of it follows the state, is told again where a device may have forgotten it, and is in the safe state
from the stop on. It is *not* responsible for a daemon that is killed: ``safe-outputs`` is.
"""

from __future__ import annotations

import threading

from controller.round.state import State
from controller.round.view import lock_wanted
from controller.shell.conditions import Found, Moment
from controller.vocabulary.conditions import OUTPUTS
from drivers.ports import Light, LockableShoe, OutputDevice, Received
from drivers.readings import CommandAnswered, ErrorCleared, ErrorRaised, StartReported

SHOE = "shoe"
AGAIN_NS = 5_000_000_000
"""What did not work is tried again so often."""
STALL_S = 0.1
"""So long the sentinel waits for a loop that is in an output just now; one may hang there for ever."""
BUZZ_MS, PAUSE_MS, BUZZES = 200, 150, 3


class Lamps:
    """Follows the table; says nothing twice. Belongs to the loop's thread, all but :meth:`stall`."""

    def __init__(
        self,
        shoe: LockableShoe | None = None,
        outputs: OutputDevice | None = None,
        *,
        locks: bool = True,
        safe_locked: bool = True,
    ) -> None:
        """``shoe``: one that takes commands; ``locks``: whether the house wants it locked, ``safe_locked``:
        also in the safe state.
        """
        self._shoe = shoe
        self._outputs = outputs
        self._locks = locks
        self._safe_locked = safe_locked
        self._state: State | None = None
        self._locked: bool | None = None
        self._shown: tuple[Light, bool] | None = None
        self._hold: object = None
        self._error: int | None = None
        self._doubt = False
        self._failing: str | None = None
        self._outage: str | None = None
        """What failed when it was last tried, so that a loose contact does not flutter."""
        self._again_ns = 0
        self._stopped = False
        self._guard = threading.RLock()
        """Held while outputs are switched; what is shown and remembered changes together."""
        self._safe = False
        """Everything is in the safe state."""
        self._halted = False
        """By the loop itself: what happens is not durable."""
        self._stalled = False
        """By the sentinel: the loop stalled."""

    def start(self) -> None:
        """Take the outputs, in the safe state."""
        if self._outputs is not None:
            self._outputs.start()

    def stop(self) -> None:
        """The safe state; nothing is shown after it."""
        self._stopped = True
        self.halt()

    def halt(self) -> None:
        """The safe state, until something is shown again: what happens now is not durable."""
        with self._guard:
            self._halted = True
            self._put_safe()

    def stall(self) -> bool:
        """The safe state because the loop stalls, until it goes on; whether it is so now. From any thread.

        False if the loop hangs in an output, or one cannot be switched: then somebody else must.
        """
        if not self._guard.acquire(timeout=STALL_S):
            return False
        try:
            if not self._safe:
                self._stalled = True
                self._put_safe()
            return self._safe
        finally:
            self._guard.release()

    def show(self, state: State, *, anew: bool = False) -> None:
        """Bring the outputs to what this state wants; ``anew`` where a device may have forgotten."""
        with self._guard:
            if self._stopped:
                return
            self._safe = self._halted = self._stalled = False
            self._state, failed = state, self._failures
            self._lock(lock_wanted(state), anew)
            if self._outputs is not None:
                self._light(self._outputs, state, anew)
                if self._failures > failed:
                    self._failing = self._outputs.state.last_error or "switching failed"
                elif anew:
                    self._failing = None
            self._follow_hold(state)

    def _put_safe(self) -> None:
        failed = self._failures
        self._locked = self._shown = None
        if self._shoe is not None and self._locks:
            self._shoe.lock() if self._safe_locked else self._shoe.unlock()
        if self._outputs is not None:
            self._outputs.safe()
        self._safe = self._failures == failed

    @property
    def _failures(self) -> int:
        return 0 if self._outputs is None else self._outputs.state.writes_failed

    def heard(self, received: Received) -> None:
        """What a shoe says: a lock that it did not confirm, or forgot when it started anew, is told again; an
        error is remembered.
        """
        match received.reading:
            case CommandAnswered(ok=False, command=command) if command.startswith("LK"):
                self._doubt = True
            case ErrorRaised(code=int(code), in_error_mode=True):
                self._error = code
            case ErrorCleared():
                self._error = None
            case StartReported() if received.device == SHOE:
                self._doubt, self._error = True, None

    def look(self, now: Moment) -> Found:
        """Show again what the sentinel took away, and every few seconds what did not work: ``outputs``."""
        if self._stalled and not self._halted and self._state is not None:
            self.show(self._state, anew=True)
        if self._state is not None and now.monotonic_ns >= self._again_ns:
            if self._doubt or self._failing is not None:
                self._again_ns = now.monotonic_ns + AGAIN_NS
                self._doubt = False
                self.halt() if self._halted else self.show(self._state, anew=True)
            self._outage = self._failing
        if self._outage is None:
            return {}
        return {OUTPUTS.code: OUTPUTS.holds(f"the outputs cannot be switched: {self._outage}")}

    def _lock(self, wanted: bool, anew: bool) -> None:
        if wanted == self._locked and not anew:
            return
        self._locked = wanted
        if self._shoe is not None and self._locks:
            self._shoe.lock() if wanted else self._shoe.unlock()
        if self._outputs is not None and self._outputs.has_lock:
            self._outputs.lock() if wanted else self._outputs.unlock()

    def _light(self, outputs: OutputDevice, state: State, anew: bool) -> None:
        wanted = (light_wanted(state), state.hold is not None)
        if wanted == self._shown and not anew:
            return
        self._shown = wanted
        outputs.light(wanted[0])
        outputs.hold_lamp(wanted[1])

    def _follow_hold(self, state: State) -> None:
        """A new hold is heard. When the last one is cleared, people have seen to the shoe's error as well."""
        hold = None if state.hold is None else (state.hold.reason, state.hold.findings)
        if hold == self._hold:
            return
        self._hold = hold
        if hold is not None and self._outputs is not None:
            self._outputs.buzz(BUZZ_MS, PAUSE_MS, BUZZES)
        if hold is None and self._shoe is not None and self._error is not None:
            self._shoe.clear_error(self._error)
            self._error = None


def light_wanted(state: State) -> Light:
    """The traffic light; none at a table that is closed."""
    closed = state.configuration.table.session == "signed" and not state.opened
    if closed and not state.in_round:
        return "off"
    return state.shown_light
