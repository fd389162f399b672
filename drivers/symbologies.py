"""The symbologies of marks on cards, and the AIM identifiers (ISO/IEC 15424) that tell them apart."""

from __future__ import annotations

from typing import Literal

Symbology = Literal["code128", "gs1-128", "code39", "ean13", "itf", "data-matrix", "qr", "pdf417", "aztec"]
SYMBOLOGIES: dict[str, Symbology] = {
    "C": "code128",
    "C1": "gs1-128",
    "A": "code39",
    "E": "ean13",
    "I": "itf",
    "d": "data-matrix",
    "Q": "qr",
    "L": "pdf417",
    "z": "aztec",
}
"""A letter; where the modifier tells kinds apart, both."""


def symbology(letter: str, modifier: str) -> Symbology | None:
    """The name of an AIM identifier, or None."""
    return SYMBOLOGIES.get(letter + modifier) or SYMBOLOGIES.get(letter)
