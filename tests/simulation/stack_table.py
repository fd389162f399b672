"""One table of the whole stack, assembled by the program's own wiring and stepped; it dies and starts again.

Nothing runs by itself: :meth:`StackTable.step` lets devices, drivers and loop do all that is due, and
:meth:`Floor.pass_s` lets time pass for all tables of a floor.
"""

from __future__ import annotations

import contextlib
import logging
import random
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from controller.settings.loader import load_configuration
from controller.shell.batch import Batch
from controller.shell.daemon import Daemon
from controller.shell.loop import Loop
from controller.shell.wiring.assembly import assemble
from controller.vocabulary.effects import Effect, Refuse
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import AnyEvent
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.keypad.simulator import Keypad
from tests.faults.disk import sqlite_on
from tests.harness.configuration import Given, configured
from tests.simulation.stack_broker import Broker
from tests.simulation.stack_cables import Cable, Cables, Devices
from tests.simulation.stack_disk import Disks, Left, MortalDisk
from tests.simulation.stack_time import WorldClock, WorldTime, ruling

SLICE_S = 1.0
"""Time passes in such parts: a loop that is away for longer takes itself for held up."""


class Died(BaseException):
    """The machine dies here. No ``Exception``: nothing in the program may survive it."""


class Failures(logging.Handler):
    """Hears the program's log: what it says of its own failures, and nothing else, and nobody reads it."""

    SAYS = " failed on "

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if self.SAYS in text:
            self.heard.append(text)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """In place of whoever would print it."""
        log = logging.getLogger("controller")
        log.addHandler(self)
        log.propagate = False
        try:
            yield
        finally:
            log.propagate = True
            log.removeHandler(self)


