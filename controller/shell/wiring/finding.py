"""What is plugged in: serial devices and who they are, cameras, pins. For ``setup``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controller.settings.resolve import resolve_code_map
from controller.shoe.code_map import decode
from drivers.camera.source_kind import csi_cameras
from drivers.errors import DeviceFault
from drivers.gpio.pins import board_factory, open_input
from drivers.listening import Heard as Heard
from drivers.listening import Listening
from drivers.listening import ask as ask_at
from drivers.listening import can_be_found as can_be_found
from drivers.settings import PinFactory

FOLDERS = ("/dev/serial/by-id", "/dev/serial/by-path", "/dev/dealer-table")
"""Names that a device keeps over restarts, the best first."""
BUILT_IN = ("/dev/serial0",)
"""The board's own line, where it has one."""
CAMERAS = ("/dev/v4l/by-id", "/dev/v4l/by-path")
HEADER = tuple(number for number in range(2, 28) if number not in (14, 15))
"""GPIO lines at the header of a board, without its serial line."""


def serial_ports(folders: Sequence[str] | None = None) -> list[str]:
    """A lasting name for each serial device; a device with several names is there once."""
    looked = FOLDERS if folders is None else tuple(folders)
    return _by_device(path for folder in looked for path in _entries(folder)) + _by_device(
        path for path in map(Path, BUILT_IN) if folders is None and path.exists()
    )


def cameras(folders: Sequence[str] = CAMERAS) -> list[str]:
    """A lasting name for each camera, CSI cameras last; a camera's second device node (of its clock or its
    pictures' facts) is left out.
    """
    nodes = (path for folder in folders for path in _entries(folder) if path.name.endswith("index0"))
    return [*_by_device(nodes), *csi_cameras()]


def board_model(file: Path = Path("/proc/device-tree/model")) -> str | None:
    """What board this is, None if it does not say."""
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip("\0\n") or None
    except OSError:
        return None


def has_pins(devices: Path = Path("/dev")) -> bool:
    """Whether this machine has pins, whoever may use them."""
    return any(devices.glob("gpiochip*"))


def _entries(folder: str) -> list[Path]:
    place = Path(folder)
    return sorted(place.iterdir()) if place.is_dir() else []


def _by_device(paths: Iterable[Path]) -> list[str]:
    found: dict[Path, str] = {}
    for path in paths:
        if path.exists():
            found.setdefault(path.resolve(), str(path))
    return list(found.values())


def holder_of(port: str, processes: Path = Path("/proc")) -> str | None:
    """Who has this port open: its service, else its program; None where nobody is seen, or may be."""
    device, own = os.path.realpath(port), str(os.getpid())
    for process in processes.glob("[0-9]*"):
        try:
            held = process.name != own and any(os.readlink(fd) == device for fd in (process / "fd").iterdir())
            if held:
                unit = re.search(r"/([\w@.:-]+)\.service", (process / "cgroup").read_text(encoding="utf-8"))
                name = (process / "comm").read_text(encoding="utf-8").strip()
                return f"{unit[1] if unit else name} (process {process.name})"
        except OSError:
            continue  # it has ended, or it is somebody else's
    return None


def card_codes(name: str, folder: Path) -> Callable[[str], bool]:
    """Whether a code is a card's, by the code map of this name; nothing is, where there is no such map."""
    code_map, problems = resolve_code_map(name, folder, ())
    if code_map is None or problems:
        return lambda code: False
    return lambda code: decode(code_map, code).verdict == "card"


class Search:
    """Listens at every port and says who is there. ``say`` is called from threads of the ports."""

    def __init__(
        self, ports: Sequence[str], say: Callable[[Heard], None], is_card: Callable[[str], bool]
    ) -> None:
        self._ports = ports
        self._say = say
        self._is_card = is_card
        self._listening: dict[str, Listening] = {}

    def start(self) -> None:
        """Ask at every port at once for devices that answer, then listen at the others."""
        with ThreadPoolExecutor(len(self._ports) or 1) as asking:
            answers = list(asking.map(ask_at, self._ports))
        for port, answered in zip(self._ports, answers, strict=True):
            if answered is not None:
                self._say(answered)
            else:
                self._listening[port] = Listening(port, self._say, self._is_card)

    def next_rate(self, port: str) -> int:
        """What is heard at this port makes no sense: go on at another speed, which is returned."""
        return self._listening[port].next_rate()

    def stop(self) -> None:
        """Let go of every port."""
        for listening in self._listening.values():
            listening.stop()
        self._listening.clear()


@dataclass(frozen=True, slots=True)
class Pressed:
    """A line that is at another level than at rest; ``active``: as a configuration says it."""

    number: int
    active: str


class PinWatch:
    """Looks which line at the header changes when somebody presses a button; nothing is driven."""

    def __init__(self, factory: PinFactory = board_factory) -> None:
        self._factory = factory
        self._inputs: dict[int, Any] = {}
        self._rest: dict[int, bool] = {}

    def start(self) -> str | None:
        """Take every line that is free; why none can be had, or None."""
        try:
            made = self._factory()
        except DeviceFault as problem:
            return str(problem)
        refused: DeviceFault | None = None
        for number in HEADER:
            try:
                self._inputs[number] = open_input(number, "low", made)
            except DeviceFault as problem:
                refused = problem
        self.rest()
        return None if self._inputs else str(refused)

    def rest(self) -> None:
        """As it is now is at rest."""
        self._rest = {number: bool(pin.is_active) for number, pin in self._inputs.items()}

    def pressed(self, taken: Iterable[int] = ()) -> Pressed | None:
        """The line that is not at rest; None if none is, or where several are."""
        free = set(self._inputs) - set(taken)
        changed = [
            number for number in sorted(free) if bool(self._inputs[number].is_active) != self._rest[number]
        ]
        if len(changed) != 1:
            return None
        (number,) = changed
        return Pressed(number, "high" if self._rest[number] else "low")

    def free(self, number: int) -> bool:
        """Whether the line is at rest again."""
        return bool(self._inputs[number].is_active) == self._rest[number]

    def stop(self) -> None:
        """Give the lines back."""
        for pin in self._inputs.values():
            pin.close()
        self._inputs.clear()
