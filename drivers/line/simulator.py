"""A shuffler of software."""

from __future__ import annotations

from drivers.line_simulator import SimulatedLineDevice


class Shuffler(SimulatedLineDevice):
    """Shuffles and says so. Every method returns the table's answer, or None if none comes in time."""

    def introduce(self, version: str = "1.0", serial: str = "SIM-1") -> list[str | None]:
        """Tell version and serial number, as after power on."""
        return [self.ask(f"VERSION {version}"), self.ask(f"SERIAL {serial}")]

    def load(self, decks: int, card_set: str = "") -> str | None:
        """A set of so many decks is put into the machine."""
        return self.ask(f"LOADED {decks} {card_set}".rstrip())

    def shuffle(self, cards: int, card_set: str = "") -> list[str | None]:
        """Begin a shuffle and end it well, with so many cards counted."""
        return [self.ask("START"), self.ask(f"DONE {cards} {card_set}".rstrip())]

    def fail(self, reason: str) -> str | None:
        """The shuffle fails."""
        return self.ask(f"FAIL {reason}")

    def count(self, cards: int, card_set: str = "") -> str | None:
        """Tell how many cards a count gave."""
        return self.ask(f"COUNT {cards} {card_set}".rstrip())

    def collect(self, cards: int) -> str | None:
        """So many cards went back into a continuous shuffler."""
        return self.ask(f"COLLECTED {cards}")

    def error(self, code: str, text: str) -> str | None:
        """Tell of a fault."""
        return self.ask(f"ERROR {code} {text}")
