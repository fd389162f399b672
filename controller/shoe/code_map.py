"""From the code on a card to the card: a map that is data of the table.

A code that the map does not know is a foreign card; it is never blanked, guessed or dropped. A code whose
check digit fails is a card that was not read (a dirty card must not withdraw a shoe).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

import msgspec

from controller.vocabulary.cards import DECK_52, RANKS, SUITS, Card
from controller.vocabulary.configuration import CodeMap
from controller.vocabulary.errors import ConfigurationError

Verdict = Literal["card", "foreign", "unreadable"]


class Decoded(msgspec.Struct, frozen=True):
    """What a code says: the card where the verdict is ``card``, with set mark and serial where the code has
    them."""

    verdict: Verdict
    card: Card | None = None
    set: str | None = None
    serial: str | None = None


_FOREIGN = Decoded("foreign")
_UNREADABLE = Decoded("unreadable")
_PLAIN: dict[str, str] = {card: card for card in DECK_52}
_FOUR_DIGIT: dict[str, str] = {
    f"{suit + 1}{rank + 1:02d}0": Card(RANKS[rank] + SUITS[suit]) for suit in range(4) for rank in range(13)
}
"""Suit 1 to 4 (spades, hearts, diamonds, clubs), rank 01 to 13, a zero: 1010 is the ace of spades."""

_RANK_WORDS = {"10": "T", "1": "A", "11": "J", "12": "Q", "13": "K"} | {rank: rank for rank in RANKS}
_SUIT_WORDS = {suit: suit for suit in SUITS} | {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}


def decode(code_map: CodeMap, code: str) -> Decoded:
    """Read ``code`` by the map. Nothing but blanks is no code at all: the card was not read."""
    if not code.strip():
        return _UNREADABLE
    if code_map.kind == "pattern":
        return _decode_pattern(code_map, code)
    built_in = {"plain": _PLAIN, "four-digit": _FOUR_DIGIT}.get(code_map.kind)
    card = (code_map.exact if built_in is None else built_in).get(code)
    return _FOREIGN if card is None else Decoded("card", Card(card))


def _decode_pattern(code_map: CodeMap, code: str) -> Decoded:
    match = _compiled(code_map.pattern).fullmatch(code)
    if match is None:
        return _FOREIGN
    groups = match.groupdict()
    if code_map.check != "none" and not _check_holds(code_map.check, code, match):
        return _UNREADABLE
    rank = (code_map.ranks or _RANK_WORDS).get(groups["rank"])
    suit = (code_map.suits or _SUIT_WORDS).get(groups["suit"])
    if rank is None or suit is None:
        return _FOREIGN
    return Decoded("card", Card(rank + suit), groups.get("set"), groups.get("serial"))


def problems(code_map: CodeMap) -> list[str]:
    """What is wrong with a map, each with its key path below ``cards``; empty for a good one."""
    if code_map.kind == "exact":
        return _exact_problems(code_map)
    if code_map.kind != "pattern":
        return []
    try:
        pattern = _compiled(code_map.pattern)
    except ConfigurationError as error:
        return [error.message]
    found = [
        f"cards.pattern: needs the group (?P<{name}>...)"
        for name in ("rank", "suit")
        if name not in pattern.groupindex
    ]
    if code_map.check != "none" and "check" not in pattern.groupindex:
        found.append(f"cards.check: {code_map.check!r} needs the group (?P<check>...) in cards.pattern")
    for name, words, known in (("ranks", code_map.ranks, RANKS), ("suits", code_map.suits, SUITS)):
        found += [
            f"cards.{name}.{text}: {to!r} is none of {known}"
            for text, to in words.items()
            if to not in set(known)
        ]
    return found


def _exact_problems(code_map: CodeMap) -> list[str]:
    found = [
        f"cards.exact.{code}: {card!r} is no card, expected rank and suit as in 'TH'"
        for code, card in code_map.exact.items()
        if card not in _PLAIN
    ]
    missing = sorted(set(_PLAIN) - set(code_map.exact.values()))
    if len(missing) == len(_PLAIN):
        found.append("cards.exact: no codes; a map names a card for each code")
    return found


@lru_cache(maxsize=16)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ConfigurationError(f"cards.pattern: not a regular expression: {error}") from error


NOTICES_EVERY_SUBSTITUTION = frozenset({"luhn", "mod37", "mod97"})
"""Kinds of check that no single wrong character passes (``mod37``: in codes of up to 36 letters and digits).
``mod10`` and ``mod36`` let some through at every place that shares a factor with them, ``mod11`` letters that
are eleven apart: at the second place of ``mod10`` a 4 is a 9."""


def notices_substitution(code_map: CodeMap) -> bool:
    """Whether a rank or suit that was read as another one always fails the check."""
    if code_map.kind != "pattern" or code_map.check not in NOTICES_EVERY_SUBSTITUTION:
        return False
    if code_map.check != "luhn":
        return True
    # Luhn counts otherwise where a code is all digits: no misreading may take a code from there to here.
    ranks, suits = code_map.ranks or _RANK_WORDS, code_map.suits or _SUIT_WORDS
    always_letters = not any(text.isdigit() for text in suits)
    return always_letters or all(text.isdigit() for text in (*ranks, *suits))


_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _check_holds(kind: str, code: str, match: re.Match[str]) -> bool:
    """Whether the ``check`` group agrees with the letters and digits of the rest of the code, in order."""
    start, end = match.span("check")
    body = [
        _ALPHABET.find(character) for character in (code[:start] + code[end:]).upper() if character.isalnum()
    ]
    given = match.group("check")
    return given is not None and -1 not in body and given.upper() == check_text(kind, body)


def check_text(kind: str, body: list[int]) -> str:
    """The check characters for a body of values 0 to 35 (digits, then letters).

    ``luhn``: Luhn over base 36 (over base 10 where the body is all digits). ``mod10``, ``mod11``, ``mod36``,
    ``mod37``: the sum of value x place (from 1) modulo that number; ten of eleven is written X, 36 of 37 is
    written ``*``. ``mod97``: two digits as ISO 7064 gives them, the body read in base 36.
    """
    if kind == "luhn":
        base = 10 if all(value < 10 for value in body) else 36
        total = 0
        for place, value in enumerate(reversed(body)):
            doubled = value * 2 if place % 2 == 0 else value
            total += doubled // base + doubled % base
        return _ALPHABET[-total % base]
    if kind == "mod97":
        number = 0
        for value in body:
            number = number * 36 + value
        return f"{98 - number * 100 % 97:02d}"
    base = int(kind.removeprefix("mod"))
    total = sum(place * value for place, value in enumerate(body, 1)) % base
    return {36: "*"}.get(total, "X" if base == 11 and total == 10 else _ALPHABET[total % 36])
