"""Two Cards High. Numbers in brackets are rules of the document ``two-cards-high.md``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import ClassVar, NamedTuple, Self

from controller.games import poker
from controller.games.game import Deal, Game, SpotResult
from controller.games.paytable import PayTable, RowKey
from controller.games.ratio import parse_ratio
from controller.vocabulary.cards import DECK_40, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError

POINTS: Mapping[str, int] = {rank: place for place, rank in enumerate(RANKS[:10], 1)}
"""4b: aces count one, two to ten their number."""

HAND_SIZE = 5
MOST_SEATS = 7
LEAST_PAIR = 7
"""The side wager pays a pair of sevens or better; aces are low (readings)."""

SIDE_ROWS = (
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair_7_or_better",
)
PAIR_WINS, HIGHER_WINS, TIE, DEALER_OUT = "6a pair wins", "6b higher total wins", "6c tie", "6d dealer out"


class Standing(NamedTuple):
    """5: what the two cards are worth; standings compare as the hands do, any pair above any total."""

    is_pair: bool
    rank: int
    """Of a pair 1 (aces) to 10, of others the total 0 to 9."""


def best_standing(points: Sequence[int]) -> Standing | None:
    """4 and 5: the best two cards that leave three whose sum is a multiple of ten; None: does not qualify."""
    total = sum(points)
    legal = [
        Standing(True, one) if one == other else Standing(False, (one + other) % 10)
        for one, other in combinations(points, 2)
        if (total - one - other) % 10 == 0
    ]
    return max(legal, default=None)


def main_result(player: Standing | None, dealer: Standing | None) -> str:
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


def side_row(hand: Sequence[Card]) -> str | None:
    """The side wager on the five dealt cards; A-2-3-4-5 is a straight, 6-7-8-9-10 the top one.

    Without pictures no straight ends in an ace, so the poker ranking needs no change but low aces in a pair.
    """
    strength = poker.strength(hand)
    category = poker.category_of(strength)
    if category == "pair":
        ranks = [card[0] for card in hand]
        pair = next(POINTS[rank] for rank in ranks if ranks.count(rank) == 2)
        return "pair_7_or_better" if pair >= LEAST_PAIR else None
    return category if category in SIDE_ROWS else None


def _seat_names(seats: int) -> tuple[str, ...]:
    return tuple(f"seat{number}" for number in range(1, seats + 1))


@dataclass(frozen=True)
class TwoCardsHigh(Game):
    """One to seven seats against the dealer, five cards each, face down until the reveal."""

    name: ClassVar[str] = "two-cards-high"
    deck: ClassVar[tuple[Card, ...]] = DECK_40
    rules_version: ClassVar[str] = "Two Cards High; readings 1"
    shuffled_every_round: ClassVar[bool] = True
    house_settings: ClassVar[frozenset[str]] = frozenset(
        {"seats", "deal", "pair_against_unqualified_dealer", "pair_tie"}
    )

    decks: int
    pay_table: PayTable
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
        if isinstance(seats, bool) or not isinstance(seats, int) or not 1 <= seats <= MOST_SEATS:
            raise ConfigurationError(f"game.seats: {seats!r} is not 1 to {MOST_SEATS} seats", "bad_seats")
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

    def with_hands(self, names: Sequence[str]) -> TwoCardsHigh:
        """The seats that are named, in their order round the table; none named: unchanged."""
        seats = tuple(seat for seat in _seat_names(MOST_SEATS) if seat in names)
        return replace(self, seats=seats) if seats else self

    @property
    def cards_needed(self) -> int:
        return len(self._plan)

    def places(self) -> Mapping[str, int]:
        return dict.fromkeys((*self.seats, "dealer"), HAND_SIZE)

    def next_position(self, dealt: Deal) -> str | None:
        """3, and readings: one card at a time, seat 1 first, dealer last, five times round; or in packets."""
        return self._plan[len(dealt)] if len(dealt) < len(self._plan) else None

    def face_down(self, position: str) -> bool:
        """3: all cards lie face down until the reveal."""
        return True

    @property
    def has_reveal(self) -> bool:
        return True

    def hands(self, dealt: Deal) -> dict[str, list[Card]]:
        hands: dict[str, list[Card]] = {place: [] for place in (*self.seats, "dealer")}
        for one in dealt:
            hands[one.position].append(one.card)
        return hands

    def outcome(self, dealt: Deal) -> dict[str, object]:
        hands = self.hands(dealt)
        dealer = _standing(hands.pop("dealer"))
        outcome: dict[str, object] = {}
        for seat, hand in hands.items():
            player = _standing(hand)
            outcome[seat] = {
                **_shown(player),
                "result": main_result(player, dealer),
                "side": side_row(hand),
            }
        return {**outcome, "dealer": _shown(dealer)}

    def spots(self) -> tuple[str, ...]:
        return tuple(f"{seat}.{wager}" for seat in self.seats for wager in ("main", "side"))

    def bets(self, dealt: Deal) -> dict[str, SpotResult]:
        hands = self.hands(dealt)
        dealer = _standing(hands.pop("dealer"))
        results: dict[str, SpotResult] = {}
        for seat, hand in hands.items():
            results[f"{seat}.main"] = self.main_bet(_standing(hand), dealer)
            results[f"{seat}.side"] = self.side_bet(side_row(hand))
        return results

    def main_bet(self, player: Standing | None, dealer: Standing | None) -> SpotResult:
        """6: the main wager; what a pair gets from a tie or a dealer who is out is a setting of the house."""
        result = main_result(player, dealer)
        is_pair = player is not None and player.is_pair
        if result == "win_pair":
            return self._won["main", PAIR_WINS]
        if result == "win":
            return self._won["main", HIGHER_WINS]
        if result == "win_tie":
            return SpotResult("win", self.pair_tie) if is_pair else self._won["main", TIE]
        if result == "win_dealer_not_qualified":
            pays = self.pair_against_unqualified_dealer
            return SpotResult("win", pays) if is_pair else self._won["main", DEALER_OUT]
        return _LOSE

    def side_bet(self, row: str | None) -> SpotResult:
        """The side wager, whatever becomes of the main wager."""
        return _LOSE if row is None else self._won["side", row]

    @cached_property
    def _plan(self) -> tuple[str, ...]:
        places = (*self.seats, "dealer")
        if self.packets:
            return tuple(place for place in places for _ in range(HAND_SIZE))
        return places * HAND_SIZE

    @cached_property
    def _won(self) -> dict[RowKey, SpotResult]:
        return {key: SpotResult("win", pays) for key, pays in self.pay_table.ratios().items()}


_LOSE = SpotResult("lose")


def _standing(hand: Sequence[Card]) -> Standing | None:
    return best_standing([POINTS[card[0]] for card in hand])


def _shown(standing: Standing | None) -> dict[str, object]:
    """A standing in the words of the outcome."""
    if standing is None:
        return {"qualifies": False, "kind": None, "rank": None}
    return {"qualifies": True, "kind": "pair" if standing.is_pair else "total", "rank": standing.rank}
