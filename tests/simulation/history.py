"""One history from its plan to its end, at a level: the core alone, or the whole stack."""

from __future__ import annotations

from collections.abc import Callable

from tests.simulation.desk import CoreDesk, Desk
from tests.simulation.faults import FAULTS
from tests.simulation.oracles import Oracle
from tests.simulation.oracles.truth import Truth
from tests.simulation.people import act
from tests.simulation.plan import Plan
from tests.simulation.violation import Violation
from tests.simulation.world import MOST_ACTS, World

MakeDesk = Callable[[Plan], Desk]


def core(plan: Plan) -> Desk:
    """Core and intake in memory."""
    return CoreDesk(plan.drawn)


def oracles() -> list[Oracle]:
    """All of them, new."""
    return [Truth()]


def live(plan: Plan, make: MakeDesk = core) -> World:
    """Play a history to its end; a :class:`Violation` where a rule is broken."""
    world = World(plan, make(plan), oracles())
    play(world)
    return world


def play(world: World) -> None:
    """Act after act until the rounds of the plan are over."""
    plan = world.plan
    world.start()
    while world.course.rounds <= plan.rounds:
        for fault in world.due_faults():
            world.note(fault)
            FAULTS[fault.kind](world, fault)
        act(world)
        world.hear(world.desk.wait(1.0))
        if world.readers.late:
            world.readers.arrive()
        world.acts += 1
        if world.acts > MOST_ACTS:
            raise Violation("goes nowhere", f"round {world.course.rounds}: {world.screen}")
        for oracle in world.oracles:
            oracle.acted(world)
    for oracle in world.oracles:
        oracle.ended(world)


def violation_of(plan: Plan, make: MakeDesk = core) -> Violation | None:
    """What is wrong with a history; None if nothing."""
    try:
        live(plan, make)
    except Violation as violation:
        return violation
    return None
