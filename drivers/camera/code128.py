"""Code 128 as a table: text to symbol values and back, symbol values to bars (ISO/IEC 15417). Pure Python.

A symbol is eleven modules wide, three bars and three spaces; the stop is thirteen. A whole mark is start,
symbols, check symbol (modulo 103) and stop, with ten modules of quiet zone on either side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_WIDTHS = """
212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132
122231 113222 123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212
322112 322211 212123 212321 232121 111323 131123 131321 112313 132113 132311 211313 231113 231311
112133 112331 132131 113123 113321 133121 313121 211331 231131 213113 213311 213131 311123 311321
331121 312113 312311 332111 314111 221411 431111 111224 111422 121124 121421 141122 141221 112214
112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 111242 121142 121241 114212
124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 114311 411113
411311 113141 114131 311141 411131 211412 211214 211232 2331112
"""
WIDTHS = tuple(_WIDTHS.split())
"""Widths of bar, space, bar, ... in modules, by symbol value."""

START_A, START_B, START_C, STOP = 103, 104, 105, 106
SYMBOL_MODULES, STOP_MODULES = 11, 13
QUIET_ZONE = [0] * 10
_SHIFT, _TO_C, _TO_B, _TO_A = 98, 99, 100, 101
_SETS = {START_A: "A", START_B: "B", START_C: "C"}
_LATCHES = {"A": {_TO_B: "B", _TO_C: "C"}, "B": {_TO_A: "A", _TO_C: "C"}, "C": {_TO_A: "A", _TO_B: "B"}}


def modules(value: int) -> list[int]:
    """The modules of a symbol: 1 is dark."""
    return [1 - place % 2 for place, width in enumerate(WIDTHS[value]) for _ in range(int(width))]


def bars(text: str) -> list[int]:
    """All modules of the mark of a text, between its quiet zones: 1 is dark."""
    return [*QUIET_ZONE, *(module for value in encode(text) for module in modules(value)), *QUIET_ZONE]


def encode(text: str) -> list[int]:
    """Symbol values from start to stop, digits in pairs where that is shorter.

    Raises ValueError for text that is empty or no printable ASCII.
    """
    if not text or not all(" " <= character <= "~" for character in text):
        raise ValueError(f"no text that a card's mark can hold: {text!r}")
    values: list[int] = []
    current = ""
    for digits, others in re.findall(r"((?:\d\d){2,}|^\d\d$)|(.)", text):
        wanted = "C" if digits else "B"
        if not values:
            values.append(START_C if digits else START_B)
        elif wanted != current:
            values.append(_TO_C if digits else _TO_B)
        current = wanted
        if digits:
            values += [int(digits[place : place + 2]) for place in range(0, len(digits), 2)]
        else:
            values.append(ord(others) - 32)
    return [*values, check_value(values), STOP]


def check_value(values: Sequence[int]) -> int:
    """The check symbol of start and symbols."""
    return (values[0] + sum(place * value for place, value in enumerate(values[1:], 1))) % 103


def decode(values: Sequence[int]) -> str | None:
    """The text of symbol values from start to check symbol, or None if they are no whole mark.

    Function characters are no part of a card's code: None for these, too.
    """
    if len(values) < 3 or values[0] not in _SETS or check_value(values[:-1]) != values[-1]:
        return None
    current, shifted, text = _SETS[values[0]], False, []
    for value in values[1:-1]:
        code_set = {"A": "B", "B": "A"}[current] if shifted else current
        shifted = False
        if value in _LATCHES[code_set]:
            current = _LATCHES[code_set][value]
        elif value == _SHIFT and code_set != "C":
            shifted = True
        elif (characters := _characters(code_set, value)) is not None:
            text.append(characters)
        else:
            return None
    return None if shifted else "".join(text)


def _characters(code_set: str, value: int) -> str | None:
    if code_set == "C":
        return f"{value:02d}" if value < 100 else None
    if value > 95:
        return None
    return chr(value - 64 if code_set == "A" and value >= 64 else value + 32)
