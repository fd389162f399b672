"""One history from its plan to its end, at a level: the core alone, or the whole stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tests.simulation.desk import CoreDesk, Desk
from tests.simulation.faults import FAULTS, Happens
from tests.simulation.mishaps import MISHAPS, come_true
from tests.simulation.oracles import Oracle
from tests.simulation.oracles.counted import Counted
from tests.simulation.oracles.folding import Folding
from tests.simulation.oracles.gone import Gone
from tests.simulation.oracles.known import Known
from tests.simulation.oracles.money import Money
from tests.simulation.oracles.order import Order
from tests.simulation.oracles.prices import Prices
from tests.simulation.oracles.reaction import Reaction
from tests.simulation.oracles.secrecy import Secrecy
from tests.simulation.oracles.stuck import Stuck
from tests.simulation.oracles.truth import Truth
from tests.simulation.oracles.twice import Twice
from tests.simulation.people import act
from tests.simulation.plan import Plan, Schedule, draw_plan
from tests.simulation.shrink import shrink
from tests.simulation.telling import conversation
from tests.simulation.things import plug
from tests.simulation.violation import Violation
from tests.simulation.world import MOST_ACTS, World

KINDS = (*FAULTS, *sorted(MISHAPS) * 3, *("doubled once more",) * 5)
"""What a draw may take; what people rarely look for comes more often."""
MakeDesk = Callable[[Plan], Desk]


def core(plan: Plan) -> Desk:
    """Core and intake in memory."""
    return CoreDesk(plan.drawn)


def oracles() -> list[Oracle]:
    """All of them, new."""
    return [
        Truth(),
        Money(),
        Order(),
        Prices(),
        Known(),
        Reaction(),
        Secrecy(),
        Folding(),
        Stuck(),
        Counted(),
        Twice(),
        Gone(),
    ]


def live(plan: Plan, make: MakeDesk | None = None) -> World:
    """Play a history until its end, or until felt and table are not to be reconciled."""
    world = World(plan, (make or core)(plan), oracles())
    try:
        play(world)
    except Violation as violation:
        world.broken.append(violation)
    return world


def play(world: World) -> None:
    """Act after act until the rounds of the plan are over."""
    for _ in acts(world, FAULTS):
        pass


def acts(world: World, faults: Mapping[str, Happens]) -> Iterator[None]:
    """The same, act by act: several tables of a floor take turns."""
    plan, schedule = world.plan, Schedule(world.plan)
    world.hear(world.desk.wait(1.0))
    while world.course.rounds <= plan.rounds:
        for fault in schedule.due(world.course.rounds, world.phase, world.acts):
            world.happened[fault.kind, world.phase, world.rules.name] += 1
            faults[fault.kind](world, fault)
        come_true(world)
        come_back(world)
        act(world)
        world.hear(world.desk.wait(1.0))
        if world.readers.late:
            world.readers.arrive()
        world.acts += 1
        if world.acts > MOST_ACTS:
            raise Violation("goes nowhere", f"round {world.course.rounds}: {world.screen}")
        for oracle in world.oracles:
            oracle.acted(world)
        yield
    for oracle in world.oracles:
        oracle.ended(world)


def come_back(world: World) -> None:
    """Devices that were unplugged are plugged in again."""
    world.coming_back = [(acts - 1, device) for acts, device in world.coming_back]
    for _, device in [one for one in world.coming_back if one[0] <= 0]:
        plug(world, device)
        world.hear(world.desk.wait(4.0))  # until a witness is trusted again
    world.coming_back = [one for one in world.coming_back if one[0] > 0]


def plan_of(seed: int, game: str | None = None) -> Plan:
    """The history of a seed."""
    return draw_plan(seed, KINDS, game=game)


def smallest(plan: Plan, kind: str, played: Callable[[Plan], World] = live) -> tuple[Plan, str]:
    """The smallest history that is found which breaks the same rule, and it as a conversation."""

    def broken(candidate: Plan) -> Violation | None:
        found = played(candidate).broken
        return next((violation for violation in found if violation.kind == kind), None)

    plan = shrink(plan, lambda candidate: broken(candidate) is not None)
    world = played(plan)
    last = next(violation for violation in world.broken if violation.kind == kind)
    return plan, conversation(plan, getattr(world.desk, "record", ()), last)
