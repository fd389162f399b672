"""What is wrong with a card or a count, check by check, at its limits."""

from __future__ import annotations

import pytest

from controller.shoe.checks import (
    check_count,
    check_emptied,
    check_over_count,
    check_part_of_deck,
    check_serial,
    check_set_mark,
)
from controller.shoe.ledger import Drawn, Shoe
from controller.vocabulary.cards import DECK_40, DECK_52, Card

ACE, TWO, KING = Card("AS"), Card("2S"), Card("KS")


def shoe(*drawn: Drawn, decks: int = 1, total: int = 4, mark: str | None = None) -> Shoe:
    return Shoe(1, decks, total, total, shuffled=True, set=mark, drawn=drawn, draws=len(drawn))


def draws(*cards: Card | None) -> list[Drawn]:
    return [Drawn(number, card, code=card or "?") for number, card in enumerate(cards, 1)]


def test_5_1_1_what_is_not_of_the_deck_is_foreign() -> None:
    for card, deck, codes in (
        (ACE, DECK_52, []),
        (KING, DECK_40, ["foreign_card"]),
        (None, DECK_52, ["foreign_card"]),
    ):
        (one,) = draws(card)
        assert [found.code for found in check_part_of_deck(shoe(one), one, deck)] == codes


@pytest.mark.parametrize(
    ("loaded", "earlier", "card", "foreign"),
    [
        ("red", None, "red", False),
        ("red", None, "blue", True),
        ("red", None, None, False),
        (None, None, "blue", False),
        (None, "red", "red", False),
        (None, "red", "blue", True),
    ],
)
def test_5_1_1_the_mark_of_another_set_is_foreign(
    loaded: str | None, earlier: str | None, card: str | None, foreign: bool
) -> None:
    first, second = Drawn(1, ACE, set=earlier), Drawn(2, TWO, set=card)
    found = check_set_mark(shoe(first, second, mark=loaded), second, DECK_52)
    assert [one.code for one in found] == ["foreign_card"] * foreign


@pytest.mark.parametrize(("decks", "copies", "excess"), [(1, 1, 0), (1, 2, 1), (8, 8, 0), (8, 9, 1)])
def test_5_1_2_copy_number_decks_and_one_is_an_excess(decks: int, copies: int, excess: int) -> None:
    out = draws(*[ACE] * copies)
    found = check_over_count(shoe(*out, decks=decks, total=416), out[-1], DECK_52)
    assert [one.code for one in found] == ["excess"] * excess
    if found:
        assert (found[0].evidence.copies, found[0].evidence.decks) == (copies, decks)


@pytest.mark.parametrize(("cards", "excess"), [(3, 0), (4, 0), (5, 1)])
def test_5_1_2_one_card_more_than_the_set_has_is_an_excess(cards: int, excess: int) -> None:
    out = draws(*[None] * cards)
    found = check_over_count(shoe(*out, total=4), out[-1], DECK_52)
    assert [one.code for one in found] == ["excess"] * excess


def test_5_1_2_both_excesses_of_one_card_are_reported() -> None:
    out = draws(None, None, None, ACE, ACE)
    assert len(check_over_count(shoe(*out, total=4), out[-1], DECK_52)) == 2


def test_5_1_2_the_same_serial_number_twice_whatever_the_card() -> None:
    first, second = Drawn(1, ACE, serial="17"), Drawn(2, TWO, serial="17")
    (found,) = check_serial(shoe(first, second), second, DECK_52)
    assert (found.code, found.evidence.first_draw) == ("duplicate_serial", 1)
    twin = Drawn(2, ACE, serial="17")
    assert check_serial(shoe(first, twin), twin, DECK_52)
    for other in (Drawn(2, ACE, serial="18"), Drawn(2, ACE)):
        assert check_serial(shoe(first, other), other, DECK_52) == []


@pytest.mark.parametrize(
    ("cards", "left", "missing", "codes"),
    [
        (416, None, None, []),
        (415, None, None, ["shortage"]),
        (417, None, None, ["excess"]),
        (None, 414, None, []),
        (None, 413, None, ["shortage"]),
        (None, 415, None, ["excess"]),
        (415, 415, None, ["shortage", "excess"]),
        (416, None, ["8S"], ["shortage"]),
        (415, None, ["8S"], ["shortage"]),
        (None, None, [], []),
    ],
)
def test_5_1_2_a_count_that_is_one_card_off_is_found(
    cards: int | None, left: int | None, missing: object, codes: list[str]
) -> None:
    two_out = shoe(*draws(ACE, TWO), decks=8, total=416)
    assert [one.code for one in check_count(two_out, cards, left, missing)] == codes


@pytest.mark.parametrize(
    ("out", "needed", "codes"),
    [
        (4, 0, []),
        (4, 1, ["insufficient_cards"]),
        (3, 0, ["shortage"]),
        (3, 1, ["insufficient_cards", "shortage"]),
    ],
)
def test_5_1_4_and_5_1_2_of_a_shoe_that_is_said_to_be_empty(out: int, needed: int, codes: list[str]) -> None:
    assert [one.code for one in check_emptied(shoe(*draws(*[None] * out)), needed)] == codes
