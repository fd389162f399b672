"""A device that nobody has named yet gives itself away by its words, or stays unknown."""

from __future__ import annotations

import pytest

from drivers.listening import driver_of


def is_card(code: str) -> bool:
    return code == "1010"


@pytest.mark.parametrize(
    ("line", "driver"),
    [
        (b"OPEN", "keypad"),
        (b"KEY kim", "keypad"),
        (b"BURN 3 first card", "keypad"),
        (b"DONE 416 blue", "line"),
        (b"VERSION 2.1", "line"),
        (b"COUNT 416", None),  # both say so
        (b" [Game]<Card:4S> ", "bee-tek"),
        (b"<W0x01>", "bee-tek"),
        (b"]C01010", "scanner"),
        (b"]?01010", None),
        (b"1010", "scanner"),  # a code of the table's own map
        (b"2020", None),
        (b"hello", None),
        (b"\xff\x81", None),
    ],
)
def test_a_line_names_its_device(line: bytes, driver: str | None) -> None:
    assert driver_of(line, is_card) == driver
