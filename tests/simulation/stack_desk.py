"""The table under test with its whole stack: what the core's desk takes as readings are bytes on cables here.

What the table says is read from its record, after whatever happened: a message that was lost with the
machine was never said. A machine that died is started again before anybody is told anything.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from controller.games.game import BURN
from controller.journal.reader import SqliteReader
from controller.outbox.envelope import canonical
from controller.round.state import State
from controller.round.turn import game_of
from controller.round.view import next_position
from controller.vocabulary.codec import decode_event
from controller.vocabulary.irregularities import KINDS
from drivers.angel_eye import wire
from drivers.angel_eye.decode import DESTINATIONS, WINNERS, card_bytes
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.line_simulator import SimulatedLineDevice
from drivers.readings import (
    CardNotRead,
    CardReported,
    CutCardReported,
    DeviceReachable,
    DeviceUnreachable,
    Reading,
    ResultGiven,
    StartReported,
)
from tests.simulation.course import Message, Screen, Told
from tests.simulation.desk import Recorded, screen_of, seats_key
from tests.simulation.drawing import Drawn, build
from tests.simulation.stack_cables import Cable
from tests.simulation.stack_consumer import Settler
from tests.simulation.stack_oracles import Promises, said_since
from tests.simulation.stack_settings import Rest, given
from tests.simulation.stack_table import Floor, StackTable, port

RESULTS = {word: bits for bits, word in WINNERS.items()}
FOUND_S = 2.5
"""So long it takes until a driver tries again."""
PLACES = {word: place for place, word in DESTINATIONS.items()}
MOST_WAITS = 200
START_S = 4.0
"""A start, and what devices say again after it."""


def possible(drawn: Drawn) -> Drawn:
    """The same table with devices that a stack of ours can have: the shoe that numbers its reports deals
    baccarat (most of it) and says no marks of cards, and a beam hangs on pins, which have threads of their
    own. Such a shoe names no hand for a card that is to be burned: where the first card closes the bets, none
    is."""
    numbered = drawn.core.game.name == "baccarat" and (drawn.core.shoe_numbered or drawn.usb)
    core = {key: value for key, value in drawn.values.get("core", {}).items() if key != "code_map"}
    shoe = {key: value for key, value in drawn.values["shoe"].items() if key != "burn_each_round"}
    burns = {"shoe": shoe} if numbered and drawn.core.round.close == "first_card" else {}
    return build(
        {**drawn.values, "core": core, **burns},
        numbered=numbered,
        beam=False,
        second=drawn.second,
        shuffler=drawn.shuffler,
        usb=drawn.usb,
    )


class StackDesk:
    """One table of a floor."""

    def __init__(self, floor: Floor, folder: Path, name: str, drawn: Drawn, rest: Rest) -> None:
        self.floor, self.drawn, self.rest = floor, drawn, rest
        self._house = folder / f"{name}.json"
        """The house's own pay table."""
        self.table = StackTable(floor, folder, name, *given(self._house, drawn, rest), shoe=rest.shoe(name))
        self.table.refuse = lambda code: self._refused.append(code)
        self.base = f"dealer-table/v1/north/{name}" + ("/test" if drawn.core.table.mode == "test" else "")
        self.settlers = [Settler(floor.broker, floor.now, one, self.base) for one in rest.consumers]
        self._refused: list[str] = []
        self._second = rest.scanner(name, "second_reader")
        self._shuffler = SimulatedLineDevice(port(name, "shuffler"))
        self._said = 0
        self._left_out: dict[int, int] = {}
        """Number of a report that did not come, as the world counts -> as the shoe does."""
        self._last = 0
        self.record: list[Recorded] = []
        self._choices: dict[str, tuple[str, ...]] = {}
        self.promises = Promises()
        self.wrong: list[str] = []
        """What the table has not kept."""
        for settler in self.settlers:
            settler.come()
            floor.looks.append(settler.tick)
        floor.broker.attach((f"{self.base}/events",), self._published)
        for cable in self.table.cables:
            cable.usb = drawn.usb
        self.table.born = self._born
        self.first = self._start()
        """What the table said at its first start."""

    # What the world says

    def say(self, device: str, reading: Reading, number: int | None = None) -> Told:
        match reading:
            case DeviceUnreachable():
                self._cable(device).unplug()
            case DeviceReachable():
                cable = self._cable(device)
                cable.plug(cable.device + (reading.replaced and self.drawn.usb))
                self.floor.pass_s(FOUND_S, 0.25)
            case CardReported() if device == "second_reader":
                self._second.scan(self.rest.code(reading.code))
            case _ if self.drawn.core.shoe_numbered:
                self._numbered(reading, number)
            case _:
                self._plain(reading)
        return self.told()

    def _cable(self, device: str) -> Cable:
        [cable] = self.floor.cables.below(str(port(self.table.name, device)))
        return cable

    def _plain(self, reading: Reading) -> None:
        match reading:
            case CardReported():
                self.table.shoe.draw(self.rest.code(reading.code))
            case CardNotRead():
                self.table.shoe.unread_card()
            case CutCardReported():
                self.table.panel.send("CUT")
            case _:
                self._refused.append("no such word")  # a scanner says cards and nothing else

    def _numbered(self, reading: Reading, number: int | None) -> None:
        """The shoe counts its reports as the world does; what the world leaves out never leaves the shoe."""
        shoe, data = self.table.shoe, b""
        match reading:
            case CardReported():
                data = self._card(reading)
            case CardNotRead():
                data = b"E" + bytes((0x80 | 0x40 | 1,))
            case CutCardReported():
                data = b"C"
            case ResultGiven():
                data = b"G" + bytes((0x80 | RESULTS[reading.winner] << 4,))
            case StartReported():
                data = b"S"
        if not data or number is None:
            return
        if number == self._last and shoe._last_frame is not None:
            shoe.send_raw(shoe._last_frame)  # once more, or what it has said of its lock since
        elif number in self._left_out:
            shoe.send_raw(wire.report_frame(self._left_out.pop(number), data))
        else:
            while (self._last + 1) % 100 != number:
                self._last = (self._last + 1) % 100
                self._left_out[self._last] = shoe._next_number
                shoe._next_number = shoe._numbers.after(shoe._next_number)
            self._last = number
            shoe.report(data)

    def _card(self, card: CardReported) -> bytes:
        """A card, for where a shoe that knows the game would send it; an error where it cannot read it."""
        state, game = self.state, game_of(self.state.configuration)
        dealt = (
            () if state.round is None or not state.in_round else state.round.dealt
        )  # bets may be open again
        place = card.destination or next_position(state, game) or game.next_position(dealt) or "player"
        if card.destination is None and state.burns_due:  # such a shoe burns by itself, and says so
            place = BURN
        try:
            return b"D" + card_bytes(card.code, PLACES.get(place, 0), 1)
        except ValueError:
            return b"E" + bytes((0x80 | 0x40 | 1,))

    def key(self, line: str) -> Told:
        panel = self.table.panel
        while panel.answer(0) is not None:
            pass  # nobody reads what was answered to an earlier key
        before = 0 if self.table.daemon is None else self.table.daemon.journal.record_head
        panel.send(line)
        told = self.told()
        if panel.answer(0) == "OK":
            said = f"{line}\n".encode()
            self.promises.answered[said] += 1
            assert self.table.daemon is not None
            if not said_since(self.table.daemon.journal, before, said):
                self.wrong.append(f"{line} was confirmed, and is in no record")
        return told

    def shuffler(self, line: str) -> Told:
        self._shuffler.send(line)
        return self.told()

    def take_seats(self, numbers: tuple[int, ...]) -> Told:
        if self.drawn.core.game.seats_from == "panel":
            return self.key(seats_key(numbers))
        expires = datetime.fromtimestamp(self.floor.now.time() + 5, UTC)
        asked = {"id": "seats", "expires": f"{expires:%Y-%m-%dT%H:%M:%SZ}", "seats": numbers}
        self.floor.broker.publish(f"{self.base}/commands/seats", json.dumps(asked).encode())
        return self.told()

    def wait(self, seconds: float) -> Told:
        self.floor.pass_s(seconds)
        return self.told()

    def hears(self, device: str) -> bool:
        cable = self._cable(device)
        return cable.plugged and not cable.noisy and not cable.spoils

    def jump(self, seconds: float) -> None:
        self.floor.now.jumped_ns += int(seconds * 1e9)

    def restart(self, drawn: Drawn | None = None) -> Told:
        if drawn is not None:
            self._configure(drawn)
        if self.table.daemon is not None:
            self.table.stop()
        told = self._start()
        told.add(self.told())
        return told

    def _configure(self, drawn: Drawn) -> None:
        """Another configuration for the next start, and the shoe that it names in place of the old one."""
        if drawn.core.shoe_numbered != self.drawn.core.shoe_numbered:
            self.rest = self.rest.with_shoe("angel-eye" if drawn.core.shoe_numbered else "scanner")
            self._cable("shoe").drop()
            self.table.shoe = self.rest.shoe(self.table.name)
            self._cable("shoe").device += 1
            self._left_out, self._last = {}, 0
        self.drawn = drawn
        self.table.configure(*given(self._house, drawn, self.rest))

    @property
    def state(self) -> State:
        """The table's; a neighbour's act may have let the machine die."""
        self._wait_patiently()
        state: State = self.table.state
        return state

    def screen(self) -> Screen:
        hold = self.state.hold
        unread = {} if hold is None else {hold.reason: tuple(KINDS[hold.reason].choices)}
        return screen_of(self.state, unread | self._choices)  # a neighbour's act may have let time pass here

    @property
    def now_ns(self) -> int:
        return self.floor.now.ns

    def keep_record(self) -> None:
        """The journal's events, for who tells the history when the files are gone."""
        self.table.die()
        with SqliteReader.open(self.table.journal) as reader:
            self.record = [decode_event(record.body) for record in reader.records()]

    # What it says

    def _start(self) -> Told:
        self.table.start()
        self.floor.pass_s(START_S, 0.25)
        return self.told()

    def told(self) -> Told:
        """All that came of it, when nobody needs to wait any more."""
        self.floor.step()
        self._wait_patiently()
        assert self.table.daemon is not None
        cursors = self.table.daemon.journal.cursors()
        for one in self.settlers:
            if cursors.get(one.name, 0) > one.said:
                self.wrong.append(f"{one.name} said {one.said}, the table has {cursors[one.name]}")
        told = Told(refused=self._refused, failure=next(iter(self.floor.failures.heard), None))
        self._refused = []
        journal = self.table.daemon.journal
        while found := journal.messages(self._said, 500):
            self._said = found[-1].sequence
            told.messages += map(message_of, [one.body for one in found])
        for held in told.named("table.held"):
            self._choices[held["reason"]] = tuple(held["choices"])
        return told

    def _wait_patiently(self) -> None:
        """People wait for a machine that starts, for a disk, and for a shoe that says something again."""
        for _ in range(MOST_WAITS):
            if self.table.daemon is None:
                self.table.start()
                self.floor.pass_s(START_S, 0.25)
            elif self.table.daemon.loop._unwritten is not None or self._speaking:
                self.floor.pass_s(0.25)
            else:
                return

    @property
    def _speaking(self) -> bool:
        """Whether the shoe has said something that nobody confirmed yet."""
        return bool(getattr(self.table.shoe, "_waiting", ()))

    def _published(self, topic: str, payload: bytes, retained: bool) -> None:
        body = canonical(payload)
        sequence: int = json.loads(body)["sequence"]
        journal = None if self.table.daemon is None else self.table.daemon.journal
        if journal is not None and journal.stream_head < sequence:
            self.wrong.append(f"message {sequence} was published before it was durable")
        self.wrong += filter(None, [self.promises.publish(sequence, body)])

    def _born(self) -> None:
        """A start: what was promised in earlier lives is in the record."""
        assert self.table.daemon is not None
        if isinstance(self.table.shoe, SimulatedAngelEye):
            # Once each: their numbers begin again, and an answer to a repetition counts for the next report.
            self.promises.answered |= Counter(set(self.table.shoe.acknowledged))
            self.table.shoe.acknowledged.clear()
        self.wrong += self.promises.kept_by(self.table.daemon.journal)


def message_of(body: bytes) -> Message:
    """A message of the stream as oracles read it."""
    said: dict[str, Any] = json.loads(body)
    name = said["type"].removeprefix("dealertable.").removesuffix(".v1")
    return Message(said["id"], name, said["data"])
