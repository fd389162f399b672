"""Keypad, shuffler and second reader at a whole table, each with its cable pulled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.vocabulary import events
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from drivers.line_simulator import SimulatedLineDevice
from drivers.scanner.simulator import SimulatedScanner
from tests.harness.patience import PATIENCE_S
from tests.harness.whole import PANEL, Whole, must, whole

SHOE = """
[devices.shoe]
driver = "bee-tek"
port = "{folder}/shoe"
"""
SHUFFLER = """
[devices.shuffler]
driver = "line"
port = "{folder}/shuffler"
"""
SECOND = """
[devices.second_reader]
driver = "scanner"
port = "{folder}/second"
agree_within_ms = 1500
"""


@pytest.fixture
def shuffler(tmp_path: Path) -> Iterator[SimulatedLineDevice]:
    with SimulatedLineDevice(tmp_path / "shuffler") as shuffler:
        yield shuffler


@pytest.fixture
def second(tmp_path: Path) -> Iterator[SimulatedScanner]:
    with SimulatedScanner(tmp_path / "second") as second:
        yield second


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedBeeTek]:
    with SimulatedBeeTek(tmp_path / "shoe") as shoe:
        yield shoe


def test_a_keypad_unplugged_in_a_round_and_its_key_is_out(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek
) -> None:
    with whole(tmp_path, SHOE + PANEL) as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE", "KEY 17")
        table.deal(shoe, "8S", "5C")
        keypad.unplug()
        table.wait_hold("device_lost")
        keypad.replug()
        table.wait_said("device.restored")
        assert keypad.ask("CLEAR continue", PATIENCE_S) == "NO turn the supervisor's key"
        must(keypad, "KEY 17", "CLEAR continue")
        table.deal(shoe, "KC", "2D")
        table.wait_said("round.result")


def test_a_day_at_a_table_that_is_signed_for(tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek) -> None:
    with whole(tmp_path, SHOE + PANEL, table='session = "signed"') as table:
        must(keypad, "SHOE 416")
        assert keypad.ask("OPEN", PATIENCE_S) == "NO the table is closed: a supervisor opens it"
        assert keypad.ask("DAY 2026-01-31", PATIENCE_S) == "NO turn the supervisor's key"
        must(keypad, "KEY 17", "DAY 2026-01-31", "NOKEY", "DEALER 4711", "OPEN", "CLOSE")
        assert (table.state.gaming_day, table.state.dealer) == ("2026-01-31", "4711")
        table.deal(shoe, "8S", "5C", "KC", "2D")
        must(keypad, "KEY 17", "ENDDAY", "NOKEY", "SETTLED")
        assert keypad.ask("OPEN", PATIENCE_S) not in ("OK", None)
        assert table.wait_said("table.closed")["by"] == "17"


def test_a_shuffler_of_a_plain_shoe_that_goes_is_an_alert_and_no_hold(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, shuffler: SimulatedLineDevice
) -> None:
    with whole(tmp_path, SHOE + PANEL + SHUFFLER) as table:
        must(shuffler, "START", "DONE 416 red", "LOADED 8 red")
        must(keypad, "OPEN", "CLOSE")
        table.deal(shoe, "8S", "5C")
        shuffler.unplug()
        table.wait_said("device.lost")
        assert table.state.hold is None
        table.deal(shoe, "KC", "2D")
        table.wait_said("round.result")
        shuffler.replug()
        table.wait(lambda: "device-shuffler" in [a["id"] for a in table.said("alert.cleared")], "it is back")
        must(shuffler, "FAIL jam")


def test_a_continuous_shuffler_that_goes_in_a_round_holds(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, shuffler: SimulatedLineDevice
) -> None:
    continuous = '[shoe]\nkind = "continuous"\n'
    with whole(tmp_path, continuous + SHOE + PANEL + SHUFFLER) as table:
        must(shuffler, "DONE 416")
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, "8S", "5C")
        shuffler.unplug()
        table.wait_hold("device_lost")
        shuffler.replug()
        table.wait_said("device.restored")
        must(keypad, "KEY 17", "CLEAR continue")
        table.deal(shoe, "KC", "2D")
        table.wait_said("round.result")


@pytest.fixture
def watched(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, second: SimulatedScanner
) -> Iterator[Whole]:
    """A table with a second reader, in a round."""
    with whole(tmp_path, SHOE + PANEL + SECOND) as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        yield table


def test_two_readers_that_agree_are_as_one(
    watched: Whole, shoe: SimulatedBeeTek, second: SimulatedScanner
) -> None:
    for card in ("8S", "5C", "KC", "2D"):
        second.scan(card)
        watched.deal(shoe, card)
    watched.wait_said("round.result")
    assert watched.state.hold is None
    assert len(watched.said("round.card")) == 4


def test_two_readers_that_disagree_hold(
    watched: Whole, keypad: Keypad, shoe: SimulatedBeeTek, second: SimulatedScanner
) -> None:
    second.scan("8H")
    watched.deal(shoe, "8S")
    watched.wait_hold("requested")
    (alert,) = (alert for alert in watched.state.alerts if alert.id == "fault-second_reader")
    assert "8" not in alert.message, "the card may lie face down"
    must(keypad, "KEY 17", "RETURN 8S", "CLEAR continue")
    second.scan("8S")
    watched.deal(shoe, "8S")
    assert len(watched.said("round.card")) == 2


def test_a_card_that_only_the_second_reader_saw_holds(watched: Whole, second: SimulatedScanner) -> None:
    second.scan("8S")
    watched.wait_hold("requested")
    assert watched.of(events.CardRead) == []


def test_a_second_reader_unplugged_in_a_round(
    watched: Whole, keypad: Keypad, shoe: SimulatedBeeTek, second: SimulatedScanner
) -> None:
    second.unplug()
    watched.wait_hold("device_lost")
    second.replug()
    watched.wait_said("device.restored")
    must(keypad, "KEY 17", "CLEAR continue")
    for card in ("8S", "5C", "KC", "2D"):
        second.scan(card)
        watched.deal(shoe, card)
    watched.wait_said("round.result")


def test_the_record_keeps_the_history_of_shoe_shuffler_and_burns(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, shuffler: SimulatedLineDevice
) -> None:
    """Who the machine is, its shuffles and their cards, what failed, what was not read, why a card burned."""
    with whole(tmp_path, SHOE + PANEL + SHUFFLER) as table:
        must(shuffler, "VERSION 3.1", "SERIAL 000123", "START", "DONE 416", "LOADED 8")
        must(shuffler, "ERROR E7 jam at the exit")
        must(keypad, "BURN 1 dealer_relief")
        table.deal(shoe, "8S")
        shoe.unread_card()
        table.wait_event(events.CardUnread)
    kept: dict[str, list[dict[str, object]]] = {}
    with SqliteReader.open(tmp_path / "journal.db") as journal:
        for record in journal.records():
            event = json.loads(record.body)
            kept.setdefault(event["event"], []).append(event)
    assert {event["words"] for event in kept["device_reported"]} >= {"VERSION 3.1", "SERIAL 000123", "START"}
    assert [event["cards"] for event in kept["shuffle_completed"]] == [416]
    assert [event["reason"] for event in kept["device_faulted"]] == ["E7 jam at the exit"]
    assert [event["reason"] for event in kept["cards_burned"]] == ["dealer_relief"]
    assert [event["device"] for event in kept["card_unread"]] == ["shoe"]
    assert all(event["at"] and event["boot"] == 1 for event in kept["shuffle_completed"])
