"""Many histories on all cores: what was found, what was tried, and where to go on after a stop."""

from __future__ import annotations

import json
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.pool import AsyncResult
from pathlib import Path

from tests.simulation.levels import LEVELS


@dataclass
class Seen:
    """What came of some histories."""

    histories: int = 0
    rounds: int = 0
    seconds: float = 0.0
    unnoticed: Counter[str] = field(default_factory=Counter)
    """Why nobody could notice -> finals that differ from the felt."""
    happened: Counter[str] = field(default_factory=Counter)
    """``fault/phase/game`` -> how often."""
    broken: Counter[str] = field(default_factory=Counter)
    """Kind of a violation -> how often."""
    first: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Kind -> the seed that showed it first, and the rounds until then."""
    seeds: list[int] = field(default_factory=list)
    """Every history that broke a rule."""
    mended: list[int] = field(default_factory=list)
    """Those that broke one before something was mended, and break none now."""

    def add(self, other: Seen) -> None:
        """What came of further ones."""
        for kind, (seed, rounds) in other.first.items():
            self.first.setdefault(kind, (seed, self.rounds + rounds))
        self.histories += other.histories
        self.rounds += other.rounds
        self.seconds += other.seconds
        self.unnoticed += other.unnoticed
        self.happened += other.happened
        self.broken += other.broken
        self.seeds += other.seeds

    def judge_again(self, game: str | None, level: str) -> None:
        """Play the histories again that broke a rule: program or simulation may be another one now."""
        again = play(self.seeds, game, level)
        self.mended += [seed for seed in self.seeds if seed not in again.seeds]
        self.first = {kind: self.first.get(kind, where) for kind, where in again.first.items()}
        self.broken, self.seeds = again.broken, again.seeds


def play(seeds: Iterable[int], game: str | None = None, level: str = "core") -> Seen:
    """Histories, one after the other."""
    seen, began, at = Seen(), time.process_time(), LEVELS[level]()
    for seed in seeds:
        world = at.live(at.plan_of(seed, game))
        seen.histories += 1
        seen.rounds += world.course.rounds
        seen.unnoticed += world.unnoticed
        seen.happened += Counter({"/".join(where): times for where, times in world.happened.items()})
        seen.seeds += [seed] if world.broken else []
        for violation in world.broken:
            seen.broken[violation.kind] += 1
            seen.first.setdefault(violation.kind, (seed, seen.rounds))
    seen.seconds = time.process_time() - began
    return seen


@dataclass
class Progress:
    """A long run: where it began, how far it is, and what it has seen; kept in a file."""

    start: int
    batches: int = 0
    seen: Seen = field(default_factory=Seen)

    @classmethod
    def read(cls, path: Path) -> Progress | None:
        """As it was kept; None where there is none."""
        if not path.exists():
            return None
        kept = json.loads(path.read_text())
        seen = kept["seen"]
        for name in ("unnoticed", "happened", "broken"):
            seen[name] = Counter(seen[name])
        seen["first"] = {kind: tuple(where) for kind, where in seen["first"].items()}
        return cls(kept["start"], kept["batches"], Seen(**seen))

    def write(self, path: Path) -> None:
        """Keep it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(".new")
        new.write_text(json.dumps({**vars(self), "seen": vars(self.seen)}))
        new.replace(path)


def run(
    progress: Progress,
    path: Path | None,
    *,
    rounds: int,
    seconds: float,
    game: str | None,
    processes: int,
    level: str = "core",
) -> Iterator[Progress]:
    """Play on until so many rounds are played or the time is over; yields after each batch."""
    until = time.monotonic() + seconds
    batch = LEVELS[level]().batch
    first = progress.start + progress.batches * batch
    waiting: deque[AsyncResult[Seen]] = deque()
    with get_context("spawn").Pool(processes) as pool:
        while waiting or (progress.seen.rounds < rounds and time.monotonic() < until):
            while len(waiting) < 2 * processes and progress.seen.rounds < rounds and time.monotonic() < until:
                waiting.append(pool.apply_async(play, (range(first, first + batch), game, level)))
                first += batch
            progress.seen.add(waiting.popleft().get())
            progress.batches += 1
            if path is not None:
                progress.write(path)
            yield progress
