"""Fair and offered prices: the push on a tie, exact rounding down, suspension."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.baccarat import SPOTS
from controller.odds.baccarat import baccarat_odds
from controller.odds.composition import OddsError
from controller.odds.prices import Odds, prices
from controller.vocabulary.cards import RANKS, Card

EIGHT_DECKS = dict.fromkeys(RANKS, 32)


def odds(total: int, **ways: int) -> Odds:
    return Odds({spot: ways.get(spot, 0) for spot in SPOTS}, total)


def test_a_bet_that_pushes_on_a_tie_is_worth_less_than_its_probability_says() -> None:
    """Readings: (1 - p of a tie) / p for Player and Banker, 1 / p for all others."""
    priced = prices(odds(10, player=3, banker=4, tie=3, small=5, big=5))
    assert priced.fair["player"] == float(Fraction(7, 3))
    assert priced.fair["banker"] == float(Fraction(7, 4))
    assert priced.fair["tie"] == float(Fraction(10, 3))
    assert priced.fair["small"] == 2.0


def test_at_the_fair_price_every_bet_on_eight_decks_returns_its_stake() -> None:
    ways, total = counted = baccarat_odds(EIGHT_DECKS)
    for spot, price in prices(counted).fair.items():
        pushes = ways["tie"] if spot in ("player", "banker") else 0
        assert price is not None
        assert (ways[spot] * price + pushes) / total == pytest.approx(1.0, abs=1e-15)


def test_what_cannot_happen_has_no_price_and_what_must_happen_is_worth_its_stake() -> None:
    dealt = [Card(card) for card in ("KC", "7C", "9D", "2S", "5S")][:4]
    priced = prices(baccarat_odds(EIGHT_DECKS, dealt))
    assert priced.probabilities["tie"] == 1.0
    assert (priced.fair["tie"], priced.offered["tie"]) == (1.0, None)
    assert (priced.fair["big"], priced.offered["big"], priced.probabilities["big"]) == (None, None, 0.0)
    assert (priced.fair["player"], priced.offered["player"]) == (None, None)


def test_a_bet_that_can_only_win_or_push_is_suspended() -> None:
    priced = prices(odds(10, player=4, tie=6), margin=0)
    assert (priced.fair["player"], priced.offered["player"]) == (1.0, None)


@pytest.mark.parametrize(
    ("ways", "total", "margin", "offered"),
    [
        (1, 2, "0.05", 1.9),
        (1, 2, 0.05, 1.9),
        (1, 2, Decimal("0.05"), 1.9),
        (1, 2, 0, 2.0),
        (100, 117, 0, 1.17),  # 1.17 x 100 is 116.99999999999999 in floating point
        (100, 116, "0.0", 1.16),
        (1, 3, "0.01", 2.97),
        (10_000, 10_100, 0, 1.01),
        (10_001, 10_101, 0, None),  # 1.00999... is below 1.01
        (100, 107, "0.05", 1.01),
        (100, 106, "0.05", None),
        (1, 10**15, "0.05", 950_000_000_000_000.0),
    ],
)
def test_an_offer_is_rounded_down_exactly(
    ways: int, total: int, margin: str | float | Decimal, offered: float | None
) -> None:
    assert prices(odds(total, small=ways), margin).offered["small"] == offered


@given(ways=st.integers(1, 10**6), rest=st.integers(0, 10**7), thousandths=st.integers(0, 999))
def test_an_offer_is_the_floor_of_the_exact_price(ways: int, rest: int, thousandths: int) -> None:
    exact = Fraction(ways + rest, ways) * (1000 - thousandths) / 1000
    offer = prices(odds(ways + rest, tie=ways), thousandths / 1000).offered["tie"]
    hundredths = floor(100 * exact)
    assert offer == (hundredths / 100 if hundredths >= 101 else None)


def test_each_spot_may_have_a_margin_of_its_own() -> None:
    margins = dict.fromkeys(SPOTS, "0.05") | {"tie": "0.10"}
    priced = prices(odds(10, tie=5, small=5), margins)
    assert (priced.offered["tie"], priced.offered["small"]) == (1.8, 1.9)


def test_a_rare_bet_is_suspended_below_the_least_probability() -> None:
    counted = odds(1000, small=9, tie=10)
    priced = prices(counted, least_probability="0.01")
    assert (priced.offered["small"], priced.offered["tie"]) == (None, 95.0)
    assert priced.fair["small"] == float(Fraction(1000, 9))


@pytest.mark.parametrize(
    "margin", [1, -0.01, "five", "", None, True, float("nan"), float("inf"), {}, [], "1e-999999999"]
)
def test_a_margin_is_a_share_of_the_price(margin: object) -> None:
    with pytest.raises(OddsError) as caught:
        prices(odds(2, small=1), margin)  # type: ignore[arg-type]
    assert caught.value.code == "bad_margin"
