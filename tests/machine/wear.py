"""How much a round writes onto the disk, counted at the disk itself."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.bench.timing import table as drawn
from tests.machine.kernel import Kernel
from tests.machine.looking import heard, started
from tests.machine.parts import BUILD
from tests.machine.table import MachineTable, data_disk, machine_table

ROUNDS = 10
CARD_BYTES = 32e9
CYCLES = 1000
"""So often a cell of a card of the usual kind can be written; its maker's promise is what counts."""
AMPLIFIED = 4
"""A card erases more than it is given: so many times as much, for small writes."""
ROUNDS_AN_HOUR = 80


@dataclass(frozen=True)
class Counted:
    """Of the disk since it was plugged in."""

    bytes: int
    flushes: int
    writes: int


def count(table: MachineTable) -> Counted:
    """What /sys/block says of the journal's disk."""
    words = table.daemon.must("sync; cat /sys/block/vdb/stat").split()
    return Counted(int(words[6]) * 512, int(words[15]), int(words[4]))


def wear(kernel: Kernel, image: Path, system: str) -> int:
    """Play, and print a table."""
    folder = BUILD / "wear"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with machine_table(folder, kernel, image, data_disk(folder / "data.raw", system), Random(2)) as table:
        table.daemon.boot()
        table.plug_in()
        table.configure()
        started(table)
        table.hands.round()
        heard(table)
        before = count(table)
        for _ in range(ROUNDS):
            table.hands.round()
        heard(table)
        after = count(table)
        cards = sum(len(felt.cards) for felt in table.hands.rounds[1:])
    written, flushed = after.bytes - before.bytes, after.flushes - before.flushes
    years = CARD_BYTES * CYCLES / AMPLIFIED / (written / ROUNDS * ROUNDS_AN_HOUR * 24 * 365)
    rows = [
        ("bytes a round", f"{written / ROUNDS:,.0f}"),
        ("bytes a card", f"{written / cards:,.0f}"),
        ("syncs a round", f"{flushed / ROUNDS:.1f}"),
        ("syncs a card", f"{flushed / cards:.1f}"),
        ("writes a round", f"{(after.writes - before.writes) / ROUNDS:.1f}"),
        ("years of a card of 32 GB", f"{years:,.0f}"),
    ]
    print(drawn((f"{system}, {ROUNDS} rounds, {cards} cards", "measured"), rows))
    return 0
