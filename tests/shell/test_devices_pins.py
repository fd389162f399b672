"""A table on pins: buttons, key switch, beam, lights and lock, on the real library's mock pins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.vocabulary import events
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.gpio import GpioShuffler
from drivers.gpio.inputs import InputTimes
from drivers.gpio.simulator import SimulatedBoard, SimulatedShuffler
from drivers.keypad.simulator import Keypad
from tests.harness.whole import PANEL, Whole, must, whole

OPEN, CLOSE, SETTLED, HOLD, SHOE, CONTINUE, VOID, KEY, BEAM = 5, 6, 19, 26, 4, 17, 27, 25, 24
LAMPS = {"red": 16, "yellow": 20, "green": 21, "hold": 12, "shoe_lock": 8}

BEE_TEK = """
[devices.shoe]
driver = "bee-tek"
port = "{folder}/shoe"
"""
GPIO_PANEL = f"""
[devices.panel]
driver = "gpio"
key_switch = {KEY}
key_badge = "pit"
debounce_ms = 40
buttons = {{ open = {OPEN}, close = {CLOSE}, settled = {SETTLED}, hold = {HOLD} }}
lines = {{ "SHOE 416" = {SHOE}, "CLEAR continue" = {CONTINUE}, "CLEAR void" = {VOID} }}
"""
LIGHTS = """
[devices.lights]
driver = "gpio"
red = 16
yellow = 20
green = 21
hold = 12
buzzer = 7
shoe_lock = 8
"""
WATCHED = f"""
[devices.beam]
driver = "gpio"
pin = {BEAM}
debounce_ms = 40
card_within_ms = 60000
"""
HASTILY_WATCHED = WATCHED.replace("60000", "4000")
"""Where that no card comes is the point: long enough for a slow disk between a break and its card."""


class Fingers:
    """Presses buttons, turns the key, passes cards through the beam, looks at the lamps."""

    def __init__(self, board: SimulatedBoard) -> None:
        self.board = board

    def press(self, *pins: int) -> None:
        for pin in pins:
            self.board.press(pin)

    def let_go(self, *pins: int) -> None:
        for pin in pins:
            self.board.let_go(pin)

    @property
    def lit(self) -> set[str]:
        return {name for name, pin in LAMPS.items() if self.board.output(pin)}


@contextmanager
def table_on_pins(folder: Path, devices: str) -> Iterator[tuple[Whole, Fingers, SimulatedBeeTek]]:
    board = SimulatedBoard()
    with (
        SimulatedBeeTek(folder / "shoe") as shoe,
        whole(folder, BEE_TEK + devices, pins=board.factory) as table,
    ):
        yield table, Fingers(board), shoe


def push(table: Whole, fingers: Fingers, pin: int, kind: type[events.AnyEvent]) -> None:
    """Press a button, and see it arrive."""
    before = len(table.of(kind))
    fingers.press(pin)
    table.wait_event(kind, before + 1)
    fingers.let_go(pin)


def test_a_round_by_buttons_with_the_lights_that_go_with_it(tmp_path: Path) -> None:
    with table_on_pins(tmp_path, GPIO_PANEL + LIGHTS) as (table, fingers, shoe):
        assert fingers.lit == {"red", "shoe_lock"}
        push(table, fingers, SHOE, events.ShoeLoaded)
        push(table, fingers, OPEN, events.BetsOpened)
        assert fingers.lit == {"green", "shoe_lock"}
        push(table, fingers, CLOSE, events.BetsClosed)
        assert fingers.lit == {"red"}
        table.deal(shoe, "8S", "5C")
        push(table, fingers, HOLD, events.HoldRequested)
        assert fingers.lit == {"red", "hold", "shoe_lock"}
        push(table, fingers, CONTINUE, events.HoldCleared)
        assert table.state.hold is not None, "nobody clears a hold without the key"
        fingers.board.set_input(KEY, True)
        table.wait(lambda: "KEY pit" in [told.words for told in table.of(events.DeviceReported)], "the key")
        push(table, fingers, CONTINUE, events.HoldCleared)
        assert fingers.lit == {"red"}
        table.deal(shoe, "KC", "2D")
        table.wait_said("round.result")
        push(table, fingers, SETTLED, events.RoundSettled)
        assert fingers.lit == {"red", "shoe_lock"}
        board = fingers.board
        push(table, fingers, OPEN, events.BetsOpened)
    assert {name for name, pin in LAMPS.items() if board.output(pin)} == {"red", "shoe_lock"}


def test_a_board_that_goes_in_a_round_and_comes_back(tmp_path: Path) -> None:
    with table_on_pins(tmp_path, GPIO_PANEL + LIGHTS) as (table, fingers, shoe):
        push(table, fingers, SHOE, events.ShoeLoaded)
        push(table, fingers, OPEN, events.BetsOpened)
        push(table, fingers, CLOSE, events.BetsClosed)
        table.deal(shoe, "8S", "5C")
        pin = fingers.board.factory().pin(OPEN)
        read, pin._get_state = pin._get_state, no_level
        table.wait_hold("device_lost")
        pin._get_state = read
        assert table.wait_said("device.restored")["device"] == "panel"
        fingers.board.set_input(KEY, True)
        table.wait(lambda: table.of(events.DeviceReported)[-1].words == "KEY pit", "the key")
        push(table, fingers, CONTINUE, events.HoldCleared)
        table.deal(shoe, "KC", "2D")
        table.wait_said("round.result")


def no_level() -> bool:
    raise OSError("I/O error")


def pass_beam(table: Whole, fingers: Fingers) -> None:
    """A card goes through the beam, and leaves it."""
    for move, word in ((fingers.press, "the beam is broken"), (fingers.let_go, "the beam is free again")):
        before = told(table, word)
        move(BEAM)
        table.wait(lambda word=word, before=before: told(table, word) > before, word)


def told(table: Whole, word: str) -> int:
    return sum(event.words.startswith(word) for event in table.of(events.DeviceReported))


def test_cards_that_break_the_beam_are_dealt(tmp_path: Path, keypad: Keypad) -> None:
    with table_on_pins(tmp_path, WATCHED + PANEL) as (table, fingers, shoe):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        for card in ("8S", "5C", "KC", "2D"):
            pass_beam(table, fingers)
            table.deal(shoe, card)
        table.wait_said("round.result")
        assert table.state.hold is None
        assert [card.parted for card in table.of(events.CardRead)] == [True] * 4


def test_a_break_that_meets_no_card_is_a_card_unread(tmp_path: Path, keypad: Keypad) -> None:
    with table_on_pins(tmp_path, HASTILY_WATCHED + PANEL) as (table, fingers, shoe):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        pass_beam(table, fingers)
        table.deal(shoe, "8S")
        pass_beam(table, fingers)
        table.wait_hold("card_unread")
        must(keypad, "KEY 17", "ENTER 5C", "CLEAR enter", "NOKEY")
        for card in ("KC", "2D"):
            pass_beam(table, fingers)
            table.deal(shoe, card)
        assert table.wait_said("round.result")["hands"] == {"player": ["8S", "KC"], "banker": ["5C", "2D"]}


def test_a_card_that_breaks_no_beam_holds(
    tmp_path: Path, keypad: Keypad, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.shell.intake.pairing.SETTLING_NS", 0)
    with table_on_pins(tmp_path, HASTILY_WATCHED + PANEL) as (table, _, shoe):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, "8S")
        table.wait_hold("requested")
        assert table.of(events.HoldRequested) == [events.HoldRequested(by="beam")]
        must(keypad, "KEY 17", "RETURN 8S", "CLEAR continue")
        assert table.state.round is not None
        assert table.state.round.laid == ()


def test_a_beam_that_goes_in_a_round_and_comes_back(
    tmp_path: Path, keypad: Keypad, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.shell.intake.pairing.SETTLING_NS", 0)
    with table_on_pins(tmp_path, WATCHED + PANEL) as (table, fingers, shoe):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        pass_beam(table, fingers)
        table.deal(shoe, "8S")
        pin = fingers.board.factory().pin(BEAM)
        read, pin._get_state = pin._get_state, no_level
        table.wait_hold("device_lost")
        pin._get_state = read
        assert table.wait_said("device.restored")["device"] == "beam"
        must(keypad, "KEY 17", "CLEAR continue")
        for card in ("5C", "KC", "2D"):
            pass_beam(table, fingers)
            table.deal(shoe, card)
        table.wait_said("round.result")
        assert table.state.hold is None


def test_a_beam_that_stays_broken_is_said_and_forgotten_when_it_is_free(
    tmp_path: Path, keypad: Keypad, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("drivers.gpio.driver.BEAM_TIMES", InputTimes(stuck_ms=50, at_once=True))
    with table_on_pins(tmp_path, WATCHED + PANEL) as (table, fingers, _):

        def stuck() -> bool:
            return any(alert.id == "condition-stuck-beam-beam" for alert in table.state.alerts)

        fingers.board.set_input(BEAM, True)
        table.wait(stuck, "an alert")
        fingers.board.set_input(BEAM, False)
        table.wait(lambda: not stuck(), "it is over")


# --- a shuffler on pins: what it says, and the rules of a load (shuffle_doubt), at a whole table

COUNTED = GpioShuffler(running=22, ready=23, door=18, jam=10, count=9, debounce_ms=10)
UNCOUNTED = GpioShuffler(running=22, ready=23, jam=10, debounce_ms=10, ready_within_ms=200)


def keys_of(settings: GpioShuffler) -> str:
    """Its table in the file."""
    keys = {"debounce_ms": settings.debounce_ms, "ready_within_ms": settings.ready_within_ms}
    lines = [f"{key} = {value}" for key, value in {**keys, **dict(settings.pins())}.items()]
    return "\n".join(['[devices.shuffler]\ndriver = "gpio"', *lines, ""])


@contextmanager
def table_with_shuffler(
    folder: Path, settings: GpioShuffler, game: str = "two-cards-high"
) -> Iterator[tuple[Whole, SimulatedShuffler]]:
    board = SimulatedBoard()
    machine = SimulatedShuffler(board, settings)
    with (
        SimulatedBeeTek(folder / "shoe"),
        whole(folder, BEE_TEK + PANEL + keys_of(settings), game=game, pins=board.factory) as table,
    ):
        yield table, machine


def shuffled(table: Whole, machine: SimulatedShuffler, cards: int) -> int | None:
    """A whole shuffle, seen to arrive; how many cards the table was told of."""
    before = len(table.of(events.ShuffleCompleted))
    machine.shuffle(cards)
    return table.wait_event(events.ShuffleCompleted, before + 1).cards


def test_what_a_shuffler_on_pins_counts_is_held_against_the_load(tmp_path: Path, keypad: Keypad) -> None:
    """5.1.2: its count stays with those cards, and no key outranks it; a full shuffle ends the doubt."""
    with table_with_shuffler(tmp_path, COUNTED) as (table, machine):
        must(keypad, "SHOE 40")
        table.wait_hold("shuffle_doubt")  # nobody has shuffled them
        assert shuffled(table, machine, 40) == 40
        table.wait(lambda: table.state.hold is None, "the doubt is over")
        assert shuffled(table, machine, 39) == 39
        table.wait_hold("shuffle_doubt")
        must(keypad, "KEY 17")
        assert (
            keypad.press("CLEAR", "accept", "it will do")
            == "NO a count is never attested: COUNT the whole set, or load one that was shuffled"
        )
        assert shuffled(table, machine, 40) == 40
        table.wait(lambda: table.state.hold is None, "the doubt is over")
        must(keypad, "OPEN", "CLOSE")
        assert [event.words for event in table.of(events.DeviceReported) if event.words == "START"] == [
            "START"
        ] * 3


def test_a_shuffler_that_counts_nothing_confirms_the_shuffle_alone(tmp_path: Path, keypad: Keypad) -> None:
    with table_with_shuffler(tmp_path, UNCOUNTED, "baccarat") as (table, machine):
        assert shuffled(table, machine, 416) is None
        told = keypad.press("SHOE 415")
        assert told.startswith(
            "NO this shoe opens no round: 415 cards of 8 decks were loaded, baccarat takes 416"
        )
        assert keypad.press("OPEN") == "NO this shoe is withdrawn (wrong_count): load another one"
        assert shuffled(table, machine, 416) is None
        must(keypad, "SHOE 416", "OPEN")
        assert table.state.hold is None


def test_a_jam_and_a_machine_that_does_not_get_ready(tmp_path: Path, keypad: Keypad) -> None:
    """5.1.5: a shuffle that failed opens no round; a supervisor attests one by hand, with a note."""
    with table_with_shuffler(tmp_path, UNCOUNTED, "baccarat") as (table, machine):
        machine.start()
        machine.set("jam", True)
        assert table.wait_event(events.ShuffleFailed).reason == "a card is jammed"
        machine.set("jam", False)
        machine.stop()
        machine.start()
        machine.stop()
        assert table.wait_event(events.ShuffleFailed, 2).reason == "it stopped and is not ready"
        machine.set("ready", True)
        must(keypad, "SHOE 416")
        table.wait_hold("shuffle_doubt")
        must(keypad, "KEY 17", "CLEAR accept washed by hand", "NOKEY", "OPEN")


def test_a_shuffler_on_pins_that_goes_in_a_shuffle(tmp_path: Path, keypad: Keypad) -> None:
    with table_with_shuffler(tmp_path, UNCOUNTED, "baccarat") as (table, machine):
        machine.start()
        table.wait(lambda: table.of(events.DeviceReported)[-1].words == "START", "it has begun")
        pin = machine.board.factory().pin(UNCOUNTED.ready)
        read, pin._get_state = pin._get_state, no_level
        assert table.wait_event(events.ShuffleFailed).reason == "its contacts were lost in the shuffle"
        assert table.wait_said("device.lost")["device"] == "shuffler"
        pin._get_state = read
        table.wait_said("device.restored")
        machine.stop()
        machine.set("ready", True)
        assert table.wait_event(events.ShuffleFailed, 2).reason == "its beginning was not seen"
        assert shuffled(table, machine, 416) is None
        must(keypad, "SHOE 416", "OPEN")
