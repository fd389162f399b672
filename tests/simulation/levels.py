"""The two levels of the simulation: the core with its intake, and the whole stack around it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from tests.simulation.faults import FAULTS
from tests.simulation.history import live, plan_of
from tests.simulation.plan import Plan
from tests.simulation.world import World


@dataclass(frozen=True)
class Level:
    """How a history is drawn and played there, and what can go wrong."""

    plan_of: Callable[[int, str | None], Plan]
    live: Callable[[Plan], World]
    faults: Collection[str]
    batch: int
    """Histories that a process plays between two notes of the progress."""
    one_game: Mapping[str, str] = field(default_factory=dict)
    """Fault -> the only game in which it can come there."""


def core() -> Level:
    """Needs of a program no more than its core, so that it can be held against an older one."""
    return Level(plan_of, live, FAULTS, batch=16)


def stack() -> Level:
    """The assembled daemon."""
    from tests.simulation.stack_history import ALL_FAULTS, ONE_GAME, live_stack, stack_plan_of

    return Level(stack_plan_of, live_stack, ALL_FAULTS, batch=4, one_game=ONE_GAME)


LEVELS: dict[str, Callable[[], Level]] = {"core": core, "stack": stack}
