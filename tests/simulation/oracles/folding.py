"""Fold twice, fold from any snapshot: the same table, and the same words."""

from __future__ import annotations

from controller.shell.restart import decode_snapshot, encode_snapshot
from controller.table import Table
from controller.vocabulary.codec import decode_event, encode_event
from tests.simulation.course import Told
from tests.simulation.desk import CoreDesk
from tests.simulation.oracles import Oracle
from tests.simulation.world import World

WINDOW = 60
"""Answers that are folded again in one go."""
EVERY = 10
"""One in so many windows is."""


class Folding(Oracle):
    """Now and then keeps a snapshot, and later folds what came since."""

    def __init__(self) -> None:
        self.answers = 0
        self.kept: tuple[bytes, int] | None = None

    def answered(self, world: World, told: Told) -> None:
        self.answers += 1
        if self.answers % WINDOW or not isinstance(world.desk, CoreDesk):
            return
        state, record = world.desk.state, world.desk.record
        if self.kept is not None:
            body, at = self.kept
            table = Table(1, decode_snapshot(body).state)
            for event, stamp in record[at:]:
                table, _ = table.handle(*decode_event(encode_event(event, stamp)))
            if table.state != state:
                world.complain(
                    "folding from a snapshot gives another table", f"records {at} to {len(record)}"
                )
        begins = self.answers // WINDOW % EVERY == 1
        self.kept = (encode_snapshot(state, {}), len(record)) if begins else None
