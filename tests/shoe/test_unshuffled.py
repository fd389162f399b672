"""5.1.5: factory order is noticed, cut, turned over or riffled; a shuffled shoe is left alone.

The documented figures come from ``python -m tests.measure.unshuffled``; here the same at a smaller size.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
import pytest

from controller.shoe.unshuffled import DENSE, RUN, is_unshuffled
from controller.vocabulary.cards import DECK_40, DECK_52, Card
from tests.measure.unshuffled import (
    SIZES,
    Shoes,
    alarms,
    coded,
    cut,
    detection,
    expected_false_alarms,
    false_alarms,
    riffled,
    shuffled,
)

SPADES = DECK_52[:13]


def cards(text: str) -> list[Card | None]:
    """``4S -- 5S`` as cards, ``--`` unread."""
    return [None if word == "--" else Card(word) for word in text.split()]


def first_noticed(drawn: Sequence[Card | None]) -> int | None:
    """After how many cards of a shoe the order is noticed."""
    return next((count for count in range(1, len(drawn) + 1) if is_unshuffled(drawn[:count])), None)


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("deck", [DECK_52, DECK_40])
def test_factory_order_up_and_down_is_noticed_with_the_eighth_card(
    deck: tuple[Card, ...], direction: int
) -> None:
    assert first_noticed(list(deck[::direction])) == RUN == 8


@pytest.mark.parametrize("at", range(52))
def test_one_cut_hides_nothing_from_the_eleven_cards_of_a_round(at: int) -> None:
    noticed = first_noticed([*DECK_52[at:], *DECK_52[:at]][:11])
    assert noticed is not None


def test_seven_in_a_row_are_chance_still() -> None:
    for start in range(13):
        around = [*SPADES, *SPADES][start : start + 7]
        assert first_noticed(around) is None
        assert first_noticed(around[::-1]) is None


def test_an_ace_follows_a_king_and_a_two() -> None:
    assert is_unshuffled(cards("9H TH JH QH KH AH 2H 3H"))
    assert is_unshuffled(cards("3H 2H AH KH QH JH TH 9H"))


def test_a_run_ends_where_it_turns_or_the_suit_changes_or_a_card_was_not_read() -> None:
    assert not is_unshuffled(cards("2S 3S 4S 5S 6S 7S 8S 7S"))
    assert not is_unshuffled(cards("2S 3S 4S 5S 6S 7S 8S 9H"))
    assert not is_unshuffled(cards("2S 3S 4S -- 5S 6S 7S 8S 9S TS"))
    assert is_unshuffled(cards("-- 2S 3S 4S 5S 6S 7S 8S 9S"))


def spread(window: int, successions: int) -> list[Card | None]:
    """So many pairs of neighbours, among them so many successions, as far from each other as can be."""
    others = cycle(cards("2C 9D 6H JC 6D KH"))
    free = window + 1 - 2 * successions
    drawn: list[Card | None] = []
    for number in range(successions):
        gap = free * (number + 1) // successions - free * number // successions
        drawn += [*islice(others, gap), *cards("7S 8S" if number % 2 else "2H 3H")]
    return drawn


@pytest.mark.parametrize(("window", "needed"), DENSE[1:])
def test_a_window_is_noticed_at_its_limit_and_not_below(window: int, needed: int) -> None:
    assert len(spread(window, needed)) == window + 1
    assert is_unshuffled(spread(window, needed))
    assert first_noticed(spread(window, needed - 1)) is None


def test_the_shortest_window_sees_a_run_that_was_cut() -> None:
    window, needed = DENSE[0]
    cut_run = cards("2S 3S 4S 5S 6S 7S KH 2D 3D 4D 5D")[: window + 1]
    assert first_noticed(cut_run) == window + 1 == needed + 3
    assert first_noticed(cards("2S 3S 4S 5S 6S JD KH 2D 3D 4D 5D")) is None


def test_the_measurement_counts_what_the_table_counts() -> None:
    chance = np.random.default_rng(5)
    order = coded(DECK_52, 1)
    factory = np.tile(order, (40, 1))
    for shoes in (
        factory[:2],
        cut(factory, chance),
        riffled(factory, chance),
        riffled(riffled(factory, chance), chance),
    ):
        ours = [first_noticed([named(code) for code in shoe]) or 0 for shoe in shoes]
        assert ours == list(alarms(shoes))


def named(code: np.int16) -> Card:
    """A card of the measurement as a card of the table."""
    return Card("A23456789TJQK"[(int(code) & 15) - 1] + "SHDC"[int(code) >> 4])


@pytest.mark.parametrize(("deck", "decks"), SIZES)
def test_no_false_alarm_in_shuffled_shoes(deck: tuple[Card, ...], decks: int) -> None:
    assert false_alarms(deck, decks, 12_000, np.random.default_rng(8)) == 0
    assert expected_false_alarms(deck, decks) < 2e-7


def test_how_often_a_riffle_is_seen() -> None:
    chance = np.random.default_rng(9)
    for deck, decks, least in ((DECK_40, 1, 0.78), (DECK_52, 1, 0.97), (DECK_52, 8, 1.0)):
        rate, _ = detection(many(riffled, deck, decks, chance), len(deck) * decks)
        assert rate >= least
    assert detection(riffled(many(riffled, DECK_52, 8, chance), chance), 416)[0] == 1.0
    assert detection(many(cut, DECK_52, 1, chance), 11)[0] == 1.0


def many(upset: object, deck: tuple[Card, ...], decks: int, chance: np.random.Generator) -> Shoes:
    """600 shoes in factory order after something was done to them."""
    assert callable(upset)
    shoes: Shoes = upset(np.tile(coded(deck, decks), (600, 1)), chance)
    return shoes


def test_a_shuffle_of_the_measurement_keeps_every_card() -> None:
    order = coded(DECK_40, 1)
    chance = np.random.default_rng(3)
    for shoes in (
        shuffled(order, 5, chance),
        cut(np.tile(order, (5, 1)), chance),
        riffled(np.tile(order, (5, 1)), chance),
    ):
        assert all(sorted(shoe) == sorted(order) for shoe in shoes)


def test_hand_written_orders_of_the_tests_are_left_alone() -> None:
    chance = random.Random(8)
    by_rank = [Card(rank + suit) for rank in "23456789TJQKA" for suit in "SHDC"] * 8
    assert first_noticed(by_rank) is None
    whole = list(DECK_52) * 8
    chance.shuffle(whole)
    assert first_noticed(whole) is None
