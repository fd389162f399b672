"""The four-digit codes of cards, counted out: suit 1 to 4, rank 01 to 13, a zero."""

from __future__ import annotations

from controller.shoe.code_map import decode
from controller.vocabulary.configuration import CodeMap

FOUR_DIGIT = CodeMap("four-digit")


def test_every_card_has_its_four_digits() -> None:
    for suit_number, suit in ((1, "S"), (2, "H"), (3, "D"), (4, "C")):
        for rank_number, rank in enumerate("A23456789TJQK", 1):
            decoded = decode(FOUR_DIGIT, f"{suit_number}{rank_number:02d}0")
            assert (decoded.verdict, decoded.card) == ("card", rank + suit)


def test_all_other_codes_are_foreign() -> None:
    known = sum(decode(FOUR_DIGIT, f"{number:04d}").verdict == "card" for number in range(10_000))
    assert known == 52
    for code in ("1010 ", "101", "10100", "AS", "1140", "0010", "5010", "1011"):
        assert decode(FOUR_DIGIT, code).verdict == "foreign"


def test_a_code_of_nothing_is_a_card_that_was_not_read() -> None:
    """A blank would otherwise void the round and withdraw the shoe (5.1.1): an unreadable card holds."""
    for code_map in (FOUR_DIGIT, CodeMap(), CodeMap("exact", exact={"1": "AS"})):
        assert [decode(code_map, code).verdict for code in ("", " ", "\t")] == ["unreadable"] * 3
