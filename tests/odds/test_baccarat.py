"""Baccarat odds against the known counts, brute force over tiny shoes, and themselves one card later."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from math import perm

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.games.baccarat import SPOTS
from controller.odds.baccarat import baccarat_odds
from controller.odds.composition import MOST_CARDS, OddsError
from controller.odds.prices import Odds
from controller.vocabulary.cards import DECK_52, RANKS, Card
from tests.vectors.baccarat import score_baccarat

BOTH = pytest.mark.parametrize("numpy", [True, False], ids=["numpy", "plain"])


def slow_round(ranks: Sequence[str]) -> set[str] | None:
    """The winning spots of a round dealt from these ranks, None where they run out."""
    try:
        spots = score_baccarat({"game": "baccarat", "cards": [rank + "S" for rank in ranks]})["bets"]
    except IndexError:
        return None
    return {spot for spot, bet in spots.items() if bet["result"] == "win"}


def brute_force(left: Sequence[str], dealt: Sequence[str]) -> Odds | None:
    """The odds by dealing every order of the cards left, None where one of them runs out."""
    ways: Counter[str] = Counter()
    total = 0
    for order in permutations(left, min(len(left), max(0, 6 - len(dealt)))):
        won = slow_round([*dealt, *order])
        if won is None:
            return None
        ways.update(won)
        total += 1
    return Odds({spot: ways[spot] for spot in SPOTS}, total)


def same_odds(one: Odds, other: Odds) -> bool:
    return all(one.ways[spot] * other.total == other.ways[spot] * one.total for spot in SPOTS)


def composition(left: Sequence[str]) -> dict[str, int]:
    return {rank: list(left).count(rank) for rank in RANKS}


def decks(number: int) -> dict[str, int]:
    return dict.fromkeys(RANKS, 4 * number)


@BOTH
def test_the_three_counts_of_eight_decks(numpy: bool) -> None:
    odds = baccarat_odds(decks(8), numpy=numpy)
    assert odds.ways["banker"] == 2_292_252_566_437_888
    assert odds.ways["player"] == 2_230_518_282_592_256
    assert odds.ways["tie"] == 475_627_426_473_216
    assert odds.total == perm(416, 6)


def test_six_cards_of_eight_decks_are_counted_exactly_in_floating_point() -> None:
    assert MOST_CARDS == 8 * 52
    assert perm(MOST_CARDS, 6) < 2**53


@BOTH
@settings(max_examples=60, deadline=None)
@given(ranks=st.lists(st.sampled_from(RANKS), max_size=12), known=st.integers(0, 5))
def test_tiny_shoes_agree_with_dealing_every_order(numpy: bool, ranks: list[str], known: int) -> None:
    dealt, left = ranks[:known], ranks[known : known + 7]
    while slow_round(dealt[:-1]) is not None:
        dealt.pop()
    expected = brute_force(left, dealt)
    cards = [Card(rank + "S") for rank in dealt]
    if expected is None:
        with pytest.raises(OddsError) as caught:
            baccarat_odds(composition(left), cards, numpy=numpy)
        assert caught.value.code == "insufficient_cards"
    else:
        assert same_odds(baccarat_odds(composition(left), cards, numpy=numpy), expected)


@pytest.mark.parametrize(
    "left", ["AAAA22", "9999TTTT", "A23456789", "8888KKQ", "2345678", "TTJJQQKK", "AAAAAAAA"]
)
@BOTH
def test_chosen_shoes_agree_with_dealing_every_order(numpy: bool, left: str) -> None:
    expected = brute_force(left, ())
    assert expected is not None
    assert baccarat_odds(composition(left), numpy=numpy) == expected


def shoe(dice: random.Random) -> list[Card]:
    cards = [*DECK_52] * dice.randint(1, 8)
    dice.shuffle(cards)
    return cards[: dice.randint(12, len(cards))]


def counted(cards: Sequence[Card]) -> dict[str, int]:
    return composition([card[0] for card in cards])


@BOTH
def test_the_odds_are_the_mean_of_the_odds_one_card_later(numpy: bool) -> None:
    """All tables against each other and the rules, from large shoes down to the last card of a round."""
    dice = random.Random(7)
    for _ in range(12):
        left = shoe(dice)
        dealt: list[Card] = []
        while slow_round([card[0] for card in dealt]) is None:
            now = baccarat_odds(counted(left), dealt, numpy=numpy)
            sums: Counter[str] = Counter()
            for rank, there in counted(left).items():
                if there:
                    fewer = counted(left) | {rank: there - 1}
                    later = baccarat_odds(fewer, [*dealt, Card(rank + "H")], numpy=numpy)
                    scale = now.total // len(left) * there
                    assert now.total % len(left) == 0
                    for spot in SPOTS:
                        assert later.ways[spot] * scale % later.total == 0
                        sums[spot] += later.ways[spot] * scale // later.total
            assert {spot: sums[spot] for spot in SPOTS} == now.ways
            dealt.append(left.pop())


def test_both_engines_give_the_same_integers() -> None:
    dice = random.Random(11)
    for _ in range(60):
        left = shoe(dice)
        dealt: list[Card] = []
        while slow_round([card[0] for card in dealt]) is None:
            with_numpy = baccarat_odds(counted(left), dealt, numpy=True)
            assert with_numpy == baccarat_odds(counted(left), dealt, numpy=False)
            dealt.append(left.pop())


def test_every_round_has_one_winner_and_one_size() -> None:
    dice = random.Random(13)
    for _ in range(30):
        ways, total = baccarat_odds(counted(shoe(dice)))
        assert ways["player"] + ways["banker"] + ways["tie"] == total == ways["small"] + ways["big"]
        assert max(ways["player_pair"], ways["banker_pair"]) <= ways["any_pair"]


@pytest.mark.parametrize(
    ("dealt", "won"),
    [
        (["KC", "7C", "9D", "2D"], {"tie", "small"}),  # two naturals, 2.7.1
        (["6S", "2S", "TS", "3D", "2H"], {"banker", "big"}),  # Player stands, Banker draws, 2.7.2
        (["2S", "2D", "2H", "2C", "4S", "4D"], {"tie", "big", "player_pair", "banker_pair", "any_pair"}),
    ],
)
def test_a_decided_round_is_certain(dealt: list[str], won: set[str]) -> None:
    cards = [Card(card) for card in dealt]
    for left in (decks(8), decks(0)):
        odds = baccarat_odds(left, cards)
        assert odds == Odds({spot: int(spot in won) for spot in SPOTS}, 1)


@pytest.mark.parametrize(
    "dealt", [["KC", "7C", "9D", "2D", "4S"], ["2S", "2D", "2H", "2C", "4S", "4D", "5S"]]
)
def test_a_card_too_many_has_no_odds(dealt: list[str]) -> None:
    with pytest.raises(OddsError) as caught:
        baccarat_odds(decks(8), [Card(card) for card in dealt])
    assert caught.value.code == "surplus_card"


def test_five_cards_are_enough_where_no_order_needs_a_sixth() -> None:
    assert baccarat_odds(composition("99TTT")).total == perm(5, 5)
    with pytest.raises(OddsError) as caught:
        baccarat_odds(composition("TTTTT"))
    assert caught.value.code == "insufficient_cards"
