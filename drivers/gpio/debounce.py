"""Debouncing one input, without input or output: every edge goes in with its time, what people mean comes
out.

The board's own debouncing drops edges, so it stays off. A level counts when it has held for the settling
time, and is dated back to its first edge. With `at_once` an activation counts at its first edge and only
the release must hold: right for a beam, where a short break missed is worse than a break too many.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Turned:
    """The input is now (in)active, since `at_ns`; before that it was the other way for `lasted_ns`."""

    active: bool
    at_ns: int
    lasted_ns: int


@dataclass(frozen=True, slots=True)
class Stuck:
    """The input has been active for too long."""


@dataclass(frozen=True, slots=True)
class Freed:
    """An input that was stuck is at rest again."""


Change = Turned | Stuck | Freed


class Debounce:
    """One input. Times are nanoseconds of one clock that never goes back; `stuck_ns` 0: never stuck."""

    def __init__(
        self, settle_ns: int, stuck_ns: int, active: bool, now_ns: int, at_once: bool = False
    ) -> None:
        self._settle_ns = settle_ns
        self._stuck_ns = stuck_ns
        self._at_once = at_once
        self._counts = self._raw = active
        self._counts_ns = self._raw_ns = now_ns
        self._told_stuck = False

    @property
    def raw(self) -> bool:
        """The level of the last edge."""
        return self._raw

    def edge(self, active: bool, now_ns: int) -> list[Change]:
        """The level changed to this at this time (a level that is not new is no edge)."""
        # An edge may be told a moment after a level that was read later.
        now_ns = max(now_ns, self._raw_ns)
        changes = self.pass_time(now_ns)
        if active != self._raw:
            self._raw, self._raw_ns = active, now_ns
            if self._at_once and active and not self._counts:
                changes += self._accept()
        return changes

    def pass_time(self, now_ns: int) -> list[Change]:
        """What holds long enough by now."""
        changes: list[Change] = []
        if self._raw != self._counts and now_ns - self._raw_ns >= self._settle_ns:
            changes += self._accept()
        overdue = self._counts and self._stuck_ns and now_ns - self._counts_ns >= self._stuck_ns
        if overdue and not self._told_stuck:
            self._told_stuck = True
            changes.append(Stuck())
        return changes

    def deadline_ns(self) -> int | None:
        """When `pass_time` may next have something to say."""
        deadlines = []
        if self._raw != self._counts:
            deadlines.append(self._raw_ns + self._settle_ns)
        if self._counts and self._stuck_ns and not self._told_stuck:
            deadlines.append(self._counts_ns + self._stuck_ns)
        return min(deadlines, default=None)

    def _accept(self) -> list[Change]:
        lasted_ns = self._raw_ns - self._counts_ns
        self._counts, self._counts_ns = self._raw, self._raw_ns
        freed: list[Change] = [Freed()] if self._told_stuck else []
        self._told_stuck = False
        return [Turned(self._counts, self._counts_ns, lasted_ns), *freed]
