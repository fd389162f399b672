"""What the rules conclude of a round, and the answer of ``score``, which every result carries."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.vocabulary.values import CardName, Count, GameName, Ratio


class Outcome:
    """Marks the struct of a game's outcome: each game defines its own (``Game.outcome_type``)."""

    __slots__ = ()


class UnreadOutcome(Outcome):
    """The outcome of some game, as it came."""

    __slots__ = ("body",)

    def __init__(self, body: object) -> None:
        self.body = body
        """A JSON value."""


def unread_outcome(kind: type, body: object) -> UnreadOutcome:
    """A ``dec_hook`` for readers that need not know the games: it gives each outcome as it came."""
    if kind is not Outcome:
        raise LookupError(f"nothing says how a {kind.__name__} is read")
    return UnreadOutcome(body)


OutcomeOrNull = Annotated[Outcome | None, Meta(description="by game; null while cards are missing")]


class SpotOutcome(msgspec.Struct, frozen=True):
    """What a spot does: ``pays`` where it wins; null in the result of a spot that has live prices, where each
    bet pays the price that it was taken at."""

    result: Literal["win", "lose", "push", "not_placed"]
    pays: Ratio | None


LOSE = SpotOutcome("lose", None)
PUSH = SpotOutcome("push", None)
NOT_PLACED = SpotOutcome("not_placed", None)


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of ``score``."""

    game: GameName
    """The game."""
    complete: bool
    """False: a card is still missing."""
    used: Count
    """Cards consumed; a surplus is ignored."""
    needs: str | None
    """The position of the next card."""
    hands: dict[str, tuple[CardName, ...]]
    """Position -> its cards in order."""
    board: tuple[CardName, ...] | UnsetType = UNSET
    """Common cards, where the game has them."""
    outcome: OutcomeOrNull
    """What the rules conclude."""
    bets: dict[str, SpotOutcome]
    """Every spot of the layout; empty while cards are missing."""
