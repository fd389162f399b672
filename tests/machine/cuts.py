"""Power cuts: the machine is cut off at any instant of play, and what its disk had not confirmed may be gone.

After a cut the journal's disk is made anew from qemu's log of its writes, without what no flush confirmed.
Then the machine boots, its file system repairs itself, and before the table starts the journal is copied out
and held against what the books outside had taken and what the shoe was told.

An emulated boot takes minutes, and up to where a machine looks for the journal's disk it is the same each
time. So one in ten is whole; the others begin with the memory of a machine at that point, which has read
nothing of the disk, and learns the time and new chance.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from random import Random

from controller.journal.reader import SqliteReader
from controller.journal.verify import verify
from controller.shell.place import link
from controller.vocabulary.codec import decode_event
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import CardRead
from tests.bench.timing import table as drawn
from tests.machine.aims import AIMS, aim
from tests.machine.kernel import Kernel
from tests.machine.looking import UNIT, heard, until
from tests.machine.lost_writes import lose
from tests.machine.parts import BUILD, quietly
from tests.machine.qemu import Machine, MachineFailed, pause
from tests.machine.table import MachineTable, data_disk, drive, machine_table, root_disk

LONGEST_PLAY_S = 8.0
"""A round takes two or three seconds."""
AT_ONE_TABLE = 50
"""So many cuts, and then a new table; what is counted is kept after each cut."""
WHOLE_BOOT_EVERY = 20


@dataclass
class Cuts:
    """What was seen; from ``journals not whole`` on all must be 0."""

    system: str
    cuts: int = 0
    whole_boots: int = 0
    in_rounds: int = 0
    aimed: int = 0
    in_writes: int = 0
    """At so many cuts something was written that no flush had confirmed."""
    rounds: int = 0
    writes_lost: int = 0
    came_again: int = 0
    not_whole: int = 0
    cards_lost: int = 0
    messages_lost: int = 0
    told_otherwise: int = 0
    wrong: int = 0
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        return not (
            self.not_whole or self.cards_lost or self.messages_lost or self.told_otherwise or self.wrong
        )


def cut_again(kernel: Kernel, image: Path, system: str, most: int, ends_s: float) -> int:
    """Cut until so many are counted, in this run and those before it; 1 where anything was lost, ever."""
    kept = BUILD / f"cuts-{system}.json"
    total = Cuts(**json.loads(kept.read_text())) if kept.exists() else Cuts(system)
    while total.cuts < most and time.monotonic() < ends_s:
        try:
            one_table(kernel, image, total, min(AT_ONE_TABLE, most - total.cuts), ends_s, kept)
        except (AssertionError, MachineFailed, JournalError) as failed:
            total.wrong += 1
            keep(total, kept)
            print(f"WRONG: {failed}", flush=True)
            break
    heads = tuple(field.name.replace("_", " ") for field in fields(total))
    print(
        "\n"
        + drawn(
            heads,
            [
                tuple(
                    f"{value:.0f}" if isinstance(value, float) else str(value)
                    for value in asdict(total).values()
                )
            ],
        )
    )
    return 0 if total.clean else 1


def one_table(kernel: Kernel, image: Path, total: Cuts, cuts: int, ends_s: float, kept: Path) -> None:
    """A new table, played and cut."""
    folder = BUILD / f"cuts-{total.system}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    chance, before = Random(f"{total.system} {total.cuts}"), replace(total)
    disk, log = data_disk(folder / "data.raw", total.system), folder / "writes.log"
    with ExitStack() as stack:
        table = stack.enter_context(machine_table(folder, kernel, image, disk, chance))
        set_up(table, image, folder / "root.raw")
        table.plug_in()
        table.daemon.drives[1] = (
            f"-blockdev driver=file,filename={log},node-name=log"
            f" -blockdev driver=qcow2,node-name=kept,file.driver=file,file.filename={folder}/over.qcow2"
            " -blockdev driver=blklogwrites,node-name=logged,file=kept,log=log"
            " -device virtio-blk-pci,drive=logged"
        )
        machine, memory = table.daemon, folder / "memory"
        fresh(disk, log)
        begun(machine, folder / "root.raw", "raw", folder / "waiting.qcow2")
        machine.remember(memory)
        fresh(disk, log)
        switched_on(table, memory, whole=False)
        player = threading.Thread(target=deal, args=(table, leave := threading.Event()), daemon=True)
        player.start()
        try:
            for _ in range(cuts):
                if time.monotonic() > ends_s:
                    break
                begun_s = time.monotonic()
                one_cut(table, disk, log, chance, total, memory)
                total.cuts += 1
                total.seconds += time.monotonic() - begun_s
                total.rounds = before.rounds + len(table.hands.rounds)
                total.came_again = before.came_again + table.settlement.repeats
                keep(total, kept)
                took_s = time.monotonic() - begun_s
                print(
                    f"{total.cuts} cuts, {total.rounds} rounds; this one {took_s:.0f} s,"
                    f" {machine.boot_s[-1]:.0f} s until the machine answers",
                    flush=True,
                )
        finally:
            leave.set()
            player.join(table.hands.patience_s)
        heard(table)


def keep(total: Cuts, kept: Path) -> None:
    """For the next run."""
    kept.write_text(json.dumps(asdict(total)))


def deal(table: MachineTable, leave: threading.Event) -> None:
    """Play until somebody says that it is enough."""
    while not leave.is_set():
        table.hands.round()


def fresh(disk: Path, log: Path) -> None:
    """The disk as it is, below a layer that is thrown away, and an empty log."""
    root_disk(disk.with_name("over.qcow2"), disk)
    log.unlink(missing_ok=True)
    log.touch()


def set_up(table: MachineTable, image: Path, root: Path) -> None:
    """The image with this table set up on it, as ``setup`` does it there, and not emulated."""
    place = root.with_name("mounted")
    place.mkdir()
    quietly(["cp", "--sparse=always", image, root])
    quietly(["mount", "-o", "loop", root, place])
    try:
        table.answer()
        quietly(["cp", *table.daemon.share.iterdir(), place / "tmp"])
        quietly(["chroot", place, "sh", "-ec", table.configuring("/tmp", "--no-enable")])
        quietly(["chroot", place, "systemctl", "enable", UNIT])
    finally:
        quietly(["umount", place])


def begun(machine: Machine, before: Path, form: str, root: Path) -> None:
    """Its first disk begins as that one was."""
    machine.drives[0] = drive("root", root_disk(root, before, form), "qcow2")


def switched_on(table: MachineTable, memory: Path, *, whole: bool) -> None:
    """After a cut; what earlier lives wrote to the first disk is gone with them."""
    machine, folder = table.daemon, memory.parent
    if whole:
        begun(machine, folder / "root.raw", "raw", folder / "life.qcow2")
        machine.boot()
    else:
        begun(machine, folder / "waiting.qcow2", "qcow2", folder / "life.qcow2")
        machine.wake(memory, "evidence.service", f"{UNIT}.service")


def one_cut(table: MachineTable, disk: Path, log: Path, chance: Random, total: Cuts, memory: Path) -> None:
    """Play on for a while, cut, boot, and hold what the disk kept against what was confirmed outside."""
    played = len(table.settlement.taken)
    until(lambda: len(table.settlement.taken) > played + 3, "the table plays")
    pause(chance.uniform(0, LONGEST_PLAY_S))
    if (signs := AIMS[total.cuts % len(AIMS)]) is not None:
        total.aimed += 1
        aim(lambda: signs(table, log), chance)
    table.daemon.cut()
    with table.settlement.guard:
        taken = list(table.settlement.taken)
    cards = sum(frame[2:3] == b"D" for frame in table.shoe.acknowledged)
    total.in_rounds += table.settlement.display.get("phase") not in (None, "idle", "settled")
    unsure, lost = lose(disk, log, chance)
    total.in_writes += unsure > 0
    total.writes_lost += lost
    fresh(disk, log)
    found = table.daemon.share / "found"
    shutil.rmtree(found)
    whole = total.cuts % WHOLE_BOOT_EVERY == 0
    total.whole_boots += whole
    switched_on(table, memory, whole=whole)
    until((found / "copied").exists, "the journal is copied out")
    examine(found / "7.db", taken, cards, total)
    with table.settlement.guard:
        wrong, table.settlement.wrong = table.settlement.wrong, []
    total.told_otherwise += len(wrong)


def examine(journal: Path, taken: list[bytes], cards: int, total: Cuts) -> None:
    """The journal as the cut left it, before the table looked at it."""
    total.not_whole += bool(verify(journal, link=link).findings)
    with SqliteReader.open(journal) as reader:
        stored = [message.body for message in reader.unchecked_messages()]
        read = sum(isinstance(decode_event(record.body)[0], CardRead) for record in reader.records())
    total.messages_lost += max(0, len(taken) - len(stored))
    total.told_otherwise += sum(one != other for one, other in zip(taken, stored, strict=False))
    total.cards_lost += max(0, cards - read)


if __name__ == "__main__":
    sys.exit("start it with make machine ARGUMENTS='--cuts 300'")
