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

TABLE = "7"
KINDS = (*sorted(FAULTS), *sorted(STACK_FAULTS) * 2)
ALL_FAULTS = {**FAULTS, **STACK_FAULTS}


@contextmanager
def desk_of(plan: Plan) -> Iterator[StackDesk]:
    """The table of a plan, with a floor of its own, in memory."""
    shm = Path("/dev/shm")
    with TemporaryDirectory(prefix="dealer-table-", dir=shm if shm.is_dir() else None) as folder:
        floor = Floor(plan.seed)
        with floor.at_work():
            rest = draw_rest(random.Random(f"{plan.seed}/rest"), TABLE, plan.drawn)
            yield StackDesk(floor, Path(folder), TABLE, plan.drawn, rest)


def live_stack(plan: Plan) -> World:
    """Play a history until its end, or until felt and table are not to be reconciled."""
    plan = replace(plan, drawn=possible(plan.drawn))
    with desk_of(plan) as desk:
        world = World(plan, desk, [*oracles(), StackTruth()])
        try:
            world.hear(desk.first)
            for _ in acts(world, ALL_FAULTS):
                pass
        except Violation as violation:
            world.broken.append(violation)
        desk.keep_record()
        return world


def stack_plan_of(seed: int, game: str | None = None) -> Plan:
    """The history of a seed, with the faults of both levels."""
    plan = draw_plan(seed, KINDS, game=game)
    other_shoes = plan.drawn.core.game.name == "baccarat"
    faults = [fault for fault in plan.faults if other_shoes or fault.kind != "another driver"]
    return replace(plan, faults=tuple(faults))
