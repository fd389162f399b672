"""2 Hand Casino Hold'em. Words in brackets are headings of the rule document ``2-hand-casino-holdem.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, NamedTuple, Self

import msgspec

from controller.games import poker
from controller.games.game import BURN, Deal, Game
from controller.games.house_spots import Facts, Fields
from controller.games.paytable import PayTable, RowKey
from controller.games.poker import Category
from controller.vocabulary.cards import DECK_52, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.outcomes import LOSE, PUSH, Outcome, SpotOutcome
from controller.vocabulary.parts import Decision

HANDS = ("hand1", "hand2")
BOARD = ("flop", "turn", "river")
STEPS = ("hands", *BOARD)
PLAY_TIMES = 2
"""The Play bet is exactly twice the Ante."""

QUALIFIES = poker.pack(poker.PAIR, poker.BIT["4"])
"""[Game Outcomes and Payouts] The dealer qualifies with a pair of fours or better, best five of seven."""

ANTE_ROWS = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight_or_lower")
BONUS_ROWS = (
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair_of_aces",
)

Versus = Literal["better", "tie", "worse"]


def qualifies(dealer: int, least: int = QUALIFIES) -> bool:
    """Whether a dealer's strength qualifies."""
    return dealer >= least


def versus(hand: int, dealer: int) -> Versus:
    """How a hand's strength compares with the dealer's."""
    if hand == dealer:
        return "tie"
    return "better" if hand > dealer else "worse"


def ante_row(hand: int) -> str:
    """[Ante] The row of the best five of seven; a winning High Card is paid too (readings)."""
    category = poker.category_of(hand)
    return category if category in ANTE_ROWS else "straight_or_lower"


def bonus_row(first_five: int) -> str | None:
    """[Bonus] The row of the hole cards and the flop; below a pair of aces none."""
    category = poker.category_of(first_five)
    if category == "pair":
        return "pair_of_aces" if poker.made_of(first_five) == poker.BIT["A"] else None
    return category if category in BONUS_ROWS else None


class HoldemDealer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The dealer's best five."""

    category: Category
    qualifies: bool


class HoldemHand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A hand's best five, its first five cards, and how it stands against the dealer."""

    category: Category
    first_five: Category
    vs_dealer: Versus


class CasinoHoldemOutcome(msgspec.Struct, Outcome, frozen=True, forbid_unknown_fields=True):
    """Casino Hold'em: the dealer's hand, and each hand against it."""

    dealer: HoldemDealer
    hand1: HoldemHand
    hand2: HoldemHand


class _Showdown(NamedTuple):
    """The strengths of a complete deal."""

    dealer: int
    hands: dict[str, tuple[int, int]]
    """Hand -> best five of seven, first five."""


