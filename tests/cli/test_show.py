"""``show``: one page that answers a dispute: what was dealt, what it came to, who decided, and the bytes."""

from __future__ import annotations

import json
import re
from pathlib import Path

from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from tests.cli.program import Told
from tests.harness.whole import PANEL, must, whole
from tests.journal.played import play

SHOE = '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n'


def test_a_round_on_one_page(tmp_path: Path, told: Told) -> None:
    with SimulatedBeeTek(tmp_path / "shoe") as shoe, Keypad(tmp_path / "keypad") as keypad:
        with whole(tmp_path, SHOE + PANEL) as table:
            must(keypad, "SHOE 416", "DEALER D7", "OPEN", "CLOSE")
            for number, card in enumerate(("9S", "2H", "KC"), 1):
                shoe.card(card)
                table.wait_said("round.card", number)
            must(keypad, "HOLD")
            for alone in ("VOID supervisor", "CLEAR continue"):
                assert keypad.press(alone) == "NO turn the supervisor's key"
            must(keypad, "KEY B12")
            assert keypad.press("CLEAR accept").startswith("NO a hold for requested knows")
            must(keypad, "CLEAR continue asked about the light", "NOKEY")
            shoe.card("5D")
            number = table.wait_said("round.result")["round"]
            must(keypad, "SETTLED", "OPEN", "HOLD")
            shoe.card("4S")
            table.wait_said("table.held", 3)
            must(keypad, "KEY B7", "VOID supervisor")
            voided = table.wait_said("round.void")["round"]
        page = told("show", tmp_path / "journal.db", number).out
        other = told("show", tmp_path / "journal.db", voided).out
    head = [line.split() for line in page.split("\n\n")[0].splitlines()[2:]]
    assert ["dealt", "by", "D7"] in head
    assert ["player", "9♠", "K♣"] in head
    assert ["banker", "2♥", "5♦"] in head
    assert next(line for line in head if line[0] == "result")[1:4] == ["Player", "9:7", "natural"]
    assert "player 1:1" in page
    of_key, of_choice = [" ".join(line[2:]) for line in head if line[0] == "refused"]
    assert of_key == "VOID supervisor: turn the supervisor's key"
    assert of_choice.startswith("a hold for requested knows")
    [held] = [" ".join(line[2:]) for line in head if line[0] == "held"]
    assert held == "requested, the dealer asked for a supervisor"
    [cleared] = [line for line in head if line[0] == "cleared"]
    assert " ".join(cleared[2:]) == "continue by B12 (asked about the light)"
    assert any(line[:2] == ["pay", "table"] and len(line[4].strip(";")) == 64 for line in head)
    assert any(line[0] == "program" and len(line[-1]) == 64 for line in head)
    assert 'key_refused: device "panel", line "VOID supervisor", code "key_needed"' in page
    assert 'shoe sent " [Game]<Card:9S>' in page
    assert "void         supervisor, by B7: every bet is returned." in other
    assert other.count("  held         ") == 1, "a hold that says more is still one"


def test_at_live_odds_no_fixed_pay_is_printed(tmp_path: Path, told: Told) -> None:
    journal = play(tmp_path, "baccarat, live odds", rounds=3)
    for number in (1, 2, 3):
        page = told("show", journal, f"north-7-1700000000000-{number}").out
        assert "at its live price" in next(line for line in page.splitlines() if line.startswith("  pays"))
        assert re.search(r"\d:1\b", page) is None


def test_the_hands_of_a_result_stand_in_the_order_of_the_record(tmp_path: Path, told: Told) -> None:
    page = told("show", play(tmp_path, "two-cards-high", rounds=1), "north-7-1700000000000-1").out
    [result] = [line.split(maxsplit=1)[1] for line in page.splitlines() if line.startswith("  result")]
    assert re.match(r"dealer (pair \d+|total \d|not qualified), seat1 ", result)
    assert [hand.split()[0] for hand in result.split(", ")] == ["dealer", "seat1", "seat2", "seat3"]


def test_the_terms_of_a_round_are_told_to_people_and_are_whole_for_programs(
    tmp_path: Path, told: Told
) -> None:
    journal, number = play(tmp_path, "baccarat", rounds=1), "north-7-1700000000000-1"
    page = told("show", journal, number).out
    [opened] = [line for line in page.splitlines() if " round.opened: " in line]
    assert "{" not in opened
    assert 'pay_table "baccarat-fixed"' in opened
    assert "\n           banker: 0.95:1 for win\n" in page
    said = json.loads(told("show", journal, number, "--json").out)["messages"]
    assert any("pays" in message["data"] for message in said if message["name"] == "round.opened")
