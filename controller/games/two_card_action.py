"""2 Card Action (RWS). Numbers in brackets are paragraphs of the rule document ``2-card-action.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, NamedTuple, Self

import msgspec

from controller.games.game import Deal, Game
from controller.games.house_spots import Facts, Fields
from controller.games.paytable import PayTable, RowKey
from controller.vocabulary.cards import DECK_52, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.outcomes import LOSE, Outcome, SpotOutcome

POINTS: Mapping[str, int] = {rank: min(place, 10) for place, rank in enumerate(RANKS, 1)}
"""3.4: ace 1, two to ten their number; 3.4.3: a picture 10, for Field and Total Sum only."""

FIELD_SUMS = frozenset({3, 4, 5, 6, 7, 13, 14, 15, 16, 17})
"""1, "Field Bet"."""

LEAST_SUM = {"A": 2, "B": 2, "C": 3}
"""Table 2 (4.1.2) has no sum of 2: on layout C that event is the specific pair of aces."""


class Combination(NamedTuple):
    """A row of Bonus or Ace Plus: the document's words, the two ranks, and suited or not where it matters."""

    row: str
    ranks: tuple[str, ...]
    suited: bool | None = None


BONUS = (
    Combination("A,8 (Suited)", ("A8",), suited=True),
    Combination("A,8 (Unsuited)", ("A8",), suited=False),
    Combination("2,7 or 3,6 or 4,5", ("27", "36", "45")),
    Combination("K,9 or Q,9 or J,9 or 10,9", ("K9", "Q9", "J9", "T9")),
    Combination("A,7 or 2,6 or 3,5 or 4,4", ("A7", "26", "35", "44")),
    Combination("K,8 or Q,8 or J,8 or 10,8 or 9,9", ("K8", "Q8", "J8", "T8", "99")),
)
"""4.1.1 and 4.1.2, "Bonus"."""

ACE_PLUS = (
    Combination("A,A (Suited)", ("AA",), suited=True),
    Combination("A,A (Unsuited)", ("AA",), suited=False),
    Combination("A,K or A,Q or A,J or A,10 (Suited)", ("AK", "AQ", "AJ", "AT"), suited=True),
    Combination("K,K or Q,Q or J,J or 10,10", ("KK", "QQ", "JJ", "TT")),
    Combination("A,K or A,Q or A,J or A,10 (Unsuited)", ("AK", "AQ", "AJ", "AT"), suited=False),
    Combination("9,9 to 2,2", ("99", "88", "77", "66", "55", "44", "33", "22")),
    Combination("A,9 to A,2", ("A9", "A8", "A7", "A6", "A5", "A4", "A3", "A2")),
)
"""4.1.1 and 4.1.2, "Ace Plus"."""

ONE_CARD = "One Card"
TWO_UNSUITED = "Two Cards Identical Value (Unsuited)"
TWO_SUITED = "Two Cards Identical Value (Suited)"


def _by_cards(combinations: tuple[Combination, ...]) -> dict[tuple[str, str, bool], str]:
    """Both orders of the two ranks, suited or not -> the row."""
    return {
        (first, second, suited): combination.row
        for combination in combinations
        for ranks in combination.ranks
        for first, second in ((ranks[0], ranks[1]), (ranks[1], ranks[0]))
        for suited in (True, False)
        if combination.suited in (None, suited)
    }


_BONUS = _by_cards(BONUS)
_ACE_PLUS = _by_cards(ACE_PLUS)


def total_sum(first: Card, second: Card) -> int:
    """3.4.3: the sum of the points, 2 to 20."""
    return POINTS[first[0]] + POINTS[second[0]]


def is_pair(first: Card, second: Card) -> bool:
    """1, "Pair": the same number or picture type; a king and a queen are no pair."""
    return first[0] == second[0]


def is_suited(first: Card, second: Card) -> bool:
    """1, "Suited"."""
    return first[1] == second[1]


class TwoCardActionOutcome(msgspec.Struct, Outcome, frozen=True, forbid_unknown_fields=True):
    """2 Card Action: sum of the two cards, whether they pair, whether they are of one suit."""

    sum: Annotated[int, msgspec.Meta(ge=2, le=20)]
    pair: bool
    suited: bool


