"""How the table follows: a line of the other system's list, or a shoe that is listened to, becomes steps.

Nobody stands at this table. What it would ask people it answers itself when the other system plays on, and
the report says that it would have held. It never rules that a doubtful round counts: such a round is void
here.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping

from controller.games.game import Game
from controller.round.choices import choices_of
from controller.round.opening import obstacle, shoe_obstacle
from controller.round.state import State
from controller.round.turn import game_of
from controller.shadow.old_line import OldLine, dealt_of, read_old_line
from controller.vocabulary import events
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import Event

log = logging.getLogger(__name__)

EXPORT = "export"
"""The device that a line comes from, in the record."""
BY = "shadow"
"""Who clears holds here."""
CANNOT_BE_READ = "cannot be read: "
Step = tuple[Event, Mapping[str, object]]
_HARMLESS = ("continue", "accept", "stand", "burn")
_MOST_RULINGS = 12


class Steps:
    """A course of events for the loop: each follows from the table as the one before left it."""

    def __init__(self, done: Callable[[], None] = lambda: None) -> None:
        self._done = done
        self.state: State | None = None
        self._steps = self.steps()

    def next(self, state: State | None) -> Step | None:
        """See ``Course``."""
        self.state = state
        try:
            return next(self._steps, None)
        except Exception:  # our bug: the line is in the record as it came, and the next one takes its turn
            log.exception("following failed")
            self._steps = self.failed()
            return next(self._steps, None)

    def done(self) -> None:
        """See ``Course``."""
        self._done()

    def steps(self) -> Iterator[Step]:
        """One after the other; ``state`` is the table as it stands then."""
        yield from ()

    def failed(self) -> Iterator[Step]:
        """What is left to be said where we fail."""
        yield from ()

    # Steps that several courses have.

    def rule(self) -> Iterator[Step]:
        """Clear what holds: a round that is in doubt is void."""
        for _ in range(_MOST_RULINGS):
            if self.state is None or self.state.hold is None:
                return
            offered = choices_of(self.state, self.state.hold)
            harmless = (choice for choice in _HARMLESS if choice in offered)
            choice = "void" if self.state.voidable and "void" in offered else next(harmless, "void")
            note = "nobody stands here: the other system plays on"
            yield events.HoldCleared(choice=choice, by=BY, note=note), {}

    def load(self, name: str | None) -> Step:
        """A full shoe."""
        game = self.game
        cards = len(game.deck) * game.decks
        return events.ShoeLoaded(cards=cards, decks=game.decks, shuffled=True, set=name), {}

    def go_on(self) -> Iterator[Step]:
        """What people do before the next card, at a table that asks for it."""
        for _ in range(2):
            match None if self.state is None or self.state.hold is not None else self.state.phase:
                case "betting":
                    yield events.BetsClosed(), {}
                case "decision":
                    yield events.DecisionsClosed(), {}
                case "reveal":
                    yield events.CardsRevealed(), {}
                case _:
                    return

    @property
    def game(self) -> Game:
        """The configured game."""
        if self.state is None:
            raise LookupError("the table is not configured")
        return game_of(self.state.configuration)


class FollowLine(Steps):
    """A line of the other system's list."""

    def __init__(
        self, raw: bytes, end: int, *, deals: bool, named: bool, done: Callable[[], None] = lambda: None
    ) -> None:
        """``end``: where it ends in the file. ``deals``: its cards are dealt here, since no shoe is heard.
        ``named``: what it says of its shoe counts.
        """
        self._raw, self._end = raw, end
        self._deals, self._named = deals, named
        super().__init__(done)

    def steps(self) -> Iterator[Step]:
        try:
            line = read_old_line(self._raw)
            given = dealt_of(line, self.configured) if line.hands is not None else None
        except InputError as error:
            yield self._said(f"{CANNOT_BE_READ}{error.message}")
            return
        yield from self._shoe(line)
        if self._deals and line.has_cards:
            cards = line.cards if given is None else tuple(str(one.card) for one in given.dealt)
            seats = line.seats if given is None else given.game.seat_numbers
            yield from self._deal(line, cards or (), seats)
        yield self._said(f"round {line.round or ''}" if line.is_round else f"shoe {line.shoe or ''}")
        state = self.state
        if self._deals and line.void and state is not None and state.hold is None and state.voidable:
            yield events.RoundVoided(by=BY), {}

    def failed(self) -> Iterator[Step]:
        yield self._said(f"{CANNOT_BE_READ}the program failed on it")

    @property
    def configured(self) -> CoreConfiguration:
        """What the table plays."""
        if self.state is None:
            raise LookupError("the table is not configured")
        return self.state.configuration

    def _said(self, words: str) -> Step:
        fields = {"device": EXPORT, "raw": self._raw.hex(), "report": self._end}
        return events.DeviceReported(EXPORT, words[:400]), fields

    def _shoe(self, line: OldLine) -> Iterator[Step]:
        """Another shoe than before, where the list names them."""
        if not self._named or line.shoe is None or self.state is None:
            return
        name = str(line.shoe)[:40]
        if self.state.shoe is None or self.state.shoe.set != name:
            if self._deals:
                yield from self.rule()
            if not self.state.in_round:
                yield self.load(name)

    def _deal(self, line: OldLine, cards: tuple[str, ...], seats: tuple[int, ...] | None) -> Iterator[Step]:
        yield from self.rule()
        yield from self._open(line)
        if self.state is None or self.state.phase != "betting":
            return
        if seats:
            yield events.SeatsTaken(seats=seats), {}
        for card in cards:
            yield from self.go_on()
            yield events.CardRead(code=card[:400]), {"device": EXPORT, "raw": card[:400].encode().hex()}
        yield from self.go_on()
        if self.state.hold is None and self.state.in_round:
            yield events.RoundSettled(), {}

    def _open(self, line: OldLine) -> Iterator[Step]:
        """Open a round; where the shoe forbids it, that is said once, and it is dealt from a new one."""
        name = str(line.shoe)[:40] if self._named and line.shoe is not None else None
        if self.state is not None and self.state.phase == "result":  # its line ended in the middle
            yield events.RoundSettled(), {}
        fresh = not self._named or self.game.shuffled_every_round or self.state is None or not self.state.shoe
        if fresh:
            yield self.load(name)
        yield events.BetsOpened(), {}
        if self.state is not None and self.state.phase != "betting" and shoe_obstacle(self.state) is not None:
            yield self.load(name)
            yield events.BetsOpened(), {}


class FollowShoe(Steps):
    """A shoe that is listened to: what people do between the cards, as far as it must have been done."""

    def __init__(self, *, named: bool, still_s: float, between_s: float, pause_s: float) -> None:
        """``still_s``: for so long nothing has come. ``between_s``: the next round opens then, not before;
        ``pause_s``: then a hold ends.
        """
        self._named = named
        self._still_s, self._between_s, self._pause_s = still_s, between_s, pause_s
        super().__init__()

    def steps(self) -> Iterator[Step]:
        if self._still_s >= self._pause_s:
            yield from self.rule()
        state = self.state
        if state is None or state.hold is not None:
            return
        if state.phase in ("decision", "reveal"):
            yield from self.go_on()
        elif not state.in_round and self._still_s >= self._between_s:
            if not self._named or self.game.shuffled_every_round or shoe_obstacle(state) is not None:
                yield self.load(None if state.shoe is None else state.shoe.set)
            if self.state is not None and obstacle(self.state) is None:
                yield events.BetsOpened(), {}
