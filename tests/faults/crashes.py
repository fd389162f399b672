"""Every crash that a recorded round could have had, and what becomes of each: ``make crashes``.

For every place before and after each write, sync, send and answer the disk is made as the crash would have
left it. Then: the journal opens and holds the first records of the round, whole; nothing was said to a
consumer or confirmed to a device that is not in it; the table folded from it is the one that was there; and
the round is played on to its end, on the real loop and journal, to the right result or an honest void.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from controller.journal.record import Record
from controller.journal.sqlite import SqliteJournal
from controller.journal.verify import verify
from controller.settings.loader import load_configuration
from controller.shell.identity import software_digest
from controller.shell.replay import configured_by
from controller.shell.restart import fold
from controller.table import Table
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import CardRead
from drivers.bee_tek import reading_of
from tests.bench.timing import table as drawn
from tests.faults.loop import judge
from tests.faults.really import die_once
from tests.faults.recording import Left, Recording, record, states
from tests.faults.shim import KINDS
from tests.harness.bench import Bench
from tests.harness.deals import DEALS, Deal
from tests.journal.scratch import scratch_journal

MOST_HOLDS = 3
"""A start in a round whose table held may hold for both reasons, one after the other."""


class Broken(Exception):
    """What a crash must not leave."""


@dataclass
class Tally:
    """What was tried."""

    points: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(kind, before or after) -> how many."""
    left: Counter[Left] = field(default_factory=Counter)
    """So many states of the disk."""
    completed: int = 0
    voided: int = 0
    broken: list[str] = field(default_factory=list)


class Trial:
    """Tries crashes of one recording."""

    def __init__(self, recording: Recording, folder: Path, seed: int) -> None:
        self._recording = recording
        self._path = folder / "crashed.db"
        self._chance = random.Random(seed)
        self._configured = configured_by(load_configuration(recording.configuration))
        self._digest = software_digest()
        self._tables = self._every_table()
        self._put(recording.base)
        with SqliteJournal.open(self._path) as journal:
            self._base = journal.record_head
        """So many records there were when the recorded life began."""
        self.tally = Tally()

    def _every_table(self) -> list[Table]:
        """The table after each record, folded from the whole journal."""
        recording = self._recording
        journal = scratch_journal(epoch=json.loads(recording.messages[0])["epoch"])
        tables, said = [fold(journal, self._digest).table], 0
        for one in recording.records:
            journal.commit([one.body], recording.messages[said : one.stream])
            said = one.stream
            tables.append(Table(journal.epoch, tables[-1].state))
            tables[-1] = tables[-1].apply(*decode_event(one.body))[0]
        return tables

    def _put(self, files: dict[str, bytes]) -> None:
        for old in self._path.parent.glob("crashed.db*"):
            old.unlink()
        for name, body in files.items():
            self._path.with_name(name.replace("journal.db", "crashed.db")).write_bytes(body)

    def try_all(self, of_each: int | None = None) -> Tally:
        """Try every point, before and after it; or only some of each kind, which chance names."""
        log, points = self._recording.log, self._recording.points()
        if of_each is not None:
            kinds = [self._of(kind) for kind in KINDS]
            chosen = [self._chance.sample(places, min(of_each, len(places))) for places in kinds]
            points = sorted(place for places in chosen for place in places)
        for number, place in enumerate(points):
            kind = log[place]["kind"]
            for when, end in (("before", place), ("after", place + 1)):
                self.tally.points[kind, when] += 1
                for left, files in states(self._recording, end, self._chance):
                    self.tally.left[left] += 1
                    try:
                        self._try(end, files)
                    except Exception as error:
                        where = (
                            f"{self._recording.deal.game}: {when} {kind} {number} of {len(points)}, {left}"
                        )
                        self.tally.broken.append(f"{where}: {type(error).__name__}: {error}")
        return self.tally

    def _of(self, kind: str) -> list[int]:
        return [place for place in self._recording.points() if self._recording.log[place]["kind"] == kind]

    def _try(self, end: int, files: dict[str, bytes]) -> None:
        self._put(files)
        journal = SqliteJournal.open(self._path)
        try:
            number = self._check_record(journal, end)
            unheard = self._unheard(number, end)
            bench = Bench(journal, configuration=self._configured, digest=self._digest)
            self._play_on(bench, number, unheard)
            self._check_story(bench, number, voided=bool(unheard))
        finally:
            journal.close()
        found = verify(self._path).findings
        if found:
            raise Broken(f"verify: {found[0].text}")
        self.tally.completed += not unheard
        self.tally.voided += bool(unheard)

    def _check_record(self, journal: SqliteJournal, end: int) -> int:
        """Whole, a beginning of what was recorded, and nothing was said that is not in it; how many records
        it holds.
        """
        recording = self._recording
        records = list(journal.records())
        if records != recording.records[: len(records)]:
            raise Broken("the records are not those that were written")
        messages = [message.body for message in journal.messages(0, 1_000_000)]
        stream = records[-1].stream if records else 0
        if messages != recording.messages[:stream]:
            raise Broken("the messages are not those of the records")
        if recording.sent(end) > len(messages):
            raise Broken(f"message {recording.sent(end)} was sent, the journal ends at {len(messages)}")
        held = Counter(decode_event(one.body)[1].device for one in records[self._base :])
        for device, confirmed in recording.confirmed(end).items():
            if confirmed > held[device]:
                raise Broken(f"{confirmed} words of the {device} were confirmed, {held[device]} are held")
        if fold(journal, self._digest).table.state != self._tables[len(records)].state:
            raise Broken("the table is not the one that was there")
        return len(records)

    def _unheard(self, number: int, end: int) -> int:
        """So many cards the daemon had read from a shoe that says everything once, and not recorded."""
        if self._recording.deal.game == "baccarat":
            return 0
        events = [decode_event(one.body)[0] for one in self._recording.records[self._base : number]]
        cards = sum(isinstance(event, CardRead) for event in events)
        return self._recording.heard(end).count(b"\n") - cards

    def _play_on(self, bench: Bench, number: int, unheard: int) -> None:
        """The devices go on where the table does, as far as they can."""
        self._clear(bench, "void" if unheard else "continue")
        if unheard:
            return
        for one in self._recording.records[number:]:
            self._hear(bench, one)
        if bench.hold is not None:
            raise Broken(f"the table holds: {bench.hold}")

    def _clear(self, bench: Bench, choice: str) -> None:
        for _ in range(MOST_HOLDS):
            if bench.hold is None:
                return
            answers = [bench.key("KEY boss"), bench.key(f"CLEAR {choice}"), bench.key("NOKEY")]
            if answers != ["OK"] * 3:
                raise Broken(f"the hold {bench.hold} is not cleared: {answers}")
        raise Broken(f"the table goes on holding: {bench.hold}")

    def _hear(self, bench: Bench, one: Record) -> None:
        """A device says again, or says only now, what this record holds."""
        _, stamp = decode_event(one.body)
        raw = bytes.fromhex(stamp.raw or "")
        if not raw:
            return
        if stamp.device == "panel":
            bench.type(raw.decode().strip())
            bench.step()
        elif stamp.report is not None:
            bench.hear(raw)
        elif stamp.device == "shoe" and raw.strip().startswith((b"[", b"<")):
            bench.say("shoe", reading_of(raw.strip(b"\r\n")), raw)
            bench.step()

    def _check_story(self, bench: Bench, number: int, *, voided: bool) -> None:
        recording = self._recording
        said: list[dict[str, Any]] = bench.said()
        kept = recording.records[number - 1].stream if number else 0
        bodies = [message.body for message in bench.journal.messages(0, 1_000_000)]
        if bodies[:kept] != recording.messages[:kept]:
            raise Broken("what had been said was changed")
        dealt = list(recording.dealt)
        opened = sum(message["type"] == "dealertable.round.opened.v1" for message in said)
        if opened < len(dealt):
            raise Broken("the round was not opened")
        if voided:
            dealt[-1] = type(dealt[-1])(dealt[-1].line, void=True)
            if bench.hold is not None:
                raise Broken(f"the table holds: {bench.hold}")
        _, _, wrong = judge(said, dealt, recording.deal)
        if wrong:
            raise Broken("; ".join(wrong))


