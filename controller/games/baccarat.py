"""Baccarat (punto banco). Numbers in brackets are paragraphs of the rule document ``baccarat.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

import msgspec
from msgspec.structs import asdict

from controller import roads
from controller.games.game import BURN, Deal, Game
from controller.games.house_spots import Facts, Fields, HouseSpot, Scalar, SpotRow
from controller.games.paytable import PayTable, RowKey
from controller.vocabulary.cards import DECK_52, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.outcomes import Outcome, SpotOutcome
from controller.vocabulary.scoreboard import Bead, Scoreboard, Winner

SPOTS = ("player", "banker", "tie", "player_pair", "banker_pair", "any_pair", "small", "big")

POINTS: Mapping[str, int] = {rank: min(place, 10) % 10 for place, rank in enumerate(RANKS, 1)}
"""2.4: ace 1, two to nine their number, ten and pictures 0."""

NATURAL = (8, 9)
"""2.7.1: eight or nine points in two cards."""

PLAYER_DRAWS = frozenset({0, 1, 2, 3, 4, 5})
"""2.6: the Player's two-card totals that take a third card; six and seven stand."""

BANKER_DRAWS: tuple[frozenset[int], ...] = (
    frozenset(range(10)),  # 0
    frozenset(range(10)),  # 1
    frozenset(range(10)),  # 2
    frozenset({0, 1, 2, 3, 4, 5, 6, 7, 9}),  # 3: not against an eight
    frozenset({2, 3, 4, 5, 6, 7}),  # 4
    frozenset({4, 5, 6, 7}),  # 5
    frozenset({6, 7}),  # 6
    frozenset(),  # 7
)
"""2.6, Player drew: by the Banker's two-card total, the points of the Player's third on which he draws."""

BANKER_DRAWS_AFTER_STAND = frozenset({0, 1, 2, 3, 4, 5})
"""2.7.2: the Player stands on six or seven; the Banker draws on five or less."""

_TIE = SpotRow({"winner": "tie"}, result="push")
_CONDITIONS: Mapping[str, dict[str, Scalar | tuple[Scalar, ...]]] = {
    "player": {"winner": "player"},
    "banker": {"winner": "banker"},
    "tie": {"winner": "tie"},
    "player_pair": {"player_pair": True},
    "banker_pair": {"banker_pair": True},
    "any_pair": {"any_pair": True},
    "small": {"cards": 4},
    "big": {"cards": (5, 6)},
}
OWN: Mapping[str, HouseSpot] = {
    spot: HouseSpot((SpotRow(when, pays="1:1"), *((_TIE,) if spot in ("player", "banker") else ())))
    for spot, when in _CONDITIONS.items()
}
"""The spots in the words of a house's own: 2.3.1 and 2.5.3. What a win pays is the pay table's."""

BREAKS = {"first": 2, "four": 4}
"""Further betting rounds by name: after how many cards."""

TOLD = "four"
"""Opens only where a third card is due: in a squeeze that tells what lies face down (readings)."""


def total(points: Sequence[int]) -> int:
    """2.5: the right digit of the sum."""
    return sum(points) % 10


def player_draws(player: int, banker: int) -> bool:
    """2.6 and 2.7.1: whether the Player takes a third card on these two-card totals."""
    return player not in NATURAL and banker not in NATURAL and player in PLAYER_DRAWS


def banker_draws(player: int, banker: int, third: int | None) -> bool:
    """2.6, 2.7.1, 2.7.2: whether the Banker draws; ``third``: points of the Player's third card, if any."""
    if player in NATURAL or banker in NATURAL:
        return False
    if third is None:
        return banker in BANKER_DRAWS_AFTER_STAND
    return third in BANKER_DRAWS[banker]


def winner(player: int, banker: int) -> Winner:
    """2.3 and 2.3.1: the higher total wins."""
    if player == banker:
        return "tie"
    return "player" if player > banker else "banker"


Total = Annotated[int, msgspec.Meta(ge=0, le=9)]


class BaccaratOutcome(msgspec.Struct, Outcome, frozen=True, forbid_unknown_fields=True):
    """Baccarat: winner and totals."""

    winner: Winner
    player_total: Total
    banker_total: Total
    natural: bool


