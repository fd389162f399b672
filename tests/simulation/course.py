"""What people at the table have heard: the round as the messages of the stream tell it, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Message(NamedTuple):
    """A message of the stream: its id, its name as ``round.card``, its data."""

    id: str
    name: str
    data: dict[str, Any]


@dataclass
class Told:
    """What came back from one thing that was said to the table."""

    messages: list[Message] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """Codes of refusals."""
    failure: str | None = None
    """The program failed."""

    def named(self, name: str) -> list[dict[str, Any]]:
        """The data of all messages of this name."""
        return [message.data for message in self.messages if message.name == name]

    def add(self, other: Told) -> None:
        """What came after."""
        self.messages += other.messages
        self.refused += other.refused
        self.failure = self.failure or other.failure


class Held(NamedTuple):
    """The hold that the screen shows: why, what may be chosen, and the draws that it is about."""

    reason: str
    choices: tuple[str, ...]
    items: tuple[int, ...]
    joined: tuple[int, ...]
    """Draws that came while the table held."""
    asks: frozenset[int]
    """Draws of which it asks whether each was a card, or the one before read twice; not all are its items."""


class Screen(NamedTuple):
    """What the dealer's page shows."""

    phase: str
    held: Held | None
    waiting: frozenset[int]
    """The draws of all open holds, also of those beneath."""
    cards: tuple[tuple[str, str | None], ...]
    """Place and name of the cards of the round; None where one lies face down."""
    burns: int
    """Cards that are to be burned now."""
    burn_count: bool
    """The next card is turned up and tells how many are burned."""
    draws: int
    """Cards of this shoe that the table has heard of; the number on the last one."""
    seats: tuple[int, ...]
    """Two Cards High: those that play in the next deal."""
    obstacle: str | None
    """Why no round would open now."""
    awaits: bool
    """No card may be drawn before the book is closed."""
    left: int
    """Cards in the shoe by the count."""


@dataclass
class Course:
    """The round by its messages."""

    round: str | None = None
    betting: bool = False
    deciding: bool = False
    decided: bool = False
    closed: int = 0
    """Betting rounds that are over."""
    free: bool = False
    result: dict[str, Any] | None = None
    settled: bool = False
    over: bool = True
    """Void, final, or there was none."""
    draws: tuple[int, ...] = ()
    """Of the cards that lie for the table."""
    shoes: int = 0
    rounds: int = 0
    finals: int = 0

    def hear(self, message: Message) -> None:
        """The next message."""
        data = message.data
        match message.name:
            case "round.opened":
                fresh = Course(data["round"], True, free=data["free_hand"], over=False)
                fresh.shoes, fresh.rounds, fresh.finals = self.shoes, self.rounds + 1, self.finals
                self.__dict__.update(fresh.__dict__)
            case "round.card":
                self.draws = (*self.draws[: data["index"] - 1], data["draw"])
            case "round.bets_opened":
                self.betting = True
            case "round.bets_closed":
                self.betting, self.closed = False, self.closed + 1
            case "round.decisions_opened":
                self.deciding = True
            case "round.decisions_closed":
                self.deciding, self.decided = False, True
            case "round.result":
                self.result = data
            case "round.settled":
                self.settled = True
            case "round.void":
                self.over, self.betting, self.deciding = True, False, False
            case "round.final":
                self.over, self.finals = True, self.finals + 1
            case "shoe.started":
                self.shoes += 1

    @property
    def dealing(self) -> bool:
        """Whether cards may be dealt."""
        return not (self.over or self.betting or self.deciding or self.settled)
