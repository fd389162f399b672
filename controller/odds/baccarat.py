"""Baccarat: exact odds of all eight spots from what is left, before the deal and after every card.

What is counted are orders of the unseen cards: of as many as complete six, or of all where fewer are left. So
every spot has a whole number of ways out of one total.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import perm
from typing import Any, NamedTuple, cast

from controller.games.baccarat import POINTS, SPOTS, Baccarat
from controller.games.line import read_round
from controller.odds import plain, takes_numpy
from controller.odds.baccarat_spots import are_few, house_chances, house_ways, is_late
from controller.odds.composition import MOST_CARDS, OddsError, check_shoe, counts_of
from controller.odds.counting import Counting, Line, cards
from controller.odds.multisets import LARGEST
from controller.odds.prices import DEFAULT_MARGIN, PUSHING, Chance, Margin, Odds, Prices, chances, prices
from controller.odds.spot_ways import SpotWays
from controller.odds.tableau import MOST_KNOWN, OUTCOMES, cards_of, outcome
from controller.vocabulary.cards import DECK_52, RANKS, SUITS, Card

_POINTS = tuple(POINTS[rank] for rank in RANKS)

SEEN = 4
"""The cards that decide the pairs: player, banker, player, banker (2.5.3)."""


CountWays = Callable[[int, int, Sequence[int]], list[int]]
"""How multisets are summed: known, state, counts -> orders of 6 - ``known`` unseen cards by outcome.

