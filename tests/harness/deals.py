"""The four games as they are dealt by hand: which keys, which card to whom, and what the cards make.

The order of the deal is read from the rule documents, what the cards make from ``tests/vectors``: nothing
here comes from the program.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.harness.rules_by_hand import RANKS, SUITS, play
from tests.vectors.by_hand import score

Draw = Callable[[str, int], str]
"""``draw(hand, number)``: the next card of the shoe for a hand, whose first is 1."""
Key = Callable[[str], None]

SEATS = 3
NO_FACES = RANKS[:10]


@dataclass(frozen=True)
class Deal:
    """A game at a table."""

    game: str
    settings: str
    """Of ``[game]``, beside the name."""
    deck: tuple[str, ...]
    decks: int
    every_round: bool
    """A new shoe for each round."""
    deal: Callable[[Draw, Key], dict[str, Any]]
    """Deals a round; the line of the contract that it makes."""

    @property
    def configuration(self) -> str:
        """Of a table that plays it."""
        return f'[game]\nname = "{self.game}"\n{self.settings}\n'

    def shoe(self) -> list[str]:
        """All cards, in factory order."""
        return list(self.deck) * self.decks

    def made(self, line: dict[str, Any]) -> dict[str, Any]:
        """What the cards make, by hand."""
        return score({"game": self.game, **line})


def baccarat(draw: Draw, _key: Key) -> dict[str, Any]:
    cards: list[str] = []

    def noted(hand: str, number: int) -> str:
        cards.append(draw(hand, number))
        return cards[-1]

    play(noted)
    return {"cards": cards}


def two_card_action(draw: Draw, _key: Key) -> dict[str, Any]:
    return {"layout": "C", "cards": [draw("first", 1), draw("second", 1)]}


def two_cards_high(draw: Draw, key: Key) -> dict[str, Any]:
    places = [*(f"seat{number}" for number in range(1, SEATS + 1)), "dealer"]
    cards = [draw(place, number) for number in range(1, 6) for place in places]
    key("REVEAL")
    return {"seats": SEATS, "cards": cards}


def casino_holdem(draw: Draw, key: Key) -> dict[str, Any]:
    cards = [draw(hand, number) for hand in ("hand1", "hand2", "dealer") for number in (1, 2)]
    cards += [draw("flop", number) for number in (1, 2, 3)]
    key("DECIDED")
    cards += [draw("turn", 1), draw("river", 1)]
    key("REVEAL")
    return {"cards": cards}


WHOLE = tuple(rank + suit for suit in SUITS for rank in RANKS)
DEALS = (
    Deal("baccarat", "", WHOLE, 8, False, baccarat),
    Deal("2-card-action", 'layout = "C"\ndecks = 8', WHOLE, 8, False, two_card_action),
    Deal(
        "two-cards-high",
        f"seats = {SEATS}",
        tuple(rank + suit for suit in SUITS for rank in NO_FACES),
        1,
        True,
        two_cards_high,
    ),
    Deal("casino-holdem", "", WHOLE, 1, True, casino_holdem),
)
