"""What people do with things: another shoe is loaded, a device is plugged in again."""

from __future__ import annotations

from drivers.readings import DeviceReachable
from tests.simulation.course import Told
from tests.simulation.drawing import Drawn
from tests.simulation.felt import CUT, Card
from tests.simulation.world import World


def load(world: World) -> None:
    """Another shoe, shuffled."""
    number = world.course.shoes
    cards = [Card(name, serial=at) for at, name in enumerate(world.rules.deck * world.rules.decks, 1)]
    world.plan.dice("shoe", number).shuffle(cards)
    if world.drawn.core.shoe.kind == "shoe" and not world.rules.shuffled_every_round:
        cards.insert(world.plan.dice("cut card", number).randint(14, max(15, len(cards) // 3)), Card(CUT))
    world.felt.fill(cards)
    said, world.shuffled = world.shuffled or f"DONE {world.rules.cards}", None
    if world.drawn.shuffler and said:
        world.hear(world.desk.shuffler(said))
    told = world.key(f"SHOE {world.rules.cards}")
    world.felt.miscounted = not told.named("shoe.started")
    doubtful = world.drawn.shuffler and said != f"DONE {world.rules.cards}"
    if doubtful and told.named("shoe.started") and not world.answered(told):
        world.reveals.add("a failed shuffle" if "FAIL" in said else "another count by the shuffler")


def plug(world: World, device: str, *, other: bool = False) -> Told:
    """A device is plugged in again, or another unit of the same make; the table finds it."""
    world.plugs[device] += 1
    world.units[device] += other
    identity = world.drawn.plugged(device, world.plugs[device], world.units[device])
    told = world.hear(
        world.desk.say(device, DeviceReachable(identity, replaced=other or not world.drawn.usb))
    )
    if device == "shoe" and not other:
        told.add(world.readers.say_again())
    return told


def restart(world: World, drawn: Drawn | None = None) -> Told:
    """The program starts again; what a witness was about to contradict nobody remembers, so the table holds
    for it where a round may still be void."""
    told = world.hear(world.desk.restart(drawn))
    if not world.answered(told):
        for name in ("doubled", "unseen", "lost"):
            if f"a card {name}" in world.reveals and world.between:
                world.reveals.discard(f"a card {name}")
                world.excuses[f"{name}, and a restart"] += 1
    return told


def back_into_shoe(world: World) -> bool:
    """The last card that was drawn goes back into the shoe, and a supervisor says so; whether it did."""
    felt = world.felt
    loose = sorted((*felt.aside, *([felt.reserved] if felt.reserved else ())), key=lambda out: out.draw or 0)
    last = loose[-1] if loose else felt.laid[-1][1] if felt.laid else None
    if last is None or last.card is None or last.card.name not in world.rules.deck or world.doubles.counted:
        return False  # of a card that was read twice people say so, when they are asked
    if world.supervisor(f"RETURN {last.card.name}").refused:
        return False
    world.take_up(last)
    felt.back(last)
    world.count(last, -1)
    return True
