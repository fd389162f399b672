"""A card that was read twice is asked about as that and as nothing else, before the round is final; nothing
that it is face down, or burned, is told with it; and that it was none changes nothing else.
"""

from __future__ import annotations

from typing import Any

from tests.simulation.course import Message, Told
from tests.simulation.desk import CoreDesk
from tests.simulation.felt import Out
from tests.simulation.oracles import Oracle
from tests.simulation.violation import Violation
from tests.simulation.world import World

SILENT = frozenset({"rapid_repeat", "drawn_in_hold", "early_card"})
"""What may be said of one of which nobody knows yet."""


class Twice(Oracle):
    """Looks at what is said of such draws."""

    def __init__(self) -> None:
        self.evidence: list[dict[str, Any]] = []

    def message(self, world: World, message: Message) -> None:
        if message.name in ("table.held", "round.void"):
            self.evidence += [one for one in message.data["evidence"] if "draw" in one]
        elif message.name == "shoe.started":
            self.evidence = []
        elif message.name == "round.final" and isinstance(world.desk, CoreDesk):
            passed = [out.draw for out in world.doubles.open if out.draw not in world.doubles.asked]
            if passed:
                raise Violation("a card that was read twice counts", f"draws {passed}, {world.course.round}")

    def answered(self, world: World, told: Told) -> None:
        ended = told.named("table.resumed")
        gone = any((one["reason"], one["choice"]) == ("rapid_repeat", "return") for one in ended)
        if gone and any(one["by"] == "supervisor" for one in told.named("round.bets_closed")):
            world.complain("bets close for a card that was read twice", str(ended))

    def drawn(self, world: World, out: Out, told: Told) -> None:
        self._look(world)

    def acted(self, world: World) -> None:
        self._look(world)

    def _look(self, world: World) -> None:
        for one in self.evidence:
            out = world.felt.outs.get(one["draw"])
            if out is None or out.twin is None or not isinstance(world.desk, CoreDesk):
                continue
            silent = one["code"] in SILENT or one.get("phase") == "reveal"  # what lies face down decides
            if out in world.doubles.open and not silent:
                world.complain(f"a card that was read twice is held for {one['code']}", str(one))
            if one["code"] != "rapid_repeat" or not lies_face_down(world, out.twin):
                continue
            if one.get("read"):
                world.complain("a double read names a card that lies face down", str(one))
            if not (out.twin.burned or can_be_no_other(world, out)):
                world.complain("a double read tells that two hidden cards are equal", str(one))
        self.evidence = []


def lies_face_down(world: World, out: Out) -> bool:
    """Whether nobody has seen this card: it is burned, or not turned up."""
    assert out.card is not None
    if out.burned:
        return not out.card.seen
    lying = enumerate(world.felt.laid)
    down = (one for at, (place, one) in lying if world.rules.face_down(place) and at not in world.revealed)
    return any(one is out for one in down)


def can_be_no_other(world: World, out: Out) -> bool:
    """Whether the code of a double read is of one card only: by its serial number, or all copies are out."""
    return out.serial is not None or world.said[out.said or ""] >= world.rules.decks
