"""Casino Hold'em: the Bonus over all 2,598,960 first fives, Ante and Play under optimal decisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import comb, prod

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem, bonus_row
from controller.par.answer import SpotReturn, tallied
from controller.par.holdem_play import OptimalPlay
from controller.vocabulary.cards import RANKS, SUITS, Card
from controller.vocabulary.outcomes import LOSE

SPLITS = comb(5, 2)
"""Ways to tell the hole cards of a first five from the flop."""


def returns(game: CasinoHoldem) -> dict[str, SpotReturn]:
    """Every spot; the hands are alike."""
    play = OptimalPlay(game)
    counted = {**play.returns(), "bonus": bonus_return(game, play.forfeited)}
    return {spot: counted[spot.split(".")[1]] for spot in game.spots()}


def bonus_return(game: CasinoHoldem, forfeited: dict[str, int]) -> SpotReturn:
    """The Bonus; ``forfeited`` are the hands and flops, by row, that a fold of the Ante takes from it."""
    # Where no fold matters the ways are first fives, else hands with flops.
    splits = SPLITS if forfeited else 1
    rows: Counter[str | None] = Counter()
    for hand, ways in first_fives():
        rows[bonus_row(poker.strength(hand))] += ways * splits
    results = []
    for row, ways in rows.items():
        gone = forfeited.get(row, 0) if row else 0
        results += [(game.bonus_bet(row), ways - gone), (LOSE, gone)]
    return tallied(results)


def first_fives() -> Iterator[tuple[list[Card], int]]:
    """One hand for each choice of ranks, flush and not, with the number of hands like it."""
    for chosen in combinations_with_replacement(RANKS, 5):
        copies = Counter(chosen)
        if max(copies.values()) > len(SUITS):
            continue
        flushes = len(SUITS) if len(copies) == 5 else 0
        if flushes:
            yield [Card(rank + SUITS[0]) for rank in chosen], flushes
        yield _mixed(chosen), prod(comb(len(SUITS), held) for held in copies.values()) - flushes


def _mixed(chosen: tuple[str, ...]) -> list[Card]:
    """The ranks in more than one suit, copies of a rank in different ones."""
    seen: Counter[str] = Counter()
    hand = []
    for place, rank in enumerate(chosen):
        first = 1 if place == 0 else 0
        hand.append(Card(rank + SUITS[(first + seen[rank]) % 4]))
        seen[rank] += 1
    return hand
