"""One player's bets at one table: what may be added to them, judged before anything is written. Pure.

The order in which a call is judged is the contract's: the round, then whether bets are open, then each bet,
then the limits of all together, then what needs another bet. The balance is the ledger's business.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal

import msgspec

from controller.vocabulary.errors import DealerTableError
from controller.vocabulary.limits import MOST_STAKE_MINOR
from controller.wagering.felt import Felt

STATUS = {
    "bad_request": 400,
    "unauthorized": 401,
    "insufficient_balance": 402,
    "forbidden": 403,
    "unknown_table": 404,
    "not_found": 404,
    "wrong_round": 409,
    "bets_closed": 409,
    "table_held": 409,
    "price_changed": 409,
    "id_reused": 409,
    "other_currency": 409,
    "session_loss": 409,
    "session_time": 409,
    "decisions_closed": 409,
    "already_decided": 409,
    "below_minimum": 422,
    "above_maximum": 422,
    "unknown_spot": 422,
    "unknown_decision": 422,
    "bad_stake": 422,
    "required_bet_missing": 422,
    "too_many_calls": 429,
    "fault": 500,
    "unavailable": 503,
}
"""Code of a refusal -> status of HTTP."""


class Refused(DealerTableError):
    """A call that is not carried out; ``code`` is one of :data:`STATUS`."""


class Short(Refused):
    """The balance does not cover what a call costs; ``missing_minor`` more would."""

    def __init__(self, cost_minor: int, balance_minor: int) -> None:
        super().__init__(
            f"the bets cost {cost_minor}, the balance is {balance_minor}", "insufficient_balance"
        )
        self.missing_minor = cost_minor - balance_minor


class Slip(msgspec.Struct, frozen=True):
    """A bet that a player wants, or has: ``offer`` and ``price`` where it is taken at live odds."""

    spot: str
    stake_minor: int
    offer: str | None = None
    price: Decimal | None = None


class Wanted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bet as a call has it."""

    spot: str
    stake: object
    offer: str | None = None


def check_round(felt: Felt, round_: str) -> None:
    """Looked at first: a call is about the round that its sender saw."""
    if felt.round is None:
        raise Refused("no round is open", "wrong_round")
    if round_ != felt.round:
        raise Refused(f"the round is {felt.round}", "wrong_round")


def check_open(felt: Felt) -> None:
    """Whether bets are open."""
    if felt.phase != "betting" or felt.free_hand:
        raise Refused("bets are closed", "bets_closed")
    if felt.holds:
        raise Refused("the table waits for a supervisor", "table_held")


def judge(felt: Felt, wanted: Sequence[Wanted], held: Iterable[Slip]) -> list[Slip]:
    """The bets as they are taken, on top of those that the player holds; :class:`Refused` says why not."""
    slips = [_slip(felt, one) for one in wanted]
    staked: Counter[str] = Counter()
    for slip in (*held, *slips):
        staked[slip.spot] += slip.stake_minor
    for spot in {slip.spot for slip in slips}:
        limit = felt.limit(spot)
        if limit is not None and staked[spot] < limit.min:
            raise Refused(f"{spot}: {staked[spot]} is less than {limit.min}", "below_minimum")
        if limit is not None and staked[spot] > limit.max:
            raise Refused(f"{spot}: {staked[spot]} is more than {limit.max}", "above_maximum")
        base = felt.needs.get(spot)
        if base is not None and not staked[base]:
            raise Refused(f"{spot} takes no bet without a bet on {base}", "required_bet_missing")
    return slips


def _slip(felt: Felt, wanted: Wanted) -> Slip:
    spot, stake = wanted.spot, wanted.stake
    if spot not in felt.spots:
        raise Refused(f"the layout has no spot {spot[:40]!r} that takes a bet", "unknown_spot")
    if felt.open_spots is not None and spot not in felt.open_spots:
        raise Refused(f"{spot} takes no bet now that cards lie", "bets_closed")
    if isinstance(stake, bool) or not isinstance(stake, int) or not 1 <= stake <= MOST_STAKE_MINOR:
        raise Refused(f"{spot}: a stake is 1 to {MOST_STAKE_MINOR} minor units", "bad_stake")
    if spot not in felt.live:
        if wanted.offer is not None:
            raise Refused(f"{spot} has no live price: name no offer", "price_changed")
        return Slip(spot, stake)
    price = felt.prices.get(spot)
    if price is None or felt.offer is None:
        raise Refused(f"{spot} has no price now", "price_changed")
    if wanted.offer is None or wanted.offer != felt.offer:
        raise Refused(f"{spot} is offered at {price} in {felt.offer}: name that offer", "price_changed")
    return Slip(spot, stake, wanted.offer, Decimal(repr(price)))
