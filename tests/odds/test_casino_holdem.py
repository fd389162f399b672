"""The strength of hold'em hands against a showdown for every way to go on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import comb

import pytest

from controller.odds.casino_holdem import holdem_strength
from controller.odds.showdowns import showdowns
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.parts import HandStrength
from tests.odds import showdown_arrays
from tests.odds.seven_cards import strength7

FLOPS = {
    "three suits": ("AS KD", "7C 7H", "QH 7S 2D"),
    "one suit, one card of it": ("AS KD", "QD QC", "QS 7S 2S"),
    "one suit, a flush made": ("9S 8S", "AS 2H", "7S 6S 3S"),
    "two of a suit, straight flush drawn": ("9S 8S", "2H 2D", "7S 6S 2C"),
    "a full house that beats a flush": ("2H 2D", "AS KS", "2S 9S 9H"),
    "a full house that a straight flush beats": ("9H 9D", None, "9S 8S 7S"),
    "one hand": ("4C 5D", None, "QS 7S 2H"),
    "one hand and its straight": ("AC 2D", None, "3S 4S 5H"),
    "four of a kind on the flop": ("8H AC", None, "8S 8D 8C"),
}


def cards(text: str) -> list[Card]:
    return [Card(card) for card in text.split()]


def every_showdown(holes: dict[str, list[Card]], flop: Sequence[Card]) -> dict[str, HandStrength]:
    """For every board, every dealer hand."""
    seen = {*flop, *(card for hole in holes.values() for card in hole)}
    unseen = [card for card in DECK_52 if card not in seen]
    pairs = [
        (one, two, 1 << unseen.index(one) | 1 << unseen.index(two)) for one, two in combinations(unseen, 2)
    ]
    dealer_hands = {
        sum(1 << unseen.index(card) for card in four): strength7(*(*flop, *four))
        for four in combinations(unseen, 4)
    }
    tallies = {name: [0, 0, 0] for name in holes}
    for turn, river, board in pairs:
        dealers = Counter(dealer_hands[board | own] for _, _, own in pairs if not board & own)
        for name, hole in holes.items():
            player = strength7(*(*flop, turn, river, *hole))
            for dealer, ways in dealers.items():
                tallies[name][0 if player > dealer else 1 if player == dealer else 2] += ways
    return {name: HandStrength(*(*tally, sum(tally))) for name, tally in tallies.items()}


@pytest.mark.parametrize("case", FLOPS)
def test_every_way_to_go_on_is_counted_once(case: str) -> None:
    first, second, flop = FLOPS[case]
    holes = {"hand1": cards(first)} | ({"hand2": cards(second)} if second else {})
    expected = every_showdown(holes, cards(flop))
    assert holdem_strength(holes, cards(flop)) == expected


KINDS = {
    "any": DECK_52,
    "two suits": [card for card in DECK_52 if card[1] in "HC"],
    "one suit and the sevens": [card for card in DECK_52 if card[1] == "S" or card[0] == "7"],
    "three ranks": [card for card in DECK_52 if card[0] in "89A"],
}
"""Out of which cards hands and flop are dealt."""


@pytest.mark.parametrize("kind", KINDS)
def test_boards_by_rank_and_cards_one_by_one_count_the_same(kind: str) -> None:
    dice = random.Random(kind)
    for place in range(25):
        dealt = dice.sample(KINDS[kind], 7)
        holes, flop = [dealt[:2], dealt[2:4]][: 1 + place % 2], dealt[4:]
        unseen = [card for card in DECK_52 if card not in (*flop, *(card for hole in holes for card in hole))]
        assert showdowns(holes, flop, unseen) == showdown_arrays.showdowns(holes, flop, unseen)


@pytest.mark.parametrize(("hands", "unseen"), [(1, 47), (2, 45)])
def test_the_total_counts_all_boards_and_dealer_hands(hands: int, unseen: int) -> None:
    holes = {"hand1": cards("AS KD"), "hand2": cards("7C 7H")}
    some = dict(list(holes.items())[:hands])
    for strength in holdem_strength(some, cards("QH 7S 2D")).values():
        assert strength.total == comb(unseen, 2) * comb(unseen - 2, 2)
        assert strength.win + strength.tie + strength.lose == strength.total
    if hands == 1:
        assert strength.total == 1_070_190


def test_a_royal_flush_is_never_beaten() -> None:
    strength = holdem_strength({"hand1": cards("AS KS")}, cards("QS JS TS"))["hand1"]
    assert strength == HandStrength(1_070_190, 0, 0, 1_070_190)


def test_the_other_hand_is_seen_and_changes_the_count() -> None:
    alone = holdem_strength({"hand1": cards("AS AD")}, cards("KH 7C 2D"))["hand1"]
    beside = holdem_strength({"hand1": cards("AS AD"), "hand2": cards("KS KD")}, cards("KH 7C 2D"))["hand1"]
    assert beside.win / beside.total > alone.win / alone.total
