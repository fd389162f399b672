"""Which report is new? A pure answer for devices that number their reports.

A device sends a report again when our acknowledgement did not arrive. "A repeat is the same bytes again.
The same number with other bytes is another card after a power cycle: hold, never drop." Since the last
report is part of the journal, the question is asked by the shell and survives a restart.

The numbers run in a cycle of N. Two losses cannot be seen in principle: exactly N - 1 lost reports followed
by one with the last one's bytes, and exactly N lost ones. N is therefore worth setting right, but a wrong
one is never dangerous: at the wrap it reports a gap that is not there, and the table holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
from msgspec.structs import replace

Judgement = Literal["new", "repeat", "same_number_other_bytes", "gap"]


class NumberCycle(msgspec.Struct, frozen=True):
    """The numbers `first` to `last` (both included, 0 to 255), over and over."""

    first: int
    last: int

    def __contains__(self, number: int) -> bool:
        return self.first <= number <= self.last

    def after(self, number: int) -> int:
        """The number that follows; after the last one, and after one from outside, comes the first."""
        return number + 1 if self.first <= number < self.last else self.first


class NumberedReport(msgspec.Struct, frozen=True):
    """A numbered report as it came: its number and all its bytes."""

    number: int
    raw: bytes


def _never(last: bytes, new: bytes) -> bool:
    return False


class ReportLog(msgspec.Struct, frozen=True):
    """The last report of a device, and the rule that judges the next one.

    `says_again(last, new)` is true if the new bytes are the device's own way to say the last report once
    more in another form (Angel Eye: an `R` that names the card of the last `D`).
    """

    cycle: NumberCycle
    last: NumberedReport | None = None
    says_again: Callable[[bytes, bytes], bool] = _never

    def judge(self, number: int, raw: bytes) -> Judgement:
        """Tell what a report is.

        "new" the next number, or the first report ever; "repeat" the last report again: acknowledge and
        drop; "same_number_other_bytes" and "gap": something passed that nobody heard, or the device was
        started anew.
        """
        last = self.last
        if last is None:
            return "new"
        if number == last.number and raw == last.raw:
            return "repeat"
        follows = number == self.cycle.after(last.number)
        if (follows or number == last.number) and self.says_again(last.raw, raw):
            return "repeat"
        if follows:
            return "new"
        return "same_number_other_bytes" if number == last.number else "gap"

    def after(self, number: int, raw: bytes) -> ReportLog:
        """The log once this report is part of the record. A repeat in another form moves the number on as
        well.
        """
        return replace(self, last=NumberedReport(number, raw))
