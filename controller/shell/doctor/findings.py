"""What the doctor says: a value for each thing that was looked at."""

from __future__ import annotations

from typing import Literal

import msgspec

Grade = Literal["ok", "warning", "fault"]


class Diagnosis(msgspec.Struct, frozen=True):
    """One thing that was looked at; ``mend`` says what to do, empty if all is well."""

    name: str
    grade: Grade
    seen: str
    mend: str = ""
    host: str = ""
    """Host and port of the broker that it is about, for there may be several."""

    @property
    def in_words(self) -> str:
        """What was seen and what to do, on one line."""
        return f"{self.seen}; {self.mend}" if self.mend else self.seen


def judged(name: str, right: bool, seen: str, mend: str, grade: Grade = "fault") -> Diagnosis:
    """What is right needs no mending; what is not has this grade."""
    return Diagnosis(name, "ok", seen) if right else Diagnosis(name, grade, seen, mend)
