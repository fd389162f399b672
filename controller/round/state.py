"""The whole state of a table as one value: what the journal folds into, and what a snapshot keeps."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from controller.games.game import Dealt
from controller.round.phases import VOIDABLE
from controller.shoe.ledger import Drawn, Shoe, Shuffled
from controller.vocabulary.conditions import Condition
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.display import DecisionCounts, Last, Light, Recalled, ShownOdds, ShownVoid
from controller.vocabulary.events import TimerName
from controller.vocabulary.evidence import Evidence, Opinion
from controller.vocabulary.irregularities import Irregularity
from controller.vocabulary.parts import ResultBody
from controller.vocabulary.remembered import remembered
from controller.vocabulary.scoreboard import Bead
from controller.vocabulary.values import IN_ROUND, Phase


class Laid(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card that counts in the round: its hand and its draw."""

    position: str
    drawn: Drawn


Revealed = bool | tuple[int, ...]
"""Draws of the cards that were turned up; true, as earlier versions kept it: all that lie."""


class Result(msgspec.Struct, frozen=True):
    """A published result: the message that carried it and what it said."""

    id: str
    revision: int
    body: ResultBody


class Book(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whose bets are kept elsewhere: the deal waits until that book is closed, too (``round.await_book``)."""

    sequence: int
    """Of the message that closed the bets."""
    acknowledged: bool = False
    closed_at: int | None = None
    """The draws before the deal could begin: the book was closed, or a supervisor ruled so. None: it waits.
    """
    accepted: int = 0
    """The last draw that a supervisor has let count though it came before that."""

    def is_early(self, draw: int) -> bool:
        """Whether a card came while bets could still be taken, and nobody has ruled on it."""
        return draw > self.accepted and (self.closed_at is None or draw <= self.closed_at)


class Round(msgspec.Struct, frozen=True, omit_defaults=True):
    """One round, from the opening until the next one opens."""

    id: str
    number: int
    game_number: str
    opened_at: str
    shoe_id: int
    phase: Phase
    after: int = 0
    """Draws of the shoe before the round opened: those that have no place then are no cards of it."""
    betting_round: int = 0
    """How many betting rounds have closed."""
    decided: bool = False
    laid: tuple[Laid, ...] = ()
    revealed: Revealed = ()
    aside: tuple[Drawn, ...] = ()
    """Cards that came too early and were accepted, while what lies face down decides where they go: they lie
    aside, face down, until one is due."""
    result: Result | None = None
    paid: bool = False
    """A result of it was settled: from then on no finding voids it without a supervisor, also where a card
    went back and the deal is open again (readings, 2 Card Action)."""
    withdrawn: str | None = None
    """Id of the last result that was taken back and not yet replaced."""
    revision: int = 0
    """Revision of the newest result, also of one taken back."""
    opinion: Opinion | None = None
    """The shoe's own result, where it gave one."""
    odds: ShownOdds | None = None
    """The last odds that were published, with the id of their message."""
    decisions: dict[str, DecisionCounts] = {}
    extras: tuple[Drawn, ...] = ()
    """Cards that were drawn in the round and are not of it: burned or set aside."""
    void: ShownVoid | None = None
    free_hand: bool = False
    """Dealt without bets."""
    gaming_day: str | None = None
    """As the house counted it when the round opened."""
    agreed: bool = False
    """Whoever else watches the shoe has had time to contradict each card that is out."""
    burns_pending: int = 0
    """Burns that this round owes; they end with it."""
    seats: tuple[int, ...] = ()
    """The seats that are dealt to, by their numbers; empty in a game without, and in rounds of earlier
    versions, which dealt to all."""
    book: Book | None = None
    """Of the betting round that closed last; None: nobody is waited for."""

    @property
    def dealt(self) -> tuple[Dealt, ...]:
        """The cards that count, in deal order, as the games see them."""
        return dealt(self.laid)


@remembered
def dealt(laid: tuple[Laid, ...]) -> tuple[Dealt, ...]:
    """Cards as the games see them."""
    return tuple([Dealt(one.position, one.drawn.card) for one in laid if one.drawn.card is not None])


class Deferred(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that came while the table held; it takes its turn after the hold."""

    drawn: Drawn | None = None
    opinion: Opinion | None = None


class Hold(msgspec.Struct, frozen=True, omit_defaults=True):
    """The table waits for a supervisor: why, what the hold is about, and what came meanwhile."""

    reason: str
    round: str | None
    """The round that a void of this hold would annul; None if it touches none."""
    shoe: int | None
    """The shoe that was in use; what is decided about cards or shoe touches no other one."""
    findings: tuple[Irregularity, ...]
    items: tuple[Drawn, ...] = ()
    """Cards that the hold is about; they are in the ledger but not yet in the round."""
    waiting: tuple[Deferred, ...] = ()
    entered: Drawn | None = None
    """``card_unread``: the card as a supervisor entered it, not yet taken over; without a name it was the
    cut card."""
    returned: tuple[Drawn, ...] = ()
    """Cards that went back into the shoe in this hold."""
    gone: tuple[Evidence, ...] = ()
    """Of cards that waited when their shoe was changed, as it may be published."""
    events: tuple[bytes, ...] = ()
    """``fault``: the event that failed and the cards that came after it, to be tried (again) on ``continue``.
    """
    repeats: int = 0
    """Findings that were just the same as one before."""
    number: int = 0
    """Among the holds of this journal, from 1; 0: it was not told yet."""

    @property
    def size(self) -> int:
        """How many findings, and things that came since, it is about."""
        cards = len(self.gone) + len(self.waiting)
        return len(self.findings) + self.repeats + cards + len(self.events[1:])

    @property
    def joined(self) -> tuple[Drawn, ...]:
        """Cards that came while the table held for this."""
        return tuple(item.drawn for item in self.waiting if item.drawn is not None)

    @property
    def cards(self) -> tuple[Drawn, ...]:
        """Every card of the hold that is not placed yet, in the order of the draws."""
        return (*self.items, *self.joined)


class Figures(msgspec.Struct, frozen=True):
    """A count, as it is and as it should be."""

    cards: int | UnsetType = UNSET
    expected: int | UnsetType = UNSET


class OpenAlert(msgspec.Struct, frozen=True):
    """What needs a person, until it is cleared."""

    id: str
    code: str
    message: str
    at: str
    evidence: Figures = Figures()
    times: int = 1
    """How often it has happened since."""


class Timer(msgspec.Struct, frozen=True):
    """A clock that runs: the shell makes a ``timer_elapsed`` event when it is over."""

    name: TimerName
    round: str
    seconds: int
    ends_at: str


class Software(msgspec.Struct, frozen=True):
    """The program that runs the table since its last start."""

    version: str
    digest: str
    boot: int
    devices: dict[str, str] = {}
    """Device -> its driver and where it is plugged in."""
    public_key: str | None = None
    """Of the key that signs its messages, in base64url."""


class RoadMark(Bead, frozen=True, kw_only=True):
    """What the result of a round adds to the scoreboard."""

    round: str


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """A table between two events."""

    epoch: int
    configuration: CoreConfiguration
    next_configuration: CoreConfiguration | None = None
    """Takes effect when the next round opens."""
    previous: int | None = None
    """The epoch of the unit that this one replaced."""
    said: int = 0
    """Messages of the stream so far in this epoch."""
    rounds: int = 0
    numbered_at: str | None = None
    """The second that gave the last round its game number."""
    shoes: int = 0
    shoe: Shoe | None = None
    round: Round | None = None
    """The running round, or the last one."""
    holds: tuple[Hold, ...] = ()
    """Open holds; the last one is current, the others come back as it is cleared."""
    reserved: Drawn | None = None
    """A card drawn too early that is the first card of the next round."""
    held: int = 0
    """Holds so far."""
    alerts: tuple[OpenAlert, ...] = ()
    lost: tuple[str, ...] = ()
    """Devices that do not answer."""
    units: dict[str, dict[str, str]] = {}
    """Device -> which unit it is: the kind of identity, and the identity."""
    conditions: dict[str, Condition] = {}
    resting: dict[str, Shuffled] = {}
    """Sets that were shuffled and wait for their turn; the empty name where sets carry no mark."""
    opened: bool = False
    closing: bool = False
    """Closed while a round was running: no further round opens."""
    gaming_day: str | None = None
    dealer: str | None = None
    seats: tuple[int, ...] = ()
    """The seats that play, as somebody said last; empty: nobody did, and all of the table play."""
    software: Software | None = None
    history: tuple[Recalled, ...] = ()
    """The last rounds with cards and outcome, oldest first, for recall."""
    last: Last | None = None
    """The last result or void as it was published, for the retained topic ``result``."""
    road: tuple[RoadMark, ...] = ()
    """Results of this shoe, where the game has a scoreboard."""
    light: Light = "red"
    timers: tuple[Timer, ...] = ()
    last_code: str | None = None
    last_read_ms: int | None = None
    """When the last card was read, by the clock that ``last_boot`` names, for rapid repeats."""
    last_boot: int | None = None
    void_asked_by: str | None = None
    """First badge of a void that wants two (``round.two_person_void``)."""
    void_asked_for: str | None = None
    """The reason that it gave."""

    @property
    def newest(self) -> CoreConfiguration:
        """The configuration of the round that comes next."""
        return self.next_configuration or self.configuration

    @property
    def shoe_configuration(self) -> CoreConfiguration:
        """What the cards of the shoe in use are held against: a shoe that was loaded after a round is for the
        next one."""
        if self.in_round or self.shoe is None or self.round is None:
            return self.configuration
        return self.configuration if self.shoe.id == self.round.shoe_id else self.newest

    @property
    def shown_light(self) -> Light:
        """The traffic light: while the table holds nobody bets, whatever it goes on with."""
        return "red" if self.holds else self.light

    @property
    def hold(self) -> Hold | None:
        """The current hold."""
        return self.holds[-1] if self.holds else None

    @property
    def phase(self) -> Phase:
        """The phase of the running round; ``idle`` before the first and after a void one."""
        if self.round is None or self.round.phase in ("void", "final"):
            return "idle"
        return self.round.phase

    @property
    def seats_dealt(self) -> tuple[int, ...]:
        """The seats of the running round, or of the last one."""
        return () if self.round is None else self.round.seats

    @property
    def in_round(self) -> bool:
        """Whether a round is being played."""
        return self.phase in IN_ROUND

    @property
    def awaits_book(self) -> bool:
        """Whether bets are closed here, and perhaps not yet where they are kept: no card may be drawn."""
        book = None if self.round is None else self.round.book
        return self.phase == "dealing" and book is not None and book.closed_at is None

    @property
    def agreeing(self) -> bool:
        """Whether the last round waits for those who may still contradict it."""
        round_ = self.round
        return (
            self.configuration.agree_s > 0
            and round_ is not None
            and round_.phase in ("result", "settled")
            and not round_.agreed
        )

    @property
    def unwitnessed(self) -> bool:
        """Whether a second reader or a beam may have said something alone about a card of the round: until
        the other witnesses had their time no record holds it."""
        alone = not {"second_reader", "beam"}.isdisjoint(self.configuration.shoe_devices)
        return alone and (self.agreeing or (self.in_round and self.phase != "result"))

    @property
    def loose(self) -> tuple[Drawn, ...]:
        """Cards out of the shoe that are not placed yet, in the order of the draws."""
        kept = () if self.reserved is None else (self.reserved,)
        aside = () if self.round is None else self.round.aside
        loose = (*kept, *aside, *(card for hold in self.holds for card in hold.cards))
        return tuple(sorted(loose, key=lambda drawn: drawn.draw))

    @property
    def next_is_out(self) -> bool:
        """Whether a card that was drawn after the last one laid has no place yet: it takes its turn now, or
        waits in a hold."""
        if self.shoe is None or self.round is None:
            return False
        last = max([self.round.after, *(laid.drawn.draw for laid in self.round.laid[-1:])])
        gone = {drawn.draw for drawn in self.round.extras} | {*self.shoe.burned, *self.shoe.opened}
        return any(drawn.draw > last and drawn.draw not in gone for drawn in self.shoe.drawn)

    @property
    def exposed(self) -> int:
        """How many cards that people saw would be the next round's: they went back, and no round runs."""
        shoe = self.shoe
        if shoe is None or shoe.unusable is not None or shoe.rounds_left == 0 or self.in_round:
            return 0
        return len(shoe.expected)

    @property
    def exposed_card(self) -> Literal["burn", "free_hand", "play"]:
        """What the house does with such a card: the setting of the round that comes next."""
        return self.newest.round.exposed_card

    @property
    def burns_due(self) -> int:
        """How many of the next cards are burns: the one answer for everybody who asks.

        The shoe owes some (after its load, or by BURN between rounds), the running round owes its own, and
        between rounds cards that people saw are burned, where the house has it so.
        """
        if self.shoe is None:
            return 0
        seen = self.exposed if self.exposed_card == "burn" else 0
        owed = 0 if self.round is None else self.round.burns_pending
        return max(self.shoe.burns_pending, seen) + owed

    @property
    def voidable(self) -> bool:
        """Whether there is a round that can still be voided (5.2)."""
        return self.phase in VOIDABLE