class Floor:
    """What tables share: time, cables, the broker and the disks."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = WorldTime()
        self.cables = Cables(self.now)
        self.devices = Devices(self.cables, self.now)
        self.broker = Broker()
        self.disks = Disks()
        self.failures = Failures()
        self.tables: list[StackTable] = []
        self.looks: list[Callable[[], None]] = []
        """Called whenever time has passed."""
        self._later: list[tuple[int, Callable[[], None]]] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """The program lives in this world."""
        with ExitStack() as stack:
            for one in (
                ruling(self.now, self.chance),
                self.cables.laid(),
                self.devices.made(),
                self.broker.reached(self.now.let_pass),
                sqlite_on(self.disks),
                self.failures.listening(),
            ):
                stack.enter_context(one)
            try:
                yield
            finally:
                for table in self.tables:
                    table.die()
                self.broker.vanish()

    def later(self, seconds: float, happens: Callable[[], None]) -> None:
        """This happens when so much time has passed."""
        self._later.append((self.now.ns + int(seconds * 1e9), happens))

    def heal(self) -> None:
        """What would happen later happens now."""
        for _, happens in self._later:
            happens()
        self._later = []

    def step(self) -> None:
        """Until nothing is left to do at this moment."""
        while True:
            try:
                busy = self.devices.step() | self.cables.step()
            except Died:
                busy = True  # its table knows
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
            due = [happens for at_ns, happens in self._later if at_ns <= self.now.ns]
            self._later = [one for one in self._later if one[0] > self.now.ns]
            for happens in due:
                happens()
            for look in self.looks:
                look()
            self.step()


class StackTable:
    """One table: its files, its devices, and the daemon while it lives."""

    def __init__(self, floor: Floor, folder: Path, name: str, *given: Given, shoe: Any = None) -> None:
        """``shoe``: a simulated one, at the path ``/world/<name>/shoe``; left out: one that numbers its
        reports.
        """
        self.floor, self.name = floor, name
        self.folder = folder / name
        self.folder.mkdir()
        self.disk = floor.disks.of[self.folder] = MortalDisk(meanwhile=self._let_drivers_go_on)
        self.panel = Keypad(port(name, "panel"))
        self.shoe = shoe or SimulatedAngelEye(port(name, "shoe"))
        self.configure(*given)
        self.daemon: Daemon | None = None
        self.lives = 0
        self.left: Left = "killed"
        """What the next death leaves of the disk."""
        self.born: Callable[[], None] = lambda: None
        """Called when a start has read the disk."""
        self.dies_in: int | None = None
        """After so many more words to broker and devices the machine dies."""
        self.refuse: Callable[[str], None] = lambda code: None
        """Told the code of each refusal."""
        floor.tables.append(self)
        floor.broker.used[f"controller-north-{name}"] = self._used
        for cable in self.cables:
            cable.used = self._used

    @property
    def cables(self) -> list[Cable]:
        """Those of its devices."""
        return self.floor.cables.below(str(port(self.name, "")))

    def configure(self, *given: Given) -> None:
        """The file that the next start reads."""
        own: Given = {
            "table": {"site": "north", "id": self.name},
            "devices": {
                "shoe": {"driver": "angel-eye", "port": str(port(self.name, "shoe"))},
                "panel": {"driver": "keypad", "port": str(port(self.name, "panel"))},
            },
        }
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
        try:
            daemon = assemble(load_configuration(self.file), clock=WorldClock())
        except JournalError:
            if not self.disk.dead and not self.disk.full:
                raise
            self.disk.left(self.left, self.floor.chance)  # it died, or is full, while it was read
            return
        self._listen_to_refusals(daemon.loop)
        self.daemon = daemon
        self.born()
        try:
            daemon.start()
        except Died:
            self.die(self.left)

    def step(self) -> bool:
        """One step of the loop; whether something was done. Dies where the disk did."""
        if self.daemon is None:
            return False
        busy = False
        with contextlib.suppress(Died):
            if not self.disk.dead:  # else a driver's word was the last
                busy = self.daemon.loop.step(0.0)
                self.daemon.look()
        if self.disk.dead:
            self.die(self.left)
            return True
        return busy

    def die(self, how: Left = "killed") -> None:
        """Everything ends here and now; the disk is left as ``how`` says."""
        daemon, self.daemon = self.daemon, None
        if daemon is None:
            return
        self.disk.dead, self.dies_in = True, None
        self.floor.devices.step()  # what was on the line when it died is heard
        for driver in daemon.drivers.values():
            for one in [one for one in self.floor.cables.stepped if one.driver is driver]:
                one.vanish()
        for cable in self.cables:
            cable.die()
        daemon.publisher.stop(clean=False)
        with contextlib.suppress(JournalError, sqlite3.Error):
            daemon.journal.close()
        self.disk.left(how, self.floor.chance)

    def stop(self) -> None:
        """A stop in good order."""
        daemon, self.daemon = self.daemon, None
        assert daemon is not None
        daemon.stop()

    def _let_drivers_go_on(self) -> None:
        """Their threads do not wait for the disk."""
        ours = () if self.daemon is None else self.daemon.drivers.values()
        with contextlib.suppress(Died):
            for one in [one for one in self.floor.cables.stepped if one.driver in ours]:
                one.step()

    def _used(self) -> None:
        if self.dies_in is not None and self.daemon is not None:
            self.dies_in -= 1
            if self.dies_in < 0:
                self.disk.dead = True
                raise Died

    def _listen_to_refusals(self, loop: Loop) -> None:
        """What a person would see of a refusal is a sentence; its code tells the world more."""
        record = loop._recorder.record

        def heard(batch: Batch, event: AnyEvent, fields: Mapping[str, object]) -> list[Effect]:
            effects = record(batch, event, fields)
            for effect in effects:
                if isinstance(effect, Refuse):
                    self.refuse(effect.code)
            return effects

        loop._recorder.record = heard  # type: ignore[method-assign]


def port(table: str, device: str) -> Path:
    """Where a device of a table is plugged in."""
    return Path(f"/world/{table}/{device}")
