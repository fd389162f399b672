"""How a benchmark measures: all candidates in turn, again and again, and the median of each."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import perf_counter, process_time

import msgspec

SHORTEST_S = 0.002
"""A sample is as many calls as take about this long, so that the clock does not count."""
HEAD = ("what", "ours", "peer", "ratio", "mark", "reached")
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def in_one_thread(module: str) -> None:
    """Start the module again where numpy would count with threads of its own: it looks when it is loaded, and
    their time would stand beside that of a peer in one thread."""
    if not ONE_THREAD.items() <= os.environ.items():
        again = [sys.executable, "-m", module, *sys.argv[1:]]
        os.execve(sys.executable, again, {**os.environ, **ONE_THREAD})


def interleaved_s(
    candidates: Mapping[str, Callable[[], object]],
    *,
    seconds: float,
    least: int = 5,
    clock: Callable[[], float] = process_time,
) -> dict[str, float]:
    """The median seconds of one call of each candidate, measured in turn for about ``seconds`` in all.

    The clock is the processor's unless another one is given, so that what else runs on the machine counts
    little.
    """
    calls = {}
    for name, call in candidates.items():
        call()
        once = _sample(call, 1, clock)
        calls[name] = max(1, round(SHORTEST_S / once)) if once < SHORTEST_S else 1
    samples: dict[str, list[float]] = {name: [] for name in candidates}
    end = perf_counter() + seconds
    while perf_counter() < end or len(samples[next(iter(samples))]) < least:
        for name, call in candidates.items():
            samples[name].append(_sample(call, calls[name], clock))
    return {name: median(taken) for name, taken in samples.items()}


def children_s() -> float:
    """Clock: the processor time of the programs that this one has run to their end."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _sample(call: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    """Seconds of one call, over so many calls."""
    start = clock()
    for _ in range(calls):
        call()
    return (clock() - start) / calls


class Mark(msgspec.Struct, frozen=True):
    """One comparison: ``ratio`` must be at least, or at most, ``mark``."""

    what: str
    ours: str
    peer: str
    ratio: float
    mark: float
    at_least: bool

    @property
    def reached(self) -> bool:
        """Whether the mark is reached."""
        return self.ratio >= self.mark if self.at_least else self.ratio <= self.mark

    def row(self) -> tuple[str, ...]:
        """The cells of a table for people."""
        sign = ">=" if self.at_least else "<="
        verdict = "yes" if self.reached else "NO"
        return (self.what, self.ours, self.peer, f"{self.ratio:.2f}", f"{sign} {self.mark:g}", verdict)

    def as_json(self) -> dict[str, object]:
        """For a file."""
        return msgspec.to_builtins(self) | {"ratio": round(self.ratio, 3), "reached": self.reached}


def limit(what: str, ours: float, most: float, words: Callable[[float], str]) -> Mark:
    """A mark that is a figure of its own: ours is at most so much."""
    return Mark(what, words(ours), words(most), ours / most, 1.0, at_least=False)


class Grown(msgspec.Struct, frozen=True):
    """A table beside the marks."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def __str__(self) -> str:
        return f"\n{self.title}\n{table(self.head, self.rows)}"


def part_arguments(module: str, description: str | None) -> ArgumentParser:
    """The command line of a part: ``python -m tests.bench`` asks each for its marks by ``--json FILE``."""
    parser = ArgumentParser(prog=f"python -m tests.bench.{module}", description=description)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as JSON, too")
    return parser


def told(file: Path | None, marks: Sequence[Mark], tables: Sequence[Grown] = (), **figures: object) -> int:
    """Show marks and tables, and write them and other figures where a file is asked for; 1 where a mark is
    missed."""
    print(table(HEAD, [mark.row() for mark in marks]))
    print(*tables, sep="\n")
    print(f"load average {' '.join(f'{load:.1f}' for load in os.getloadavg())}, {os.cpu_count()} cores")
    write_json(file, marks, tables, **figures)
    return 0 if all(mark.reached for mark in marks) else 1


def write_json(
    file: Path | None, marks: Sequence[Mark], tables: Sequence[Grown] = (), **figures: object
) -> None:
    """The marks, tables and other figures, in a file where one is asked for."""
    if file is not None:
        answer = {"marks": [mark.as_json() for mark in marks], "tables": tables, **figures}
        file.write_text(json.dumps(msgspec.to_builtins(answer), indent=2) + "\n")


def in_words(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return "0"


def table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Columns as wide as they need."""
    widths = [max(len(row[place]) for row in (header, *rows)) for place in range(len(header))]
    lines = [header, tuple("-" * width for width in widths), *rows]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
