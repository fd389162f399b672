"""The messages of the stream: the name of each, and its ``data``."""

from typing import Literal

from msgspec import UNSET, UnsetType, field

from controller.vocabulary.evidence import Evidence, SecretCard
from controller.vocabulary.message import Message, OfRound
from controller.vocabulary.parts import BettingTerms, OddsBody, ResultBody, RevealedCard, VoidNotice
from controller.vocabulary.values import (
    CardName,
    Count,
    GameName,
    GameNumber,
    Nonce,
    PayTableName,
    Place,
    RoundId,
    Sha256,
)

BetsCloser = Literal["button", "timer", "first_card", "free_hand", "supervisor", "void"]
DecisionsCloser = Literal["button", "timer", "supervisor"]
Undecided = Literal["fold", "asked_again"]


class ShoeStarted(Message, frozen=True, kw_only=True):
    """A load of the shoe is in use. ``cards`` were counted in, ``expected`` make the set."""

    name = "shoe.started"
    shoe: Place
    """Number of the load in this journal, from 1."""
    set: str | None
    """Mark of the card set, where the house has several."""
    decks: Place
    """Decks of the set."""
    cards: Count
    """Cards in the shoe, by the count of whoever loaded it."""
    expected: Count
    """Cards of the whole set; where ``cards`` differs no round opens."""
    shuffled: bool
    """Whether a shuffle of these cards was confirmed."""


class ShoeBurned(Message, frozen=True, kw_only=True):
    """A card left the shoe and counts nowhere. It is named where the burn count is turned up, and where its
    commitment was published before."""

    name = "shoe.burned"
    shoe: Place
    """Number of the load."""
    draw: Place
    """Among the draws of the shoe, from 1."""
    card: CardName | None
    """Null where nobody turns it up."""
    cards: Place
    """Always 1: each burn card has a message of its own."""
    pending: Count
    """Burns still to come."""
    nonce: Nonce | UnsetType = UNSET
    """Opens the commitment of a card that waited aside (``table.held``) or went back."""


class ShoeEnded(Message, frozen=True, kw_only=True):
    """No further round from this load."""

    name = "shoe.ended"
    shoe: Place
    """Number of the load."""
    set: str | None
    """Its mark."""
    reason: str
    """Why it is no longer used: cut_card, emptied, wrong_count, not_shuffled, excess, ..."""
    drawn: Count
    """Cards that left it."""
    left: int
    """By the count; negative where more came out than went in."""


class RoundOpened(BettingTerms, Message, frozen=True, kw_only=True):
    """ "Place your bets, please"."""

    name = "round.opened"
    round: RoundId
    """The round that begins."""
    game: GameName
    """By whose rules it is played."""
    game_number: GameNumber
    """What people call the round."""
    shoe: Place
    """Number of the load."""
    last_round: bool
    """Of this shoe."""
    free_hand: bool
    """Dealt without bets."""
    pay_table: PayTableName
    """What winning bets are paid by."""
    rules: str
    """Version of the rules."""
    dealer: str | None = None
    """Badge of who deals; null where nobody signed on."""
    gaming_day: str | None = None
    """As the house counts it; null where nobody named one."""


class RoundBetsOpened(OfRound, frozen=True, kw_only=True):
    """Bets are open again, in a game with several betting rounds.

    One in which nothing could be offered is passed over and not said; the next keeps its own number.
    """

    name = "round.bets_opened"
    betting_round: Place
    """From 1."""
    spots: tuple[str, ...] | UnsetType = UNSET
    """Where some spots have live prices and others not: those that have. Only they take bets once cards lie.
    """
    open: Literal[False] | UnsetType = UNSET
    """False: take none, the table holds at once, since the next card is out already. ``table.resumed`` says
    when they are open."""


