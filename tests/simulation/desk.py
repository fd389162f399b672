"""The table under test, core and intake: readings of devices go in, messages come out, there is a screen.

The clock is a number; nothing sleeps. ``Desk`` is what people, readers and oracles see of a table, at this
level and at that of the whole stack.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

import msgspec

from controller.round import prices
from controller.round.opening import obstacle
from controller.round.state import State
from controller.round.turn import game_of
from controller.round.view import public_cards, shoe_progress
from controller.shell.intake import Intake
from controller.shell.intake.pairing import Pairing
from controller.shell.intake.witnesses import Witnesses
from controller.shell.restart import decode_snapshot, encode_snapshot
from controller.shell.timers import Timers
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.effects import Refuse, Say
from controller.vocabulary.events import AnyEvent, SoftwareStarted, Stamp, TableConfigured
from drivers.keypad import KEYPAD
from drivers.line import SHUFFLER
from drivers.line_protocol import Understood, read_line
from drivers.ports import Received
from drivers.readings import DeviceReachable, KeyPressed, Reading, ShufflerSaid
from drivers.repeats import NumberCycle, ReportLog
from tests.simulation.course import Held, Message, Screen, Told
from tests.simulation.drawing import Drawn

prices.NUMPY = True  # the simulation asks for millions of prices, and has the memory
BEGAN = datetime(2026, 1, 31, 20, 15, tzinfo=UTC)
SECOND_NS = 1_000_000_000
SILENT_EACH = 7
"""One book in so many rounds is not closed, where the table awaits that."""
WITHIN_NS = 1_500_000_000
"""How far the reports of one card may lie apart."""


class Desk(Protocol):
    """A table as the simulated world sees it."""

    def say(self, device: str, reading: Reading, number: int | None = None) -> Told:
        """A device says something; ``number`` is its own of the report."""

    def key(self, line: str) -> Told:
        """A key of the dealer's panel, as its line."""

    def shuffler(self, line: str) -> Told:
        """A line of the shuffler."""

    def take_seats(self, numbers: tuple[int, ...]) -> Told:
        """Who plays is said, by whoever says it at this table."""

    def wait(self, seconds: float) -> Told:
        """Time passes."""

    def jump(self, seconds: float) -> None:
        """The wall clock is set; the other one goes on."""

    def hears(self, device: str) -> bool:
        """Whether the table can understand what the device says next."""

    def restart(self, drawn: Drawn | None = None) -> Told:
        """The program starts again from its record, perhaps with another configuration."""

    def screen(self) -> Screen:
        """What the dealer's page shows."""

    @property
    def now_ns(self) -> int:
        """The monotonic clock."""


Recorded = tuple[AnyEvent, Stamp]


