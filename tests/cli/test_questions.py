"""One question: a table for people, JSON with --json, an error with its code and status 1."""

from __future__ import annotations

import json

import pytest

from controller.roads import roads_answer
from tests.cli.program import Told, answered, dealer_table
from tests.games.deals import told as as_told

BACCARAT = {"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"]}
ONE_OF_EACH = dict.fromkeys("A23456789TJQK", 1)

TABLES = [
    (
        "score",
        BACCARAT,
        """
        baccarat, 4 cards used, complete

        player  KC 7D
        banker  7C 2D

        winner        banker
        player total  7
        banker total  9
        natural       yes

        spot         result    pays
        player       lose
        banker       win     0.95:1
        tie          lose
        player_pair  lose
        banker_pair  lose
        any_pair     lose
        small        win        3:2
        big          lose
        """,
    ),
    (
        "score",
        {"game": "2-card-action", "layout": "C", "cards": ["TS"]},
        """
        2-card-action, 1 card used, not complete: the next card lies at second

        first   TS
        second  -
        """,
    ),
    (
        "score",
        {"game": "2-card-action", "layout": "C", "cards": ["TS", "TH"]},
        """
        2-card-action, 2 cards used, complete

        first   TS
        second  TH

        sum     20
        pair    yes
        suited  no

        spot      result   pays
        any_pair  win      11:1
        sum_20    win       8:1
        ace_plus  win       6:1
        single_T  win      10:1
        pair_T    win     160:1
        card_TS   win      23:1
        card_TH   win      23:1
        and 93 spots that lose
        """,
    ),
    (
        "score",
        {
            "game": "casino-holdem",
            "hands": {"hand1": ["TS", "TH"], "hand2": ["2S", "3H"], "dealer": ["7S", "8H"]},
            "board": ["9S", "2D", "3S", "KD", "KC"],
        },
        """
        casino-holdem, 11 cards used, complete

        hand1   TS TH
        hand2   2S 3H
        dealer  7S 8H
        board   9S 2D 3S KD KC

        dealer  category pair, qualifies yes
        hand1   category two pair, first five pair, vs dealer better
        hand2   category two pair, first five two pair, vs dealer better

        spot         result  pays
        hand1.ante   win      1:1
        hand1.play   win      1:1
        hand1.bonus  lose
        hand2.ante   win      1:1
        hand2.play   win      1:1
        hand2.bonus  win      7:1
        """,
    ),
    (
        "settle",
        {**BACCARAT, "bets": [{"spot": "banker", "stake": 100}, {"spot": "tie", "stake": 5}]},
        """
        spot    stake  result    pays  returned
        banker    100  win     0.95:1       195
        tie         5  lose                   0

        staked    105
        returned  195
        net        90
        """,
    ),
    (
        "settle",
        {**BACCARAT, "bets": []},
        """
        spot  stake  result  pays  returned

        staked    0
        returned  0
        net       0
        """,
    ),
    (
        "odds",
        {"game": "casino-holdem", "hands": {"hand1": ["AS", "AD"]}, "flop": ["KC", "7C", "7D"]},
        """
        hand               win           tie             lose       of
        hand1  922556 (86.20%)  1031 (0.10%)  146603 (13.70%)  1070190
        """,
    ),
    (
        "odds",
        {"game": "baccarat", "remaining": ONE_OF_EACH, "dealt": ["9S", "KC", "9D", "KD"]},
        """
        spot         probability    fair  offered
        player       100.000000%  1.0000        -
        """,
    ),
    (
        "roads",
        {"results": []},
        """
        bead plate  -

        big road (P player, B banker, a digit: ties after it)
        -

        derived roads (R red, b blue)
        big eye boy    -
        small road     -
        cockroach pig  -

                           big eye boy  small road  cockroach pig
        if player is next  -            -           -
        if banker is next  -            -           -
        """,
    ),
    (
        "roads",
        {"results": [{"winner": winner} for winner in ("tie", *["banker"] * 7, "player", "tie")]},
        """
        bead plate  TBBBBBBBPT

        big road (P player, B banker, a digit: ties after it)
        B1P1
        B
        B
        B
        B
        B B
        """,
    ),
]


@pytest.mark.parametrize(("command", "line", "table"), TABLES, ids=range(len(TABLES)))
def test_people_get_a_table(command: str, line: object, table: str, told: Told) -> None:
    said = told(command, json.dumps(line)).out
    wanted = [text.removeprefix(" " * 8) for text in table.rstrip().splitlines()[1:]]
    assert said.splitlines()[: len(wanted)] == wanted


def test_programs_get_json(told: Told) -> None:
    results = [{"winner": "banker"}, {"winner": "tie"}, {"winner": "player", "natural": True}]
    said = told("roads", "--json", json.dumps({"results": results})).out
    assert json.loads(said) == as_told(roads_answer(results))


def test_a_question_may_come_on_standard_input_over_several_lines() -> None:
    told = answered("score", "--json", asked=json.dumps(BACCARAT, indent=2))
    assert json.loads(told)["outcome"]["winner"] == "banker"


@pytest.mark.parametrize(
    ("command", "line", "code"),
    [
        ("score", "nonsense", "bad_json"),
        ("score", "", "empty_line"),
        ("score", '{"game": "baccarat", "cards": ["XX"]}', "unknown_card"),
        ("settle", '{"game": "baccarat", "cards": [], "bets": []}', "incomplete_round"),
        ("odds", '{"game": "poker"}', "unknown_game"),
        ("odds", "3", "wrong_type"),
        ("roads", "[]", "wrong_type"),
        ("roads", '{"results": {}}', "wrong_type"),
        ("roads", '{"results": [{"winner": "house"}]}', "bad_result"),
    ],
)
def test_an_error_is_said_with_its_code(command: str, line: str, code: str, told: Told) -> None:
    said = told(command, line, status=1)
    assert said.out == ""
    assert said.err.startswith("dealer-table: ")
    assert said.err.endswith(f"({code})\n")
    assert json.loads(told(command, "--json", line, status=1).out)["error"]["code"] == code


def test_bytes_that_are_no_text_are_an_error_not_a_crash() -> None:
    done = dealer_table("score", "--json", asked=b'{"game": "\xff"}')
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == "bad_json"
