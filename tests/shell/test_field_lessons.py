"""What others learnt at tables, one test for each lesson: whole tables with shoes on real pseudo-terminals.

(Repeats, and the same number with other bytes: `test_reports.py`. A second opinion of the beam on a double
read: `test_witnesses.py`. Outputs of a dead daemon: `tests/systemd/test_service.py`. The wrap of the numbers
as a setting: `tests/drivers/test_angel_eye.py`.)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.vocabulary import events
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from drivers.repeats import NumberCycle
from tests.harness.patience import PATIENCE_S
from tests.harness.whole import PANEL, Whole, must, whole

ANGEL_EYE = '[devices.shoe]\ndriver = "angel-eye"\nport = "{folder}/shoe"\nlock = false\n'
BEE_TEK = '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n'


@contextmanager
def dealing(folder: Path) -> Iterator[tuple[Whole, SimulatedAngelEye, Keypad]]:
    """A baccarat table with closed bets, and one card dealt from its Angel Eye shoe."""
    with (
        SimulatedAngelEye(folder / "shoe", resends=False) as shoe,
        Keypad(folder / "keypad") as keypad,
        whole(folder, ANGEL_EYE + PANEL) as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, "8S player 1")
        yield table, shoe, keypad


@pytest.mark.parametrize("passed", [("5C",), ("5C", "2D")])
def test_a_card_that_passes_while_the_port_is_closed_is_never_assumed_away(
    tmp_path: Path, passed: tuple[str, ...]
) -> None:
    with dealing(tmp_path) as (table, shoe, _):
        shoe.unplug()
        table.wait_hold("device_lost")
        for number, card in enumerate(passed, 1):
            shoe.card(card, "banker", number)
        assert shoe.wait_settled()
        shoe.replug()
        table.wait_said("device.restored")
        # The shoe is asked for its last report: one card came, of two the first is missing in the numbers.
        # A port of software may come back under another name; then nobody knows that it is the same unit.
        assert table.wait_event(events.CardRead, 2).code == passed[-1]
        assert len(table.of(events.ReportsMissed)) >= len(passed) - 1
        assert table.state.hold is not None, "people look at the felt first"


def test_a_shoe_that_has_said_nothing_yet_is_doubted_after_a_start_in_the_round(
    tmp_path: Path, keypad: Keypad
) -> None:
    """No number stands in the record, so none can tell what passed while the daemon was away."""
    devices = f"{ANGEL_EYE}query_on_connect = false\n{PANEL}"
    with SimulatedAngelEye(tmp_path / "shoe") as shoe:
        with whole(tmp_path, devices) as table:
            must(keypad, "SHOE 416", "OPEN", "CLOSE")
        with whole(tmp_path, devices) as table:
            table.deal(shoe, "8S player 1")
            must(keypad, "KEY 17", "CLEAR continue")
            assert {held["reason"] for held in table.said("table.held")} == {"restart_doubt"}


def test_a_shoe_that_is_repaired_by_another_one_in_a_round_is_doubted(tmp_path: Path, keypad: Keypad) -> None:
    """Its numbers are its own: the first happens to follow, and a card passed while nobody read."""
    other = ANGEL_EYE.replace('/shoe"', '/spare"')
    assert other != ANGEL_EYE
    with SimulatedAngelEye(tmp_path / "shoe") as shoe, whole(tmp_path, f"{ANGEL_EYE}{PANEL}") as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, "8S player 1")
    with (
        SimulatedAngelEye(tmp_path / "spare", numbers=NumberCycle(0x32, 0x7E)) as spare,
        whole(tmp_path, f"{other}{PANEL}") as table,
    ):
        table.wait_hold("restart_doubt")
        must(keypad, "KEY 17", "CLEAR continue")
        table.deal(spare, "5C banker 1")
        assert table.state.hold is None


@pytest.mark.parametrize("choice", ["accept", "9C"])
def test_a_double_read_is_no_pair_at_eleven_to_one(tmp_path: Path, keypad: Keypad, choice: str) -> None:
    """2 Card Action: the same code again at once holds; a supervisor says whether it was a second card."""
    with (
        SimulatedBeeTek(tmp_path / "shoe") as shoe,
        whole(
            tmp_path,
            f"[shoe]\nmin_card_interval_ms = 60000\n{BEE_TEK}{PANEL}",
            game="2-card-action",
            settings='layout = "C"',
        ) as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        shoe.card("8S")
        shoe.card("8S")
        table.wait_hold("rapid_repeat")
        assert table.said("round.result") == []
        if choice == "accept":
            must(keypad, "KEY 17", "CLEAR accept")
        else:
            # It was no second card, so nothing went back into the shoe and nothing must come out again.
            must(keypad, "KEY 17", "CLEAR return")
            shoe.card(choice)
        result = table.wait_said("round.result")
        assert result["outcome"]["pair"] is (choice == "accept")


def test_the_shoes_own_result_that_says_otherwise_holds(tmp_path: Path) -> None:
    with dealing(tmp_path) as (table, shoe, keypad):
        table.deal(shoe, "5C banker 1", "KC player 2", "2D banker 2")
        assert table.wait_said("round.result")["outcome"]["winner"] == "player"
        shoe.result("banker")
        table.wait_hold("result_disagrees")
        must(keypad, "KEY 17", "CLEAR accept", "SETTLED")


def test_no_round_begins_by_itself_after_a_result(tmp_path: Path) -> None:
    """Rounds begun by a timer became rounds that nobody settled: a trusted event begins and ends each."""
    with dealing(tmp_path) as (table, shoe, keypad):
        table.deal(shoe, "5C banker 1", "KC player 2", "2D banker 2")
        table.wait_said("round.result")
        assert keypad.ask("OPEN", PATIENCE_S) != "OK", "it is not settled"
        shoe.report(b"P")
        shoe.report(b"S")
        must(keypad, "SETTLED")
        assert len(table.said("round.opened")) == 1
        assert table.state.phase == "settled"