class RoundBetsClosed(OfRound, frozen=True, kw_only=True):
    """ "No more bets". Whatever ends a betting round says this first, also a void and a card that goes back.

    At live odds a suspended ``round.odds`` follows.
    """

    name = "round.bets_closed"
    by: BetsCloser
    """What closed them; ``supervisor``: an early card that was accepted, or a card that went back."""
    betting_round: Place
    """The one that is over, from 1."""
    seats: tuple[Place, ...] | UnsetType = UNSET
    """Two Cards High: the numbers of the seats that are dealt to."""


class RoundCard(OfRound, frozen=True, kw_only=True):
    """A card has its place. One that lies face down has ``card`` null and a commitment."""

    name = "round.card"
    position: str
    """The hand or place that it belongs to, as ``player``."""
    card: SecretCard | None
    """Null: it lies face down."""
    index: Place
    """Among the cards of the round, from 1."""
    draw: Place
    """Among the draws of the shoe, from 1."""
    shoe: Place
    """Number of the load."""
    commitment: Sha256 | UnsetType = UNSET
    """SHA-256 of the nonce's hex text followed by the card."""
    nonce: Nonce | UnsetType = UNSET
    """Opens the commitment of a card that waited aside (``table.held``) or went back and lies face up now."""
    entered_by: str | UnsetType = UNSET
    """Badge of the supervisor who named a card that was not read."""


class RoundOdds(OddsBody, Message, frozen=True, kw_only=True):
    """Odds of this moment."""

    name = "round.odds"
    round: RoundId
    """The round that they belong to."""


class RoundDecisionsOpened(OfRound, frozen=True, kw_only=True):
    """Players play or fold; ``decision_s`` 0: until the dealer closes."""

    name = "round.decisions_opened"
    decision_s: Count
    """Seconds that the players have; 0: until the dealer closes."""
    combinations: dict[str, str] = field(default_factory=dict)
    """Hand -> the category of what its cards make so far, as ``pair``."""
    open: Literal[False] | UnsetType = UNSET
    """False: take none, the table holds at once, since the next card is out already. ``table.resumed`` says
    when they are open."""


class RoundDecisionsClosed(OfRound, frozen=True, kw_only=True):
    """Who has not decided is folded, unless all are asked again."""

    name = "round.decisions_closed"
    by: DecisionsCloser
    """What closed them."""
    undecided: Undecided
    """What a hand without a decision is; ``asked_again``: a card went back, no decision binds anybody, and
    ``round.decisions_opened`` comes once more."""


class RoundRevealed(OfRound, frozen=True, kw_only=True):
    """The cards that lay face down."""

    name = "round.revealed"
    cards: tuple[RevealedCard, ...]
    """Each with what its commitment was made of."""


class RoundResult(ResultBody, Message, frozen=True, kw_only=True):
    """The result: pay on it; reverse on ``round.void`` or on a result that ``replaces`` it."""

    name = "round.result"
    round: RoundId
    """The round."""


class RoundSettledMessage(OfRound, frozen=True, kw_only=True):
    """The dealer has settled all bets on this revision."""

    name = "round.settled"
    revision: Count
    """Of the result that was paid."""


class RoundFinal(OfRound, frozen=True, kw_only=True):
    """The next round has begun: this one can no longer be voided."""

    name = "round.final"
    revision: Count
    """Of the result that stands."""


class RoundVoid(VoidNotice, Message, frozen=True, kw_only=True):
    """The round is annulled."""

    name = "round.void"
    round: RoundId
    """The round."""


class TableOpenedMessage(Message, frozen=True, kw_only=True):
    """A gaming day begins at this table."""

    name = "table.opened"
    by: str
    """Badge."""
    gaming_day: str | None
    """As the house counts it; null where nobody named one."""


class TableClosedMessage(Message, frozen=True, kw_only=True):
    """No further round opens; one that runs is played to its end."""

    name = "table.closed"
    by: str
    """Badge."""
    gaming_day: str | None
    """As the house counts it."""
    in_round: bool
    """A round runs, and is played to its end."""


class TableDealer(Message, frozen=True, kw_only=True):
    """A dealer signed on, or off."""

    name = "table.dealer"
    dealer: str | None
    """Badge of who deals from now on; null: nobody."""
    before: str | None
    """Badge of who dealt until now."""
    gaming_day: str | None
    """As the house counts it; null where nobody named one."""


