"""Code 128 off a picture in which the decoder read nothing.

It reads what is blurred, noisy, pale, moved, scratched or turned, in a few milliseconds. A fit that is not
clear is no reading, but a wrong one can never be excluded: a card's code wants a check digit of its own.
"""

from __future__ import annotations

from drivers.camera import code128
from drivers.camera.fit import fit
from drivers.camera.straighten import MarkPlace, Picture, find, profile
from drivers.camera.wire import Mark

WORST, MARGIN = 0.035, 0.15
"""A fit is clear where no symbol leaves more unexplained, and each is better than the next best by this."""


def rescue(grey: Picture) -> list[Mark]:
    """The marks in a grey picture of 8 bits, at most two."""
    read = (_read(grey, place) for place in find(grey))
    return [mark for mark in read if mark is not None]


def _read(grey: Picture, place: MarkPlace) -> Mark | None:
    row = profile(grey, place)
    best = None if row is None else fit(row)
    if best is None or best.worst > WORST or best.margin < MARGIN:
        return None
    text = code128.decode(best.values)
    if text is None:
        return None
    x, y = place.centre
    return Mark(text, "code128", round(x, 1), round(y, 1), round(place.length, 1), rescued=True)
