"""Histories of the whole stack: the world of the core's level, and machines, disks and cables that fail."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.simulation.faults import FAULTS
from tests.simulation.history import acts, oracles
from tests.simulation.plan import Plan, draw_plan
from tests.simulation.stack_desk import StackDesk, possible
from tests.simulation.stack_faults import STACK_FAULTS
from tests.simulation.stack_settings import draw_rest
from tests.simulation.stack_table import Floor
from tests.simulation.stack_truth import StackTruth
from tests.simulation.violation import Violation
from tests.simulation.world import World

FIRST_TABLE = 7
FAR_AWAY = 1 << 50
"""Between the seeds of a table and of its neighbour."""
KINDS = (*sorted(FAULTS), *sorted(STACK_FAULTS) * 2, *("restart",) * 6)
"""What a draw may take; what this level is for comes more often."""
ALL_FAULTS = {**FAULTS, **STACK_FAULTS}
ONE_GAME = {"another driver": "baccarat"}
"""The other games have no second make of shoe that reads with numbers."""


@contextmanager
def floor_of(plan: Plan) -> Iterator[tuple[Floor, Path]]:
    """A floor at work, and its folder in memory."""
    memory = Path("/dev/shm")
    where = memory if memory.is_dir() else None
    with TemporaryDirectory(prefix="dealer-table-", dir=where) as folder:
        floor = Floor(plan.seed)
        with floor.at_work():
            yield floor, Path(folder)


def live_stack(plan: Plan) -> World:
    """Play a history until its end, or until felt and table are not to be reconciled; what came of a
    neighbour counts with it.
    """
    with floor_of(plan) as (floor, folder):
        plans = [plan, *neighbours(plan)]
        worlds = [seated(floor, folder, str(FIRST_TABLE + place), one) for place, one in enumerate(plans)]
        turns = [life(world) for world in worlds]
        while turns:
            turns = [turn for turn in turns if next(turn, False)]
        first, *others = worlds
        for other in others:
            first.broken += other.broken
            first.happened += other.happened
            first.unnoticed += other.unnoticed
            first.course.rounds += other.course.rounds
        return first


def neighbours(plan: Plan) -> list[Plan]:
    """Every third history has another table on its floor."""
    return [replace(stack_plan_of(plan.seed + FAR_AWAY), rounds=plan.rounds)] if plan.seed % 3 == 0 else []


def seated(floor: Floor, folder: Path, name: str, plan: Plan) -> World:
    """A table of a plan, and the people at it."""
    plan = replace(plan, drawn=possible(plan.drawn))
    rest = draw_rest(random.Random(f"{plan.seed}/rest"), name, plan.drawn)
    if any(fault.kind == "another driver" for fault in plan.faults):
        rest = rest.with_names()
    return World(plan, StackDesk(floor, folder, name, plan.drawn, rest), [*oracles(), StackTruth()])


def life(world: World) -> Iterator[bool]:
    """The life of a table, act by act; true as long as it goes on."""
    desk = world.desk
    assert isinstance(desk, StackDesk)
    try:
        world.hear(desk.first)
        for _ in acts(world, ALL_FAULTS):
            yield True
    except Violation as violation:
        world.broken.append(violation)
    desk.keep_record()


def stack_plan_of(seed: int, game: str | None = None) -> Plan:
    """The history of a seed, with the faults of both levels."""
    plan = draw_plan(seed, KINDS, game=game)
    name = plan.drawn.core.game.name
    faults = [fault for fault in plan.faults if ONE_GAME.get(fault.kind, name) == name]
    return replace(plan, faults=tuple(faults))
