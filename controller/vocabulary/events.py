"""Events: what happened at the table, past tense, immutable, in the order of the journal.

One struct for each name of the contract. On a line (journal, event file) an event and its :class:`Stamp` are
one flat JSON object; ``codec`` reads and writes it.
"""

from typing import TYPE_CHECKING, Annotated, Literal, Union

import msgspec
from msgspec import Meta

Count = Annotated[int, Meta(ge=0, le=100_000)]
Text = Annotated[str, Meta(max_length=400)]
TimerName = Literal["bets", "book", "warn", "decisions", "review", "agree"]


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """Base of all events."""


class TableConfigured(Event, frozen=True, tag="table_configured"):
    """The whole canonical configuration; the core reads ``core``, an auditor reads all of it."""

    core: dict[str, object]
    """``controller.vocabulary.configuration`` values, the code map and the pay table, ready for the core."""
    configuration: dict[str, object] = {}
    """The operator's file in canonical form, without secrets."""
    digests: dict[str, str] = {}


class SoftwareStarted(Event, frozen=True, tag="software_started"):
    """The daemon started: which program it is."""

    version: Text = ""
    digest: Text = ""
    boot: int = 0
    devices: dict[Text, Text] = {}
    """Each device that says something: its driver and where it is plugged in."""
    took_over: str | None = None
    """Where other software wrote the record until now: the table as this one found it, as JSON. Whoever folds
    the record goes on from there, though other rules read what is before it otherwise."""
    public_key: Text | None = None
    """Of the key that signs the messages from here on, 32 bytes in base64url; None: they are not signed."""