class CoreDesk:
    """Intake and ``Table.handle``, folded in memory."""

    def __init__(self, drawn: Drawn) -> None:
        self.now_ns = SECOND_NS
        self.shift = timedelta()
        self.table = Table(1)
        self.record: list[Recorded] = []
        """Every event since the start."""
        self._choices: dict[str, tuple[str, ...]] = {}
        """What may be chosen in a hold, as the table said it last."""
        self.boot = 0
        self._timers = Timers()
        self._intake = Intake({})
        self.drawn = drawn
        self._seen: tuple[State, Screen] | None = None
        """The screen of a state; people look more often than it changes."""
        self._plugged: dict[str, str] = {}
        """What the port of each device told last."""
        self.restart(drawn)

    @property
    def state(self) -> State:
        """The table's state."""
        assert self.table.state is not None
        return self.table.state

    def say(self, device: str, reading: Reading, number: int | None = None) -> Told:
        raw = repr((reading, number)).encode()
        if isinstance(reading, DeviceReachable) and reading.identity is not None:
            self._plugged[device] = reading.identity
        received = Received(device, reading, raw, self.now_ns, number)
        told = Told()
        for event in self._intake.take(received, self.state).events:
            told.add(self._tell(event, device, raw, number))
        return told

    def key(self, line: str) -> Told:
        understood = read_line(line.encode(), KEYPAD)
        assert isinstance(understood, Understood), line
        return self.say("panel", KeyPressed(understood.line, understood.word, understood.arguments))

    def shuffler(self, line: str) -> Told:
        understood = read_line(line.encode(), SHUFFLER)
        assert isinstance(understood, Understood), line
        return self.say("shuffler", ShufflerSaid(understood.line, understood.word, understood.arguments))

    def take_seats(self, numbers: tuple[int, ...]) -> Told:
        if self.drawn.core.game.seats_from == "panel":
            return self.key(seats_key(numbers))
        return self._tell(events.SeatsTaken(numbers))

    def wait(self, seconds: float) -> Told:
        told, until = Told(), self.now_ns + int(seconds * SECOND_NS)
        if getattr(self.state, "awaits_book", False) and self.state.rounds % SILENT_EACH:
            told.add(self._tell(events.BookClosed()))
        while True:
            watched = self._intake.wait_s(self.now_ns)
            waits = min(self._timers.wait_s(self.now_ns), 1e9 if watched is None else watched)
            due_ns = self.now_ns + int(waits * SECOND_NS) + 1
            self.now_ns = min(until, due_ns)
            for device, event in self._intake.due(self.now_ns):
                told.add(self._tell(event, device))
            for elapsed in self._timers.due(self.now_ns):
                told.add(self._tell(elapsed))
            if due_ns >= until:
                return told

    def hears(self, device: str) -> bool:
        return True

    def jump(self, seconds: float) -> None:
        self.shift += timedelta(seconds=seconds)

    def restart(self, drawn: Drawn | None = None) -> Told:
        self.drawn = drawn or self.drawn
        if self.table.state is not None:
            self.table = Table(1, decode_snapshot(encode_snapshot(self.state, {})).state)
        reports = self._intake.last_reports()
        logs = {"shoe": ReportLog(NumberCycle(0, 99))} if self.drawn.core.shoe_numbered else {}
        within = Pairing(WITHIN_NS), Pairing(WITHIN_NS)
        witnesses = Witnesses(
            within[0] if self.drawn.beam else None, within[1] if self.drawn.second else None
        )
        self._intake, self._timers = Intake(logs, witnesses=witnesses), Timers()
        self._intake.restore(reports)
        self._intake.begin(self.table.state)
        self.boot += 1
        told = self._tell(TableConfigured(core=msgspec.to_builtins(self.drawn.core)))
        told.add(self._tell(self._started()))
        for device in self.drawn.devices:
            identity = self._plugged.get(device) or self.drawn.plugged(device, 0, 0)
            told.add(self.say(device, DeviceReachable(identity, first=True)))
        self.now_ns += 4 * SECOND_NS
        return told

    def _started(self) -> SoftwareStarted:
        """The start, with the drivers of the devices where the program asks for them."""
        drivers = dict.fromkeys(self.drawn.devices, "any")
        drivers["shoe"] = "angel-eye" if self.drawn.core.shoe_numbered else "scanner"
        told: dict[str, Any] = {"devices": drivers} if "devices" in SoftwareStarted.__struct_fields__ else {}
        return SoftwareStarted("1", "d", self.boot, **told)

    def screen(self) -> Screen:
        if self._seen is None or self._seen[0] is not self.state:
            self._seen = self.state, screen_of(self.state, self._choices)
        return self._seen[1]

    def _tell(
        self, event: AnyEvent, device: str | None = None, raw: bytes = b"", number: int | None = None
    ) -> Told:
        count = len(self.record) + 1
        stamp = Stamp(
            at=f"{BEGAN + self.shift + timedelta(microseconds=self.now_ns // 1000):%Y-%m-%dT%H:%M:%S.%fZ}",
            sequence=count,
            boot=self.boot,
            monotonic_ns=self.now_ns,
            nonce=hashlib.md5(count.to_bytes(8, "big"), usedforsecurity=False).hexdigest(),
            device=device,
            raw=raw.hex() or None,
            report=number,
        )
        self.record.append((event, stamp))
        try:
            self.table, effects = self.table.handle(event, stamp)
        except Exception as error:
            return Told(failure=f"{type(event).__name__}: {error!r}")
        told = Told()
        for effect in effects:
            if isinstance(effect, Refuse):
                told.refused.append(effect.code)
            elif isinstance(effect, Say):
                message = effect.message
                data = msgspec.to_builtins(message)
                if message.name == "table.held":
                    self._choices[data["reason"]] = tuple(data["choices"])
                told.messages.append(Message(f"1-{effect.sequence}", message.name, data))
        self._timers.follow(self.state.timers, self.now_ns)
        return told


def seats_key(numbers: tuple[int, ...]) -> str:
    """The key that says who plays."""
    return " ".join(("SEATS", *map(str, numbers)))


def screen_of(state: State, choices: Mapping[str, tuple[str, ...]]) -> Screen:
    """What the dealer's page shows; ``choices``: of each hold, as the table said them last."""
    hold, shoe = state.hold, state.shoe
    held = None
    if hold is not None:
        items = tuple(drawn.draw for drawn in hold.items)
        joined = tuple(drawn.draw for drawn in hold.joined)
        asked = (one.evidence.draw for one in hold.findings if one.code == "rapid_repeat")
        asks = frozenset(draw for draw in asked if isinstance(draw, int))
        held = Held(hold.reason, choices[hold.reason], items, joined, asks)
    waiting = frozenset(card.draw for one in state.holds for card in one.cards)
    shown = public_cards(state, game_of(state.configuration))
    found = None if state.in_round else obstacle(state)
    progress = shoe_progress(state)
    return Screen(
        state.phase,
        held,
        waiting,
        tuple((card.position, card.card) for card in shown),
        0 if progress is None else progress.burns_pending,
        shoe is not None and shoe.burn_count_pending,
        0 if shoe is None else shoe.draws,
        getattr(state, "seats", ()) or tuple(range(1, state.configuration.game.seats + 1)),
        None if found is None else found.code,
        getattr(state, "awaits_book", False),
        0 if shoe is None else shoe.left,
    )
