"""A table's loop on a bench: the real loop, intake, table and journal; a clock that stands until it is moved.

Instead of cables there are two drivers that keep what they are told; the frames and lines that they deliver
are real ones, read by the real wire. Nothing here runs by itself: the test steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.broker import BrokerSettings
from controller.outbox.publisher import Publisher
from controller.outbox.retained import Unit
from controller.outbox.topics import topics_of
from controller.round.devices import exchanged
from controller.settings.loader import load_configuration
from controller.shell.announcer import Announcer
from controller.shell.batch import Batch
from controller.shell.clock import Clock
from controller.shell.conditions import Watcher
from controller.shell.intake import Intake
from controller.shell.lamps import Lamps
from controller.shell.loop import Loop
from controller.shell.replay import configured_by
from controller.shell.restart import fold
from controller.shell.told import stand_by_what_was_told
from controller.table import Table
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import SoftwareStarted, TableConfigured
from drivers.angel_eye.decode import DESTINATIONS, card_bytes, reading_of, says_again
from drivers.angel_eye.wire import AngelEyeFraming, Report, report_frame
from drivers.keypad import KEYPAD
from drivers.line_protocol import OutOfRange, Understood, read_line
from drivers.ports import Accepted, Answer, PortState, Received, Source
from drivers.ports import Refused as SaidNo
from drivers.readings import DeviceReachable, DeviceUnreachable, KeyPressed, Reading, ShufflerSaid, Unreadable
from drivers.repeats import NumberCycle, ReportLog
from tests.harness.configuration import configured as file_of
from tests.harness.keys import SIGNER
from tests.journal.scratch import scratch_journal

DIGEST = "d" * 64
NUMBERS = NumberCycle(0x31, 0x7E)
PLACES = {word: place for place, word in DESTINATIONS.items()}
SECOND_NS = 1_000_000_000


class StoppedClock(Clock):
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.ns = 1_000 * SECOND_NS

    def monotonic_ns(self) -> int:
        return self.ns

    def now(self) -> str:
        seconds = self.ns // SECOND_NS
        return f"2026-03-01T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"

    def synchronised(self) -> bool:
        return True


class FullDisk(SqliteJournal):
    """A journal whose disk takes nothing while ``full``."""

    full = False

    def commit(self, *records: Any, **more: Any) -> None:
        if self.full:
            raise JournalError("cannot write the journal: database or disk is full")
        super().commit(*records, **more)


@dataclass
class CableEnd:
    """The port that drivers fit, and nothing behind it."""

    name: str
    numbered: bool = False
    answers: list[Answer] = field(default_factory=list)
    """What the loop told it, in order."""
    commands: list[str] = field(default_factory=list)

    @property
    def state(self) -> PortState:
        return PortState(self.name)

    def start(self, deliver: Callable[[Received], None]) -> None:
        """There is nothing to listen to."""

    def acknowledge(self, received: Received, answer: Answer) -> None:
        self.answers.append(answer)

    def stop(self) -> None:
        """There is nothing to stop."""

    def lock(self) -> None:
        self.commands.append("lock")

    def unlock(self) -> None:
        self.commands.append("unlock")

    def clear_error(self, code: int) -> None:
        self.commands.append(f"clear error {code}")

    def query(self) -> None:
        self.commands.append("query")


def configured(**changes: Mapping[str, object]) -> TableConfigured:
    """The event that configures a baccarat table; ``changes`` of its tables: ``round={"bets_s": 20}``."""
    with TemporaryDirectory() as folder:
        return configured_by(load_configuration(file_of(Path(folder), DEVICES, changes)))


DEVICES = """
journal.path = "journal.db"
devices.shoe = { driver = "angel-eye", port = "/dev/shoe" }
devices.panel = { driver = "keypad", port = "/dev/keypad" }
"""
UNNUMBERED = {"shoe": {"driver": "bee-tek", "port": "/dev/shoe"}}


def plugged_in_by(configuration: TableConfigured) -> dict[str, str]:
    """Each device of a configuration, its driver and its port."""
    devices: Any = configuration.configuration["devices"]
    return {
        place: f"{keys['driver']} at {keys.get('port') or keys['source']}"
        for place, keys in devices.items()
        if keys
    }


class Bench:
    """One life of a daemon on a journal; :meth:`again` is the next one."""

    def __init__(
        self,
        journal: SqliteJournal | None = None,
        *,
        configuration: TableConfigured | None = None,
        digest: str = DIGEST,
        clock: StoppedClock | None = None,
        broker: BrokerSettings | None = None,
        ack_timeout_s: float = 30,
        sources: Iterable[Source] = (),
        watchers: Iterable[Watcher] = (),
    ) -> None:
        self.journal: SqliteJournal = journal if journal is not None else scratch_journal()
        self.configuration = configuration or configured()
        self.clock = clock or StoppedClock()
        self.digest = digest
        numbered = bool(self.configuration.core["shoe_numbered"])
        self.shoe = CableEnd("shoe", numbered)
        self.panel = CableEnd("panel")
        self.journal.seal = SIGNER.seal
        restarted = fold(self.journal, digest)
        stand_by_what_was_told(self.journal, restarted)
        self.boot = restarted.boot + 1
        self.intake = Intake({"shoe": ReportLog(NUMBERS, says_again=says_again)} if numbered else {})
        plugged_in = plugged_in_by(self.configuration)
        others = exchanged(restarted.table.state, plugged_in)
        self.intake.restore(
            (device, last.number, bytes.fromhex(last.raw))
            for device, last in restarted.reports.items()
            if device not in others
        )
        self.intake.begin(restarted.table.state, others)
        self.publisher = Publisher(
            topics=topics_of("north", "7"),
            broker=broker or BrokerSettings("north-7"),
            unit=Unit(self.boot, "1.0", digest),
            signer=SIGNER,
            consumers=("settlement",),
            ack_timeout_s=ack_timeout_s,
            stream=self.journal,
        )
        self.batches: list[Batch] = []
        self.loop = Loop(
            table=restarted.table,
            journal=self.journal,
            announcer=restarted.announcer,
            intake=self.intake,
            clock=self.clock,
            boot=self.boot,
            drivers={"shoe": self.shoe, "panel": self.panel},
            publisher=self.publisher,
            lamps=Lamps(self.shoe if numbered else None),
            watchers=watchers,
            sources=sources,
            observer=self.batches.append,
        )
        self.loop.tell(self.configuration)
        self.loop.tell(SoftwareStarted("1.0", digest, self.boot, plugged_in, restarted.left, SIGNER.key))
        last = restarted.reports.get("shoe")
        self.next_number = NUMBERS.after(last.number) if last else NUMBERS.first
        self.step()

    def again(self, **changes: Any) -> Bench:
        """kill -9, and a new start on the same journal."""
        kept: dict[str, Any] = {
            "configuration": self.configuration,
            "digest": self.digest,
            "clock": self.clock,
        }
        return Bench(self.journal, **(kept | changes))

    def step(self) -> None:
        """Handle all that waits."""
        while self.loop.step():
            pass

    def pass_s(self, seconds: float) -> None:
        self.clock.ns += int(seconds * SECOND_NS)
        self.step()

    # What devices say

    def frame(self, data: bytes, number: int | None = None) -> bytes:
        """A report of the Angel Eye shoe, with the next number or another one."""
        if number is None:
            number, self.next_number = self.next_number, NUMBERS.after(self.next_number)
        return report_frame(number, data)

    def hear(self, frame: bytes) -> list[Answer]:
        """A frame comes in and is handled; what the shoe is answered."""
        already = len(self.shoe.answers)
        for piece in AngelEyeFraming(True).feed(frame):
            if not isinstance(piece, Report):
                raise TypeError(f"{frame!r} is no report")
            self.say("shoe", reading_of(piece), piece.raw, piece.number)
        self.step()
        return self.shoe.answers[already:]

    def card(self, code: str, hand: str = "player", index: int = 1, number: int | None = None) -> bytes:
        """A card is drawn; the frame that told it."""
        frame = self.frame(b"D" + card_bytes(code, PLACES[hand], index), number)
        assert self.hear(frame) == [Accepted()]
        return frame

    def say(self, device: str, reading: Reading, raw: bytes = b"", number: int | None = None) -> None:
        """A reading is put on the loop's queue."""
        self.loop.deliver(Received(device, reading, raw, self.clock.monotonic_ns(), number))

    def type(self, line: str) -> None:
        """A line of the keypad is put on the loop's queue."""
        read = read_line(line.encode(), KEYPAD)
        reading = (
            KeyPressed(read.line, read.word, read.arguments)
            if isinstance(read, Understood)
            else Unreadable(read.reason, refused=isinstance(read, OutOfRange))
        )
        self.say("panel", reading, line.encode() + b"\n")

    def key(self, line: str) -> str | None:
        """A key is pressed and handled; the answer as the keypad shows it, None where there is none."""
        already = len(self.panel.answers)
        self.type(line)
        self.step()
        answers = self.panel.answers[already:]
        if not answers:
            return None
        [answer] = answers
        return "OK" if answer == Accepted() else f"NO {answer.why}" if isinstance(answer, SaidNo) else "?"

    def lose(self, device: str) -> None:
        self.say(device, DeviceUnreachable("the port is gone"))
        self.step()

    def restore(self, device: str, *, first: bool = False, replaced: bool = False) -> None:
        """A device answers (again)."""
        self.say(device, DeviceReachable("tty 4:7", first, replaced))
        self.step()

    # Ways to somewhere

    def load(self) -> None:
        """A good shoe, shuffled where the table has a shuffler."""
        if self.state.configuration.shuffler:
            self.say("shuffler", ShufflerSaid("DONE 416", "DONE", ("416",)))
            self.step()
        assert self.key("SHOE 416") == "OK"

    def open(self) -> None:
        """A round, up to where cards are dealt."""
        assert [self.key("OPEN"), self.key("CLOSE")] == ["OK", "OK"]

    def deal(self, *codes: str) -> None:
        """Cards in deal order."""
        for place, code in enumerate(codes):
            self.card(code, ("player", "banker")[place % 2], place // 2 + 1)

    def play(self, *codes: str) -> None:
        """A whole round, by default a natural for the player."""
        self.open()
        self.deal(*(codes or ("8S", "5C", "KC", "2D")))
        assert self.key("SETTLED") == "OK"

    # What came of it

    @property
    def state(self) -> Any:
        """The state of the table; it has one since the first start."""
        return self.loop.table.state

    @property
    def hold(self) -> str | None:
        return None if self.state.hold is None else self.state.hold.reason

    def said(self, after: int = 0) -> list[dict[str, Any]]:
        """The messages of the stream above a sequence."""
        return [json.loads(message.body) for message in self.journal.messages(after, 1_000_000)]

    def names(self, after: int = 0) -> list[str]:
        return [heard["type"].removeprefix("dealertable.").removesuffix(".v1") for heard in self.said(after)]

    def head(self) -> int:
        return self.journal.stream_head


def told_from_scratch(journal: SqliteJournal, digest: str = DIGEST) -> tuple[Table, Announcer]:
    """The table that a fold of the whole journal gives, without any snapshot."""
    restarted = fold(cast(SqliteReader, WithoutSnapshot(journal)), digest)
    return restarted.table, restarted.announcer


class WithoutSnapshot:
    """A journal that has lost its snapshots."""

    def __init__(self, journal: SqliteReader) -> None:
        self._journal = journal

    def snapshot(self) -> None:
        """None is left."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)
