"""No card vanishes: one of which a commitment was told, and that waited when a round was voided, is opened by
that void, or burned, or waits on.
"""

from __future__ import annotations

from tests.simulation.course import Message, Told
from tests.simulation.desk import CoreDesk
from tests.simulation.oracles import Oracle
from tests.simulation.world import World

MOST_LISTED = 64
"""Evidence lists no more of one kind."""


class Gone(Oracle):
    """Keeps the draws that wait."""

    def __init__(self) -> None:
        self.waiting = frozenset[int]()
        self.committed: set[int] = set()
        """Draws of this shoe."""

    def message(self, world: World, message: Message) -> None:
        if message.name == "table.held":
            said = message.data["evidence"]
            self.committed |= {one["draw"] for one in said if "draw" in one and "commitment" in one}
        elif message.name == "shoe.started":
            self.committed = set()

    def answered(self, world: World, told: Told) -> None:
        before, self.waiting = self.waiting, world.screen.waiting
        voids = told.named("round.void") if isinstance(world.desk, CoreDesk) else []
        if not voids or len(before) > MOST_LISTED or told.named("shoe.started"):
            return
        said = {one["draw"] for one in told.named("shoe.burned") + told.named("round.card")}
        said |= {one["draw"] for void in voids for one in void["evidence"] if "draw" in one}
        vanished = (before & self.committed) - said - self.waiting
        if vanished:
            world.complain("a card vanishes with a void", f"draws {sorted(vanished)}: {voids}")
