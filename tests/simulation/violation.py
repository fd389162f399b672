"""What the simulation finds: a rule that was broken, named by its kind so that it is counted once."""

from __future__ import annotations


class Violation(Exception):
    """A rule that was broken; ``kind`` names it, ``text`` tells the case."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind, self.text = kind, text
