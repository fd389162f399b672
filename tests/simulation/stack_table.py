"""One table of the whole stack, assembled by the program's own wiring and stepped; it dies and starts again.

Nothing runs by itself: :meth:`StackTable.step` lets devices, drivers and loop do all that is due, and
:meth:`Floor.pass_s` lets time pass for all tables of a floor.
"""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from controller.settings.loader import load_configuration
from controller.shell.batch import Batch
from controller.shell.daemon import Daemon
from controller.shell.wiring.assembly import assemble
from controller.vocabulary.errors import JournalError
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.keypad.simulator import Keypad
from tests.faults.disk import sqlite_on
from tests.harness.configuration import Given, configured
from tests.simulation.stack_broker import Broker
from tests.simulation.stack_cables import Cables, Devices
from tests.simulation.stack_disk import Disks, Left, MortalDisk
from tests.simulation.stack_time import WorldClock, WorldTime, ruling

SLICE_S = 1.0
"""Time passes in such parts: a loop that is away for longer takes itself for held up."""


class Died(BaseException):
    """The machine dies here. No ``Exception``: nothing in the program may survive it."""


class Floor:
    """What tables share: time, cables, the broker and the disks."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = WorldTime()
        self.cables = Cables(self.now)
        self.devices = Devices(self.cables, self.now)
        self.broker = Broker()
        self.disks = Disks()
        self.tables: list[StackTable] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The program lives in this world."""
        with ExitStack() as stack:
            for one in (
                ruling(self.now, self.chance),
                self.cables.laid(),
                self.devices.made(),
                self.broker.reached(),
                sqlite_on(self.disks),
            ):
                stack.enter_context(one)
            try:
                yield
            finally:
                for table in self.tables:
                    table.die()
                self.broker.vanish()

    def step(self) -> None:
        """Until nothing is left to do at this moment."""
        while True:
            busy = self.devices.step() | self.cables.step()
            self.broker.look()
            for table in self.tables:
                busy |= table.step()
            if not busy:
                return

    def pass_s(self, seconds: float, slice_s: float = SLICE_S) -> None:
        """So much time passes, and everything happens in it."""
        while seconds > 0:
            part_s = min(slice_s, seconds)
            self.now.let_pass(part_s)
            seconds -= part_s
            self.step()


class StackTable:
    """One table: its files, its devices, and the daemon while it lives."""

    def __init__(self, floor: Floor, folder: Path, name: str, *given: Given) -> None:
        self.floor, self.name = floor, name
        self.folder = folder / name
        self.folder.mkdir()
        self.disk = floor.disks.of[self.folder] = MortalDisk()
        self.ports = f"/world/{name}"
        self.panel: Any = Keypad(Path(f"{self.ports}/keypad"))
        self.shoe: Any = SimulatedAngelEye(Path(f"{self.ports}/shoe"))
        self.configure(*given)
        self.daemon: Daemon | None = None
        self.lives = 0
        self.dies_in: int | None = None
        """After so many more words to broker and devices the machine dies."""
        self.batches: list[Batch] = []
        floor.tables.append(self)
        floor.broker.used[f"-{name}"] = self._used
        for device in (self.panel, self.shoe):
            device.terminal.used = self._used

    def configure(self, *given: Given) -> None:
        """The file that the next start reads."""
        devices = {
            "shoe": {"driver": "angel-eye", "port": f"{self.ports}/shoe"},
            "panel": {"driver": "keypad", "port": f"{self.ports}/keypad"},
        }
        own = {"table": {"site": "north", "id": self.name}, "devices": devices}
        self.file = configured(self.folder, own, *given)

    @property
    def journal(self) -> Path:
        """The file."""
        return self.folder / "journal.db"

    @property
    def state(self) -> Any:
        """As the table stands; it must live."""
        assert self.daemon is not None
        return self.daemon.loop.table.state

    def start(self) -> None:
        """The daemon starts, on what the disk holds."""
        assert self.daemon is None
        self.lives += 1
        daemon = assemble(load_configuration(self.file), clock=WorldClock(), observer=self._took)
        self.daemon = daemon
        daemon.start()

    def step(self) -> bool:
        """One step of the loop; whether something was done. Dies where the disk did."""
        if self.daemon is None:
            return False
        try:
            busy = self.daemon.loop.step(0.0)
            self.daemon.look()
        except Died:
            self.disk.dead = True
        if self.disk.dead:
            self.die()
            return True
        return busy

    def die(self, how: Left = "killed") -> None:
        """Everything ends here and now; the disk is left as ``how`` says."""
        daemon, self.daemon = self.daemon, None
        if daemon is None:
            return
        self.disk.dead, self.dies_in = True, None
        for driver in daemon.drivers.values():
            for one in [one for one in self.floor.cables.stepped if one.driver is driver]:
                one.vanish()
        for device in (self.panel, self.shoe):
            device.terminal.die()
        daemon.publisher.stop(clean=False)
        with contextlib.suppress(JournalError, sqlite3.Error):
            daemon.journal.close()
        self.disk.left(how, self.floor.chance)

    def stop(self) -> None:
        """A stop in good order."""
        daemon, self.daemon = self.daemon, None
        assert daemon is not None
        daemon.stop()

    def _used(self) -> None:
        if self.dies_in is not None and self.daemon is not None:
            self.dies_in -= 1
            if self.dies_in < 0:
                raise Died

    def _took(self, batch: Batch) -> None:
        self.batches.append(batch)
