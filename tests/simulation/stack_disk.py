"""A disk under the journal that dies with the machine, tears what was not synced, fills up or fails.

Built on ``tests/faults/disk.py``: the writes are SQLite's own. When the machine dies nothing more reaches
the disk; :meth:`MortalDisk.left` then makes the files what the death has left of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tests.faults.disk import FULL, IO_ERROR_WRITE, OK, Call, Disk

Left = Literal["killed", "no power", "torn"]
LEFT: tuple[Left, ...] = ("killed", "no power", "torn")


@dataclass(frozen=True)
class _Change:
    """A write or cut that no sync has made safe."""

    path: Path
    place: int
    new: bytes | None
    """None: a cut."""
    before: bytes
    """What was there, as far as the file reached."""
    size: int
    """Of the file before."""


@dataclass(eq=False)
class MortalDisk(Disk):
    """The disk of one table."""

    dead: bool = False
    full: bool = False
    dies_in: int | None = None
    """So many more calls go through; then the machine dies."""
    slow: Callable[[], None] | None = None
    """What happens while it syncs: time passes."""
    meanwhile: Callable[[], None] | None = None
    """What other threads do while the program waits for it."""
    _unsafe: list[_Change] = field(default_factory=list)

    def before(self, call: Call) -> int:
        if self.meanwhile is not None and not self.dead and call.kind in ("write", "sync"):
            self.meanwhile()
        if self.dies_in is not None and not self.dead:
            self.dies_in -= 1
            self.dead = self.dies_in < 0
        if self.dead:
            return IO_ERROR_WRITE
        if self.full and call.kind == "write":
            return FULL
        if self.slow is not None and call.kind == "sync":
            self.slow()
        if call.kind in ("write", "truncate") and not call.path.name.endswith("-shm"):
            self._keep(call)
        return OK

    def after(self, call: Call) -> None:
        if call.kind in ("sync", "delete"):
            self._unsafe = [change for change in self._unsafe if change.path != call.path]

    def _keep(self, call: Call) -> None:
        size = call.path.stat().st_size if call.path.exists() else 0
        length = len(call.content) if call.kind == "write" else max(0, size - call.place)
        before = b""
        if call.place < size:
            with call.path.open("rb") as file:
                file.seek(call.place)
                before = file.read(length)
        new = call.content if call.kind == "write" else None
        self._unsafe.append(_Change(call.path, call.place, new, before, size))

    def left(self, how: Left, chance: random.Random) -> None:
        """The machine is dead and all files are closed: the disk as it is found, and alive again."""
        unsafe, self._unsafe = self._unsafe, []
        self.dead, self.dies_in = False, None
        if how == "killed":
            return
        for change in reversed(unsafe):
            _put(change.path, change.place, change.before)
            os.truncate(change.path, change.size)
        if how == "torn":
            for change in unsafe:
                if change.new is not None and chance.random() < 0.5:
                    _put(change.path, change.place, change.new[: chance.randrange(len(change.new) + 1)])


class Disks(Disk):
    """The disks of several tables, each with a folder of its own."""

    def __init__(self) -> None:
        self.of: dict[Path, MortalDisk] = {}
        self._none = Disk()

    def before(self, call: Call) -> int:
        return self.of.get(call.path.parent, self._none).before(call)

    def after(self, call: Call) -> None:
        self.of.get(call.path.parent, self._none).after(call)


def _put(path: Path, place: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)
