"""The games as a dealer knows them: where the next card goes, what lies face down, when people decide.

The third reading of the rules, from the words of ``tests/vectors``; it shares nothing with the games of the
program.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.events import CardsRevealed
from tests.simulation.house import scored
from tests.vectors.baccarat import baccarat_points, banker_wants

RANKS, SUITS = "A23456789TJQK", "SHDC"
BY_HAND = "hand" in CardsRevealed.__struct_fields__
"""Whether this program knows a squeeze hand by hand (an older one turned all cards up at once)."""


def points(name: str) -> int:
    """What a card that is turned up says: how many are burned."""
    return min(RANKS.find(name[0]) + 1, 10)


class Rules:
    """One game as it is configured."""

    def __init__(self, game: GameSettings, house: dict[str, Any] | None = None) -> None:
        """``house``: its own pay table."""
        self.name, self.game, self.house = game.name, game, house
        self.squeeze = game.squeeze
        self.take_seats(range(1, game.seats + 1))
        one_deck = self.name in ("two-cards-high", "casino-holdem")
        self.decks = game.decks or (1 if one_deck else 8)
        self.shuffled_every_round = one_deck
        self.takes_decisions = self.name == "casino-holdem"
        self.reveals = one_deck or self.squeeze
        self.has_bank = self.name == "baccarat"

    def take_seats(self, numbers: Iterable[int]) -> None:
        """These seats play, the others get no cards."""
        self.seats = [f"seat{number}" for number in sorted(numbers)]

    @property
    def deck(self) -> list[str]:
        """The names of one deck in factory order."""
        ranks = RANKS[:10] if self.name == "two-cards-high" else RANKS
        return [rank + suit for suit in SUITS for rank in ranks]

    @property
    def cards(self) -> int:
        """Cards of a whole shoe."""
        return len(self.deck) * self.decks

    @property
    def most(self) -> int:
        """The most cards of a round."""
        return 6 if self.has_bank else len(self.plan)

    @property
    def plan(self) -> list[str]:
        """The places of all cards in their order, where no card changes it."""
        match self.name:
            case "2-card-action":
                return ["first", "second"]
            case "two-cards-high":
                around = [*self.seats, "dealer"]
                if self.game.deal == "packets":
                    return [place for place in around for _ in range(5)]
                return around * 5
            case "casino-holdem":
                return self._holdem()
        return ["player", "banker", "player", "banker"]

    def _holdem(self) -> list[str]:
        around = ["hand1", "hand2", "dealer"]
        hands = around * 2 if self.game.deal == "rotation" else [place for place in around for _ in (1, 2)]
        dealt: list[str] = []
        for step, places in (
            ("hands", hands),
            ("flop", ["flop"] * 3),
            ("turn", ["turn"]),
            ("river", ["river"]),
        ):
            dealt += ["burn", *places] if step in self.game.burn_before else places
        return dealt

    def next_place(self, laid: Sequence[tuple[str, str]], revealed: Collection[int] = ()) -> str | None:
        """Where the next card goes by what lies (place and name); ``revealed``: which of them are turned up.

        None: none is due.
        """
        plan = self.plan
        if len(laid) < len(plan):
            return plan[len(laid)]
        if not self.has_bank or (self.squeeze and BY_HAND and len(revealed) < len(laid)):
            return None
        hands = {side: [name for place, name in laid if place == side] for side in ("player", "banker")}
        player, banker = hands["player"], hands["banker"]
        two = [baccarat_points(player[:2]), baccarat_points(banker[:2])]
        if max(two) > 7:
            return None
        if two[0] <= 5 and len(player) < 3:
            return "player"
        third = baccarat_points(player[2:3]) if two[0] <= 5 else None
        return "banker" if banker_wants(two[1], third) and len(banker) < 3 else None

    def face_down(self, place: str) -> bool:
        """Whether a card at this place lies face down at first."""
        return place == "burn" or (place == "dealer" if self.takes_decisions else self.reveals)

    def line(self, hands: dict[str, list[str]]) -> dict[str, Any]:
        """A complete round as the line that ``tests/vectors`` scores."""
        line: dict[str, Any] = {"game": self.name, "layout": self.game.layout}
        if self.name == "2-card-action":
            return {**line, "cards": [*hands["first"], *hands["second"]]}
        if self.has_bank:
            player, banker = hands["player"], hands["banker"]
            return {**line, "cards": [player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]]}
        if self.takes_decisions:
            board = [*hands["flop"], *hands["turn"], *hands["river"]]
            own = {name: hands[name] for name in ("hand1", "hand2", "dealer")}
            return {
                **line,
                "hands": own,
                "board": board,
                "dealer_qualifies": getattr(self.game, "dealer_qualifies", "4"),
            }
        return {**line, "hands": {name: hands[name] for name in (*sorted({*hands} - {"dealer"}), "dealer")}}

    def score(self, line: dict[str, Any]) -> dict[str, Any]:
        """What every spot does in a complete round, by the pay table of the house."""
        return scored(self.game, self.house, line)