def main() -> int:
    """Try all crashes of a round of every game, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.crashes", description=__doc__)
    parser.add_argument("--of-each", type=int, help="only so many points of each kind [all]")
    parser.add_argument("--real", type=int, default=8, help="real deaths of each game [%(default)s]")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rows, broken = [], []
    for deal in DEALS:
        begun_s = time.monotonic()
        tally = tried(deal, chosen.seed, chosen.of_each)
        broken += tally.broken
        kinds = [f"{tally.points[kind, 'before']} + {tally.points[kind, 'after']}" for kind in KINDS]
        ends = [tally.completed, tally.voided, len(tally.broken), round(time.monotonic() - begun_s)]
        rows.append((deal.game, *kinds, *(str(n) for n in (sum(tally.left.values()), *ends))))
    header = ("game", *(f"{kind}, before + after" for kind in KINDS))
    print(drawn((*header, "states of the disk", "played on", "voided", "broken", "s"), rows))
    chance = random.Random(chosen.seed)
    for deal in DEALS:
        broken += really(deal, chance, chosen.real)
    for line in broken:
        print(line)
    print(f"ended: every point was tried, {len(broken)} are broken")
    return 1 if broken else 0


REACHED = {"write": 50, "sync": 8, "send": 20, "answer": 4}
"""Every life of a table has more than so many of each."""


def really(deal: Deal, chance: random.Random, times: int) -> list[str]:
    """Let the daemon really die at places that chance names; what is wrong after it."""
    broken = []
    for _ in range(times):
        kind, when = chance.choice(KINDS), chance.choice(("before", "after"))
        number = chance.randint(1, REACHED[kind])
        with TemporaryDirectory(prefix="dealer-table-death-") as folder:
            figures = die_once(Path(folder), deal, chance.randrange(1000), kind, when, number)
        if not figures.clean:
            broken.append(f"{deal.game}, killed {when} {kind} {number}: {figures}")
    print(f"{deal.game}: {times} real deaths, {len(broken)} left something wrong")
    return broken


def tried(deal: Deal, seed: int, of_each: int | None = None) -> Tally:
    """Record a round of a game and try its crashes."""
    with TemporaryDirectory(prefix="dealer-table-round-") as folder, scratch() as quick:
        return Trial(record(Path(folder), deal, seed), quick, seed).try_all(of_each)


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder in memory, where there is one: what is tried here has crashed already."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(prefix="dealer-table-", dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


if __name__ == "__main__":
    sys.exit(main())