class TableHeld(Message, frozen=True, kw_only=True):
    """The table waits for a supervisor. Each hold ends with one ``table.resumed`` of the same number."""

    name = "table.held"
    hold: Count = 0
    """Number of the hold in this journal, from 1; 0: of an earlier version."""
    again: bool = False
    """It was said before and waits still: the evidence grew, or what held above it is over."""
    round: RoundId | None
    """Null between rounds."""
    reason: str
    """The code of what was found first in rank."""
    evidence: tuple[Evidence, ...]
    """All that was found, with the cards and numbers that prove it."""
    choices: tuple[str, ...]
    """What a supervisor may choose."""


class TableResumed(Message, frozen=True, kw_only=True):
    """A hold is over."""

    name = "table.resumed"
    hold: Count = 0
    """Its number."""
    findings: Count = 0
    """What was found in it, and what came while it stood, in all."""
    round: RoundId | None
    """Null between rounds."""
    reason: str
    """Of the hold."""
    choice: str
    """What was chosen."""
    by: str
    """Badge of who chose; ``dealer`` where the dealer may."""
    note: str | None
    """What was written beside it."""
    open: bool | UnsetType = UNSET
    """Whether bets, or decisions, are open from here on. False: take none, though this hold is over: they
    close with the choice, or the table holds again."""
    returned: Count | UnsetType = UNSET
    """Cards that went back into the shoe."""
    entered_by: str | UnsetType = UNSET
    """Badge of who named the card that was not read."""


class AlertRaised(Message, frozen=True, kw_only=True):
    """A person is needed; retained under ``alerts/<id>`` until it is cleared."""

    name = "alert.raised"
    id: str
    """The last part of its topic."""
    code: str
    """What it is about; the runbook says what to do."""
    message: str
    """In words."""
    cards: Count | UnsetType = UNSET
    """A count: as it is."""
    expected: Count | UnsetType = UNSET
    """A count: as it should be."""


class AlertCleared(Message, frozen=True, kw_only=True):
    """Its cause is gone, or somebody has seen to it."""

    name = "alert.cleared"
    id: str
    """Of the alert."""
    code: str
    """Of the alert."""
    by: str | None
    """Badge; null where the cause went away by itself."""


class DeviceLostMessage(Message, frozen=True, kw_only=True):
    """A device does not answer."""

    name = "device.lost"
    device: str
    """Its place at the table, as ``shoe``."""
    reason: str
    """In words."""


class DeviceRestoredMessage(Message, frozen=True, kw_only=True):
    """It answers again."""

    name = "device.restored"
    device: str
    """Its place at the table."""
    identity: str | None
    """What the system knows of the device, as its serial number."""


class EpochStartedMessage(Message, frozen=True, kw_only=True):
    """A unit was replaced: consumers accept the larger epoch only with an alarm.

    What ``previous`` said above ``last_acknowledged`` may have reached nobody. The round that was running
    there follows as ``round.void``, one that was settled as ``round.final``.
    """

    name = "epoch.started"
    previous: Place
    """The epoch that ended."""
    last_acknowledged: dict[str, Count]
    """Consumer -> the last sequence of ``previous`` that it acknowledged, as far as the new unit knows."""
    round: RoundId | None
    """The last round of ``previous``, where it had not ended."""
    by: str
    """Badge of who decided it."""
    note: str | None
    """What was written beside it."""
    public_key: str | None = None
    """Of the key that signs this epoch, 32 bytes in base64url: it is another one than before."""

    @property
    def subject(self) -> str | None:
        """None: the round of the other unit has a message of its own."""
        return None


MESSAGES = {
    kind.name: kind
    for kind in list(globals().values())
    if isinstance(kind, type) and issubclass(kind, Message) and hasattr(kind, "name")
}
"""Name, as in ``dealertable.<name>.v1`` -> struct."""
