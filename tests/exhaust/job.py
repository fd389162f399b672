"""The search of one table, for a process of its own: what a pool calls must not stand in a ``__main__``."""

from __future__ import annotations

import time

import msgspec

from tests.exhaust.search import search
from tests.exhaust.tiny import tiny_games


class Job(msgspec.Struct, frozen=True):
    """A table, how many mishaps, and at most how many states."""

    table: str
    mishaps: int
    states: int


class Looked(msgspec.Struct, frozen=True):
    """What a search has seen; ``seconds`` of processor time."""

    job: Job
    states: int
    events: int
    mishaps: int
    whole: bool
    longest_way_out: int
    seconds: float


def one(job: Job) -> Looked:
    """Search one table."""
    started = time.process_time()
    with tiny_games():
        found = search(job.table, mishaps=job.mishaps, states=job.states)
    return Looked(
        job=job,
        states=found.states,
        events=found.events,
        mishaps=found.mishaps,
        whole=found.whole,
        longest_way_out=found.longest_way_out,
        seconds=time.process_time() - started,
    )
