"""One whole round of a game, with every write, sync, send and answer of the daemon in order.

From it every state of the disk that a crash could have left can be made again: killed after any of them (all
that was written is there), or without power (what was not synced is there in any part).
"""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from controller.journal.reader import SqliteReader
from controller.journal.record import Record
from tests.faults.shim import KINDS, shimmed
from tests.harness.deals import Deal
from tests.harness.house import BadHouse, bad_house
from tests.harness.people import Croupier, Dealt

Left = Literal["killed", "no power", "torn"]
_SEQUENCE = re.compile(rb'"sequence":(\d+),"source":')


@dataclass
class Recording:
    """A recorded life of a table."""

    deal: Deal
    configuration: Path
    base: dict[str, bytes]
    """The files as they were when it began."""
    log: list[dict[str, Any]]
    records: list[Record]
    """The journal at the end."""
    messages: list[bytes]
    dealt: list[Dealt]
    ports: dict[str, str]
    """Device -> the terminal that the daemon opened."""

    def points(self) -> list[int]:
        """The places in the log of what a crash may come before or after."""
        return [place for place, entry in enumerate(self.log) if entry["kind"] in KINDS]

    def sent(self, end: int) -> int:
        """The highest sequence that the broker had been sent before place ``end``."""
        found = [0]
        for entry in self.log[:end]:
            if entry["kind"] == "send":
                found += map(int, _SEQUENCE.findall(content(entry)))
        return max(found)

    def confirmed(self, end: int) -> dict[str, int]:
        """Device -> how many of its words had been confirmed before place ``end``."""
        confirmed = dict.fromkeys(self.ports, 0)
        for entry in self.log[:end]:
            if entry["kind"] == "answer" and entry["port"] == self.ports["panel"]:
                confirmed["panel"] += content(entry).count(b"OK")
            elif entry["kind"] == "answer" and content(entry) == b"\x06":
                confirmed["shoe"] += 1
        return confirmed

    def heard(self, end: int) -> bytes:
        """What the daemon had read from the shoe before place ``end``."""
        said = [e for e in self.log[:end] if e["kind"] == "heard" and e["port"] == self.ports["shoe"]]
        return b"".join(map(content, said))


def content(entry: dict[str, Any]) -> bytes:
    """The bytes of an entry."""
    return base64.b64decode(entry["content"])


def record(folder: Path, deal: Deal, seed: int) -> Recording:
    """Deal a round, and then another one in a new life of the daemon, in which everything is written down."""
    control = folder / "control"
    control.mkdir()
    with bad_house(folder, deal, program=shimmed(control), again_s=5.0) as house:
        people = Croupier(house, random.Random(seed), deal=deal)
        play_and_stop(house, people)
        base = files(folder)
        (control / "log").touch()
        house.daemon.start()
        play_and_stop(house, people)
        terminals = {"shoe": house.shoe, "panel": house.keypad}
        log = [json.loads(line) for line in (control / "log").read_text().splitlines()]
        with SqliteReader.open(house.journal) as reader:
            return Recording(
                deal,
                folder / "table.toml",
                base,
                log,
                list(reader.records()),
                [message.body for message in reader.unchecked_messages()],
                people.dealt,
                {device: str(Path(end.path).resolve()) for device, end in terminals.items()},
            )


def play_and_stop(house: BadHouse, people: Croupier, rounds: int = 1) -> None:
    """Deal, until everything is told, and end the daemon in good order."""
    for _ in range(rounds):
        people.round()
    house.wait_delivered()
    if house.daemon.stop() != 0:
        raise AssertionError(house.daemon.log)


def files(folder: Path) -> dict[str, bytes]:
    """The journal's files."""
    found = [path for path in folder.glob("journal.db*") if path.suffix in (".db", ".db-wal")]
    return {path.name: path.read_bytes() for path in found}


def states(recording: Recording, end: int, chance: random.Random) -> Iterator[tuple[Left, dict[str, bytes]]]:
    """What the disk may hold when the daemon ends behind place ``end`` of the log (exclusive)."""
    now = dict(recording.base)
    safe = dict(recording.base)
    waiting: list[dict[str, Any]] = []
    for entry in recording.log[:end]:
        if entry["kind"] not in ("write", "truncate", "delete", "sync"):
            continue
        name = entry["name"]
        if entry["kind"] == "sync":
            safe[name] = now.get(name, b"")
            waiting = [other for other in waiting if other["name"] != name]
        else:
            apply(now, entry)
            waiting.append(entry)
    yield "killed", now
    if waiting:
        yield "no power", safe
        torn = dict(safe)
        for entry in waiting:
            if entry["kind"] == "write" and chance.random() < 0.5:
                some = content(entry)[: chance.randrange(len(content(entry)) + 1)]
                apply(torn, entry | {"content": base64.b64encode(some).decode()})
        yield "torn", torn


def apply(disk: dict[str, bytes], entry: dict[str, Any]) -> None:
    """Do one thing to the files."""
    name = entry["name"]
    if entry["kind"] == "delete":
        disk.pop(name, None)
        return
    before, place = disk.get(name, b""), entry["place"]
    if entry["kind"] == "truncate":
        disk[name] = before[:place]
        return
    written = content(entry)
    disk[name] = before[:place].ljust(place, b"\0") + written + before[place + len(written) :]
