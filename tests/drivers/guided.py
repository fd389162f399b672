"""A fuzz that is led by what the code does: an input that takes the code a step that none took before, or
brings out what none brought out before, is kept, and later inputs are made from those that are kept.

An input is a sequence of parts, each a message or a piece of one, so that changes follow the structure of a
wire: parts are said again, swapped, interleaved, cut and damaged, and their checks are made right again. It
needs nothing but the interpreter's own tracing. All chance comes from the seed.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

Parts = tuple[bytes, ...]
Outcome = tuple[str, str]
"""What came out, and what came out before it."""
WATCHED = str(Path(__file__).resolve().parents[2] / "drivers")
MOST_PARTS, LONGEST_PART = 10, 160
MOST_TRIES = 3_000
"""To make an input smaller that shows what is wrong."""
TRACED_AT_FIRST, TRACED_LATER = 15_000, 20
"""So many inputs are traced, then only every so many-th: tracing is slow."""


@dataclass(frozen=True)
class Wire:
    """What is fuzzed. ``message`` makes a good message, ``check`` feeds the parts in some way that the chance
    chooses, raises where a promise is broken, and names what came out, in pairs; ``mend`` makes the check of
    a damaged part right again.
    """

    name: str
    message: Callable[[random.Random], bytes]
    check: Callable[[Parts, random.Random], set[Outcome]]
    tokens: Sequence[bytes]
    mend: Callable[[bytes], bytes] = bytes


class Found(AssertionError):
    """An input that breaks a promise."""


@dataclass
class Steps:
    """The steps from line to line that the code below ``WATCHED`` took while it was traced, and outcomes."""

    seen: set[object] = field(default_factory=set)
    _places: dict[CodeType, int | None] = field(default_factory=dict)

    def trace(self, frame: FrameType, event: str, arg: object) -> Any:
        """For ``sys.settrace``."""
        code = frame.f_code
        if code not in self._places:
            watched = code.co_filename.startswith(WATCHED)
            self._places[code] = len(self._places) << 40 if watched else None
        place = self._places[code]
        if place is None:
            return None
        last, seen = 0, self.seen

        def line(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal last
            number = frame.f_lineno
            seen.add(place | last << 20 | number)
            last = number
            return line

        return line


@dataclass
class Exploration:
    """The inputs that are kept, and how much they have seen."""

    wire: Wire
    dice: random.Random
    kept: list[Parts] = field(default_factory=list)
    known: int = 0
    tried: int = 0
    _steps: Steps = field(default_factory=Steps)

    def go_on(self, inputs: int) -> None:
        """Try so many more. Raises Found with the smallest input that was found to do it."""
        for _ in range(inputs):
            parts = self._made()
            traced = self.tried < TRACED_AT_FIRST or self.tried % TRACED_LATER == 0
            self.tried += 1
            way = self.dice.getrandbits(32)
            problem = self._problem(parts, way, traced)
            if problem is not None:
                least, problem = smaller(self.wire, parts, way, problem)
                raise Found(f"{self.wire.name}: {problem!r} by {least!r}, way {way}") from problem
            if len(self._steps.seen) > self.known:
                self.known = len(self._steps.seen)
                self.kept.append(parts)

    def _problem(self, parts: Parts, way: int, traced: bool) -> Exception | None:
        before = sys.gettrace()
        if traced:
            sys.settrace(self._steps.trace)
        try:
            self._steps.seen |= self.wire.check(parts, random.Random(way))
        except Exception as problem:
            return problem
        finally:
            if traced:
                sys.settrace(before)
        return None

    def _made(self) -> Parts:
        dice = self.dice
        if not self.kept or dice.random() < 0.1:
            return tuple(self.wire.message(dice) for _ in range(dice.randrange(1, 6)))
        # The latest are the least worn.
        parts = self.kept[-1 - min(int(dice.expovariate(0.1)), len(self.kept) - 1)]
        for _ in range(1 + min(int(dice.expovariate(0.7)), 6)):
            parts = dice.choice(CHANGES)(parts, self, dice)
        return tuple(part[:LONGEST_PART] for part in parts[:MOST_PARTS])


Change = Callable[[Parts, Exploration, random.Random], Parts]


def problem_of(wire: Wire, parts: Parts, way: int) -> Exception | None:
    """What is wrong with the code, shown by this input."""
    try:
        wire.check(parts, random.Random(way))
    except Exception as problem:
        return problem
    return None


def smaller(wire: Wire, parts: Parts, way: int, problem: Exception) -> tuple[Parts, Exception]:
    """Leave parts and bytes out, many at once first, as long as the same goes wrong."""
    left, size = MOST_TRIES, 1 << 8
    while size and left:
        again = False
        for fewer in [*_without_a_part(parts), *_without_bytes(parts, size)]:
            left -= 1
            other = problem_of(wire, fewer, way)
            if type(other) is type(problem):
                parts, problem, again = fewer, other, True  # of that type: not None
                break
            if not left:
                break
        if not again:
            size //= 2
    return parts, problem


def _without_a_part(parts: Parts) -> list[Parts]:
    return [(*parts[:place], *parts[place + 1 :]) for place in range(len(parts))] if len(parts) > 1 else []


def _without_bytes(parts: Parts, size: int) -> list[Parts]:
    return [
        (*parts[:place], part[:at] + part[at + size :], *parts[place + 1 :])
        for place, part in enumerate(parts)
        for at in range(0, len(part) - size + 1, size)
    ]


def _part_changed(change: Callable[[bytes, Exploration, random.Random], bytes]) -> Change:
    def changed(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
        if not parts:
            return (run.wire.message(dice),)
        place = dice.randrange(len(parts))
        return (*parts[:place], change(parts[place], run, dice), *parts[place + 1 :])

    return changed


def _flipped(part: bytes, run: Exploration, dice: random.Random) -> bytes:
    if not part:
        return part
    place = dice.randrange(len(part))
    return part[:place] + bytes((part[place] ^ 1 << dice.randrange(8),)) + part[place + 1 :]


def _set(part: bytes, run: Exploration, dice: random.Random) -> bytes:
    if not part:
        return dice.randbytes(1)
    place = dice.randrange(len(part))
    return part[:place] + dice.randbytes(1) + part[place + 1 :]


def _token(part: bytes, run: Exploration, dice: random.Random) -> bytes:
    place, over = dice.randrange(len(part) + 1), dice.randrange(3)
    return part[:place] + dice.choice(run.wire.tokens) + part[place + over :]


def _cut(part: bytes, run: Exploration, dice: random.Random) -> bytes:
    one, other = sorted(dice.randrange(len(part) + 1) for _ in range(2))
    return dice.choice((part[one:other], part[:one] + part[other:], part[:one], part[other:]))


def _grown(part: bytes, run: Exploration, dice: random.Random) -> bytes:
    """A piece of it many times: what is too long."""
    place = dice.randrange(len(part) + 1)
    piece = part[place : place + dice.randrange(1, 4)] or b"x"
    return part[:place] + piece * dice.choice((2, 8, 30, 70, 130)) + part[place:]


def _mended(part: bytes, run: Exploration, dice: random.Random) -> bytes:
    return run.wire.mend(part)


def _again(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
    """A part is said again, at once or later."""
    if not parts:
        return parts
    part, place = dice.choice(parts), dice.randrange(len(parts) + 1)
    return (*parts[:place], part, *parts[place:])


def _more(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
    place = dice.randrange(len(parts) + 1)
    return (*parts[:place], run.wire.message(dice), *parts[place:])


def _fewer(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
    return tuple(part for part in parts if dice.random() < 0.7)


def _swapped(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
    mixed = list(parts)
    dice.shuffle(mixed)
    return tuple(mixed)


def _interleaved(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
    """Two kept inputs at once, each in its own order."""
    others, mixed = list(dice.choice(run.kept)), list(parts)
    for part in reversed(others):
        mixed.insert(dice.randrange(len(mixed) + 1), part)
    return tuple(mixed)


def _joined(parts: Parts, run: Exploration, dice: random.Random) -> Parts:
    """A part within another: the cable that sends two at once."""
    if len(parts) < 2:
        return parts
    place = dice.randrange(len(parts) - 1)
    one, other = parts[place], parts[place + 1]
    at = dice.randrange(len(one) + 1)
    return (*parts[:place], one[:at] + other + one[at:], *parts[place + 2 :])


CHANGES: tuple[Change, ...] = (
    *(_part_changed(change) for change in (_flipped, _set, _token, _cut, _grown, _mended, _mended)),
    _again,
    _more,
    _fewer,
    _swapped,
    _interleaved,
    _joined,
)
