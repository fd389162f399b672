"""Codes of cards, counted out: four digits (suit 1 to 4, rank 01 to 13, a zero), and what a check sees."""

from __future__ import annotations

import random
from typing import Any

import pytest

from controller.shoe.code_map import check_text, decode, notices_substitution
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


KINDS: tuple[Any, ...] = ("luhn", "mod10", "mod11", "mod36", "mod37", "mod97")


def lets_pass(kind: str) -> bool:
    """Whether some single wrong character of some code keeps the check: all places, all pairs of them.

    The suit, a letter, stays: Luhn counts otherwise where all are digits.
    """
    chance = random.Random(kind)
    for length in range(1, 37):
        body = [28, *(chance.randrange(36) for _ in range(length - 1))]
        for place in range(1, length):
            checks = {check_text(kind, [*body[:place], value, *body[place + 1 :]]) for value in range(36)}
            if len(checks) < 36:
                return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_a_check_called_strong_lets_no_single_wrong_character_pass_and_no_other_is(kind: Any) -> None:
    code_map = CodeMap("pattern", pattern="(?P<rank>.)(?P<suit>.)(?P<check>.+)", check=kind)
    assert notices_substitution(code_map) is not lets_pass(kind)


@pytest.mark.parametrize(("ranks", "strong"), [({"01": "A", "13": "K"}, True), ({"1": "A", "K": "K"}, False)])
def test_luhn_is_strong_where_codes_are_all_digits_or_never(ranks: dict[str, str], strong: bool) -> None:
    pattern = "(?P<rank>..?)(?P<suit>.)(?P<check>.)"
    code_map = CodeMap("pattern", pattern=pattern, ranks=ranks, suits={"1": "S", "2": "H"}, check="luhn")
    assert notices_substitution(code_map) is strong
    assert notices_substitution(CodeMap("pattern", pattern=pattern, ranks=ranks, check="luhn"))


def test_where_mod_10_reads_a_nine_for_a_four() -> None:
    code_map = CodeMap("pattern", pattern=r"(?P<set>R)(?P<rank>.)(?P<suit>.)(?P<check>\d)", check="mod10")
    seven = check_text("mod10", [int(character, 36) for character in "R4H"])
    assert [decode(code_map, f"R{rank}H{seven}").card for rank in "49"] == ["4H", "9H"]


def test_without_a_check_there_is_nothing_that_notices() -> None:
    assert not notices_substitution(CodeMap())
    assert not notices_substitution(CodeMap("pattern", pattern="(?P<rank>.)(?P<suit>.)"))


def test_a_code_whose_check_is_missing_was_not_read() -> None:
    pattern = "(?P<rank>.)(?P<suit>.)(?P<check>[0-9A-Z])?"
    code_map = CodeMap("pattern", pattern=pattern, check="luhn")
    assert decode(code_map, "8S").verdict == "unreadable"
    assert decode(code_map, "8S" + check_text("luhn", [8, 28])).card == "8S"
