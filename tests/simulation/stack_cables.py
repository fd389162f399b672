"""Serial cables in memory: the port that a driver opens, and the device at the far end.

As on a real port, what a device said before the port was open is lost, and a pulled cable ends both ways.
The drivers are the program's own, with real descriptors; only the opening of the port is ours, and their
threads are stepped (:class:`Stepped`): the very ``life`` that a thread would lead.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any, Literal
from unittest.mock import patch

import drivers.serial_port
import drivers.serving
import drivers.simulated_device
from drivers.errors import DeviceFault
from drivers.serving import Ready, ServingDriver, Wait
from drivers.simulated_device import SimulatedDevice
from tests.simulation.stack_time import WorldTime

_CHUNK = 65536
Spoil = Literal["lost", "corrupt", "twice", "noise before", "cut short"]
SPOILS: tuple[Spoil, ...] = ("lost", "corrupt", "twice", "noise before", "cut short")
NOISE = b"\xff\x80\xfe"


def spoilt(message: bytes, how: Spoil) -> tuple[bytes, ...]:
    """What a bad line makes of a message; a corrupt one is none that a device could have sent."""
    match how:
        case "lost":
            return ()
        case "corrupt":
            middle = len(message) // 2
            return (message[:middle] + b"\xff" + message[middle + 1 :],)
        case "twice":
            return (message, message)
        case "noise before":
            return (NOISE, message)
    return (message[: len(message) // 2],)


class Port:
    """The host's end of a cable, as pyserial would give it."""

    def __init__(self, cable: Cable, end: socket.socket) -> None:
        self._cable, self._end = cable, end
        self.number = end.fileno()

    def fileno(self) -> int:
        """Asked for before each write: the machine may die here."""
        self._cable.used()
        return self.number

    def close(self) -> None:
        self._end.close()
        if self._cable.number == self.number:
            self._cable.drop()


class Cable:
    """One cable. It fits the far end of a ``SimulatedDevice`` (its ``terminal``)."""

    def __init__(self, path: str, used: Callable[[], None] = lambda: None) -> None:
        """``used`` is called before the host writes."""
        self.path = path
        self.used = used
        self.plugged = True
        self.device = 1
        """Which device is at the far end: another number, another device."""
        self.usb = True
        """The port tells which device that is; another one is called otherwise each time."""
        self.plugs = 0
        self.number: int | None = None
        """Descriptor of the host's end, while it is open."""
        self.spoils: list[Spoil] = []
        """What becomes of the next things that the device says, one after the other."""
        self.noisy = False
        """Something is on the line that is no end of one: what the device says next is spoilt by it."""
        self.deaf = 0
        """So many of the host's next words do not arrive."""
        self._near: socket.socket | None = None
        self._far: socket.socket | None = None

    def open(self) -> Port:
        """The host opens its end."""
        if not self.plugged:
            raise DeviceFault(f"{self.path}: no device there; is it plugged in and switched on?")
        near, far = socket.socketpair()
        near.setblocking(False)
        far.setblocking(False)
        self.drop()
        self._near, self._far = near, far
        port = Port(self, near)
        self.number = port.number
        return port

    def unplug(self) -> None:
        """Pull it out."""
        self.plugged = False
        self.drop()

    def plug(self, device: int | None = None) -> None:
        """Put it in, perhaps into another device; no connection outlives that."""
        self.drop()
        self.plugged = True
        self.plugs += 1
        self.device = self.device if device is None else device

    def write(self, message: bytes) -> None:
        """The device speaks; what nobody takes is gone."""
        self.noisy = False
        for part in spoilt(message, self.spoils.pop(0)) if self.spoils else (message,):
            if self._far is not None and part:
                with contextlib.suppress(OSError):
                    self._far.send(part)

    def disturb(self, noise: bytes) -> None:
        """Nobody speaks, and yet something arrives."""
        self.write(noise)
        self.noisy = not noise.endswith(b"\n")

    def read(self) -> bytes:
        """What the host has said since."""
        heard = b""
        with contextlib.suppress(OSError):
            if self._far is not None:
                heard = self._far.recv(_CHUNK)
        if heard and self.deaf:
            self.deaf -= 1
            return b""
        return heard

    def die(self) -> None:
        """The host died; its end is closed with it."""
        if self._near is not None:
            self._near.close()
        self.drop()

    def drop(self) -> None:
        """The connection is over."""
        if self._far is not None:
            self._far.close()
        self._far = self.number = None


