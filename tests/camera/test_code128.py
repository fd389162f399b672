"""Code 128: the table, text to symbols and back, and our marks before a decoder that is not ours."""

from __future__ import annotations

import numpy as np
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st

from drivers.camera import code128
from drivers.camera.code128 import START_B, STOP, STOP_MODULES, SYMBOL_MODULES, WIDTHS

TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=24)


def test_the_table_has_106_symbols_of_eleven_modules_and_a_stop_of_thirteen() -> None:
    assert len(WIDTHS) == len(set(WIDTHS)) == 107
    assert [len(code128.modules(value)) for value in range(STOP)] == [SYMBOL_MODULES] * 106
    assert len(code128.modules(STOP)) == STOP_MODULES
    # The parity of Code 128: the bars of a symbol are an even number of modules.
    assert {sum(code128.modules(value)) % 2 for value in range(STOP)} == {0}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("8S", [START_B, 24, 51, 24, STOP]),
        ("1010", [105, 10, 10, 32, STOP]),
        ("42", [105, 42, 44, STOP]),
        ("A1234B", [104, 33, 99, 12, 34, 100, 34, 78, STOP]),
    ],
)
def test_text_becomes_symbols_and_digits_go_in_pairs(text: str, values: list[int]) -> None:
    assert code128.encode(text) == values


@given(TEXTS)
def test_symbols_give_the_text_back(text: str) -> None:
    assert code128.decode(code128.encode(text)[:-1]) == text


@given(TEXTS, st.data())
def test_one_wrong_symbol_is_never_another_text(text: str, data: st.DataObject) -> None:
    values = code128.encode(text)[:-1]
    place = data.draw(st.integers(1, len(values) - 1))
    values[place] = data.draw(st.integers(0, 102).filter(lambda value: value != values[place]))
    assert code128.decode(values) is None


@given(st.lists(st.integers(0, 106), max_size=12))
def test_any_symbols_are_a_text_or_none(values: list[int]) -> None:
    text = code128.decode(values)
    assert text is None or text.isascii()


def checked(*values: int) -> list[int]:
    return [*values, code128.check_value(values)]


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (checked(103, 33, 34), "AB"),
        (checked(103, 65), "\x01"),
        (checked(103, 98, 65, 33), "aA"),
        (checked(104, 98, 65), "\x01"),
        (checked(105, 12, 101, 33, 100, 65), "12Aa"),
        (checked(104, 102, 33), None),
        (checked(105, 102, 12), None),
        (checked(104, 100), None),
        (checked(104, 33, 98), None),
        ([104, 33], None),
        ([33, 34, 35, 36], None),
        ([], None),
    ],
)
def test_code_sets_shifts_and_function_characters(values: list[int], text: str | None) -> None:
    assert code128.decode(values) == text


@pytest.mark.parametrize("text", ["", "10♥", "A\tB"])
def test_what_no_mark_can_hold_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no text that a card's mark can hold"):
        code128.encode(text)


@given(TEXTS)
def test_another_maker_reads_our_marks(text: str) -> None:
    row = np.where(np.array(code128.bars(text)), 0, 255).astype(np.uint8)
    found = zxingcpp.read_barcodes(
        np.tile(np.repeat(row, 3), (40, 1)),
        formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.Code128),
        text_mode=zxingcpp.TextMode.Plain,
    )
    assert [code.text for code in found] == [text]
