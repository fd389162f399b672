"""Every irregularity that the inputs reveal holds, voids, bars the shoe or is refused, before the final; and
what goes right is stopped by nothing.

The world says what an input revealed; here it is only held against what the table did.
"""

from __future__ import annotations

from tests.simulation.course import Message, Told
from tests.simulation.oracles import Oracle
from tests.simulation.violation import Violation
from tests.simulation.world import World

ANSWERS = frozenset({"table.held", "round.void", "shoe.ended"})

OF_THE_SHOE = frozenset(
    {
        "a wrong count",
        "a wrong count of the continuous shuffler",
        "another count by the shuffler",
        "a failed shuffle",
    }
)
VOID_CAUSES = ("foreign_card", "excess", "duplicate_serial", "insufficient_cards", "shortage", "not_shuffled")
"""Findings that outrank every mere hold, the strongest first."""


SAID_BY_PEOPLE = frozenset({"book_silent", "supervisor"})
"""A book may be silent, and a supervisor may void, where no fault has come yet."""


class Reaction(Oracle):
    """Waits for an answer to everything that was revealed."""

    def message(self, world: World, message: Message) -> None:
        if message.name in ("round.final", "round.opened") and world.reveals:
            what = ", ".join(sorted(world.reveals))
            raise Violation(f"{message.name} in spite of {what}", str(world.course.round))
        stops = message.name in ("table.held", "round.void") and message.data["reason"] not in SAID_BY_PEOPLE
        cut_card = (
            world.drawn.beam and message.name == "table.held" and message.data["reason"] == "card_unread"
        )
        if stops and not cut_card and nothing_happened(world):  # a cut card breaks the beam
            world.complain(f"{message.name} for {message.data['reason']} and nothing", str(message.data))
        if message.name in ANSWERS:
            world.reveals.clear()
        if message.name == "shoe.started":
            world.reveals -= OF_THE_SHOE
        if message.name == "table.held":
            codes = {item["code"] for item in message.data["evidence"]}
            strongest = next((code for code in VOID_CAUSES if code in codes), None)
            if strongest not in (None, message.data["reason"]):
                world.complain("a stronger finding is not the reason of its hold", str(message.data))

    def answered(self, world: World, told: Told) -> None:
        if world.reveals and (told.refused or world.screen.held is not None):
            world.reveals.clear()


def nothing_happened(world: World) -> bool:
    """Whether there is nothing yet that a table could stop for. A restart is nothing where the numbers of the
    shoe, known since the first round, prove that no card passed meanwhile, and nobody else watches it."""
    watched = world.drawn.beam or world.drawn.second
    proves = world.drawn.core.shoe_numbered and not watched and world.course.rounds > 1
    return not world.happened or (proves and {kind for kind, *_ in world.happened} == {"restart"})
