"""What ``score`` says, and with it every result: the outcome of each game."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from controller.games.registry import GAMES
from controller.schema.values import CardName, Count, SpotOutcome

Category = Literal[
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair",
    "high_card",
]


class TwoCardActionOutcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """2 Card Action: sum of the two cards, whether they pair, whether they are of one suit."""

    sum: Annotated[int, Meta(ge=2, le=20)]
    pair: bool
    suited: bool


class BaccaratOutcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Baccarat: winner and totals."""

    winner: Literal["player", "banker", "tie"]
    player_total: Annotated[int, Meta(ge=0, le=9)]
    banker_total: Annotated[int, Meta(ge=0, le=9)]
    natural: bool


class TwoCardsHighDealer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The dealer's hand: rank 1 (ace) to 10 of the pair, or total 0 to 9."""

    qualifies: bool
    kind: Literal["pair", "total"] | None
    rank: Annotated[int, Meta(ge=0, le=10)] | None


class TwoCardsHighSeat(TwoCardsHighDealer, frozen=True, forbid_unknown_fields=True):
    """The hand of a seat against the dealer's, and its side wager."""

    result: Literal[
        "win",
        "win_pair",
        "win_tie",
        "win_dealer_not_qualified",
        "lose",
        "lose_player_not_qualified",
    ]
    side: (
        Literal[
            "straight_flush",
            "four_of_a_kind",
            "full_house",
            "flush",
            "straight",
            "three_of_a_kind",
            "two_pair",
            "pair_7_or_better",
        ]
        | None
    )


class HoldemDealer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The dealer's best five."""

    category: Category
    qualifies: bool


class HoldemHand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hand's best five, its first five cards, and how it stands against the dealer."""

    category: Category
    first_five: Category
    vs_dealer: Literal["better", "tie", "worse"]


OUTCOMES: dict[str, dict[str, object]] = {
    "TwoCardActionOutcome": {"$ref": "TwoCardActionOutcome"},
    "BaccaratOutcome": {"$ref": "BaccaratOutcome"},
    "TwoCardsHighOutcome": {
        "title": "TwoCardsHighOutcome",
        "type": "object",
        "properties": {"dealer": {"$ref": "TwoCardsHighDealer"}},
        "patternProperties": {"^seat[1-7]$": {"$ref": "TwoCardsHighSeat"}},
        "required": ["dealer", "seat1"],
        "additionalProperties": False,
    },
    "CasinoHoldemOutcome": {
        "title": "CasinoHoldemOutcome",
        "type": "object",
        "properties": {
            "dealer": {"$ref": "HoldemDealer"},
            "hand1": {"$ref": "HoldemHand"},
            "hand2": {"$ref": "HoldemHand"},
        },
        "required": ["dealer", "hand1", "hand2"],
        "additionalProperties": False,
    },
}
"""The outcomes of the games; hands are named in two of them. A fifth game adds its own here."""

OfGame = Annotated[
    dict[str, object],
    Meta(extra_json_schema={"anyOf": [{"$ref": name} for name in OUTCOMES]}),
]
Outcome = Annotated[OfGame | None, Meta(description="by game; null while cards are missing")]

GameName = Annotated[str, Meta(extra_json_schema={"enum": list(GAMES)})]


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
    board: tuple[CardName, ...] | msgspec.UnsetType = msgspec.UNSET
    """Common cards, where the game has them."""
    outcome: Outcome
    """What the rules conclude."""
    bets: dict[str, SpotOutcome]
    """Every spot of the layout; empty while cards are missing."""
