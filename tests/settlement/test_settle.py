"""What goes back to a player: stakes included, exact, rounded down; decisions, voids and live prices."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from controller.games.registry import build_game
from controller.settlement import Bet, returned_minor, settle, settle_line
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.outcomes import SpotOutcome
from tests.games.deals import deal, told

HOLDEM = {
    "game": "casino-holdem",
    "hands": {"hand1": ["AS", "AH"], "hand2": ["2C", "7D"], "dealer": ["KS", "KH"]},
    "board": ["AD", "3C", "9H", "9D", "JC"],
}
BANKER_WINS = {"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"]}
TIE = {"game": "baccarat", "cards": ["4S", "4H", "4D", "4C"]}


def bet(spot: str, stake: int, **more: object) -> dict[str, object]:
    return {"spot": spot, "stake": stake, **more}


def answer(line: Mapping[str, object], *bets: Mapping[str, object], **more: object) -> dict[str, Any]:
    return told(settle_line({**line, "bets": list(bets), **more}))


def returned(line: Mapping[str, object], *bets: Mapping[str, object], **more: object) -> dict[str, int]:
    """Spot -> returned, in the order of the answer."""
    rows = answer(line, *bets, **more)["bets"]
    assert isinstance(rows, list)
    return {row["spot"]: row["returned"] for row in rows}


def test_returned_includes_the_stake_and_a_loser_gets_nothing() -> None:
    assert answer(BANKER_WINS, bet("banker", 100), bet("player", 50, id="b-2")) == {
        "bets": [
            {"spot": "banker", "stake": 100, "result": "win", "pays": "0.95:1", "returned": 195},
            {"id": "b-2", "spot": "player", "stake": 50, "result": "lose", "pays": None, "returned": 0},
        ],
        "staked": 150,
        "returned": 195,
        "net": 45,
    }


@pytest.mark.parametrize(
    ("pays", "stake", "expected"),
    [
        ("0.95:1", 1, 1),
        ("0.95:1", 19, 37),
        ("0.95:1", 20, 39),
        ("0.95:1", 101, 196),
        ("3:2", 1, 2),
        ("3:2", 2, 5),
        ("3:2", 3, 7),
        ("0.54:1", 99, 152),
        ("11:1", 7, 84),
        ("0.95:1", 2**53 - 1, 17_564_038_546_744_932),
        ("160:1", 2**53 - 1, 161 * (2**53 - 1)),
    ],
)
def test_any_fraction_of_a_minor_unit_is_rounded_down(pays: str, stake: int, expected: int) -> None:
    assert returned_minor(stake, SpotOutcome("win", pays)) == expected


def test_a_push_returns_the_stake() -> None:
    assert returned(TIE, bet("player", 70), bet("banker", 30), bet("tie", 5), bet("big", 9)) == {
        "player": 70,
        "banker": 30,
        "tie": 45,
        "big": 0,
    }


@pytest.mark.parametrize(
    ("odds", "stake", "expected", "pays"),
    [
        (1.95, 333, 649, "0.95:1"),
        (2, 5, 10, "1:1"),
        (2.0, 5, 10, "1:1"),
        (1.1, 10, 11, "0.1:1"),  # in binary floats 1.1 is a little more
        (1.29, 100, 129, "0.29:1"),  # and 1.29 x 100 a little less
        (1.01, 1, 1, "0.01:1"),
        (1.15, 100, 115, "0.15:1"),
        (1, 8, 8, "0:1"),
        (9.51, 999_999_999_999, 9_509_999_999_990, "8.51:1"),
        (Decimal("1.30"), 10, 13, "0.3:1"),
    ],
)
def test_a_bet_at_live_odds_returns_stake_times_price_rounded_down(
    odds: object, stake: int, expected: int, pays: str
) -> None:
    rows = answer(BANKER_WINS, bet("banker", stake, odds=odds))["bets"]
    assert rows == [{"spot": "banker", "stake": stake, "result": "win", "pays": pays, "returned": expected}]


def test_live_odds_push_and_lose_as_any_bet() -> None:
    assert returned(TIE, bet("player", 70, odds=1.98), bet("big", 10, odds=1.5)) == {"player": 70, "big": 0}


def test_play_appears_by_itself_at_twice_the_ante() -> None:
    settled = answer(HOLDEM, bet("hand1.ante", 10), bet("hand1.bonus", 5), decisions={"hand1": "play"})
    assert settled == {
        "bets": [
            {"spot": "hand1.ante", "stake": 10, "result": "win", "pays": "3:1", "returned": 40},
            {"spot": "hand1.bonus", "stake": 5, "result": "win", "pays": "7:1", "returned": 40},
            {"spot": "hand1.play", "stake": 20, "result": "win", "pays": "1:1", "returned": 40},
        ],
        "staked": 35,
        "returned": 120,
        "net": 85,
    }


@pytest.mark.parametrize("decisions", [None, {}, {"hand1": "fold"}, {"hand1": None}, {"hand2": "play"}])
def test_no_decision_is_a_fold_which_loses_the_ante_but_not_the_bonus(decisions: object) -> None:
    settled = answer(HOLDEM, bet("hand1.ante", 10), bet("hand1.bonus", 5), decisions=decisions)
    assert settled["bets"] == [
        {"spot": "hand1.ante", "stake": 10, "result": "lose", "pays": None, "returned": 0},
        {"spot": "hand1.bonus", "stake": 5, "result": "win", "pays": "7:1", "returned": 40},
        {"spot": "hand1.play", "stake": 0, "result": "not_placed", "pays": None, "returned": 0},
    ]
    assert (settled["staked"], settled["net"]) == (15, 25)


def test_setting_dealer_qualifies() -> None:
    """A dealer who has not the pair that the house asks for does not qualify: Play pushes."""
    line = {
        "game": "casino-holdem",
        "hands": {"hand1": ["KS", "QD"], "hand2": ["2S", "3D"], "dealer": ["9S", "8D"]},
        "board": ["9H", "4C", "5D", "JC", "AH"],
        "bets": [{"spot": "hand1.ante", "stake": 10}],
        "decisions": {"hand1": "play"},
    }
    returned = {least: told(settle_line({**line, "dealer_qualifies": least}))["returned"] for least in "49TA"}
    assert returned == {"4": 0, "9": 0, "T": 40, "A": 40}
    assert told(settle_line({**line, "dealer_qualifies": "always"}))["returned"] == 0
    with pytest.raises(ConfigurationError, match="dealer_qualifies"):
        build_game(GameSettings("casino-holdem", dealer_qualifies="1"))  # type: ignore[arg-type]


def test_setting_fold_forfeits_bonus() -> None:
    line = {**HOLDEM, "fold_forfeits_bonus": True}
    assert returned(line, bet("hand1.ante", 10), bet("hand1.bonus", 5))["hand1.bonus"] == 0
    played = returned(line, bet("hand1.ante", 10), bet("hand1.bonus", 5), decisions={"hand1": "play"})
    assert played["hand1.bonus"] == 40


def test_each_hand_has_its_own_decision() -> None:
    back = returned(
        HOLDEM, bet("hand1.ante", 10), bet("hand2.ante", 10), decisions={"hand1": "fold", "hand2": "play"}
    )
    assert back == {"hand1.ante": 0, "hand2.ante": 0, "hand1.play": 0, "hand2.play": 0}
    assert answer(HOLDEM, bet("hand2.ante", 10), decisions={"hand2": "play"})["staked"] == 30


def test_a_hand_without_an_ante_has_no_play_bet() -> None:
    assert returned(HOLDEM, bet("hand2.ante", 10), decisions={"hand1": "play"}) == {
        "hand2.ante": 0,
        "hand2.play": 0,
    }


def test_two_bets_on_one_spot_are_settled_each_on_its_own() -> None:
    rows = answer(HOLDEM, bet("hand1.ante", 1), bet("hand1.ante", 2), decisions={"hand1": "play"})["bets"]
    assert isinstance(rows, list)
    assert [(row["spot"], row["stake"]) for row in rows] == [
        ("hand1.ante", 1),
        ("hand1.ante", 2),
        ("hand1.play", 6),
    ]


@pytest.mark.parametrize(
    "line",
    [
        BANKER_WINS,
        {"game": "baccarat", "cards": ["KC"]},
        {"game": "baccarat"},
    ],
)
def test_a_void_gives_all_stakes_back_complete_or_not(line: dict[str, object]) -> None:
    settled = answer(line, bet("player", 70), bet("tie", 3, odds=9.5), void=True)
    assert settled["bets"] == [
        {"spot": "player", "stake": 70, "result": "push", "pays": None, "returned": 70},
        {"spot": "tie", "stake": 3, "result": "push", "pays": None, "returned": 3},
    ]
    assert (settled["staked"], settled["returned"], settled["net"]) == (73, 73, 0)


def test_a_cancelled_hold_em_round_gives_back_ante_bonus_and_play() -> None:
    bets = [bet("hand1.ante", 10), bet("hand1.bonus", 5), bet("hand2.ante", 4)]
    settled = answer(HOLDEM, *bets, decisions={"hand1": "play"}, void=True)
    assert (settled["staked"], settled["returned"]) == (39, 39)
    rows = settled["bets"]
    assert isinstance(rows, list)
    assert [row["returned"] for row in rows] == [10, 5, 4, 20, 0]
    assert rows[-1]["result"] == "not_placed"


def test_without_bets_there_is_nothing_to_settle() -> None:
    assert answer(BANKER_WINS) == {"bets": [], "staked": 0, "returned": 0, "net": 0}


def test_void_false_is_no_void() -> None:
    assert answer(BANKER_WINS, bet("player", 70), void=False)["returned"] == 0


def test_the_round_of_a_table_settles_by_its_own_settings() -> None:
    game = build_game(GameSettings("two-cards-high", seats=1, deal="packets", pair_tie="3:2"))
    dealt = deal(game, "AS AH 8S TS TH AD AC 8H TD TC")
    (settled,) = settle(game, dealt, [Bet("seat1.main", 3)], frozenset())
    assert settled.returned_minor == 7
