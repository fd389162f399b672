"""What counts, and in which order, is what lies: the screen and the shoe's count agree with the felt whenever
nothing is in doubt. What the table has made of a ruling shows here, not first in the result.
"""

from __future__ import annotations

from tests.simulation.desk import CoreDesk
from tests.simulation.oracles import Oracle
from tests.simulation.world import World


class Counted(Oracle):
    """Compares after each act of people."""

    def acted(self, world: World) -> None:
        if world.screen.held is not None or not isinstance(world.desk, CoreDesk):
            return  # cables lose cards of which nothing here knows
        if not (world.between or world.differs or world.reveals):
            lies(world)
        if not (world.felt.miscounted or world.felt.tampered or world.differs):
            shoe(world)


def lies(world: World) -> None:
    """The cards of the round, in their order and at their places."""
    there = [
        (place, None if hidden(world, at, place) else out.card and out.card.name)
        for at, (place, out) in enumerate(world.felt.laid)
    ]
    if there != list(world.screen.cards):
        world.complain("the screen shows what does not lie", f"{world.screen.cards}, the felt has {there}")


def hidden(world: World, at: int, place: str) -> bool:
    """Whether a card lies face down."""
    return world.rules.face_down(place) and at not in world.revealed


def shoe(world: World) -> None:
    """Cards that are left in it, and those of them that people saw. A beam sees the cut card as well, and a
    shuffler counts for itself."""
    felt, screen, course = world.felt, world.screen, world.course
    others = world.drawn.beam or world.drawn.second or world.drawn.shuffler
    if felt.cards_left != screen.left and not others:
        world.complain("the shoe holds another number of cards", f"{screen.left}, not {felt.cards_left}")
    core = world.drawn.core
    exposed = getattr(core.round, "exposed_card", "burn")
    asks = screen.obstacle in (None, "burn_pending") and world.between and not felt.mixed
    keyed = world.burned_down or any(kind == "key BURN" for kind, *_ in world.happened)
    owes = keyed or core.shoe.burn != "none"  # other cards than those that people saw
    if exposed == "burn" and asks and not owes and screen.burns != felt.next_back:
        world.complain("other cards are to be burned than went back", f"{screen.burns}, not {felt.next_back}")
    deals = (course.dealing and not course.decided) or course.betting
    due = deals and world.next_place() is not None and not (felt.aside or felt.reserved)
    if due and not felt.cards_left and not screen.awaits:
        world.complain("a card is due of a shoe that has none", f"{screen.phase}, round {course.round}")
