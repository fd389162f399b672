"""Everything that can go wrong, by name: what people and things do then. A plan draws from this list."""

from __future__ import annotations

from collections.abc import Callable

from drivers.readings import DeviceUnreachable
from tests.simulation.drawing import replace_devices
from tests.simulation.felt import CUT, Card, Out
from tests.simulation.mishaps import MISHAPS
from tests.simulation.people import clear
from tests.simulation.plan import Fault
from tests.simulation.seats import SEATS_ARE_SAID, take_seats
from tests.simulation.things import back_into_shoe, load, plug, restart
from tests.simulation.violation import Violation
from tests.simulation.world import World

Happens = Callable[[World, Fault], None]
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
    running, due = not world.between, world.screen.burns
    world.key("BURN 1")
    if world.screen.burns > due:  # the line may have lost the key
        world.owed_keys += 1
        if world.felt.laid and running and not world.differs:
            raise Violation("BURN is taken in the middle of a deal", f"{world.felt.hands()}")


@fault("void")
def _(world: World, fault: Fault) -> None:
    reasons = ("supervisor", "wrong_card_count", "foreign_card", "excess", "not_shuffled")
    reason = reasons[fault.value % 5] if fault.value % 3 == 0 else "supervisor"
    world.void(reason)


@fault("card back")
def _(world: World, fault: Fault) -> None:
    """The last card that was drawn goes back into the shoe."""
    back_into_shoe(world)


@fault("foreign card")
def _(world: World, fault: Fault) -> None:
    """One of no deck, or of a game with more ranks."""
    faces = world.rules.name == "two-cards-high" and fault.value % 2
    world.felt.shoe.append(Card("KH" if faces else "XX"))
    world.felt.tampered = True


@fault("card missing")
def _(world: World, fault: Fault) -> None:
    if world.felt.shoe:
        world.felt.shoe.pop()
        world.felt.tampered = True


@fault("card twice")
def _(world: World, fault: Fault) -> None:
    """Another copy of the next card; every third time a forged one, with the same serial number."""
    if world.felt.shoe:
        card = world.felt.shoe[-1]
        world.felt.shoe.append(Card(card.name, serial=card.serial if fault.value % 3 == 0 else 9_999))
        world.felt.tampered = True


@fault("card of another set")
def _(world: World, fault: Fault) -> None:
    name = world.plan.dice("another set", fault.value).choice(world.rules.deck)
    world.felt.shoe.append(Card(name, "b", 10_000 + fault.value))
    world.felt.tampered = True


@fault("restart")
def _(world: World, fault: Fault) -> None:
    restart(world)
    world.readers.say_again()


@fault("count")
def _(world: World, fault: Fault) -> None:
    wrong = fault.value % 3 - 1
    told = world.supervisor(f"COUNT {world.rules.cards + wrong}")
    if wrong and not told.refused and not world.answered(told):
        world.reveals.add("a wrong count")


@fault("pause")
def _(world: World, fault: Fault) -> None:
    world.hear(world.desk.wait(fault.value % 60))


@fault("clock jumps")
def _(world: World, fault: Fault) -> None:
    world.desk.jump(fault.value - (1 << 15))


@fault("storm")
def _(world: World, fault: Fault) -> None:
    """Cards fall out of the shoe; every second one is not read."""
    for number in range(6 + fault.value % 20):
        if number % 2:
            world.readers.errors.add("unread")
        world.draw()


@fault("unplugged")
def _(world: World, fault: Fault) -> None:
    device = world.drawn.devices[fault.value % len(world.drawn.devices)]
    if device == "panel":
        world.hear(world.desk.say(device, DeviceUnreachable("unplugged")))
        plug(world, device)
    elif all(device != other for _, other in world.coming_back):
        world.hear(world.desk.say(device, DeviceUnreachable("unplugged")))
        world.coming_back.append((1 + fault.value % 4, device))


def pass_unseen(world: World, *, counted: bool = True) -> bool:
    """A card leaves the shoe while nobody listens, and is laid; whether one did."""
    place = world.next_place()
    if not world.course.dealing or place is None or world.owed > 0 or not world.felt.shoe:
        return False
    card = world.felt.shoe.pop()
    if card.name not in world.rules.deck:
        return False
    if counted:
        world.readers.missed()
    world.wrong = world.felt.miscounted = True
    world.felt.lay(place, Out(card))
    return True


@fault("another unit")
def _(world: World, fault: Fault) -> None:
    """The shoe breaks, another one of the same make takes its place; meanwhile a card may leave it, and the
    program may start anew.
    """
    passed = fault.value % 2 and pass_unseen(world)
    if fault.value % 3 == 0:
        restart(world)
    told = world.hear(world.desk.say("shoe", DeviceUnreachable("unplugged")))
    world.readers.other_shoe()
    told.add(plug(world, "shoe", other=True))
    if not world.between and not world.answered(told):
        world.reveals.add("another unit in the round" + (" while a card passed" if passed else ""))


