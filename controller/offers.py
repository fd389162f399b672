"""What the house offered for a round, live prices and limits; a bet outside of it is refused.

Prices are those of the ``round.odds`` messages, limits those of ``round.opened``.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import msgspec

from controller.games.game import Game
from controller.vocabulary.errors import InputError, why
from controller.vocabulary.limits import Limit, Limits, wager_of
from controller.vocabulary.shown import shown

MOST_PRICE = 1_000_000
LEAST_PRICE_EXPONENT = -12
"""A decimal price has at most twelve places."""

NO_CURRENCY = "XXX"
"""ISO 4217's word for none: a line of ``settle`` need not name one."""

Offers = Mapping[str, Mapping[str, Decimal | None]]
"""Id of an offer -> spot -> decimal price, None if the spot was suspended."""


def read_offers(game: Game, value: object) -> Offers | None:
    """The prices that were offered in this round: id of a ``round.odds`` message -> spot -> price, None:
    suspended.

    Where a line brings them, a bet on a spot that is priced in them must name its ``odds`` and ``offer``,
    and the price must be the one offered there. A price of what is no spot of the game would bind no bet: it
    is refused.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(prices, Mapping) for prices in value.values()):
        raise InputError("offers: expected an object as {'1-7': {'tie': 9.98}}", "wrong_type")
    spots = frozenset(game.spots())
    for name, prices in value.items():
        for spot in prices:
            if spot not in spots:
                raise InputError(f"offers: {name}: {game.name} has no spot {shown(spot)}", "unknown_spot")
    return {
        str(name): {
            str(spot): None if price is None else read_price(game, price, f"offers: {name}: {spot}")
            for spot, price in prices.items()
        }
        for name, prices in value.items()
    }


def check_offered(offers: Offers, spot: str, price: Decimal | None, offer: object, where: str) -> None:
    """A price counts only where it was offered for this round and this spot; and where a spot has live prices
    no other bet on it counts."""
    if price is None:
        if any(spot in prices for prices in offers.values()):
            message = f"{where}: {spot} has live prices: a bet on it names the 'odds' and the 'offer'"
            raise InputError(message, "not_offered")
        return
    if not isinstance(offer, str) or offer not in offers:
        raise InputError(f"{where}: offer {shown(offer)} is none of this round's offers", "not_offered")
    offered = offers[offer].get(spot)
    if offered is None:
        raise InputError(f"{where}: {spot} was suspended or not priced in offer {offer}", "not_offered")
    if offered != price:
        raise InputError(f"{where}: {spot} was offered at {offered}, not at {price}", "not_offered")


def read_price(game: Game, value: object, where: str) -> Decimal:
    """The decimal price exactly as written: a float's shortest text is the text it was read from."""
    if not game.live_odds:
        raise InputError(f"{where}: {game.name} has no live odds", "bad_odds")
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InputError(f"{where}: odds {shown(value)} is no decimal price", "bad_odds")
    price = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not price.is_finite() or not 1 <= price <= MOST_PRICE:
        raise InputError(f"{where}: a decimal price is 1 to {MOST_PRICE}, stake included", "bad_odds")
    exponent = price.as_tuple().exponent
    if isinstance(exponent, int) and exponent < LEAST_PRICE_EXPONENT:
        raise InputError(f"{where}: a decimal price has at most {-LEAST_PRICE_EXPONENT} places", "bad_odds")
    return price


def read_limits(game: Game, value: object) -> Limits | None:
    """The limits of a line, as ``round.opened`` carries them; the currency may be left out.

    A limit of what is no spot of the game would be none: it is refused. Seats and hands that this round does
    not deal may have theirs.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InputError(
            "limits: expected an object as {'spots': {'tie': {'min': 1, 'max': 9}}}", "wrong_type"
        )
    limits = _limits({"currency": NO_CURRENCY, **value})
    wagers = {wager_of(spot) for spot in game.spots()}
    for name, limit in {"table": limits.table, **limits.spots}.items():
        if name != "table" and wager_of(name) not in wagers:
            raise InputError(f"limits: {game.name} has no spot {shown(name)}", "bad_limits")
        if limit is not None and limit.min > limit.max:
            raise InputError(f"limits: {name}: min is {limit.min}, above max, {limit.max}", "bad_limits")
    return limits


def _limits(value: Mapping[str, object]) -> Limits:
    """The limits; each spot by itself, so that a complaint names it."""
    spots = value.get("spots", {})
    try:
        if isinstance(spots, Mapping):
            for name, limit in spots.items():
                _limit(name, limit)
        return msgspec.convert(value, Limits)
    except msgspec.ValidationError as error:
        raise InputError(f"limits: {why(error)}", "bad_limits") from error


def _limit(spot: object, value: object) -> None:
    try:
        msgspec.convert(value, Limit)
    except msgspec.ValidationError as error:
        raise InputError(f"limits: spots.{spot}: {why(error)}", "bad_limits") from error


def check_limits(limits: Limits, staked_minor: Mapping[str, int]) -> None:
    """Whether all that one player has on each spot, minor units, is within its limit."""
    for spot, stake_minor in staked_minor.items():
        limit = limits.of(spot)
        if limit is not None and stake_minor < limit.min:
            message = f"bets: {stake_minor} on {spot} is less than its least stake, {limit.min}"
            raise InputError(message, "below_minimum")
        if limit is not None and stake_minor > limit.max:
            message = f"bets: {stake_minor} on {spot} is more than its greatest stake, {limit.max}"
            raise InputError(message, "above_maximum")