class Orphan(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last round of a unit that was replaced, as far as others know it."""

    round: Text
    game_number: Text | None = None
    settled: bool = False
    """It was paid: it stands."""
    revision: Count = 0
    result: Text | None = None
    """Id of the message that published its result."""


class EpochStarted(Event, frozen=True, tag="epoch_started"):
    """This journal goes on where another unit's broke off (``dealer-table replace``)."""

    previous: Annotated[int, Meta(ge=1)]
    """The epoch that ended."""
    by: Text
    """The badge."""
    last_acknowledged: dict[Text, Annotated[int, Meta(ge=0)]] = {}
    """Consumer -> sequence of the previous epoch up to which everything is safe with it."""
    orphan: Orphan | None = None
    note: Text | None = None


class ConsumerRetired(Event, frozen=True, tag="consumer_retired"):
    """Nothing is kept for this consumer any more; changes nothing at the table."""

    consumer: Text
    acknowledged: Annotated[int, Meta(ge=0)]
    """It had everything up to here."""
    by: Text


class TableOpened(Event, frozen=True, tag="table_opened"):
    """A gaming day begins."""

    by: Text = ""
    gaming_day: Text | None = None


class TableClosed(Event, frozen=True, tag="table_closed"):
    """It ends: no further round opens."""

    by: Text = ""
    gaming_day: Text | None = None


class DealerSignedOn(Event, frozen=True, tag="dealer_signed_on"):
    """This dealer deals from now on."""

    by: Text = ""
    gaming_day: Text | None = None


class DealerSignedOff(Event, frozen=True, tag="dealer_signed_off"):
    """The dealer leaves; ``by`` left out: whoever deals."""

    by: Text = ""
    gaming_day: Text | None = None


class ShoeLoaded(Event, frozen=True, tag="shoe_loaded"):
    """``cards`` by the count of whoever loaded the shoe; ``decks`` left out: as many as ``cards`` make."""

    cards: Count
    decks: Count | None = None
    shuffled: bool = False
    set: Text | None = None


class ShuffleCompleted(Event, frozen=True, tag="shuffle_completed"):
    """A shuffle ended well; ``cards`` were counted in it, none are named where the machine does not count."""

    cards: Count | None = None
    set: Text | None = None


class ShuffleFailed(Event, frozen=True, tag="shuffle_failed"):
    """A shuffle failed; the running shoe is not touched."""

    reason: Text = ""
    set: Text | None = None


class BetsOpened(Event, frozen=True, tag="bets_opened"):
    """ "Place your bets, please": the next round opens."""


class BetsClosed(Event, frozen=True, tag="bets_closed"):
    """ "No more bets"."""


class BookClosed(Event, frozen=True, tag="book_closed"):
    """A consumer that keeps a book has acknowledged that bets are closed (``round.await_book``): it takes no
    more."""

    consumer: Text = ""
    """Left out: the one that is awaited."""
    acknowledged: Annotated[int, Meta(ge=0)] | None = None
    """Up to where it has acknowledged the stream; left out: the message that closed the bets."""


class CardRead(Event, frozen=True, tag="card_read"):
    """A card left the shoe; ``code`` as the device gave it, ``position`` where the device knows it."""

    code: Text
    position: Text | None = None
    serial: Text | None = None
    set: Text | None = None
    parted: bool = False
    """The beam at the exit was broken between this card and the one before: no double read."""


class CardUnread(Event, frozen=True, tag="card_unread"):
    """A card passed the reader, or the beam, unread."""

    detail: Text = ""


class CardsBurned(Event, frozen=True, tag="cards_burned"):
    """So many next cards are burns."""

    cards: Annotated[int, Meta(ge=1, le=416)]
    reason: Text = ""


class CardsCollected(Event, frozen=True, tag="cards_collected"):
    """So many cards went back into a continuous shuffler."""

    cards: Count


class CutCardSeen(Event, frozen=True, tag="cut_card_seen"):
    """``by``: the badge of a supervisor who saw it; empty where the shoe did."""

    by: Text = ""


class ShoeEmptied(Event, frozen=True, tag="shoe_emptied"):
    """The shoe is empty."""

    by: Text = ""


class ShoeCounted(Event, frozen=True, tag="shoe_counted"):
    """``cards`` of the whole set, drawn ones included, or ``left`` in the shoe."""

    cards: Count | None = None
    left: Count | None = None
    missing: object | None = None
    """Names or a number of the cards found missing, as the counter reported them."""
    set: Text | None = None
    by: Text = ""


class SeatsTaken(Event, frozen=True, tag="seats_taken"):
    """These seats play, by their numbers, and the others get no cards; stays until it is said again."""

    seats: tuple[Count, ...]


class DecisionsClosed(Event, frozen=True, tag="decisions_closed"):
    """All players have decided."""


class CardsRevealed(Event, frozen=True, tag="cards_revealed"):
    """Cards that lie face down are turned up: those of one hand (``player``, ``seat3``, ``dealer``), or all
    that lie."""

    hand: Text | None = None


class DecisionsReported(Event, frozen=True, tag="decisions_reported"):
    """Numbers of players of one hand."""

    hand: Text
    play: Count = 0
    fold: Count = 0
    auto: Count = 0


class RoundSettled(Event, frozen=True, tag="round_settled"):
    """All winning bets are paid."""


class ResultReported(Event, frozen=True, tag="result_reported"):
    """The shoe's own result, a second opinion. ``winner`` is player, banker, tie or forced_quit."""

    winner: Text | None = None
    player_pair: bool | None = None
    banker_pair: bool | None = None
    result: object | None = None
    """Where a device gives its result in another shape: the winner's name, or an object with ``winner``."""


class HoldRequested(Event, frozen=True, tag="hold_requested"):
    """The dealer asks for a supervisor."""

    by: Text = ""


class CardEntered(Event, frozen=True, tag="card_entered"):
    """A supervisor names the card that was not read."""

    card: Text
    by: Text = ""


class CardReturned(Event, frozen=True, tag="card_returned"):
    """A card goes back into the shoe, the last drawn first."""

    card: Text
    by: Text = ""


class RoundVoided(Event, frozen=True, tag="round_voided"):
    """A supervisor voids the round."""

    reason: Text = "supervisor"
    by: Text = ""


class HoldCleared(Event, frozen=True, tag="hold_cleared"):
    """A choice that ends the hold."""

    choice: Text
    by: Text = ""
    note: Text | None = None


class DeviceLost(Event, frozen=True, tag="device_lost"):
    """A device does not answer."""

    device: Text
    reason: Text = ""


class DeviceRestored(Event, frozen=True, tag="device_restored"):
    """It answers again."""

    device: Text
    identity: Text | None = None
    replaced: bool = False
    """Another device answers under the name than before."""


class DeviceIdentified(Event, frozen=True, tag="device_identified"):
    """Which unit answers under a name, by something that stays the same when it is started anew."""

    device: Text
    kind: Text
    """What tells one unit from another: ``port`` (the USB device); ``serial`` or ``version``, as it says."""
    identity: Text


class TimerElapsed(Event, frozen=True, tag="timer_elapsed"):
    """``round`` left out: the running one. A timer of another round is ignored."""

    timer: TimerName
    round: Text | None = None


class ReportsMissed(Event, frozen=True, tag="reports_missed"):
    """A device's own numbers show that a report passed unseen, or that it began to count anew."""

    device: Text
    expected: int | None = None
    got: int | None = None
    reason: Text = "gap"


class DeviceReported(Event, frozen=True, tag="device_reported"):
    """A report that changes nothing at the table but belongs to the record (and to the device's numbers)."""

    device: Text
    words: Text
    """What it said, in words."""  # ``report`` is the device's number, in the stamp of the same flat object


KeyRefusal = Literal["key_needed", "unknown_badge", "seats_not_here"]
"""Why a key may not act."""


class KeyRefused(Event, frozen=True, tag="key_refused"):
    """A key of a panel that may not act: it changes nothing, and people are told."""

    device: Text
    line: Text
    """As it was pressed."""
    code: KeyRefusal
    """The supervisor's key is not turned; its badge is nobody's who is listed; the settlement system says
    which seats play."""


class DeviceFaulted(Event, frozen=True, tag="device_faulted"):
    """Bytes that made no sense, an alarm, or a command the device did not answer."""

    device: Text
    reason: Text


class ConditionChanged(Event, frozen=True, tag="condition_changed"):
    """A condition of the shell that a person must know: outbox full, disk short, identity mismatch."""

    condition: Text
    active: bool
    message: Text = ""
    blocks_opening: bool = False


EVENTS: dict[str, type[Event]] = {str(kind.__struct_config__.tag): kind for kind in Event.__subclasses__()}
"""Name of the contract -> struct."""

if TYPE_CHECKING:
    AnyEvent = Event
else:
    AnyEvent = Union[tuple(EVENTS.values())]  # noqa: UP007 (of as many as there are)
"""Any of them: what a reader decodes."""


class Stamp(msgspec.Struct, frozen=True, omit_defaults=True):
    """When, from where and by which bytes an event came; the shell writes it, hand-written files need only
    ``at``.
    """

    at: str = "1970-01-01T00:00:00Z"
    """UTC, RFC 3339; a label, never an order."""
    sequence: int = 0
    """Number of the journal record."""
    boot: int | None = None
    monotonic_ns: int | None = None
    synchronised: bool | None = None
    nonce: str | None = None
    """128 random bits in hex, for a card."""
    device: str | None = None
    raw: str | None = None
    """The bytes that the device sent, in hex."""
    report: int | None = None
    """The device's own number of the report."""
    fault: str | None = None
    """Set when handling this event failed: the table held instead."""
