"""Many small numbers side by side in one integer, so that one operation reaches all of them.

Each has a lane of 16 bits, the first one the lowest. Numbers that are compared are below 2**15.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

LANE = 16
BYTES = LANE // 8
_SHORT = 128
"""Lanes up to 511 are added up by halving until so many are left: none overflows."""


def side_by_side(numbers: Sequence[int]) -> int:
    """The numbers as lanes."""
    return int.from_bytes(struct.pack(f"<{len(numbers)}H", *numbers), "little")


def joined(groups: Sequence[int], lanes: int) -> int:
    """Groups of so many lanes one after the other."""
    return int.from_bytes(b"".join([group.to_bytes(BYTES * lanes, "little") for group in groups]), "little")


def repeated(numbers: Sequence[int], times: int) -> int:
    """Each number in so many lanes, one after the other."""
    return int.from_bytes(
        b"".join([number.to_bytes(BYTES, "little") * times for number in numbers]), "little"
    )


class Lanes:
    """What can be asked of all of so many lanes at once."""

    def __init__(self, lanes: int) -> None:
        self.ones = repeated([1], lanes)
        """One in each lane."""
        self._top = self.ones << LANE - 1
        self._halves: list[tuple[int, int]] = []
        while lanes > _SHORT:
            lanes -= lanes // 2
            self._halves.append((LANE * lanes, (1 << LANE * lanes) - 1))
        self._even = repeated([2**LANE - 1, 0] * (lanes // 2 + 1), 1)

    def less(self, these: int, those: int) -> int:
        """All bits of each lane in which the first number is less than the second.

        In one subtraction: with the top bit of each lane set nothing is borrowed from the next, and the bit
        stays where the second number is greater.
        """
        less = (those | self._top) - these - self.ones & self._top
        return (less << 1) - (less >> LANE - 1)

    def total(self, lanes: int) -> int:
        """The sum of all lanes, each below 2**9."""
        for bits, low in self._halves:
            lanes = (lanes & low) + (lanes >> bits)
        return ((lanes & self._even) + (lanes >> LANE & self._even)) % 0xFFFFFFFF
