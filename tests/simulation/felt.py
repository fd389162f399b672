"""The physical table: cards as things, where each of them lies, and how many came out of the shoe.

Nothing here knows what the program believes. A card is one object, whatever a reader says of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field


@dataclass(eq=False)
class Card:
    """One physical card: what is printed on it, and the set that it belongs to."""

    name: str
    mark: str = "a"
    serial: int = 0
    """Its number among all cards of the house."""
    seen: bool = False
    """People at the table have seen its face since it was last shuffled."""
    named: bool = False
    """So has everybody who reads what the table says."""
    back: bool = False
    """It went back into the shoe."""

    def __repr__(self) -> str:
        return self.name


CUT = "cut"
"""Name of the cut card, which is in the shoe and of no deck."""


@dataclass(eq=False)
class Out:
    """A card that left the shoe: what it is, what the shoe's reader said, and the number of its draw."""

    card: Card | None
    """None: the reader spoke, and no card came."""
    said: str | None = None
    """The code that was reported; None: nothing, or that it could not be read."""
    draw: int | None = None
    """As the table counts them; None: the table never heard of it."""
    serial: int | None = None
    """The serial number that was read with it, where cards carry one."""
    twin: Out | None = None
    """No card: this one was read twice, and the table asks whether it was."""
    burned: bool = False
    accepted: bool = False
    """It came before its time, counts, and lies aside, face down, until a card is due."""

    @property
    def lied(self) -> bool:
        """Whether the table was told anything but the truth of it."""
        return self.card is None or self.said != self.card.name


@dataclass
class Felt:
    """Where every card lies."""

    shoe: list[Card] = field(default_factory=list)
    """The next one out is the last."""
    laid: list[tuple[str, Out]] = field(default_factory=list)
    """The cards of the round in the order in which they were laid, each with its place."""
    aside: list[Out] = field(default_factory=list)
    """Out of the shoe, and nobody has decided where they go."""
    reserved: Out | None = None
    """Kept as the first card of the next round."""
    discards: list[Card] = field(default_factory=list)
    """Burned, or of rounds that are over."""
    taken_away: dict[str, list[str]] = field(default_factory=dict)
    """The hands of the last round, where they do not lie any more."""
    tampered: bool = False
    """Cards were put into this shoe or taken out of it."""
    mixed: bool = False
    """What went back into it lies there in another order."""
    miscounted: bool = True
    """The table may count the cards of this shoe wrongly: it was told, or ruled, something wrong."""
    draws: int = 0
    """Cards of this shoe that the table has heard of."""
    outs: dict[int, Out] = field(default_factory=dict)
    """Every draw of this shoe that the table has heard of."""

    def cards_at(self, place: str) -> list[str]:
        """Names of the cards at a place, in their order."""
        return [out.card.name for at, out in self.laid if at == place and out.card is not None]

    def hands(self) -> dict[str, list[str]]:
        """Place -> its cards, in their order."""
        return {place: self.cards_at(place) for place, _ in self.laid}

    def lay(self, place: str, out: Out) -> None:
        """A card gets its place."""
        self.laid.append((place, out))

    def discard(self, *outs: Out) -> None:
        """Cards that count nowhere any more."""
        self.discards += [out.card for out in outs if out.card is not None]

    def back(self, *outs: Out) -> None:
        """Cards go back into the shoe, so that they come out again in their order."""
        for out in reversed(outs):
            if out.card is not None:
                out.card.back = True
                self.shoe.append(out.card)

    @property
    def cards_left(self) -> int:
        """Cards in the shoe; the cut card is none."""
        return sum(card.name != CUT for card in self.shoe)

    @property
    def next_back(self) -> int:
        """How many of the next cards went back into the shoe."""
        return next((at for at, card in enumerate(reversed(self.shoe)) if not card.back), len(self.shoe))

    def sweep(self, waiting: Collection[int] = ()) -> None:
        """The round is over, or void: its cards, and what lies about and does not wait, are taken away."""
        if self.laid:
            self.taken_away = self.hands()
        gone = [out for out in self.aside if out.draw not in waiting]
        self.discard(*(out for _, out in self.laid), *gone)
        self.laid, self.aside = [], [out for out in self.aside if out.draw in waiting]

    def fill(self, cards: list[Card]) -> None:
        """Another shoe."""
        self.sweep()
        self.shoe, self.discards, self.reserved, self.draws = cards, [], None, 0
        self.tampered = self.mixed = False
        self.miscounted = True
