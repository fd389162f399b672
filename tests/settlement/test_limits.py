"""The limits of a table, held against all that a player has on a spot."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from controller.settlement import settle_line
from controller.vocabulary.errors import InputError
from tests.games.deals import told

BACCARAT: dict[str, object] = {"game": "baccarat", "cards": ["8S", "5C", "KC", "2D"]}
HOLDEM: dict[str, object] = {
    "game": "casino-holdem",
    "cards": ["AS", "AH", "2C", "7D", "KS", "KH", "AD", "3C", "9H", "9D", "JC"],
    "decisions": {"hand1": "play"},
}
LIMITS = {"spots": {"tie": {"min": 500, "max": 50_000}, "small": {"min": 1, "max": 10}}}
WHOLE = {"currency": "EUR", "table": {"min": 100, "max": 1_000}, **LIMITS}


def staked(line: Mapping[str, object], limits: object, *bets: tuple[str, int]) -> dict[str, object]:
    placed = [{"spot": spot, "stake": stake} for spot, stake in bets]
    return told(settle_line({**line, "limits": limits, "bets": placed}))


@pytest.mark.parametrize(
    "bets",
    [
        [("tie", 500)],
        [("tie", 50_000)],
        [("tie", 300), ("tie", 200)],
        [("banker", 1), ("small", 1)],
        [],
    ],
)
def test_bets_within_the_limits_are_settled(bets: list[tuple[str, int]]) -> None:
    """All bets of a player on a spot count together; a spot without a limit takes any stake."""
    assert staked(BACCARAT, LIMITS, *bets)["staked"] == sum(stake for _, stake in bets)


OUTSIDE: list[tuple[list[tuple[str, int]], str]] = [
    ([("tie", 499)], "below_minimum"),
    ([("tie", 50_001)], "above_maximum"),
    ([("tie", 200), ("banker", 9_000), ("tie", 299)], "below_minimum"),
    ([("tie", 30_000), ("tie", 20_001)], "above_maximum"),
    ([("tie", 500), ("small", 11)], "above_maximum"),
]


@pytest.mark.parametrize(("bets", "code"), OUTSIDE)
def test_a_stake_outside_its_limits_is_refused(bets: list[tuple[str, int]], code: str) -> None:
    with pytest.raises(InputError) as refused:
        staked(BACCARAT, LIMITS, *bets)
    assert refused.value.code == code
    assert refused.value.message.startswith("bets: ")


@pytest.mark.parametrize(
    ("spot", "stake", "code"),
    [("banker", 99, "below_minimum"), ("banker", 1_001, "above_maximum"), ("small", 11, "above_maximum")],
)
def test_the_limits_as_round_opened_carries_them(spot: str, stake: int, code: str) -> None:
    """Where a spot has no limit of its own that of the table holds."""
    assert staked(BACCARAT, WHOLE, ("banker", 100), ("tie", 1_001))["staked"] == 1_101
    with pytest.raises(InputError) as refused:
        staked(BACCARAT, WHOLE, (spot, stake))
    assert refused.value.code == code


def test_a_play_bet_has_no_limit_and_one_name_is_for_both_hands() -> None:
    limits = {"table": {"min": 10, "max": 100}, "spots": {"bonus": {"min": 1, "max": 5}}}
    answer = staked(HOLDEM, limits, ("hand1.ante", 100), ("hand1.bonus", 5))
    assert answer["staked"] == 305
    with pytest.raises(InputError) as refused:
        staked(HOLDEM, limits, ("hand1.ante", 100), ("hand1.bonus", 6))
    assert refused.value.code == "above_maximum"


def test_seats_that_are_not_dealt_in_this_round_may_have_limits() -> None:
    """``round.opened`` carries those of all seats of the table."""
    limits = {"spots": {f"seat{number}.main": {"min": 10, "max": 100} for number in range(1, 8)}}
    hands = {"seat2": ["2S", "3S", "4S", "5S", "6S"], "dealer": ["AS", "AC", "AD", "AH", "9D"]}
    high = {"game": "two-cards-high", "seats": [2], "hands": hands}
    assert staked(high, limits, ("seat2.main", 100))["staked"] == 100
    with pytest.raises(InputError) as refused:
        staked(high, limits, ("seat2.main", 9))
    assert refused.value.code == "below_minimum"


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ([], "wrong_type"),
        ({"tie": {"min": 1, "max": 2}}, "bad_limits"),
        ({"spots": {"tie": {"min": 1}}}, "bad_limits"),
        ({"spots": {"tie": {"min": -1, "max": 2}}}, "bad_limits"),
        ({"spots": {"tie": {"min": 1.5, "max": 2}}}, "bad_limits"),
        ({"spots": {"tie": {"min": "1", "max": 2}}}, "bad_limits"),
        ({"spots": []}, "bad_limits"),
        ({"spots": {}, "currency": "euro"}, "bad_limits"),
        ({"spots": {"ties": {"min": 1, "max": 2}}}, "bad_limits"),
        ({"spots": {"small": {"min": 3, "max": 2}}}, "bad_limits"),
        ({"table": {"min": 3, "max": 2}}, "bad_limits"),
    ],
)
def test_limits_that_cannot_be_read_are_refused(limits: object, code: str) -> None:
    with pytest.raises(InputError) as refused:
        staked(BACCARAT, limits, ("tie", 500))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"min": 1}, "limits: spots.tie: `max` is missing"),
        ({"min": "1", "max": 2}, "limits: spots.tie: min: expected a whole number, not text"),
        ([1, 2], "limits: spots.tie: expected an object, not a list"),
        ({"min": 1, "max": 2, "most": 3}, "limits: spots.tie: there is no field `most`"),
    ],
)
def test_a_limit_that_cannot_be_read_is_named_with_its_spot(limit: object, message: str) -> None:
    with pytest.raises(InputError) as refused:
        staked(BACCARAT, {"spots": {"small": {"min": 1, "max": 2}, "tie": limit}}, ("tie", 500))
    assert refused.value.message == message
