"""Exact ratios to 1, as pay tables print them: "11:1", "3:2", "0.95:1"."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from controller.vocabulary.shown import shown

_RATIO = re.compile(r"(0|[1-9][0-9]{0,6})(\.[0-9]{1,4})?:([1-9][0-9]{0,3})")


def parse_ratio(text: object) -> Fraction:
    """The exact value of a ratio text; ``ValueError`` says what is wrong with it.

    The left side is a decimal of at most seven digits and four places, the right side an integer of at
    most four digits; no leading zeros. A ratio that pays nothing is no ratio.
    """
    if not isinstance(text, str):
        raise ValueError(f"{shown(text)} is no ratio: expected text as '11:1', '3:2' or '0.95:1'")
    return _parsed(text)


@lru_cache(maxsize=256)
def _parsed(text: str) -> Fraction:
    match = _RATIO.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no ratio: expected text as '11:1', '3:2' or '0.95:1'")
    value = Fraction(match[1] + (match[2] or "")) / int(match[3])
    if value <= 0:
        raise ValueError(f"{text!r} pays nothing: a row that pays nothing is left out")
    return value