``known`` is 0 to 4. ``state`` is 0 before the deal, Player's points after one card, and from two cards on
10 x Player's points so far + Banker's (both modulo ten). ``counts`` are unseen cards of each point class.
"""


@cache
def engine(numpy: bool | None = None) -> CountWays:
    """The engine with or without numpy, which is faster and asks for some 25 MB of memory."""
    if not takes_numpy(numpy):
        return plain.outcome_ways
    from controller.odds import arrays

    return arrays.outcome_ways


def baccarat_odds(remaining: object, dealt: Sequence[Card] = (), *, numpy: bool | None = None) -> Odds:
    """The odds of a round from the unseen cards of each rank and the cards dealt so far, in deal order.

    ``remaining`` names all thirteen ranks and leaves the cards of ``dealt`` out. :class:`OddsError` with a
    code of :func:`~controller.odds.composition.counts_of`, or ``surplus_card`` where more cards are dealt
    than the round takes, or ``insufficient_cards`` where the round may run out of cards.
    """
    counts = counts_of(remaining, RANKS, "rank", MOST_CARDS)
    known = [RANKS.index(card[0]) for card in dealt]
    left = sum(counts)
    ways = outcome_ways(counts, known, engine(numpy))
    total = sum(ways)
    pairs = pair_ways(counts, known)
    unit = total // perm(left, max(0, SEEN - len(known)))
    player_pair, banker_pair, both = pairs.player * unit, pairs.banker * unit, pairs.both * unit
    won = (
        sum(ways[0::3]),
        sum(ways[1::3]),
        sum(ways[2::3]),
        player_pair,
        banker_pair,
        player_pair + banker_pair - both,
        sum(ways[0:3]),
        sum(ways[3:]),
    )
    return Odds(dict(zip(SPOTS, won, strict=True)), total)


def outcome_ways(counts: Sequence[int], known: Sequence[int], solve: CountWays) -> list[int]:
    """Ordered ways to each outcome of :mod:`~controller.odds.tableau`, from counts by rank and known ranks.

    A decided round has one way.
    """
    points = [_POINTS[rank] for rank in known]
    by_class = [sum(counts[9:]), *counts[:9]]  # ten and pictures are 0, ace to nine are 1 to 9 (2.4)
    done = outcome(points)
    if done is not None:
        if len(points) > cards_of(done):
            raise OddsError(
                f"dealt has {len(points)} cards, the round takes {cards_of(done)}", "surplus_card"
            )
        return [int(number == done) for number in range(OUTCOMES)]
    if len(points) + sum(counts) < LARGEST:
        return one_by_one(by_class, points, sum(counts))
    if len(points) > MOST_KNOWN:
        return one_by_one(by_class, points, LARGEST - len(points))
    return solve(len(points), state_of(points), by_class)


def state_of(points: Sequence[int]) -> int:
    """What the rules ask of up to four cards, as :class:`CountWays` wants it."""
    player = sum(points[0::2]) % 10
    return player if len(points) < 2 else 10 * player + sum(points[1::2]) % 10


def one_by_one(by_class: Sequence[int], points: list[int], cards: int) -> list[int]:
    """Ways by outcome over all orders of the next ``cards`` cards; :class:`OddsError` where they do not
    suffice."""
    done = outcome(points)
    if done is not None:
        orders = perm(sum(by_class), cards)
        return [orders * (number == done) for number in range(OUTCOMES)]
    if not cards:
        raise OddsError(
            f"the cards left may not complete the round: one more is due after {len(points)}",
            "insufficient_cards",
        )
    ways = [0] * OUTCOMES
    for point, there in enumerate(by_class):
        if there:
            fewer = [count - (place == point) for place, count in enumerate(by_class)]
            after = one_by_one(fewer, [*points, point], cards - 1)
            ways = [sum_ + there * more for sum_, more in zip(ways, after, strict=True)]
    return ways


class PairWays(NamedTuple):
    """Orders of the cards that are still missing of the first four, by what they make."""

    player: int
    banker: int
    both: int


def pair_ways(counts: Sequence[int], known: Sequence[int]) -> PairWays:
    """The ways to the pairs, from the unseen cards of each rank and the ranks known so far (a fifth is
    ignored)."""
    left = sum(counts)
    match known[:SEEN]:
        case []:
            twos = [count * (count - 1) for count in counts]
            pairs = sum(twos)
            one = pairs * (left - 2) * (left - 3)
            both = sum(
                two * (pairs - two + (count - 2) * (count - 3))
                for two, count in zip(twos, counts, strict=True)
            )
            return PairWays(one, one, both)
        case [first]:
            pairs = sum(count * (count - 1) for count in counts)
            same = counts[first]
            both = same * (pairs - same * (same - 1) + (same - 1) * (same - 2))
            return PairWays(same * (left - 1) * (left - 2), pairs * (left - 2), both)
        case [first, second]:
            both = counts[first] * (counts[second] - (first == second))
            return PairWays(counts[first] * (left - 1), counts[second] * (left - 1), both)
        case [first, second, third]:
            player = first == third
            return PairWays(player * left, counts[second], player * counts[second])
        case [first, second, third, fourth]:
            return PairWays(
                int(first == third), int(second == fourth), int(first == third and second == fourth)
            )
    raise ValueError(f"known has {len(known)} places: expected those of ranks")


class BaccaratOdds(Counting[Baccarat]):
    """All eight spots, from the cards that nobody has seen."""

    def answer(self, line: Line, *, numpy: bool | None = None) -> Prices:
        """``remaining``: unseen cards of each of the 13 ranks; ``dealt``: cards of this round so far in deal
        order, none where it is left out; ``margin``: a share, or one for each spot; left out: 0.05.
        ``pay_table``: the house's, as in ``score``; ``remaining`` may then name all 52 cards, and must where
        a condition asks for a perfect pair. Both together are no more than ``decks`` hold, left out: eight.
        """
        margin: Any = line.get("margin", DEFAULT_MARGIN)
        dealt = cards(line.get("dealt", []), "dealt")
        remaining = line.get("remaining")
        asked = {name: line[name] for name in ("decks", "pay_table") if name in line}
        game = cast(Baccarat, read_round({"game": Baccarat.name, **asked}).game)
        if line.get("pay_table") is None:
            odds = baccarat_odds(remaining, dealt, numpy=numpy)
            check_shoe(cast("Mapping[str, int]", remaining), [card[0] for card in dealt], "rank", game.decks)
            return prices(odds, margin)
        unseen = _unseen(game, remaining)
        found = _chances(game, unseen, dealt, numpy)
        if len(unseen) == len(DECK_52):
            check_shoe(unseen, dealt, "card", game.decks)
        check_shoe(_by_rank(unseen), [card[0] for card in dealt], "rank", game.decks)
        return prices(found, margin)

    def spot_ways(
        self, game: Baccarat, remaining: Mapping[Card, int], *, numpy: bool | None = None
    ) -> dict[str, SpotWays]:
        """By the fixed pay table; Player and Banker push on a tie (2.3.1)."""
        counts = counts_of(remaining, DECK_52, "card", len(DECK_52) * game.deck_counts[-1])
        unseen = dict(zip(DECK_52, counts, strict=True))
        ways, total = baccarat_odds(_by_rank(unseen), numpy=numpy)
        pays = game.pay_table.ratios()
        found = {
            spot: SpotWays({pays[spot, "win"]: ways[spot]}, ways["tie"] if spot in PUSHING else 0, total)
            for spot in SPOTS
        } | house_ways(game, unseen, (), tuple(game.pay_table.spots))
        return {spot: found[spot] for spot in game.spots()}

    def prices(
        self,
        game: Baccarat,
        unseen: Mapping[Card, int],
        dealt: Sequence[Card],
        margins: Mapping[str, Margin],
        *,
        least_probability: Margin = 0,
        numpy: bool | None = None,
    ) -> Prices:
        """As the cards that all have seen make them."""
        return prices(_chances(game, unseen, dealt, numpy), margins, least_probability=least_probability)


def _unseen(game: Baccarat, remaining: object) -> dict[Card, int]:
    """The unseen cards, from counts of all cards; or of ranks, which are enough where no suit matters."""
    if isinstance(remaining, Mapping) and not set(remaining) <= set(RANKS):
        counts = counts_of(remaining, DECK_52, "card", MOST_CARDS)
        return dict(zip(DECK_52, counts, strict=True))
    for name, spot in game.pay_table.spots.items():
        if spot.pays_alike and any("perfect" in field for field in spot.asks):
            raise OddsError(
                f"remaining names ranks, but {name} asks for suits: name all 52 cards", "missing_card"
            )
    ranks = counts_of(remaining, RANKS, "rank", MOST_CARDS)
    return {Card(rank + SUITS[0]): count for rank, count in zip(RANKS, ranks, strict=True)}


def _chances(
    game: Baccarat, unseen: Mapping[Card, int], dealt: Sequence[Card], numpy: bool | None
) -> dict[str, Chance]:
    """The chances of the spots that can have a price; where the house wrote some, all are counted at once."""
    spots = _live(game)
    by_rank = _by_rank(unseen)
    own = game.pay_table.spots.keys().isdisjoint(spots)
    if own or is_late(dealt) or are_few(unseen, dealt):
        found = chances(baccarat_odds(by_rank, dealt, numpy=numpy))
        if own:
            return {spot: found[spot] for spot in spots}
    counts_of(by_rank, RANKS, "rank", MOST_CARDS)
    return house_chances(game, unseen, dealt, spots)


@lru_cache(maxsize=4)
def _live(game: Baccarat) -> tuple[str, ...]:
    return game.live_spots("live")


def _by_rank(counts: Mapping[Card, int]) -> dict[str, int]:
    by_rank = dict.fromkeys(RANKS, 0)
    for card, count in counts.items():
        by_rank[card[0]] += count
    return by_rank


ODDS = BaccaratOdds()
