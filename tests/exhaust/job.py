"""The search of one table, for a process of its own: what a pool calls must not stand in a ``__main__``."""

from __future__ import annotations

import time

from tests.exhaust.search import Found, search
from tests.exhaust.tiny import tiny_games


def one(job: tuple[str, int, int]) -> tuple[str, Found, float]:
    """A table, how many mishaps, at most how many states -> what was seen, and in how many seconds."""
    table, mishaps, states = job
    started = time.monotonic()
    with tiny_games():
        found = search(table, mishaps=mishaps, states=states)
    return table, found, time.monotonic() - started
