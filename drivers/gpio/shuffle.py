"""What the levels of a shuffler's contacts mean, without input or output: changes go in, lines of the
shuffler protocol come out.

A shuffle is whole where it was seen to begin, ran without door or jam, and ended with the machine ready. For
anything else it has failed: a shuffle that nobody can vouch for is never said to be done.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from drivers.gpio import CountEdge
from drivers.gpio.debounce import Turned

FAULTS = {"door": "the door is open", "jam": "a card is jammed"}
_MOST = 99_999
"""The largest number of the protocol."""
_WAITING = 4096
"""Pulses that may come before the contact that tells of the run has settled."""


@dataclass(slots=True)
class _Run:
    """From the first movement until the machine is ready again, or has failed."""

    since_ns: int
    seen: bool
    """Whether it was seen to begin."""
    cards: int = 0
    was_unready: bool = False
    failed: bool = False
    ended_ns: int | None = None


class Shuffling:
    """One machine. Times are nanoseconds of one clock that never goes back."""

    def __init__(self, *, counts: bool, edge: CountEdge, ready_within_ns: int) -> None:
        self._counts = counts
        self._edge = edge
        self._ready_within_ns = ready_within_ns
        self._active: set[str] = set()
        self._run: _Run | None = None
        self._pulses: deque[int] = deque(maxlen=_WAITING)

    def begin(self, levels: Mapping[str, bool], now_ns: int) -> None:
        """The contacts are read for the first time, or again after they were lost."""
        self._active = {name for name, active in levels.items() if active}
        self._pulses.clear()
        self._run = _Run(now_ns, seen=False) if "running" in self._active else None

    def turned(self, name: str, change: Turned) -> list[str]:
        """A contact has changed."""
        if name == "count":
            self._count(change)
            return []
        (self._active.add if change.active else self._active.discard)(name)
        if name == "running":
            return self._start(change.at_ns) if change.active else self._end(change.at_ns)
        if name in FAULTS:
            return self._trouble(name) if change.active else []
        if self._run is not None and not change.active:
            self._run.was_unready = True
        return self._finish()

    def stuck(self, why: str) -> list[str]:
        """A contact has been active for longer than it can be."""
        return self._fail(why)

    def lost(self) -> list[str]:
        """The contacts cannot be read any more."""
        lines = self._fail("its contacts were lost in the shuffle")
        self._run = None
        return lines

    def deadline_ns(self) -> int | None:
        """When ``pass_time`` has something to say."""
        run = self._run
        return None if run is None or run.ended_ns is None else run.ended_ns + self._ready_within_ns

    def pass_time(self, now_ns: int) -> list[str]:
        """A machine that is not ready in time has not finished its shuffle."""
        deadline = self.deadline_ns()
        if deadline is None or now_ns < deadline:
            return []
        return self._over("it stopped and is not ready")

    def _count(self, change: Turned) -> None:
        if self._edge not in ("both", "begin" if change.active else "end"):
            return
        if self._run is None:
            self._pulses.append(change.at_ns)
        else:
            self._run.cards += 1

    def _start(self, at_ns: int) -> list[str]:
        lines = [] if self._run is None else self._over("it began anew before it was ready")
        cards = sum(pulse_ns >= at_ns for pulse_ns in self._pulses)
        self._pulses.clear()
        self._run = _Run(at_ns, seen=True, cards=cards, was_unready="ready" not in self._active)
        open_faults = [why for name, why in FAULTS.items() if name in self._active]
        return [*lines, "START", *(self._fail(open_faults[0]) if open_faults else [])]

    def _end(self, at_ns: int) -> list[str]:
        if self._run is None:
            return []
        self._run.ended_ns = at_ns
        if self._run.failed or not self._run.seen:
            return self._over("its beginning was not seen")
        return self._finish()

    def _finish(self) -> list[str]:
        """The machine stands still and is ready: the shuffle is whole, unless something speaks against it."""
        run = self._run
        if run is None or run.ended_ns is None or "ready" not in self._active:
            return []
        if not run.was_unready:
            return self._over("ready was active while it shuffled: see its wires")
        if self._counts and not run.cards:
            return self._over("no card was counted: see the wires of count")
        self._run = None
        return [f"DONE {min(run.cards, _MOST)}" if self._counts else "DONE"]

    def _trouble(self, name: str) -> list[str]:
        """Who opens the door of a machine at rest takes the cards out; a jam needs a person at any time."""
        if self._run is None:
            return [f"ERROR {name} {FAULTS[name]}"] if name == "jam" else []
        over = self._run.ended_ns is not None
        return self._over(FAULTS[name]) if over else self._fail(FAULTS[name])

    def _fail(self, why: str) -> list[str]:
        """Said once for each run, which goes on until the machine stops."""
        if self._run is None or self._run.failed:
            return []
        self._run.failed = True
        return [f"FAIL {why}"]

    def _over(self, why: str) -> list[str]:
        """The run is over, and has failed."""
        lines = self._fail(why)
        self._run = None
        return lines
