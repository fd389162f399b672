"""The house edge of every spot from the cards left, against dealing every hand and asking the game."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from controller.games.game import Dealt, Game
from controller.games.registry import build_game
from controller.odds.composition import OddsError
from controller.odds.counting import spot_ways
from controller.odds.spot_ways import SpotWays
from controller.vocabulary.cards import DECK_40, DECK_52, Card
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.outcomes import PUSH


def two_card_action(layout: str) -> Game:
    return build_game(GameSettings("2-card-action", decks=8, layout=layout))  # type: ignore[arg-type]


BACCARAT = build_game(GameSettings("baccarat", decks=8))
TWO_CARDS_HIGH = build_game(GameSettings("two-cards-high", seats=1, pair_tie="3:2"))


def counts(cards: Iterable[Card], deck: Sequence[Card] = DECK_52) -> dict[Card, int]:
    there = Counter(cards)
    return {card: there[card] for card in deck}


def tallied(game: Game, deals: Iterable[list[Dealt]]) -> dict[str, SpotWays]:
    """Every deal settled by the game itself."""
    total = 0
    wins: dict[str, Counter[str]] = {spot: Counter() for spot in game.spots()}
    pushes: Counter[str] = Counter()
    for deal in deals:
        total += 1
        for spot, result in game.bets(deal).items():
            if result.pays:
                wins[spot][result.pays] += 1
            pushes[spot] += result == PUSH
    return {spot: SpotWays(dict(wins[spot]), pushes[spot], total) for spot in wins}


@pytest.mark.parametrize("layout", ["A", "B", "C"])
def test_two_card_action_from_a_depleted_shoe(layout: str) -> None:
    game = two_card_action(layout)
    left = random.Random(layout).sample(DECK_52 * 8, 60)
    deals = ([Dealt("first", first), Dealt("second", second)] for first, second in combinations(left, 2))
    assert spot_ways(game, counts(left)) == tallied(game, deals)


def test_two_card_action_from_eight_whole_decks() -> None:
    ways = spot_ways(two_card_action("C"), counts(DECK_52 * 8))
    assert len(ways) == 100
    assert ways["card_AS"].wins == {"23:1": 8 * 408, "100:1": comb(8, 2)}
    assert ways["pair_7"].total == comb(416, 2)


def test_a_shoe_of_twos_and_threes_favours_who_bets_on_a_pair() -> None:
    whole = spot_ways(two_card_action("A"), counts(DECK_52 * 4))
    left = [card for card in DECK_52 * 4 if card[0] in "23"]
    depleted = spot_ways(two_card_action("A"), counts(left))
    assert whole["any_pair"].house_edge > 0 > depleted["any_pair"].house_edge
    assert depleted["bonus"].house_edge == 1


def packets(hands: Iterable[tuple[Sequence[Card], Sequence[Card]]]) -> Iterable[list[Dealt]]:
    for player, dealer in hands:
        cards = [Dealt("seat1", card) for card in player] + [Dealt("dealer", card) for card in dealer]
        yield cards


@pytest.mark.parametrize("seed", range(3))
def test_two_cards_high_from_a_part_of_the_deck(seed: int) -> None:
    left = random.Random(seed).sample(DECK_40, 11)
    hands = (
        (player, dealer)
        for player in combinations(left, 5)
        for dealer in combinations([card for card in left if card not in player], 5)
    )
    expected = tallied(TWO_CARDS_HIGH, packets(hands))
    ways = spot_ways(TWO_CARDS_HIGH, counts(left, DECK_40))
    assert ways["seat1.main"] == expected["seat1.main"]
    side, slow = ways["seat1.side"], expected["seat1.side"]
    assert {pays: Fraction(number, side.total) for pays, number in side.wins.items()} == {
        pays: Fraction(number, slow.total) for pays, number in slow.wins.items()
    }


def test_baccarat_is_the_same_without_numpy() -> None:
    whole = counts(DECK_52 * 8)
    assert spot_ways(BACCARAT, whole) == spot_ways(BACCARAT, whole, numpy=False)


@pytest.mark.parametrize(
    ("game", "remaining", "code"),
    [
        (two_card_action("A"), counts([Card("AS")]), "insufficient_cards"),
        (two_card_action("A"), counts(DECK_52 * 9), "too_many_cards"),
        (two_card_action("A"), {"AS": 4}, "missing_card"),
        (two_card_action("A"), counts(DECK_52) | {"1S": 1}, "unknown_card"),
        (two_card_action("A"), counts(DECK_52) | {"AS": True}, "bad_count"),
        (TWO_CARDS_HIGH, counts(DECK_40[:9], DECK_40), "insufficient_cards"),
        (TWO_CARDS_HIGH, counts(DECK_40[:12], DECK_40) | {"AS": 2}, "duplicate_card"),
        (TWO_CARDS_HIGH, counts(DECK_52), "unknown_card"),
        (BACCARAT, counts([Card("AS"), Card("KS")]), "insufficient_cards"),
        (build_game(GameSettings("casino-holdem")), counts(DECK_52), "unknown_game"),
    ],
)
def test_what_is_left_is_read_strictly(game: Game, remaining: dict[Card, int], code: str) -> None:
    with pytest.raises(OddsError) as caught:
        spot_ways(game, remaining)
    assert caught.value.code == code
