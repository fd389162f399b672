"""What can be counted of a game while it is played, and how a game says that it counts something better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from controller.games.game import Dealt, Game
from controller.games.line import FIELDS, SETTINGS, check_fields, read_round
from controller.games.registry import game_class, module_for
from controller.odds.composition import OddsError, check_shoe, counts_of
from controller.odds.prices import Margin, Prices
from controller.odds.spot_ways import SpotWays
from controller.odds.walk import MOST_CARDS, walked_ways
from controller.vocabulary.cards import Card, parse_card
from controller.vocabulary.errors import CardError, ConfigurationError
from controller.vocabulary.parts import HandStrength
from controller.vocabulary.shown import told

ASKED = frozenset({"remaining", "dealt", "margin", "flop"})
"""What a line asks the odds by, beside the fields of ``score``."""

GameT = TypeVar("GameT", bound=Game)
Line = Mapping[str, object]


class HouseEdges(msgspec.Struct, frozen=True):
    """By spot: how likely it wins in a round from these cards, and what the house keeps of a unit staked."""

    probabilities: dict[str, float]
    house_edge: dict[str, float]


class FaceUp(NamedTuple):
    """What the strength of hands is counted from: the cards of each hand, and those on the board."""

    hands: tuple[tuple[str, tuple[Card, ...]], ...]
    board: tuple[Card, ...]


class Counting(Generic[GameT]):
    """The counts of any game; ``ODDS`` of ``controller.odds.<game>`` has those that a game brings itself.

    ``numpy`` None takes numpy where it is installed; with it and without it the integers are the same.
    """

    def answer(self, line: Line, *, numpy: bool | None = None) -> object:
        """The contract's ``odds`` for a line of this game; here: each spot by the published pay table."""
        game = read_round({name: line[name] for name in (*SETTINGS, "game") if name in line}).game
        remaining: Any = line.get("remaining")
        ways = spot_ways(game, remaining, numpy=numpy)
        check_shoe(remaining, (), "card", game.decks)
        return HouseEdges(
            {spot: float(one.probability) for spot, one in ways.items()},
            {spot: float(one.house_edge) for spot, one in ways.items()},
        )

    def spot_ways(
        self, game: GameT, remaining: Mapping[Card, int], *, numpy: bool | None = None
    ) -> dict[str, SpotWays]:
        """The ways of every spot by the game's pay table in a round dealt from the cards that are left.

        ``remaining`` names every card of the game's deck. ``SpotWays.house_edge`` is what the house keeps
        now. :class:`OddsError` with code ``unknown_game`` for a game of many cards that brings no count,
        ``insufficient_cards`` where no round can be dealt, or one of ``counts_of``.
        """
        if game.cards_needed > MOST_CARDS:
            why = (
                "it is shuffled before every round"
                if game.shuffled_every_round
                else f"it deals {game.cards_needed} cards, at most {MOST_CARDS} are walked,"
                " and it has no module in controller.odds"
            )
            raise OddsError(f"{game.name} has no odds by what is left: {why}", "unknown_game")
        counts = counts_of(remaining, game.deck, "card", len(game.deck) * game.deck_counts[-1])
        if sum(counts) < game.cards_needed:
            message = f"a round takes {game.cards_needed} cards, {sum(counts)} left"
            raise OddsError(message, "insufficient_cards")
        return walked_ways(game, dict(zip(game.deck, counts, strict=True)))

    def prices(
        self,
        game: GameT,
        unseen: Mapping[Card, int],
        dealt: Sequence[Card],
        margins: Mapping[str, Margin],
        *,
        least_probability: Margin = 0,
        numpy: bool | None = None,
    ) -> Prices:
        """Live prices of all spots that can have one (``Game.live_spots``); ``dealt``: the cards face up, in
        deal order."""
        raise OddsError("the game has no live odds", "unknown_game")

    def face_up(self, dealt: Sequence[Dealt]) -> FaceUp | None:
        """What the strength of hands is counted from when these cards lie face up; None: nothing yet."""
        return None

    def strengths(self, face_up: FaceUp) -> dict[str, HandStrength]:
        """Wins, ties and losses of each hand over everything that is still unseen."""
        raise OddsError("the game counts no strength of hands", "unknown_game")


def odds_line(line: object, *, numpy: bool | None = None) -> object:
    """The answer to one line, as the contract's ``odds``.

    What a line says depends on its ``game``: see ``answer`` of the game's module in this room. Of a game
    that has none, for the floor's own eyes: ``remaining`` (unseen cards of each card of the deck), with
    ``layout``, ``decks``, ``seats`` as in ``score``; the answer has what the house keeps of each bet in a
    round from these cards. A key of ``score`` that a game's odds do not depend on is not looked at; one that
    is of neither is refused.

    An :class:`~controller.vocabulary.errors.InputError` has a stable ``code`` and a ``message`` that names
    what to fix.
    """
    if not isinstance(line, Mapping):
        raise OddsError(f"{told('the line', line)}: expected an object")
    check_fields(line, FIELDS | ASKED)
    name = line.get("game")
    if not isinstance(name, str):
        raise OddsError(f"{told('game', name)}: expected the name of a game", "unknown_game")
    try:
        game = game_class(name)
    except ConfigurationError as error:
        raise OddsError(error.message.removeprefix("game.name: "), error.code) from error
    return odds_of(game).answer(line, numpy=numpy)


def odds_of(game: type[Game]) -> Counting[Game]:
    """What can be counted of a game."""
    module = module_for(game.name, __package__)
    counting: Counting[Game] = Counting() if module is None else module.ODDS
    return counting


def spot_ways(game: Game, remaining: Mapping[Card, int], *, numpy: bool | None = None) -> dict[str, SpotWays]:
    """What :meth:`Counting.spot_ways` says of this game."""
    return odds_of(type(game)).spot_ways(game, remaining, numpy=numpy)


def cards(value: object, name: str) -> tuple[Card, ...]:
    """A list of cards; the error says which is none."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise OddsError(f"{told(name, value)}: expected a list of cards", "bad_cards")
    try:
        return tuple(parse_card(card) for card in value)
    except CardError as error:
        raise CardError(f"{name}: {error.message}") from error
