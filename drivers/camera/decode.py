"""The marks in a picture: a decoder with its symbologies restricted, and for Code 128 a second opinion.

Restricting is what makes a decoder fast on pictures without a mark. A mark of another symbology is no mark
here; a text that no card's code can hold is kept as an empty one, so that it is not taken for absence. Line
codes read the same in a mirror; of a matrix code in a mirror a decoder gives the same text or none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable

import msgspec
import numpy as np

from drivers.camera import PYZBAR_READS, CameraShoe, code128
from drivers.camera.fit import fit
from drivers.camera.straighten import MarkPlace, Picture, find, profile
from drivers.camera.wire import LONGEST_TEXT, Mark
from drivers.errors import DeviceFault
from drivers.symbologies import symbology

Decode = Callable[[Picture], list[Mark]]
ZXING_FORMATS = {
    "code128": "Code128",
    "gs1-128": "Code128",
    "code39": "Code39",
    "ean13": "EAN13",
    "itf": "ITF",
    "data-matrix": "DataMatrix",
    "qr": "QRCode",
    "pdf417": "PDF417",
    "aztec": "Aztec",
}
_TEST_TEXT = "TEST-128"
WORST, MARGIN = 0.035, 0.15
"""A fit is clear where no symbol leaves more unexplained, and each is better than the next best by this."""


class DecoderUnusable(DeviceFault):
    """The decoder cannot be used on this machine."""


class MarkReader:
    """Reads the marks of pictures as the settings say.

    Raises DecoderUnusable where the decoder is missing.
    """

    identity = ""
    """A code says all by itself: nothing was learnt that the record should name."""

    def __init__(self, settings: CameraShoe) -> None:
        wanted = frozenset(settings.symbologies)
        self._draws = "code128" in wanted
        self._rescues = settings.rescue and self._draws
        try:
            self._thorough = _pyzbar(wanted) if settings.decoder == "pyzbar" else _zxing(wanted)
            # The cheap before the dear: most pictures of a card are good ones.
            cheap = self._rescues and settings.decoder == "zxing-cpp"
            self._first = _zxing(wanted, quick=True) if cheap else self._thorough
        except ImportError as problem:
            mend = "libzbar0" if settings.decoder == "pyzbar" else "the package zxing-cpp"
            raise DecoderUnusable(
                f"{settings.decoder} cannot be loaded ({problem}): install {mend}"
            ) from problem

    def read(self, picture: Picture, present: bool = True) -> tuple[Mark, ...]:
        """The marks of a grey picture of 8 bits; `present`: something is in view, so that trying harder is
        worth while.
        """
        if not (self._rescues and present):
            marks = self._thorough(picture)
            doubtful = any(mark.symbology == "code128" for mark in marks)
            return confirmed(marks, rescue(picture)) if doubtful else tuple(marks)
        marks, fitted = self._first(picture), rescue(picture)
        if marks or fitted:
            return confirmed(marks, fitted, trusted=True)
        return () if self._first is self._thorough else tuple(self._thorough(picture))

    def test_ms(self) -> float | None:
        """Draw a mark, read it, and tell how long that took; None if we can draw none of the symbologies.

        Raises DecoderUnusable where it is not read.
        """
        if not self._draws:
            return None
        row = np.where(np.array(code128.bars(_TEST_TEXT)), 25, 235).astype(np.uint8)
        picture = np.tile(np.repeat(row, 3), (120, 1))
        begun = time.perf_counter()
        marks = self._thorough(picture)
        took_ms = (time.perf_counter() - begun) * 1000
        if [mark.text for mark in marks] != [_TEST_TEXT]:
            raise DecoderUnusable("the decoder does not read a mark that was drawn to test it")
        return round(took_ms, 2)


def confirmed(marks: list[Mark], fitted: list[Mark], trusted: bool = False) -> tuple[Mark, ...]:
    """The marks of a decoder, held against what another way of reading gives for the clearest ones.

    A decoder can take a scratched mark for another one that is just as valid. Of several texts at one place
    the one that both give stays; where they contradict each other the place has a mark without a text. What
    only the other way gives is a mark where it is `trusted`.
    """
    left, sure = list(marks), []
    for other in fitted:
        here = [mark for mark in left if _lies_in(mark, other)]
        left = [mark for mark in left if not _lies_in(mark, other)]
        agreed = [mark for mark in here if mark.text == other.text]
        if agreed:
            sure.append(agreed[0])
        elif here:
            sure.append(msgspec.structs.replace(other, text=""))
        elif trusted:
            sure.append(other)
    return (*left, *sure)


def _lies_in(mark: Mark, fitted: Mark) -> bool:
    return math.hypot(mark.x_px - fitted.x_px, mark.y_px - fitted.y_px) < fitted.length_px / 2


def rescue(grey: Picture) -> list[Mark]:
    """The Code 128 marks in a grey picture of 8 bits, at most two, in a few milliseconds.

    It reads what is blurred, noisy, pale, moved, scratched or turned. A fit that is not clear is no reading,
    but a wrong one can never be excluded: a card's code wants a check digit of its own.
    """
    return [mark for place in find(grey) if (mark := _fitted(grey, place)) is not None]


def _fitted(grey: Picture, place: MarkPlace) -> Mark | None:
    row = profile(grey, place)
    best = None if row is None else fit(row)
    if best is None or best.worst > WORST or best.margin < MARGIN:
        return None
    text = code128.decode(best.values)
    if text is None:
        return None
    x, y = place.centre
    return Mark(text, "code128", round(x, 1), round(y, 1), round(place.length, 1), rescued=True)


def _zxing(wanted: frozenset[str], quick: bool = False) -> Decode:
    import zxingcpp

    names = sorted({ZXING_FORMATS[name] for name in wanted})
    formats = zxingcpp.BarcodeFormats([getattr(zxingcpp.BarcodeFormat, name) for name in names])

    def read(picture: Picture) -> list[Mark]:
        found = zxingcpp.read_barcodes(
            picture,
            formats=formats,
            try_rotate=not quick,
            try_downscale=not quick,
            try_invert=False,
            text_mode=zxingcpp.TextMode.Plain,
        )
        marks = []
        for code in found:
            aim: str = code.symbology_identifier
            name = symbology(aim[1:2], aim[2:3])
            if name is not None and name in wanted:
                place = code.position
                corners = (place.top_left, place.top_right, place.bottom_right, place.bottom_left)
                marks.append(_mark(code.text, name, [(corner.x, corner.y) for corner in corners]))
        return marks

    return read


def _pyzbar(wanted: frozenset[str]) -> Decode:
    from pyzbar import pyzbar

    names = {PYZBAR_READS[name]: name for name in wanted}
    symbols = [getattr(pyzbar.ZBarSymbol, symbol) for symbol in names]

    def read(picture: Picture) -> list[Mark]:
        return [
            _mark(code.data.decode("utf-8", errors="replace"), names[code.type], code.polygon)
            for code in pyzbar.decode(picture, symbols=symbols)
        ]

    return read


def _mark(text: str, name: str, corners: Iterable[tuple[float, float]]) -> Mark:
    points = [(float(x), float(y)) for x, y in corners] or [(0.0, 0.0)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    fits = text.isascii() and text.isprintable() and len(text) <= LONGEST_TEXT
    length = math.hypot(max(xs) - min(xs), max(ys) - min(ys))
    middle = ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)
    return Mark(text if fits else "", name, round(middle[0], 1), round(middle[1], 1), round(length, 1))
