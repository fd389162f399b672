"""Two Cards High. Numbers in brackets are rules of the document ``two-cards-high.md``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from operator import itemgetter
from typing import Annotated, ClassVar, Literal, NamedTuple, Self, get_args

import msgspec
from msgspec import UNSET, UnsetType

from controller.games import poker
from controller.games.game import Deal, Game
from controller.games.paytable import PayTable, RowKey
from controller.games.ratio import parse_ratio
from controller.vocabulary.cards import DECK_40, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.outcomes import LOSE, Outcome, SpotOutcome

POINTS: Mapping[str, int] = {rank: place for place, rank in enumerate(RANKS[:10], 1)}
"""4b: aces count one, two to ten their number."""

HAND_SIZE = 5
MOST_SEATS = 7
LEAST_PAIR = 7
"""The side wager pays a pair of sevens or better; aces are low (readings)."""

SideRow = Literal[
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair_7_or_better",
]
SIDE_ROWS: tuple[SideRow, ...] = get_args(SideRow)
MainResult = Literal[
    "win", "win_pair", "win_tie", "win_dealer_not_qualified", "lose", "lose_player_not_qualified"
]
PAIR_WINS, HIGHER_WINS, TIE, DEALER_OUT = "6a pair wins", "6b higher total wins", "6c tie", "6d dealer out"


class Standing(NamedTuple):
    """5: what the two cards are worth; standings compare as the hands do, any pair above any total."""

    is_pair: bool
    rank: int
    """Of a pair 1 (aces) to 10, of others the total 0 to 9."""


def best_standing(points: Sequence[int]) -> Standing | None:
    """4 and 5: the best two cards that leave three whose sum is a multiple of ten; None: does not qualify."""
    return max((standing for standing, _ in _legal(points)), default=None)


def best_two(hand: Sequence[Card]) -> tuple[Card, ...] | None:
    """The two cards that make the best standing; None: does not qualify."""
    legal = _legal([POINTS[card[0]] for card in hand])
    found = max(legal, key=itemgetter(0), default=None)
    return None if found is None else tuple(hand[place] for place in found[1])


def _legal(points: Sequence[int]) -> list[tuple[Standing, tuple[int, int]]]:
    """The standings of all two cards that may be played, and where these cards are."""
    total = sum(points)
    return [
        (Standing(True, one) if one == other else Standing(False, (one + other) % 10), (first, second))
        for (first, one), (second, other) in combinations(enumerate(points), 2)
        if (total - one - other) % 10 == 0
    ]


def main_result(player: Standing | None, dealer: Standing | None) -> MainResult:
    """4 and 6: how the main wager ends. Both must qualify; 6d rescues only a player who does (readings)."""
    if player is None:
        return "lose_player_not_qualified"
    if dealer is None:
        return "win_dealer_not_qualified"
    if player == dealer:
        return "win_tie"
    if player < dealer:
        return "lose"
    return "win_pair" if player.is_pair else "win"


def side_row(hand: Sequence[Card]) -> SideRow | None:
    """The side wager on the five dealt cards; A-2-3-4-5 is a straight, 6-7-8-9-10 the top one.

    Without pictures no straight ends in an ace, so the poker ranking needs no change but low aces in a pair.
    """
    strength = poker.strength(hand)
    category = poker.category_of(strength)
    if category == "pair":
        ranks = [card[0] for card in hand]
        pair = next(POINTS[rank] for rank in ranks if ranks.count(rank) == 2)
        return "pair_7_or_better" if pair >= LEAST_PAIR else None
    return next((row for row in SIDE_ROWS if row == category), None)


def _seat_names(seats: int) -> tuple[str, ...]:
    return tuple(f"seat{number}" for number in range(1, seats + 1))


class TwoCardsHighDealer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The dealer's hand: rank 1 (ace) to 10 of the pair, or total 0 to 9."""

    qualifies: bool
    kind: Literal["pair", "total"] | None
    rank: Annotated[int, msgspec.Meta(ge=0, le=10)] | None


class TwoCardsHighSeat(TwoCardsHighDealer, frozen=True, forbid_unknown_fields=True):
    """The hand of a seat against the dealer's, and its side wager."""

    result: MainResult
    side: SideRow | None


