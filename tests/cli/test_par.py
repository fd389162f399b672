"""``par``: a line a spot for people, the contract's answer for programs, 2 for what cannot be counted."""

from __future__ import annotations

import json
import os
import pty
import sys
from fractions import Fraction

import pytest

from controller.cli.telling import patience
from tests.cli.program import HOUSE, Told
from tests.harness.patience import PATIENCE_S

TIE_NINE = str(HOUSE / "config" / "pay-tables" / "baccarat-tie-nine.toml")


def test_people_get_a_line_a_spot(told: Told) -> None:
    lines = told("par", "--game", "baccarat").out.splitlines()
    assert lines[0].startswith("baccarat, pay table baccarat-fixed, digest ")
    assert lines[2].split() == ["spot", "return", "house", "edge", "exactly"]
    assert lines[3].split() == ["player", "98.7649%", "1.2351%", "19283843717413/19524993263685"]
    assert len(lines) == 3 + 8


def test_programs_get_the_contract_s_answer(told: Told) -> None:
    said = told("par", "--game", "2-card-action", "--layout", "C", "--decks", "6", "--json").out
    answer = json.loads(said)
    assert answer["game"] == "2-card-action"
    assert len(answer["spots"]) == 100
    for spot in answer["spots"].values():
        assert sum(spot["ways"].values()) == spot["total"]
        assert float(1 - Fraction(spot["return"])) == spot["house_edge"]


def test_a_house_s_own_table_is_judged(told: Told) -> None:
    edges = []
    for words in ([], ["--pay-table", TIE_NINE]):
        said = told("par", "--game", "baccarat", "--json", *words).out
        edges.append(json.loads(said)["spots"]["tie"]["house_edge"])
    assert edges[1] < edges[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--game", "2-card-action"], "--layout: 2-card-action needs one of A, B, C"),
        (
            ["--game", "2-card-action", "--layout", "C", "--decks", "3"],
            "--decks: 2-card-action is played with",
        ),
        (["--game", "baccarat", "--layout", "A"], "--layout: baccarat has no layouts"),
        (["--game", "baccarat", "--seats", "3"], "--seats: baccarat has no such setting"),
        (["--game", "baccarat", "--dealer-qualifies", "A"], "--dealer-qualifies: baccarat has no such"),
        (["--game", "casino-holdem", "--dealer-qualifies", "Z"], "--dealer-qualifies: 'Z' is neither"),
        (["--game", "two-cards-high", "--decks", "8"], "--decks: two-cards-high is played with one deck"),
        (["--game", "casino-holdem", "--pay-table", TIE_NINE], "is for the game 'baccarat'"),
        (["--game", "baccarat", "--pay-table", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["--game", "baccarat", "--pay-table", str(HOUSE)], "cannot be read: Is a directory"),
    ],
)
def test_what_cannot_be_counted_is_a_wrong_call(words: list[str], message: str, told: Told) -> None:
    said = told("par", *words, status=2)
    assert said.out == ""
    assert message in said.err


def test_who_sits_at_a_terminal_is_told_what_takes_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, its = pty.openpty()
    with os.fdopen(its, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with patience("it is quick", after_s=PATIENCE_S):
            pass
        with patience("it is counted", after_s=0):
            assert os.read(ours, 100) == b"dealer-table: it is counted\r\n"
    os.close(ours)