@fault("another driver")
def _(world: World, fault: Fault) -> None:
    """The shoe breaks, another one of another make takes its place; meanwhile a card may leave it."""
    passed = fault.value % 2 and pass_unseen(world)
    world.drawn = replace_devices(world.drawn, numbered=not world.drawn.core.shoe_numbered)
    world.readers.other_shoe()
    told = restart(world, world.drawn)
    if not world.between and not world.answered(told):
        world.reveals.add("another driver in the round" + (" while a card passed" if passed else ""))


@fault("restart while a card passes")
def _(world: World, fault: Fault) -> None:
    passed = pass_unseen(world)
    told = restart(world)
    running = not world.between
    if passed and running and not world.drawn.core.shoe_numbered and not world.answered(told):
        world.reveals.add("a restart while a card passed")


@fault("shoe starts anew")
def _(world: World, fault: Fault) -> None:
    passed = fault.value % 2 and pass_unseen(world, counted=False)
    told = world.readers.start_anew()
    running = not world.course.over and world.course.result is None
    if running and world.drawn.core.shoe_numbered and not world.answered(told):
        world.reveals.add("a shoe that starts anew" + (" while a card passed" if passed else ""))
    elif passed and not world.answered(told):  # a scanner says nothing when it starts
        world.excuses["lost"] += 1


@fault("opinion")
def _(world: World, fault: Fault) -> None:
    winner = ("player", "banker", "tie")[fault.value % 3]
    told = world.readers.opinion(winner)
    result = world.course.result
    known = world.rules.has_bank and result is not None and not told.refused and not world.course.over
    if known and result["outcome"]["winner"] != winner and not world.answered(told):
        world.reveals.add("another result by the shoe")


@fault("shuffler is wrong")
def _(world: World, fault: Fault) -> None:
    """It counts one card less or more, or fails; the shoe is loaded all the same."""
    cards = world.rules.cards
    world.shuffled = (f"DONE {cards - 1}", f"DONE {cards + 1}", "FAIL jam")[fault.value % 3]


@fault("shuffler says")
def _(world: World, fault: Fault) -> None:
    """Something about cards that lie in it."""
    cards = world.rules.cards
    line = ("DONE {}", "COUNT {}", "COUNT {}", "LOADED {}", "COLLECTED 2", "FAIL jam", "ERROR 7 jam")[
        fault.value % 7
    ]
    wrong = fault.value % 5 - 2
    if not world.drawn.shuffler or line.startswith("LOADED"):
        return
    told = world.hear(world.desk.shuffler(line.format(cards + wrong)))
    if world.drawn.core.shoe.kind != "continuous" or told.refused or not line.startswith(("COUNT", "DONE")):
        return
    inside = sum(card.name != CUT for card in world.felt.shoe)  # it shuffles what does not lie on the table
    right = not wrong or (line.startswith("DONE") and (cards + wrong == inside or world.differs))
    if right:  # what it counted is so until it counts again
        world.reveals.discard("a wrong count of the continuous shuffler")
    elif not world.answered(told):
        world.reveals.add("a wrong count of the continuous shuffler")


@fault("key SHOE")
def _(world: World, fault: Fault) -> None:
    """Another shoe, though the old one would do."""
    if world.between:
        load(world)


def any_key(*lines: str) -> Happens:
    """One of some keys of a supervisor, at the wrong moment."""

    def happens(world: World, fault: Fault) -> None:
        world.supervisor(lines[fault.value % len(lines)])

    return happens


@fault("key SEATS")
def _(world: World, fault: Fault) -> None:
    """Other seats, at any moment; every third time a list that no table takes."""
    if not SEATS_ARE_SAID:
        return
    if world.rules.name == "two-cards-high" and fault.value % 3:
        take_seats(world, fault.value)
        return
    before = world.screen.seats
    world.hear(world.desk.take_seats(((8,), (9,), (1, 1))[fault.value // 3 % 3]))
    if world.screen.seats != before:
        world.complain("seats are taken that are none", f"{before} {world.screen.seats}")


@fault("a stranger's key")
def _(world: World, fault: Fault) -> None:
    """Somebody shows a badge that is perhaps not listed, and acts."""
    lines = ("VOID supervisor", "CLEAR void", "EMPTY", "CLEAR continue", "RETURN AS", "DAY")
    line = lines[fault.value % len(lines)]
    choice = line.removeprefix("CLEAR ")
    told = world.supervisor(line, badge="0815") if choice == line else clear(world, choice, badge="0815")
    done = [message for message in told.messages if message.data.get("by") == "0815"]
    badges = getattr(world.drawn.core, "badges", None)  # an older program lists none
    if done and badges is not None and badges.supervisors is not None:
        world.complain("somebody acts whose badge is not listed", str(done))


@fault("key CLEAR")
def _(world: World, fault: Fault) -> None:
    """Somebody ends a hold without a look at the felt, perhaps with a choice that it does not know."""
    clear(world, ("continue", "stand", "accept", "burn")[fault.value % 4])


FAULTS["key EMPTY"] = any_key("EMPTY", "CUT")
FAULTS["key ENDDAY"] = any_key("ENDDAY", "DAY", "DEALER ann")


def armed(world: World, fault: Fault) -> None:
    """It comes as soon as it can."""
    world.armed.append(fault)


FAULTS.update(dict.fromkeys(MISHAPS, armed))