@dataclass(frozen=True)
class Baccarat(Game):
    """All eight spots, settled by a pay table; live prices belong to the bets that were taken at them."""

    name: ClassVar[str] = "baccarat"
    deck: ClassVar[tuple[Card, ...]] = DECK_52
    rules_version: ClassVar[str] = "baccarat; readings 1"
    rules_on: ClassVar[Mapping[str, str]] = {
        "winner": "2.3",
        "player_total": "2.5",
        "banker_total": "2.5",
        "natural": "2.7.1",
    }
    listed: ClassVar[int] = 3
    outcome_type: ClassVar[type[msgspec.Struct]] = BaccaratOutcome
    deck_counts: ClassVar[range] = range(1, 9)
    default_decks: ClassVar[int] = 8
    house_settings: ClassVar[frozenset[str]] = frozenset(
        {"odds", "margin", "margins", "least_probability", "betting_rounds", "squeeze"}
    )
    live_odds: ClassVar[bool] = True
    main_bets: ClassVar[frozenset[str]] = frozenset({"player", "banker", "tie"})
    further_fields: ClassVar[Fields] = {
        **dict.fromkeys(("player_cards", "banker_cards"), (2, 3)),
        "cards": (4, 5, 6),
        "margin": tuple(range(10)),
        **dict.fromkeys(("player_pair", "banker_pair", "any_pair"), (True, False)),
        **dict.fromkeys(("player_perfect_pair", "banker_perfect_pair", "equal_pairs"), (True, False)),
    }
    examples: ClassVar[Mapping[str, str]] = {
        "demo": "--game baccarat --rounds 5",
        "score": """'{"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"]}'""",
        "settle": """'{"game": "baccarat", "cards": ["KC", "7C", "7D", "2D"],
                       "bets": [{"spot": "banker", "stake": 100}]}'""",
    }
    panel_keys: ClassVar[tuple[str, ...]] = ("reveal",)
    named_cards: ClassVar[Mapping[int, str]] = {3: "third"}
    always_shown: ClassVar[tuple[str, ...]] = ("player", "banker")
    shoe_positions: ClassVar[Mapping[str, str]] = {
        "player": "player",
        "banker": "banker",
        "burn": BURN,
        "burn_count_first": BURN,
        "burn_count": BURN,
    }

    squeeze: bool = False
    betting_rounds: tuple[str, ...] = ("deal",)

    @classmethod
    def pay_rows(cls, layout: str | None) -> tuple[RowKey, ...]:
        return tuple((spot, "win") for spot in SPOTS)

    @classmethod
    def build(cls, settings: GameSettings, decks: int, pay_table: PayTable) -> Self:
        _check_betting_rounds(settings)
        game = cls(decks, pay_table, settings.squeeze, settings.betting_rounds)
        _check_margins(settings, game.spots())
        return game

    @classmethod
    def refused(cls, settings: GameSettings) -> str | None:
        if settings.squeeze and TOLD in settings.betting_rounds:
            told = "opens only where a third card is due, which tells what lies face down"
            return f'game.betting_rounds: "{TOLD}" {told}; leave it out, or game.squeeze = true'
        return None

    @classmethod
    def demo_settings(cls, *, odds: str, squeeze: bool) -> str:
        # After four cards the additional bets are decided.
        last = [TOLD] if odds == "live" and not squeeze else []
        named = ", ".join(f'"{name}"' for name in ("deal", "first", *last))
        rounds = "" if odds == "fixed" else f"betting_rounds = [{named}]\n"
        return super().demo_settings(odds=odds, squeeze=squeeze) + rounds

    @property
    def cards_needed(self) -> int:
        return 6

    def places(self) -> Mapping[str, int]:
        return {"player": 3, "banker": 3}

    def next_position(self, dealt: Deal) -> str | None:
        """2.2.1 and 2.2.2: in turn, the Player first; then the thirds by 2.6 and 2.7."""
        if len(dealt) < 4:
            return ("player", "banker")[len(dealt) % 2]
        player, banker = _points(dealt, "player"), _points(dealt, "banker")
        two, bank_two = total(player[:2]), total(banker[:2])
        if len(player) == 2 and len(banker) == 2 and player_draws(two, bank_two):
            return "player"
        third = player[2] if len(player) == 3 else None
        if len(banker) == 2 and banker_draws(two, bank_two, third):
            return "banker"
        return None

    def face_down(self, position: str) -> bool:
        return self.squeeze or super().face_down(position)

    @property
    def has_reveal(self) -> bool:
        return self.squeeze

    def due_after_reveal(self, dealt: Deal) -> bool:
        """2.2.3, squeeze: which thirds are due is seen when the cards are turned up. After the Banker's none
        can come."""
        return self.squeeze and len(dealt) >= 4 and len(_points(dealt, "banker")) < 3

    def betting_breaks(self) -> Mapping[int, str]:
        breaks = {BREAKS[name]: name for name in self.betting_rounds if name in BREAKS}
        if self.squeeze:
            breaks.pop(BREAKS[TOLD], None)
        return breaks

    def outcome(self, dealt: Deal) -> BaccaratOutcome:
        player, banker = _points(dealt, "player"), _points(dealt, "banker")
        return BaccaratOutcome(
            winner=winner(total(player), total(banker)),
            player_total=total(player),
            banker_total=total(banker),
            natural=total(player[:2]) in NATURAL or total(banker[:2]) in NATURAL,
        )

    def facts(self, dealt: Deal) -> Facts:
        player, banker = self.hands(dealt).values()
        outcome = self.outcome(dealt)
        pairs = self.pairs(self.hands(dealt))
        return {
            **asdict(outcome),
            "player_cards": len(player),
            "banker_cards": len(banker),
            "cards": len(dealt),
            "margin": abs(outcome.player_total - outcome.banker_total),
            **pairs,
            "any_pair": any(pairs.values()),
            "player_perfect_pair": player[0] == player[1],
            "banker_perfect_pair": banker[0] == banker[1],
            "equal_pairs": all(pairs.values()) and player[0][0] == banker[0][0],
        }

    @classmethod
    def in_words(cls, outcome: Mapping[str, object]) -> str:
        told = msgspec.convert(outcome, BaccaratOutcome)
        totals = f"{told.player_total}:{told.banker_total}"
        return f"{told.winner.title()} {totals}{' natural' if told.natural else ''}"

    @classmethod
    def standing(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, str]:
        """2.5: the points of each side."""
        return {
            side: str(total([POINTS[card[0]] for card in cards]))
            for side, cards in hands.items()
            if side in cls.always_shown
        }

    def own_spots(self) -> tuple[str, ...]:
        return SPOTS

    def own_bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        """2.3.1: on a tie Player and Banker get their stakes back. 2.5.3: the side bets."""
        facts = self.facts(dealt)
        results = {spot: OWN[spot].result(facts) for spot in SPOTS}
        return {
            spot: self.pay_table.won[spot, "win"] if one.result == "win" else one
            for spot, one in results.items()
        }

    @classmethod
    def pairs(cls, hands: Mapping[str, Sequence[str]]) -> Mapping[str, bool]:
        return {f"{side}_pair": is_pair(hands[side]) for side in ("player", "banker")}

    def bead(self, dealt: Deal) -> Bead:
        outcome = self.outcome(dealt)
        return Bead(winner=outcome.winner, natural=outcome.natural, **self.pairs(self.hands(dealt)))

    def scoreboard(self, beads: Sequence[Bead]) -> Scoreboard:
        return roads.scoreboard(beads)


_BAD = "bad_setting"


def is_pair(hand: Sequence[str]) -> bool:
    """2.5.3: the first two cards have the same rank (a king and a queen are no pair)."""
    return hand[0][0] == hand[1][0]


def _points(dealt: Deal, side: str) -> list[int]:
    return [POINTS[one.card[0]] for one in dealt if one.position == side]


def _check_betting_rounds(settings: GameSettings) -> None:
    rounds = settings.betting_rounds
    if "deal" not in rounds or len(set(rounds)) != len(rounds) or not set(rounds) <= {"deal", *BREAKS}:
        raise ConfigurationError("game.betting_rounds: 'deal', then 'first' and 'four' at will", _BAD)
    if len(rounds) > 1 and settings.odds == "fixed":
        raise ConfigurationError(
            'game.betting_rounds: bets on cards already seen need live prices: set game.odds = "live"',
            _BAD,
        )


def _check_margins(settings: GameSettings, spots: Sequence[str]) -> None:
    for spot in settings.margins:
        if spot not in spots:
            expected = ", ".join(spots)
            raise ConfigurationError(
                f"game.margins.{spot[:40]}: baccarat has no such spot; expected {expected}", _BAD
            )
