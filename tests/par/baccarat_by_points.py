"""Baccarat's return once more, without the tables of the odds: over ordered sequences of six cards.

Winner and number of cards depend on points only: pairs of two-card hands by points, then the thirds by the
tableau of ``controller.games.baccarat`` itself. Pairs depend on the ranks of the first four cards only.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import perm

from controller.games.baccarat import POINTS, Baccarat, banker_draws, player_draws, total, winner
from controller.games.game import Dealt
from controller.par.answer import SpotReturn, SpotTally
from controller.vocabulary.cards import RANKS, SUITS, Card
from controller.vocabulary.outcomes import SpotOutcome

CARDS = 6
_RANK_OF = {points: rank for rank, points in POINTS.items()}
PAIR_SPOTS = ("player_pair", "banker_pair", "any_pair")


def returns(game: Baccarat) -> dict[str, SpotReturn]:
    """All eight spots."""
    tally = SpotTally()
    ends: dict[tuple[str, int], tuple[dict[str, SpotOutcome], int]] = {}
    for player, banker, ways in _hands(game.decks):
        end = (winner(total(player), total(banker)), len(player) + len(banker))
        results, before = ends.get(end) or (game.bets(_deal(player, banker)), 0)
        ends[end] = (results, before + ways)
    pairs = list(_pairs(game))
    for spot in game.spots():
        for results, ways in pairs if spot in PAIR_SPOTS else ends.values():
            tally.add(spot, results[spot], ways)
    return tally.returns()


def _hands(decks: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int]]:
    """Points of the two hands, with the number of six-card sequences that begin with them."""
    left = [4 * decks] * 10
    left[0] = 16 * decks
    cards = 52 * decks
    for player, banker in product(product(range(10), repeat=2), repeat=2):
        if list(player) != sorted(player) or list(banker) != sorted(banker):
            continue
        first = (
            _drawn(left, (*player, *banker)) * (1 + (player[0] != player[1])) * (1 + (banker[0] != banker[1]))
        )
        if first == 0:
            continue
        rest = left.copy()
        for points in (*player, *banker):
            rest[points] -= 1
        for thirds, banks, ways, used in _thirds(rest, total(player), total(banker)):
            yield (*player, *thirds), (*banker, *banks), first * ways * perm(cards - 4 - used, 2 - used)


def _thirds(
    left: list[int], player: int, banker: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], int, int]]:
    """Third cards of Player and Banker, ways to draw them, and how many they are."""
    if not player_draws(player, banker):
        if not banker_draws(player, banker, None):
            yield (), (), 1, 0
            return
        for points in range(10):
            yield (), (points,), left[points], 1
        return
    for third in range(10):
        if not banker_draws(player, banker, third):
            yield (third,), (), left[third], 1
            continue
        for points in range(10):
            yield (third,), (points,), left[third] * (left[points] - (points == third)), 2


def _drawn(left: list[int], points: tuple[int, ...]) -> int:
    """Ways to draw cards of these points in this order."""
    ways = 1
    for place, one in enumerate(points):
        ways *= left[one] - points[:place].count(one)
    return ways


def _deal(player: tuple[int, ...], banker: tuple[int, ...]) -> list[Dealt]:
    """One deal with these points."""
    dealt = []
    for place in range(3):
        for side, hand in (("player", player), ("banker", banker)):
            if place < len(hand):
                dealt.append(Dealt(side, Card(_RANK_OF[hand[place]] + SUITS[place])))
    return dealt


def _pairs(game: Baccarat) -> Iterator[tuple[dict[str, SpotOutcome], int]]:
    """What the pair spots do by the ranks of the first four cards, told from two naturals of eight."""
    copies = 4 * game.decks
    rest = perm(52 * game.decks - 4, 2)
    counted: dict[tuple[bool, bool], int] = {}
    for ranks in product(range(len(RANKS)), repeat=4):
        ways = 1
        for place, rank in enumerate(ranks):
            ways *= copies - ranks[:place].count(rank)
        key = (ranks[0] == ranks[2], ranks[1] == ranks[3])
        counted[key] = counted.get(key, 0) + ways * rest
    for (player_pair, banker_pair), ways in counted.items():
        player = ("4", "4") if player_pair else ("3", "5")
        banker = ("4", "4") if banker_pair else ("3", "5")
        turn = zip(player, banker, strict=True)
        cards = [card for pair in turn for card in pair]
        natural = [
            Dealt(("player", "banker")[place % 2], Card(rank + "S")) for place, rank in enumerate(cards)
        ]
        yield game.bets(natural), ways
