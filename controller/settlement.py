"""Outcome and bets to returned amounts: exact integers and fractions, no float touches money.

``returned`` includes the stake; any fraction of a minor unit is rounded down. One call is one player. This
file knows no game by name: a game says what needs a decision, what appears by itself, what cannot be alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from controller.games.game import Deal, Game
from controller.games.line import read_round
from controller.games.ratio import parse_ratio
from controller.offers import Offers, check_limits, check_offered, read_limits, read_offers, read_price
from controller.vocabulary.errors import InputError
from controller.vocabulary.limits import MOST_STAKE_MINOR, Limits
from controller.vocabulary.outcomes import LOSE, NOT_PLACED, PUSH, SpotOutcome
from controller.vocabulary.parts import Decision
from controller.vocabulary.shown import shown, told

Decisions = Mapping[str, Decision]
"""Hand -> what is decided on it."""
BET_FIELDS = frozenset({"id", "spot", "stake", "odds", "offer"})


class Bet(msgspec.Struct, frozen=True):
    """One bet of a player; ``price`` is the decimal price of a bet that was taken at live odds."""

    spot: str
    stake_minor: int
    id: str | int | None = None
    price: Decimal | None = None


class SettledBet(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a bet; ``returned_minor`` includes the stake. Minor units."""

    id: str | int | UnsetType = UNSET
    spot: str
    stake_minor: int = msgspec.field(name="stake")
    result: Literal["win", "lose", "push", "not_placed"]
    pays: str | None
    returned_minor: int = msgspec.field(name="returned")


class Settlement(msgspec.Struct, frozen=True, kw_only=True):
    """The contract's ``settle`` answer, in minor units."""

    bets: tuple[SettledBet, ...]
    staked_minor: int = msgspec.field(name="staked")
    returned_minor: int = msgspec.field(name="returned")
    net_minor: int = msgspec.field(name="net")


def settle_line(line: object) -> Settlement:
    """The contract's ``settle`` answer to a line; :class:`InputError` with a code where it is refused."""
    given = read_round(line)
    fields = line if isinstance(line, Mapping) else {}
    bets = read_bets(
        given.game,
        fields.get("bets"),
        read_offers(given.game, fields.get("offers")),
        read_limits(given.game, fields.get("limits")),
    )
    played = read_decisions(given.game, fields.get("decisions"))
    void = fields.get("void")
    if void is not None and not isinstance(void, bool):
        raise InputError(f"void: expected true or false, not {shown(void)}", "wrong_type")
    if void:
        return _settlement(refund(given.game, bets, played))
    if given.needs is not None:
        raise InputError(
            f"the round is not complete: the next card lies at {given.needs!r}", "incomplete_round"
        )
    return _settlement(settle(given.game, given.dealt, bets, played))


def settle(game: Game, dealt: Deal, bets: Sequence[Bet], played: frozenset[str]) -> list[SettledBet]:
    """Every bet of one player after a complete deal, further bets that appear by themselves at the end.

    ``played`` are the hands on which the player decided to play; any other hand is folded.
    """
    return pay(game.decisions(), game.bets(dealt), bets, played)


def pay(
    decisions: Decisions, results: Mapping[str, SpotOutcome], bets: Sequence[Bet], played: frozenset[str]
) -> list[SettledBet]:
    """The same by what a result says of every spot: who pays on ``round.result`` needs no game.

    A bet on a spot that the result does not name (a seat that got no cards) gets its stake back.
    """
    results = dict(results)
    for hand, decision in decisions.items():
        if hand not in played:
            results.update(dict.fromkeys(decision.forfeits, LOSE))
            results[decision.raised] = NOT_PLACED
    return [_settled(bet, results.get(bet.spot, PUSH)) for bet in (*bets, *_raised(decisions, bets, played))]


def refund(game: Game, bets: Sequence[Bet], played: frozenset[str]) -> list[SettledBet]:
    """A void gives all stakes back: readings, "2 Card Action" and "Casino Hold'em" (Ante, Bonus and Play)."""
    raised = _raised(game.decisions(), bets, played)
    return [_settled(bet, PUSH if bet.stake_minor else NOT_PLACED) for bet in (*bets, *raised)]


def returned_minor(stake_minor: int, result: SpotOutcome, price: Decimal | None = None) -> int:
    """What goes back to the player, stake included, in minor units, rounded down."""
    if result.result == "push":
        return stake_minor
    if result.result != "win" or result.pays is None:
        return 0
    times = 1 + parse_ratio(result.pays) if price is None else Fraction(price)
    return stake_minor * times.numerator // times.denominator


