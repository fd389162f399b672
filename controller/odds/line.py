"""One question about odds and its answer, as the lines of ``odds --batch`` have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as shown

from controller.odds.baccarat import baccarat_odds
from controller.odds.composition import OddsError, rank_counts
from controller.odds.prices import DEFAULT_MARGIN, prices
from controller.odds.strength import holdem_strength
from controller.vocabulary.cards import RANKS, Card, parse_card


def odds_line(line: Mapping[str, object], *, numpy: bool | None = None) -> dict[str, object]:
    """The answer to one line, as the contract's ``odds``.

    ``baccarat``: ``remaining`` (unseen cards of each of the 13 ranks), ``dealt`` (cards of this round so
    far in deal order, none where it is left out), ``margin`` (0.05 where it is left out; a share, or one
    for each spot). ``casino-holdem``: ``hands`` and ``flop``. ``2-card-action`` and ``two-cards-high``, for
    the floor's own eyes: ``remaining`` (unseen cards of each card of the deck), with ``layout``, ``decks``,
    ``seats`` as in ``score``; the answer has what the house keeps of each bet in a round from these cards.
    What else the line has is not looked at.

    An :class:`~controller.vocabulary.errors.InputError` has a stable ``code`` and a ``message`` that names
    what to mend.
    """
    if not isinstance(line, Mapping):
        raise OddsError(f"the line is {shown(line)}: expected an object")
    match line.get("game"):
        case "baccarat":
            return _baccarat(line, numpy)
        case "casino-holdem":
            return _holdem(line, numpy)
        case "2-card-action" | "two-cards-high":
            return _watched(line)
        case game:
            known = "baccarat, casino-holdem, 2-card-action or two-cards-high"
            raise OddsError(f"game is {shown(game)}: expected {known}", "unknown_game")


def _baccarat(line: Mapping[str, object], numpy: bool | None) -> dict[str, object]:
    """Probabilities and prices of all spots."""
    counts = rank_counts(line.get("remaining"))
    margin = line.get("margin", DEFAULT_MARGIN)
    if not isinstance(margin, str | int | float | Mapping):
        raise OddsError(
            f"margin is {shown(margin)}: expected a share from 0 to below 1, as 0.05", "bad_margin"
        )
    dealt = cards(line.get("dealt", []), "dealt")
    return prices(baccarat_odds(dict(zip(RANKS, counts, strict=True)), dealt, numpy=numpy), margin)._asdict()


def _holdem(line: Mapping[str, object], numpy: bool | None) -> dict[str, object]:
    """Wins, ties and losses of each hand."""
    hands = line.get("hands")
    if not isinstance(hands, Mapping):
        raise OddsError(
            f"hands is {shown(hands)}: expected an object with hand1, and hand2 where it is dealt",
            "bad_cards",
        )
    by_hand = {name: cards(hole, f"hands.{name}") for name, hole in hands.items()}
    strengths = holdem_strength(by_hand, cards(line.get("flop"), "flop"), numpy=numpy)
    return {name: strength._asdict() for name, strength in strengths.items()}


def _watched(line: Mapping[str, object]) -> dict[str, object]:
    """What each spot is worth by the published pay table."""
    # Only here: baccarat and hold'em start without the other games.
    from controller.games.line import SETTINGS, read_round
    from controller.odds.watch import spot_ways

    settings = {name: line[name] for name in (*SETTINGS, "game") if name in line}
    remaining = line.get("remaining")
    if not isinstance(remaining, Mapping):
        raise OddsError(
            f"remaining is {shown(remaining)}: expected an object with a count for each card", "bad_count"
        )
    ways = spot_ways(read_round(settings).game, remaining)
    return {
        "probabilities": {spot: float(one.probability) for spot, one in ways.items()},
        "house_edge": {spot: float(one.house_edge) for spot, one in ways.items()},
    }


def cards(value: object, name: str) -> list[Card]:
    """A list of cards; the error says which is none."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise OddsError(f"{name} is {shown(value)}: expected a list of cards", "bad_cards")
    return [parse_card(card) for card in value]
