"""Lines of ``odds --batch``: the contract's answers, and a code for every wrong question."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from typing import Any

import pytest

from controller.games.baccarat import SPOTS
from controller.odds.counting import odds_line
from controller.vocabulary.cards import DECK_40, DECK_52, RANKS
from controller.vocabulary.errors import InputError
from tests.games.deals import told
from tests.harness.patience import PATIENCE_S

EIGHT_DECKS = dict.fromkeys(RANKS, 32)
FRESH: dict[str, Any] = {"game": "baccarat", "remaining": EIGHT_DECKS, "dealt": []}
HOLDEM: dict[str, Any] = {
    "game": "casino-holdem",
    "hands": {"hand1": ["AS", "KD"], "hand2": ["7C", "7H"]},
    "flop": ["QH", "7S", "2D"],
}


HOUSE_TABLE = {"pay_table": {"without": ["small"]}}
BY_CARD = dict.fromkeys(DECK_52, 8)
CARD_ACTION = {"game": "2-card-action", "layout": "A"}


def told_odds(line: object, *, numpy: bool | None = None) -> dict[str, Any]:
    return told(odds_line(line, numpy=numpy))


def test_the_answer_for_eight_decks() -> None:
    answer = told_odds(FRESH)
    assert list(answer) == ["probabilities", "fair", "offered"]
    assert all(list(answer[part]) == list(SPOTS) for part in answer)
    assert answer["probabilities"]["banker"] == float(Fraction(2_292_252_566_437_888, 4_998_398_275_503_360))
    assert answer["offered"] == {
        "player": 1.92,
        "banker": 1.87,
        "tie": 9.98,
        "player_pair": 12.71,
        "banker_pair": 12.71,
        "any_pair": 6.6,
        "small": 2.5,
        "big": 1.52,
    }


def test_the_answer_is_the_same_without_numpy() -> None:
    assert told_odds(FRESH, numpy=False) == told_odds(FRESH, numpy=True)
    assert told_odds(HOLDEM, numpy=False) == told_odds(HOLDEM, numpy=True)


def test_the_cards_dealt_condition_the_odds() -> None:
    remaining = EIGHT_DECKS | {"8": 31, "K": 31, "T": 31}
    answer = told_odds({"game": "baccarat", "remaining": remaining, "dealt": ["8S", "KH", "TD"]})
    assert answer["probabilities"]["small"] == 1.0
    assert answer["fair"]["small"] == 1.0
    assert answer["offered"]["small"] is None
    assert answer["probabilities"]["player_pair"] == 0.0
    assert answer["fair"]["player_pair"] is None


def test_a_line_may_bring_its_margin() -> None:
    answer = told_odds(FRESH | {"margin": 0})
    assert answer["offered"]["small"] == 2.63
    answer = told_odds(FRESH | {"margin": dict.fromkeys(SPOTS, "0.05") | {"tie": 0.5}})
    assert (answer["offered"]["tie"], answer["offered"]["small"]) == (5.25, 2.5)


def test_the_answer_for_two_hands() -> None:
    answer = told_odds(HOLDEM)
    assert list(answer) == ["hand1", "hand2"]
    assert list(answer["hand1"]) == ["win", "tie", "lose", "total"]
    assert answer["hand2"]["total"] == 893_970


@pytest.mark.parametrize("line", [FRESH, HOLDEM])
def test_an_answer_is_json(line: dict[str, object]) -> None:
    answer = told_odds(line)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({}, "unknown_game"),
        ({"game": "poker"}, "unknown_game"),
        ({"game": ["baccarat"]}, "unknown_game"),
        ({"game": "baccarat"}, "bad_count"),
        (FRESH | {"remaining": [32] * 13}, "bad_count"),
        *[
            (FRESH | {"remaining": EIGHT_DECKS | {"A": count}}, "bad_count")
            for count in (-1, 1.5, 2.0, True, "4", None)
        ],
        *[(FRESH | {"remaining": EIGHT_DECKS | {rank: 2}}, "unknown_rank") for rank in ("X", "10", "AS")],
        (FRESH | {"remaining": {rank: 4 for rank in RANKS if rank != "K"}}, "missing_rank"),
        (FRESH | {"remaining": EIGHT_DECKS | {"A": 33}}, "too_many_cards"),
        (FRESH | {"remaining": dict.fromkeys(RANKS, 0)}, "insufficient_cards"),
        (FRESH | {"dealt": ["XS"]}, "unknown_card"),
        (FRESH | {"dealt": ["10S"]}, "unknown_card"),
        (FRESH | {"dealt": [8]}, "unknown_card"),
        (FRESH | {"dealt": "8S"}, "bad_cards"),
        (FRESH | {"dealt": None}, "bad_cards"),
        (FRESH | {"dealt": {"player": ["8S"]}}, "bad_cards"),
        (FRESH | {"dealt": ["9S", "9D", "KS", "KD", "2C"]}, "surplus_card"),
        (FRESH | {"margin": 1}, "bad_margin"),
        (FRESH | {"margin": None}, "bad_margin"),
        (FRESH | {"margin": "1e-999999999"}, "bad_margin"),
        (FRESH | {"margin": {"tie": 0.1}}, "bad_margin"),
        (HOLDEM | {"hands": ["AS", "KD"]}, "bad_cards"),
        (HOLDEM | {"hands": {"hand1": "ASKD"}}, "bad_cards"),
        (HOLDEM | {"hands": {"hand1": ["AS", "??"]}}, "unknown_card"),
        # The dealer's cards lie face down, so no question may hold them.
        (HOLDEM | {"hands": {"hand1": ["AS", "KD"], "dealer": ["2C", "3C"]}}, "unknown_hand"),
        (HOLDEM | {"hands": {"hand3": ["AS", "KD"]}}, "unknown_hand"),
        (HOLDEM | {"hands": {"hand1": ["AS"]}}, "wrong_card_count"),
        (HOLDEM | {"hands": {"hand1": ["AS", "AD", "2C"]}}, "wrong_card_count"),
        (HOLDEM | {"hands": {"hand1": ["AS", "AS"]}}, "duplicate_card"),
        (HOLDEM | {"hands": {"hand1": ["AS", "AD"], "hand2": ["AD", "KC"]}}, "duplicate_card"),
        (HOLDEM | {"hands": {}}, "missing_hand"),
        (HOLDEM | {"flop": None}, "bad_cards"),
        (HOLDEM | {"flop": ["QH", "7S"]}, "wrong_card_count"),
        (HOLDEM | {"flop": ["QH", "7S", "2D", "3D"]}, "wrong_card_count"),
        (HOLDEM | {"flop": ["QH", "7S", "AS"]}, "duplicate_card"),
        (FRESH | {"dealt": ["8S"]}, "too_many_copies"),
        (FRESH | {"remaining": EIGHT_DECKS | {"8": 33, "9": 31}}, "too_many_copies"),
        (FRESH | {"decks": 7}, "too_many_copies"),
        (FRESH | {"decks": 9}, "bad_decks"),
        (FRESH | HOUSE_TABLE | {"dealt": ["8S"]}, "too_many_copies"),
        (FRESH | HOUSE_TABLE | {"remaining": BY_CARD | {"8S": 9, "8H": 7}}, "too_many_copies"),
        (FRESH | HOUSE_TABLE | {"remaining": BY_CARD | {"8H": 6}, "dealt": ["8S"]}, "too_many_copies"),
        (CARD_ACTION | {"remaining": BY_CARD | {"8S": 9, "8H": 7}}, "too_many_copies"),
        (CARD_ACTION | {"decks": 7, "remaining": BY_CARD}, "too_many_copies"),
        ({"game": "2-card-action", "remaining": dict.fromkeys(DECK_52, 8)}, "missing_layout"),
        ({"game": "2-card-action", "layout": "A"}, "bad_count"),
        ({"game": "2-card-action", "layout": 7, "remaining": {}}, "unknown_layout"),
        ({"game": "two-cards-high", "remaining": dict.fromkeys(DECK_40, 2)}, "too_many_cards"),
        ("baccarat", "bad_odds_question"),
        (None, "bad_odds_question"),
    ],
)
def test_a_wrong_line_has_a_code_and_a_message(line: Any, code: str) -> None:
    with pytest.raises(InputError) as caught:
        told_odds(line)
    assert caught.value.code == code
    assert caught.value.message


def test_what_no_shoe_can_hold_is_said_with_its_numbers() -> None:
    with pytest.raises(InputError) as refused:
        told_odds(FRESH | {"dealt": ["8S", "KH", "8D"]})
    assert refused.value.message == "rank 8 is there 34 times, 32 in remaining, 2 in dealt: 8 decks have 32"


def test_a_whole_shoe_of_fewer_decks_is_counted() -> None:
    one = dict.fromkeys(RANKS, 4)
    assert told_odds({"game": "baccarat", "decks": 1, "remaining": one})["fair"]
    with pytest.raises(InputError, match="1 deck has 4"):
        told_odds({"game": "baccarat", "decks": 1, "remaining": one | {"A": 5}})


def test_the_odds_are_imported_without_numpy() -> None:
    """A table that never asks for odds pays nothing for them."""
    call = (
        "import sys, controller.odds.baccarat, controller.odds.casino_holdem; print('numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", call], capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert done.stdout.strip() == "False"


def test_the_answer_for_two_card_action_and_two_cards_high_is_the_edge_of_each_spot() -> None:
    remaining = dict.fromkeys(DECK_52, 8)
    line = {"game": "2-card-action", "layout": "C", "remaining": remaining}
    answer = told_odds(line)
    assert list(answer) == ["probabilities", "house_edge"]
    assert len(answer["house_edge"]) == 100
    assert answer["probabilities"]["any_pair"] == float(Fraction(31, 415))
    assert answer["house_edge"]["any_pair"] == float(1 - 12 * Fraction(31, 415))
    answer = told_odds({"game": "two-cards-high", "seats": 2, "remaining": dict.fromkeys(DECK_40, 1)})
    assert list(answer["house_edge"]) == ["seat1.main", "seat1.side", "seat2.main", "seat2.side"]
    assert 0 < answer["house_edge"]["seat1.main"] < 0.1