def _settlement(settled: Sequence[SettledBet]) -> Settlement:
    staked = sum(one.stake_minor for one in settled)
    returned = sum(one.returned_minor for one in settled)
    return Settlement(
        bets=tuple(settled), staked_minor=staked, returned_minor=returned, net_minor=returned - staked
    )


def read_bets(
    game: Game, value: object, offers: Offers | None = None, limits: Limits | None = None
) -> list[Bet]:
    """The bets of a line, each allowed on this layout and all of them together; at what was offered and
    within the limits, where these are known."""
    if not isinstance(value, list | tuple):
        raise InputError("bets: expected a list of bets", "wrong_type")
    spots = frozenset(game.spots())
    automatic = frozenset(decision.raised for decision in game.decisions().values())
    bets = [_bet(game, spots, automatic, one, f"bets[{place}]") for place, one in enumerate(value)]
    if offers is not None:
        for place, (bet, one) in enumerate(zip(bets, value, strict=True)):
            check_offered(offers, bet.spot, bet.price, one.get("offer"), f"bets[{place}]")
    placed: Counter[str] = Counter()
    for bet in bets:
        placed[bet.spot] += bet.stake_minor
    for spot, base in game.needs_bet().items():
        if spot in placed and base not in placed:
            raise InputError(f"bets: {spot} takes no bet without a bet on {base}", "required_bet_missing")
    if limits is not None:
        check_limits(limits, placed)
    return bets


def read_decisions(game: Game, value: object) -> frozenset[str]:
    """The hands that the player plays. null is "none", of all as of one hand: not decided, so folded."""
    if value is None:
        return frozenset()
    if not isinstance(value, Mapping):
        raise InputError("decisions: expected an object as {'hand1': 'play'}", "wrong_type")
    hands = game.decisions()
    for hand, choice in value.items():
        if hand not in hands:
            raise InputError(f"decisions: {game.name} has no decision on {hand!r}", "unknown_decision")
        if choice not in ("play", "fold", None):
            raise InputError(
                f"decisions: {hand}: {shown(choice)} is neither 'play' nor 'fold'", "unknown_decision"
            )
    return frozenset(hand for hand, choice in value.items() if choice == "play")


def _bet(game: Game, spots: frozenset[str], automatic: frozenset[str], value: object, where: str) -> Bet:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: a bet is an object with spot and stake", "wrong_type")
    if unknown := [key for key in value if key not in BET_FIELDS]:
        raise InputError(f"{where}: {unknown[0]!r} is no field of a bet", "unknown_field")
    spot, name = value.get("spot"), value.get("id")
    if not isinstance(spot, str) or spot not in spots:
        said = (
            "a bet names its spot" if spot is None else f"the layout of {game.name} has no spot {shown(spot)}"
        )
        raise InputError(f"{where}: {said}", "unknown_spot")
    if spot in automatic:
        raise InputError(f"{where}: {spot} appears by itself when the hand is played", "automatic_spot")
    if name is not None and (isinstance(name, bool) or not isinstance(name, str | int)):
        raise InputError(f"{where}: an id is text or an integer", "wrong_type")
    stake = _stake(value.get("stake"), where)
    price = None if value.get("odds") is None else read_price(game, value["odds"], where)
    return Bet(spot, stake, name, price)


def _stake(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{where}: {told('stake', value)}: expected an integer of minor units", "bad_stake")
    if not 1 <= value <= MOST_STAKE_MINOR:
        raise InputError(f"{where}: a stake is 1 to {MOST_STAKE_MINOR} minor units", "bad_stake")
    return value


def _raised(decisions: Decisions, bets: Sequence[Bet], played: frozenset[str]) -> list[Bet]:
    """The bets that appear by themselves: a multiple of a played hand's base bet, of a folded one 0."""
    raised = []
    for hand, decision in decisions.items():
        base_minor = sum(bet.stake_minor for bet in bets if bet.spot == decision.base)
        if base_minor:
            raised.append(Bet(decision.raised, decision.times * base_minor if hand in played else 0))
    return raised


def _settled(bet: Bet, result: SpotOutcome) -> SettledBet:
    if bet.price is not None and result.result == "win":
        result = SpotOutcome("win", f"{(bet.price - 1).normalize():f}:1")
    return SettledBet(
        id=UNSET if bet.id is None else bet.id,
        spot=bet.spot,
        stake_minor=bet.stake_minor,
        result=result.result,
        pays=result.pays,
        returned_minor=returned_minor(bet.stake_minor, result, bet.price),
    )
