"""Everything that can go wrong, by name: what people and things do then. A plan draws from this list."""

from __future__ import annotations

from collections.abc import Callable

from tests.simulation.felt import Card
from tests.simulation.plan import Fault
from tests.simulation.world import World

Happens = Callable[[World, Fault], None]
SHOE_ERRORS = ("unseen", "lost", "unread", "misread", "doubled", "late")
FAULTS: dict[str, Happens] = {}
"""Name -> what happens."""


def fault(name: str) -> Callable[[Happens], Happens]:
    """Enters a fault into the list."""

    def enter(happens: Happens) -> Happens:
        FAULTS[name] = happens
        return happens

    return enter


def reader_error(*errors: str) -> Happens:
    """The next card is read wrongly."""

    def happens(world: World, fault: Fault) -> None:
        world.readers.errors |= set(errors)

    return happens


for _errors in (
    "unseen",
    "lost",
    "unread",
    "misread",
    "doubled",
    "late",
    "second misread",
    "second unseen",
    "beam blind",
):
    FAULTS[_errors] = reader_error(_errors)


def pressed(line: str) -> Happens:
    """A key at the wrong moment."""

    def happens(world: World, fault: Fault) -> None:
        world.key(line)

    return happens


for _line in ("OPEN", "CLOSE", "DECIDED", "REVEAL", "SETTLED", "HOLD"):
    FAULTS[f"key {_line}"] = pressed(_line)


@fault("card too many")
def _(world: World, fault: Fault) -> None:
    world.draw()


@fault("wrong hand")
def _(world: World, fault: Fault) -> None:
    world.misplace = True


@fault("burn forgotten")
def _(world: World, fault: Fault) -> None:
    if world.owed:
        world.skip_burn = True


@fault("key BURN")
def _(world: World, fault: Fault) -> None:
    if not world.key("BURN 1").refused:
        world.owed_keys += 1


@fault("void")
def _(world: World, fault: Fault) -> None:
    reasons = ("supervisor", "wrong_card_count", "foreign_card", "excess", "not_shuffled")
    reason = reasons[fault.value % 5] if fault.value % 3 == 0 else "supervisor"
    told = world.supervisor(f"VOID {reason}")
    if "second_badge" in told.refused:
        world.supervisor(f"VOID {reason}", badge="4712")


@fault("card back")
def _(world: World, fault: Fault) -> None:
    """The last card that was drawn goes back into the shoe."""
    felt = world.felt
    loose = sorted((*felt.aside, *([felt.reserved] if felt.reserved else ())), key=lambda out: out.draw or 0)
    last = loose[-1] if loose else felt.laid[-1][1] if felt.laid else None
    if (
        last is not None
        and last.card is not None
        and not world.supervisor(f"RETURN {last.card.name}").refused
    ):
        world.take_up(last)
        felt.back(last)


@fault("foreign card")
def _(world: World, fault: Fault) -> None:
    world.felt.shoe.append(Card("XX"))


@fault("card missing")
def _(world: World, fault: Fault) -> None:
    if world.felt.shoe:
        world.felt.shoe.pop()


@fault("card twice")
def _(world: World, fault: Fault) -> None:
    if world.felt.shoe:
        world.felt.shoe.append(Card(world.felt.shoe[-1].name))


@fault("restart")
def _(world: World, fault: Fault) -> None:
    world.hear(world.desk.restart())


@fault("count")
def _(world: World, fault: Fault) -> None:
    wrong = fault.value % 3 - 1
    world.supervisor(f"COUNT {len(world.rules.deck) * world.rules.decks + wrong}")


@fault("pause")
def _(world: World, fault: Fault) -> None:
    world.hear(world.desk.wait(fault.value % 60))


@fault("clock jumps")
def _(world: World, fault: Fault) -> None:
    world.desk.jump(fault.value - (1 << 15))