class Stepped:
    """In place of a driver's thread: its life, stepped from wait to wait."""

    def __init__(self, driver: ServingDriver, now: WorldTime, all_of_them: list[Stepped]) -> None:
        self.driver = driver
        self._now = now
        self._all = all_of_them
        self._life: Generator[Wait, Ready, None] = driver.life()
        self._waits: Wait | None = None
        self._due_ns = 0

    def start(self) -> None:
        """It is stepped with all others from now on."""
        self._all.append(self)

    def join(self) -> None:
        """It was told to stop: to its end."""
        self._all.remove(self)
        while self.step(at_once=True):
            pass

    def step(self, *, at_once: bool = False) -> bool:
        """Go on where that is due; whether it did."""
        ready: Ready = {}
        if self._waits is not None:
            poll, _ = self._waits
            ready = dict(poll.poll(0)) if poll is not None else {}
            if not (ready or at_once or self._now.ns >= self._due_ns):
                return False
        try:
            self._waits = next(self._life) if self._waits is None else self._life.send(ready)
        except StopIteration:
            return False
        self._due_ns = self._now.ns + int(self._waits[1] * 1e9)
        return True

    def vanish(self) -> None:
        """The machine died: what it would have done next never happens."""
        self._all.remove(self)
        with contextlib.suppress(Exception):
            self._life.close()


class Cables:
    """All cables of a world, by path, and the drivers that are stepped in place of their threads."""

    def __init__(self, now: WorldTime) -> None:
        self._now = now
        self._at: dict[str, Cable] = {}
        self.stepped: list[Stepped] = []

    def lay(self, cable: Cable) -> Cable:
        """A cable that can be opened from now on."""
        self._at[cable.path] = cable
        return cable

    def below(self, path: str) -> list[Cable]:
        """All cables whose path begins so."""
        return [cable for name, cable in self._at.items() if name.startswith(path)]

    def step(self) -> bool:
        """Let every driver do what is due; whether one did."""
        return sum(one.step() for one in list(self.stepped)) > 0

    @contextmanager
    def laid(self) -> Iterator[None]:
        """The program's ports are ours, and its drivers have no threads."""
        ports: Any = drivers.serial_port
        threads = SimpleNamespace(Event=threading.Event, Thread=self._thread)
        with (
            patch.object(ports, "open_port", lambda settings, **_: self._cable(settings.port).open()),
            patch.object(ports, "identity_of", self._identity),
            patch.object(ports, "is_other_device", self._is_other),
            patch.object(drivers.serving, "threading", threads),
        ):
            yield

    def _thread(self, target: Any, **_: object) -> Stepped:
        return Stepped(target.__self__, self._now, self.stepped)

    def _cable(self, path: str) -> Cable:
        if path not in self._at:
            raise DeviceFault(f"{path}: no device there")
        return self._at[path]

    def _identity(self, fd: int) -> str:
        [cable] = [one for one in self._at.values() if one.number == fd]
        if not cable.usb:
            return f"character device {cable.plugs} at {cable.path}"
        return f"usb {cable.path} serial {cable.device}"

    def _is_other(self, fd: int, path: str) -> bool:
        cable = self._cable(path)
        return cable.plugged and cable.number != fd


class Devices:
    """Simulated devices without threads: whatever is made within :meth:`made` lies on our cables."""

    def __init__(self, cables: Cables, now: WorldTime) -> None:
        self._cables, self._now = cables, now
        self._all: list[SimulatedDevice] = []

    @contextmanager
    def made(self) -> Iterator[None]:
        """Simulators that are made here are stepped by us."""
        module: Any = drivers.simulated_device
        threads = SimpleNamespace(Condition=threading.Condition, Thread=self._thread)
        with (
            patch.object(module, "PseudoTerminal", lambda link: self._cables.lay(Cable(str(link)))),
            patch.object(module, "threading", threads),
        ):
            yield

    def _thread(self, target: Any, **_: object) -> SimpleNamespace:
        self._all.append(target.__self__)
        return SimpleNamespace(start=lambda: None, join=lambda: None)

    def step(self) -> bool:
        """Let every device hear and keep time; whether one did."""
        return sum(self._step(one) for one in self._all) > 0

    def _step(self, device: SimulatedDevice) -> bool:
        with device.guard:
            chunk = device.terminal.read()
            if chunk:
                device.hear(chunk)
            due_ns = device.deadline_ns()
            late = due_ns is not None and due_ns <= self._now.ns
            if late:
                device.pass_time(self._now.ns)
        return bool(chunk) or late