@dataclass(frozen=True)
class CasinoHoldem(Game):
    """Two hands, each against the dealer on its own; any number of players may share a hand."""

    name: ClassVar[str] = "casino-holdem"
    deck: ClassVar[tuple[Card, ...]] = DECK_52
    rules_version: ClassVar[str] = "2 Hand Casino Hold'em; readings 1"
    listed: ClassVar[int] = 4
    outcome_type: ClassVar[type[msgspec.Struct]] = CasinoHoldemOutcome
    outcome_schema: ClassVar[Mapping[str, object] | None] = {
        "title": "CasinoHoldemOutcome",
        "type": "object",
        "properties": {
            "dealer": {"$ref": "HoldemDealer"},
            "hand1": {"$ref": "HoldemHand"},
            "hand2": {"$ref": "HoldemHand"},
        },
        "required": ["dealer", "hand1", "hand2"],
        "additionalProperties": False,
    }
    shuffled_every_round: ClassVar[bool] = True
    always_shown: ClassVar[tuple[str, ...]] = ("dealer", *HANDS, *BOARD)
    examples: ClassVar[Mapping[str, str]] = {
        "odds": """'{"game": "casino-holdem", "hands": {"hand1": ["AS", "AD"]},
                       "flop": ["KC", "7C", "7D"]}'""",
    }
    panel_keys: ClassVar[tuple[str, ...]] = ("decided", "reveal")
    board_places: ClassVar[tuple[str, ...]] = BOARD
    hands_with_spots: ClassVar[tuple[str, ...]] = HANDS
    further_fields: ClassVar[Fields] = {"first_five_rank": tuple(RANKS)}
    house_settings: ClassVar[frozenset[str]] = frozenset(
        {"deal", "burn_before", "fold_forfeits_bonus", "dealer_qualifies"}
    )

    rotation: bool = False
    burn_before: tuple[str, ...] = ()
    fold_forfeits_bonus: bool = False
    least_qualifying: int = QUALIFIES
    """The strength from which on the dealer qualifies."""

    @classmethod
    def pay_rows(cls, layout: str | None) -> tuple[RowKey, ...]:
        ante = tuple(("ante", when) for when in ANTE_ROWS)
        return (*ante, ("play", "win"), *(("bonus", when) for when in BONUS_ROWS))

    @classmethod
    def build(cls, settings: GameSettings, decks: int, pay_table: PayTable) -> Self:
        burns = settings.burn_before
        if len(set(burns)) != len(burns) or not set(burns) <= set(STEPS):
            raise ConfigurationError(
                f"game.burn_before: each of {', '.join(STEPS)} at most once", "bad_setting"
            )
        least = settings.dealer_qualifies
        if least != "always" and least not in poker.BIT:
            ranks = ", ".join(poker.RANKS_UP)
            raise ConfigurationError(
                f"game.dealer_qualifies: {least!r} is neither 'always' nor the rank of a pair: {ranks}",
                "bad_setting",
            )
        return cls(
            decks,
            pay_table,
            settings.deal == "rotation",
            burns,
            settings.fold_forfeits_bonus,
            poker.pack(poker.HIGH_CARD) if least == "always" else poker.pack(poker.PAIR, poker.BIT[least]),
        )

    def places(self) -> Mapping[str, int]:
        return {"hand1": 2, "hand2": 2, "dealer": 2, "flop": 3, "turn": 1, "river": 1}

    def face_down(self, position: str) -> bool:
        """The dealer's cards lie face down until the reveal."""
        return position in ("dealer", BURN)

    def decisions_after(self) -> int | None:
        """The players decide when the flop lies."""
        return len(self.plan) - self.plan[::-1].index("flop")

    @cached_property
    def has_reveal(self) -> bool:
        return True

    def outcome(self, dealt: Deal) -> CasinoHoldemOutcome:
        showdown = _showdown(dealt)
        dealer = showdown.dealer
        return CasinoHoldemOutcome(
            dealer=HoldemDealer(poker.category_of(dealer), self.qualifies(dealer)),
            **{
                name: HoldemHand(poker.category_of(best), poker.category_of(first_five), versus(best, dealer))
                for name, (best, first_five) in showdown.hands.items()
            },
        )

    def facts(self, dealt: Deal) -> Facts:
        ranks = {
            f"{name}.first_five_rank": poker.leading_rank(first_five)
            for name, (_, first_five) in _showdown(dealt).hands.items()
        }
        return {**super().facts(dealt), **ranks}

    @classmethod
    def in_words(cls, outcome: Mapping[str, object]) -> str:
        told = msgspec.convert(outcome, CasinoHoldemOutcome)
        dealer = told.dealer.category.replace("_", " ")
        return f"dealer {dealer}, hand1 {told.hand1.vs_dealer}, hand2 {told.hand2.vs_dealer}"

    def own_spots(self) -> tuple[str, ...]:
        return tuple(f"{hand}.{wager}" for hand in HANDS for wager in ("ante", "play", "bonus"))

    def own_bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        """[Outcomes quick-reference table], as if every hand were played."""
        showdown = _showdown(dealt)
        results: dict[str, SpotOutcome] = {}
        for name, (best, first_five) in showdown.hands.items():
            results[f"{name}.ante"] = self.ante_bet(best, showdown.dealer)
            results[f"{name}.play"] = self.play_bet(best, showdown.dealer)
            results[f"{name}.bonus"] = self.bonus_bet(bonus_row(first_five))
        return results

    def qualifies(self, dealer: int) -> bool:
        """Whether a dealer's strength qualifies at this table."""
        return qualifies(dealer, self.least_qualifying)

    def ante_bet(self, hand: int, dealer: int) -> SpotOutcome:
        """A dealer who does not qualify pays the Ante even where the hand is not better (readings)."""
        if not self.qualifies(dealer) or hand > dealer:
            return self.pay_table.won["ante", ante_row(hand)]
        return PUSH if hand == dealer else LOSE

    def play_bet(self, hand: int, dealer: int) -> SpotOutcome:
        """Play pushes where the dealer does not qualify or ties."""
        if not self.qualifies(dealer) or hand == dealer:
            return PUSH
        return self.pay_table.won["play", "win"] if hand > dealer else LOSE

    def bonus_bet(self, row: str | None) -> SpotOutcome:
        """Settled on the first five cards by :func:`bonus_row`, whatever the decision."""
        return LOSE if row is None else self.pay_table.won["bonus", row]

    def combinations(self, dealt: Deal) -> dict[str, str]:
        """[Make Your Decision] A hand's best five, from the flop on."""
        board = [one.card for one in dealt if one.position in BOARD]
        hands = {name: _at(dealt, name) for name in HANDS}
        return {
            name: poker.category_of(poker.strength([*hole, *board]))
            for name, hole in hands.items()
            if len(hole) == 2 and len(board) >= 3
        }

    def decisions(self) -> Mapping[str, Decision]:
        """[Make Your Decision] A folded hand loses its Ante; its Bonus stands unless set otherwise."""
        bonus = ("bonus",) if self.fold_forfeits_bonus else ()
        return {
            hand: Decision(
                base=f"{hand}.ante",
                raised=f"{hand}.play",
                times=PLAY_TIMES,
                forfeits=tuple(f"{hand}.{wager}" for wager in ("ante", *bonus)),
            )
            for hand in HANDS
        }

    @classmethod
    def cards_that_play(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, tuple[Card, ...]]:
        """The best five of seven of each hand, once all seven lie open."""
        board = [card for place in BOARD for card in hands.get(place, ())]
        return {
            name: poker.best_five([*hands[name], *board])
            for name in (*HANDS, "dealer")
            if len(board) == 5 and len(hands.get(name, ())) == 2
        }

    def needs_bet(self) -> Mapping[str, str]:
        """[Bonus bet] The Bonus cannot be placed alone."""
        return {f"{hand}.bonus": f"{hand}.ante" for hand in HANDS}

    @cached_property
    def plan(self) -> tuple[str, ...]:
        """Readings: hand 1 two, hand 2 two, dealer two, flop three, turn, river; unless set otherwise."""
        order = (*HANDS, "dealer")
        steps: dict[str, tuple[str, ...]] = {
            "hands": order * 2 if self.rotation else tuple(place for place in order for _ in range(2)),
            "flop": ("flop",) * 3,
            "turn": ("turn",),
            "river": ("river",),
        }
        return tuple(
            place
            for step, places in steps.items()
            for place in (*((BURN,) if step in self.burn_before else ()), *places)
        )


def _at(dealt: Deal, place: str) -> list[Card]:
    return [one.card for one in dealt if one.position == place]


def _showdown(dealt: Deal) -> _Showdown:
    """Best five of seven and first five of each hand, best five of the dealer."""
    flop = _at(dealt, "flop")
    board = [*flop, *_at(dealt, "turn"), *_at(dealt, "river")]

    def best(hole: Sequence[Card]) -> int:
        return poker.strength([*hole, *board])

    hands = {name: _at(dealt, name) for name in HANDS}
    strengths = {name: (best(hole), poker.strength([*hole, *flop])) for name, hole in hands.items()}
    return _Showdown(best(_at(dealt, "dealer")), strengths)