@dataclass(frozen=True)
class TwoCardAction(Game):
    """36 spots by Table 1 (layouts A and B) or 100 by Table 2 (layout C)."""

    name: ClassVar[str] = "2-card-action"
    deck: ClassVar[tuple[Card, ...]] = DECK_52
    rules_version: ClassVar[str] = "2 Card Action (RWS) 2019-11-26; readings 1"
    listed: ClassVar[int] = 1
    outcome_type: ClassVar[type[msgspec.Struct]] = TwoCardActionOutcome
    paragraphs: ClassVar[bool] = True
    rules_on: ClassVar[Mapping[str, str]] = {"sum": "3.4", "pair": "4.1", "suited": "4.1"}
    examples: ClassVar[Mapping[str, str]] = {"par": "--game 2-card-action --layout C --decks 8"}
    voids_at_once: ClassVar[bool] = True
    deck_counts: ClassVar[range] = range(4, 9)
    default_decks: ClassVar[int] = 8
    layouts: ClassVar[tuple[str, ...]] = ("A", "B", "C")
    always_shown: ClassVar[tuple[str, ...]] = ("first", "second")
    further_fields: ClassVar[Fields] = {
        **dict.fromkeys(("first", "second"), DECK_52),
        **dict.fromkeys(("first_rank", "second_rank"), tuple(RANKS)),
    }

    layout: str = "A"

    @classmethod
    def pay_rows(cls, layout: str | None) -> tuple[RowKey, ...]:
        table_2 = layout == "C"
        rows = [("any_pair", "pair")]
        rows += [("specific_pair", "pair")] * table_2
        rows += [("field", "3,4,5,6,7,13,14,15,16 or 17")]
        rows += [("total_sum", str(value)) for value in range(3 if table_2 else 2, 21)]
        rows += [("bonus", combination.row) for combination in BONUS]
        rows += [("ace_plus", combination.row) for combination in ACE_PLUS]
        rows += [("single", row) for row in (ONE_CARD, TWO_UNSUITED, TWO_SUITED)]
        rows += [("specific_card", row) for row in (ONE_CARD, TWO_SUITED)] * table_2
        return tuple(rows)

    @classmethod
    def build(cls, settings: GameSettings, decks: int, pay_table: PayTable) -> Self:
        return cls(decks, pay_table, settings.layout or "A")

    @classmethod
    def demo_settings(cls, *, odds: str, squeeze: bool) -> str:
        return 'layout = "C"\n'

    def places(self) -> Mapping[str, int]:
        """3.5: two cards, face up."""
        return {"first": 1, "second": 1}

    def outcome(self, dealt: Deal) -> TwoCardActionOutcome:
        first, second = dealt[0].card, dealt[1].card
        return TwoCardActionOutcome(
            total_sum(first, second), is_pair(first, second), is_suited(first, second)
        )

    def facts(self, dealt: Deal) -> Facts:
        first, second = dealt[0].card, dealt[1].card
        ranks = {"first_rank": first[0], "second_rank": second[0]}
        return {**super().facts(dealt), "first": first, "second": second, **ranks}

    @classmethod
    def in_words(cls, outcome: Mapping[str, object]) -> str:
        told = msgspec.convert(outcome, TwoCardActionOutcome)
        kind = ("pair " if told.pair else "") + ("suited" if told.suited else "")
        return f"sum {told.sum} {kind}".strip()

    @classmethod
    def standing(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, str]:
        """3.4.3: the sum, once both cards lie."""
        lie = [hands[place][0] for place in cls.always_shown if hands.get(place)]
        return {"second": f"sum {total_sum(*lie)}"} if len(lie) == 2 else {}

    def own_spots(self) -> tuple[str, ...]:
        return self._own_spots

    def paid_spots(self, row: RowKey) -> tuple[str, ...]:
        """4.1: a row of the total sums pays one spot, one of the single cards each of them."""
        bet, when = row
        if bet == "total_sum":
            return (f"sum_{when}",)
        each = {"single": "single_", "specific_pair": "pair_", "specific_card": "card_"}.get(bet)
        return (bet,) if each is None else tuple(spot for spot in self._own_spots if spot.startswith(each))

    def own_bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        """3.8 and 4.1: a bet pays once, by its best row."""
        first, second = dealt[0].card, dealt[1].card
        results = dict.fromkeys(self._own_spots, LOSE)
        for spot, row in self._winners(first, second):
            results[spot] = self.pay_table.won[row]
        return results

    def _winners(self, first: Card, second: Card) -> list[tuple[str, RowKey]]:
        """Each spot that wins, with its row."""
        table_2 = self.layout == "C"
        total, pair, suited = total_sum(first, second), is_pair(first, second), is_suited(first, second)
        won: list[tuple[str, RowKey]] = []
        if pair:
            won += [("any_pair", ("any_pair", "pair"))]
            won += [(f"single_{first[0]}", ("single", TWO_SUITED if suited else TWO_UNSUITED))]
        else:
            won += [(f"single_{card[0]}", ("single", ONE_CARD)) for card in (first, second)]
        if total in FIELD_SUMS:
            won += [("field", ("field", "3,4,5,6,7,13,14,15,16 or 17"))]
        if total >= LEAST_SUM[self.layout]:
            won += [(f"sum_{total}", ("total_sum", str(total)))]
        if row := _BONUS.get((first[0], second[0], suited)):
            won += [("bonus", ("bonus", row))]
        if row := _ACE_PLUS.get((first[0], second[0], suited)):
            won += [("ace_plus", ("ace_plus", row))]
        if table_2 and pair:
            won += [(f"pair_{first[0]}", ("specific_pair", "pair"))]
        if table_2 and first == second:
            won += [(f"card_{first}", ("specific_card", TWO_SUITED))]
        elif table_2:
            won += [(f"card_{card}", ("specific_card", ONE_CARD)) for card in (first, second)]
        return won

    @cached_property
    def _own_spots(self) -> tuple[str, ...]:
        spots = ["any_pair", "field"]
        spots += [f"sum_{value}" for value in range(LEAST_SUM[self.layout], 21)]
        spots += ["bonus", "ace_plus", *(f"single_{rank}" for rank in RANKS)]
        if self.layout == "C":
            spots += [f"pair_{rank}" for rank in RANKS] + [f"card_{card}" for card in DECK_52]
        return tuple(spots)
