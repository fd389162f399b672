"""A bet at a live price is settled only at a price that was offered for this round and spot."""

from __future__ import annotations

import pytest

from controller.settlement import settle_line
from controller.vocabulary.errors import InputError
from tests.games.deals import told

ROUND = {"game": "baccarat", "cards": ["8S", "5C", "KC", "2D"]}
OFFERS = {"1-3": {"player": 1.92, "tie": None}, "1-7": {"player": 1.56, "banker": 2.41}}


def settled(**bet: object) -> dict[str, object]:
    return told(settle_line({**ROUND, "offers": OFFERS, "bets": [{"stake": 100, **bet}]}))


@pytest.mark.parametrize(("offer", "price", "returned"), [("1-3", 1.92, 192), ("1-7", 1.56, 156)])
def test_a_bet_is_paid_at_the_price_it_was_taken_at(offer: str, price: float, returned: int) -> None:
    assert settled(spot="player", odds=price, offer=offer)["returned"] == returned


def test_a_bet_on_a_spot_without_live_prices_is_paid_by_the_table() -> None:
    assert settled(spot="small")["returned"] == 250


NEVER_OFFERED: dict[str, dict[str, object]] = {
    "other price": {"spot": "player", "odds": 1.93, "offer": "1-3"},
    "price of another offer": {"spot": "player", "odds": 1.56, "offer": "1-3"},
    "no offer": {"spot": "player", "odds": 1.92},
    "unknown offer": {"spot": "player", "odds": 1.92, "offer": "1-9"},
    "no text": {"spot": "player", "odds": 1.92, "offer": 3},
    "suspended": {"spot": "tie", "odds": 9.98, "offer": "1-3"},
    "no price": {"spot": "player"},
    "no price, and an offer": {"spot": "player", "offer": "1-3"},
    "no price where the spot was suspended all the time": {"spot": "tie"},
    "unpriced": {"spot": "banker", "odds": 2.41, "offer": "1-3"},
}


@pytest.mark.parametrize("bet", NEVER_OFFERED.values(), ids=NEVER_OFFERED)
def test_a_price_that_was_never_offered_is_refused(bet: dict[str, object]) -> None:
    with pytest.raises(InputError) as refused:
        settled(**bet)
    assert refused.value.code == "not_offered"


@pytest.mark.parametrize("offers", [[], {"1-3": 4}, {"1-3": {"player": "1.92"}}, {"1-3": {"player": 0.5}}])
def test_malformed_offers_are_refused(offers: object) -> None:
    with pytest.raises(InputError):
        settle_line(
            {**ROUND, "offers": offers, "bets": [{"spot": "player", "stake": 1, "odds": 2, "offer": "1-3"}]}
        )


def test_a_price_of_what_is_no_spot_is_refused() -> None:
    """Offers written the other way round would bind no bet, and each be paid by the table."""
    with pytest.raises(InputError) as refused:
        settle_line({**ROUND, "offers": {"player": {"1-3": 1.92}}, "bets": [{"spot": "player", "stake": 1}]})
    assert refused.value.code == "unknown_spot"
    assert refused.value.message == 'offers: player: baccarat has no spot "1-3"'


def test_without_offers_any_price_is_taken_at_its_word() -> None:
    line = {**ROUND, "bets": [{"spot": "player", "stake": 100, "odds": 3.5}]}
    assert settle_line(line).returned_minor == 350