class TwoCardsHighOutcome(msgspec.Struct, Outcome, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two Cards High: each seat that was dealt to, and the dealer."""

    seat1: TwoCardsHighSeat | UnsetType = UNSET
    seat2: TwoCardsHighSeat | UnsetType = UNSET
    seat3: TwoCardsHighSeat | UnsetType = UNSET
    seat4: TwoCardsHighSeat | UnsetType = UNSET
    seat5: TwoCardsHighSeat | UnsetType = UNSET
    seat6: TwoCardsHighSeat | UnsetType = UNSET
    seat7: TwoCardsHighSeat | UnsetType = UNSET
    dealer: TwoCardsHighDealer


@dataclass(frozen=True)
class TwoCardsHigh(Game):
    """One to seven seats against the dealer, five cards each, face down until the reveal."""

    name: ClassVar[str] = "two-cards-high"
    deck: ClassVar[tuple[Card, ...]] = DECK_40
    rules_version: ClassVar[str] = "Two Cards High; readings 1"
    listed: ClassVar[int] = 2
    outcome_type: ClassVar[type[msgspec.Struct]] = TwoCardsHighOutcome
    outcome_schema: ClassVar[Mapping[str, object] | None] = {
        "title": "TwoCardsHighOutcome",
        "type": "object",
        "properties": {"dealer": {"$ref": "TwoCardsHighDealer"}},
        "patternProperties": {"^seat[1-7]$": {"$ref": "TwoCardsHighSeat"}},
        "required": ["dealer"],
        "minProperties": 2,
        "additionalProperties": False,
    }
    shuffled_every_round: ClassVar[bool] = True
    panel_keys: ClassVar[tuple[str, ...]] = ("reveal",)
    voids_at_once: ClassVar[bool] = True
    hands_with_spots: ClassVar[tuple[str, ...]] = _seat_names(MOST_SEATS)
    house_settings: ClassVar[frozenset[str]] = frozenset(
        {"seats", "seats_from", "deal", "pair_against_unqualified_dealer", "pair_tie"}
    )

    seats: tuple[str, ...] = _seat_names(MOST_SEATS)
    packets: bool = False
    pair_against_unqualified_dealer: str = "1:1"
    pair_tie: str = "1:1"

    @classmethod
    def pay_rows(cls, layout: str | None) -> tuple[RowKey, ...]:
        main = tuple(("main", when) for when in (PAIR_WINS, HIGHER_WINS, TIE, DEALER_OUT))
        return main + tuple(("side", when) for when in SIDE_ROWS)

    @classmethod
    def build(cls, settings: GameSettings, decks: int, pay_table: PayTable) -> Self:
        seats = settings.seats
        if not 1 <= seats <= MOST_SEATS:
            raise ConfigurationError(f"game.seats: {seats} is not 1 to {MOST_SEATS} seats", "bad_seats")
        for key in ("pair_against_unqualified_dealer", "pair_tie"):
            try:
                parse_ratio(getattr(settings, key))
            except ValueError as error:
                raise ConfigurationError(f"game.{key}: {error}", "bad_setting") from error
        return cls(
            decks,
            pay_table,
            _seat_names(seats),
            settings.deal == "packets",
            settings.pair_against_unqualified_dealer,
            settings.pair_tie,
        )

    @classmethod
    def cards_that_play(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, tuple[Card, ...]]:
        """4: two of five, in each hand that qualifies."""
        whole = {place: best_two(hand) for place, hand in hands.items() if len(hand) == HAND_SIZE}
        return {place: two for place, two in whole.items() if two is not None}

    @cached_property
    def seat_numbers(self) -> tuple[int, ...]:
        return tuple(int(seat.removeprefix("seat")) for seat in self.seats)

    def with_seats(self, numbers: Collection[int]) -> Self:
        """Empty seats are left out of the deal order (readings)."""
        return replace(
            self, seats=tuple(f"seat{number}" for number in self.seat_numbers if number in numbers)
        )

    def with_hands(self, names: Sequence[str]) -> Self:
        """The seats that are named, in their order round the table; none named: unchanged."""
        seats = tuple(seat for seat in _seat_names(MOST_SEATS) if seat in names)
        return replace(self, seats=seats) if seats else self

    def places(self) -> Mapping[str, int]:
        return dict.fromkeys((*self.seats, "dealer"), HAND_SIZE)

    def face_down(self, position: str) -> bool:
        """3: all cards lie face down until the reveal."""
        return True

    @classmethod
    def demo_settings(cls, *, odds: str, squeeze: bool) -> str:
        return "seats = 4\n"

    @cached_property
    def has_reveal(self) -> bool:
        return True

    def outcome(self, dealt: Deal) -> TwoCardsHighOutcome:
        hands = self.hands(dealt)
        dealer = _standing(hands.pop("dealer"))
        seats = {
            seat: TwoCardsHighSeat(*shown(player), main_result(player, dealer), side_row(hand))
            for seat, hand in hands.items()
            for player in (_standing(hand),)
        }
        return TwoCardsHighOutcome(dealer=TwoCardsHighDealer(*shown(dealer)), **seats)

    @classmethod
    def in_words(cls, outcome: Mapping[str, object]) -> str:
        told = msgspec.convert(outcome, TwoCardsHighOutcome)
        return ", ".join(f"{place} {_in_words(getattr(told, place))}" for place in outcome)

    @classmethod
    def standing(cls, hands: Mapping[str, Sequence[Card]]) -> dict[str, str]:
        """4: the best of each whole hand."""
        whole = {place: shown(_standing(cards)) for place, cards in hands.items() if len(cards) == 5}
        return {
            place: "does not qualify" if kind is None or rank is None else f"{kind} {rank}"
            for place, (_, kind, rank) in whole.items()
        }

    def own_spots(self) -> tuple[str, ...]:
        return tuple(f"{seat}.{wager}" for seat in self.seats for wager in ("main", "side"))

    def own_bets(self, dealt: Deal) -> dict[str, SpotOutcome]:
        hands = self.hands(dealt)
        dealer = _standing(hands.pop("dealer"))
        results: dict[str, SpotOutcome] = {}
        for seat, hand in hands.items():
            results[f"{seat}.main"] = self.main_bet(_standing(hand), dealer)
            results[f"{seat}.side"] = self.side_bet(side_row(hand))
        return results

    def main_bet(self, player: Standing | None, dealer: Standing | None) -> SpotOutcome:
        """6: the main wager; what a pair gets from a tie or a dealer who is out is a setting of the house."""
        result = main_result(player, dealer)
        is_pair = player is not None and player.is_pair
        if result == "win_pair":
            return self.pay_table.won["main", PAIR_WINS]
        if result == "win":
            return self.pay_table.won["main", HIGHER_WINS]
        if result == "win_tie":
            return SpotOutcome("win", self.pair_tie) if is_pair else self.pay_table.won["main", TIE]
        if result == "win_dealer_not_qualified":
            pays = self.pair_against_unqualified_dealer
            return SpotOutcome("win", pays) if is_pair else self.pay_table.won["main", DEALER_OUT]
        return LOSE

    def side_bet(self, row: str | None) -> SpotOutcome:
        """The side wager, whatever becomes of the main wager."""
        return LOSE if row is None else self.pay_table.won["side", row]

    @cached_property
    def plan(self) -> tuple[str, ...]:
        """3, and readings: one card at a time, seat 1 first, dealer last, five times round; or in packets."""
        places = (*self.seats, "dealer")
        if self.packets:
            return tuple(place for place in places for _ in range(HAND_SIZE))
        return places * HAND_SIZE


def _standing(hand: Sequence[Card]) -> Standing | None:
    return best_standing([POINTS[card[0]] for card in hand])


def shown(standing: Standing | None) -> tuple[bool, Literal["pair", "total"] | None, int | None]:
    """Whether the hand qualifies, by what, and how high."""
    if standing is None:
        return False, None, None
    return True, "pair" if standing.is_pair else "total", standing.rank


def _in_words(hand: TwoCardsHighDealer) -> str:
    if isinstance(hand, TwoCardsHighSeat):
        return hand.result.replace("_", " ")
    return "not qualified" if hand.kind is None or hand.rank is None else f"{hand.kind} {hand.rank}"
