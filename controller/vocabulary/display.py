"""The retained topics ``display``, ``result`` and ``alerts``."""

from typing import Literal, cast

import msgspec
from msgspec import UNSET, UnsetType

from controller.vocabulary.errors import read_json
from controller.vocabulary.evidence import Evidence, SecretCard
from controller.vocabulary.limits import Limits
from controller.vocabulary.messages import RoundResult, RoundVoid
from controller.vocabulary.outcomes import OutcomeOrNull
from controller.vocabulary.parts import OddsBody, PaidBet, Prices, ResultBody, VoidNotice
from controller.vocabulary.scoreboard import Scoreboard
from controller.vocabulary.values import (
    CardName,
    Count,
    GameName,
    GameNumber,
    MessageId,
    Moment,
    Phase,
    Place,
    RoundId,
)

Light = Literal["red", "yellow", "green", "off"]


class Last:
    """Marks what ``result`` retains: a :class:`LastResult` or a :class:`LastVoid`, told apart by ``kind``."""

    __slots__ = ()
    id: str
    round: str


class LastResult(RoundResult, Last, frozen=True, kw_only=True):
    """``result``: the last round's result as it was published."""

    id: MessageId
    """Of its message in the stream."""
    kind: Literal["result"]
    """It is a result."""
    withdrawn: bool | UnsetType = UNSET
    """Cards went back: it does not stand any more, another revision or a void follows."""


class LastVoid(RoundVoid, Last, frozen=True, kw_only=True):
    """``result``: the last round was annulled."""

    id: MessageId
    """Of its message in the stream."""
    kind: Literal["void"]
    """It is a void."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """``alerts/<id>``: what needs a person."""

    id: str
    """The last part of the topic."""
    code: str
    """What it is about; the runbook says what to do."""
    message: str
    """In words."""
    at: Moment
    """Since when."""
    cards: Count | UnsetType = UNSET
    """A count: as it is."""
    expected: Count | UnsetType = UNSET
    """A count: as it should be."""


class RoundTrace(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a round out of a display, a result or a message of another unit, of whatever version:
    the members that are needed to end it.
    """

    id: str = ""
    kind: str = ""
    round: str | None = None
    phase: str | None = None
    """None: it was no display."""
    game_number: str | None = None
    revision: int = 0


def round_trace(payload: bytes | msgspec.Raw | None) -> RoundTrace | None:
    """The round in ``payload``, None if that is no JSON of ours.

    What could not stand in a message of ours is left out: a state with it could not be read again.
    """
    trace = read_json(payload, RoundTrace)
    if trace is None:
        return None
    return msgspec.structs.replace(
        trace,
        id=_fitting(trace.id, MessageId) or "",
        game_number=_fitting(trace.game_number, GameNumber),
        revision=max(trace.revision, 0),
    )


def _fitting(text: str | None, kind: object) -> str | None:
    try:
        return None if text is None else msgspec.convert(text, type=cast("type[str]", kind))
    except msgspec.ValidationError:
        return None


class ShownCard(msgspec.Struct, frozen=True):
    """A card as it lies; null: face down."""

    position: str
    card: SecretCard | None


class ShownVoid(VoidNotice, frozen=True, kw_only=True):
    """The void of the round that is shown, with the id of its message."""

    id: MessageId


class ShownOdds(OddsBody, frozen=True, kw_only=True):
    """The odds of the round that is shown; between betting rounds the chances alone, after each card."""

    id: MessageId | None
    """The message that a bet names; null while no bet is taken."""


class ShownHold(msgspec.Struct, frozen=True, kw_only=True):
    """The hold notice."""

    round: RoundId | None
    reason: str
    meaning: str
    """In words for a supervisor."""
    evidence: tuple[Evidence, ...]
    choices: tuple[str, ...]
    what_they_do: dict[str, str]
    """Choice -> what it does, in words."""
    waiting: Count
    """What came while the table held."""
    beneath: tuple[str, ...]
    """Reasons of the holds that come back when this one is cleared."""
    next_out: tuple[SecretCard | None, ...] | UnsetType = UNSET
    """Cards that went back and must come out next, in order; null: not named before they are laid or burned.
    """


class UnderKey(msgspec.Struct, frozen=True, kw_only=True):
    """What the table's own dealer's page may name while a supervisor's key is turned: cards that may still
    come into play. It is no topic, and goes to no broker."""

    cards: dict[str, SecretCard] = {}
    """Draw, in digits -> card, of the cards that a hold is about."""
    next_out: tuple[SecretCard | None, ...] = ()
    """Cards that went back and must come out next, in order; null: it was not read."""


class ShownShoe(msgspec.Struct, frozen=True, kw_only=True):
    """How far the shoe is, by the count."""

    id: Place
    set: str | None
    decks: Place
    cards: Count
    drawn: Count
    left: int
    burns_pending: Count
    unusable: str | None


class ShortVoid(msgspec.Struct, frozen=True):
    """Of an earlier round."""

    reason: str | None
    rule: str | None


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """One of the last rounds: with a result or with a void."""

    round: RoundId
    game_number: GameNumber
    hands: dict[str, tuple[CardName, ...]] | UnsetType = UNSET
    outcome: OutcomeOrNull | UnsetType = UNSET
    revision: Place | UnsetType = UNSET
    void: ShortVoid | UnsetType = UNSET


class MayOpen(msgspec.Struct, frozen=True):
    """Whether the next round may open, and if not, why."""

    open: bool
    code: str | None
    why: str | None


class DecisionCounts(msgspec.Struct, frozen=True):
    """Players of a hand who play, fold, and were folded by the clock."""

    play: Count
    fold: Count
    auto: Count


class DecisionPercent(msgspec.Struct, frozen=True):
    """Whole percent of the players of a hand; together 100."""

    play: Count
    fold: Count
    auto: Count


class ShownDecisions(DecisionCounts, frozen=True):
    """The counts, and the same in percent."""

    percent: DecisionPercent | None
    """Null: nobody has decided."""


class BareHold(msgspec.Struct, frozen=True):
    """A hold, where the display could not be drawn."""

    reason: str
    choices: tuple[str, ...]


class BareDisplay(msgspec.Struct, frozen=True, kw_only=True):
    """``display`` where we failed to draw it: what a table must show even so."""

    game: GameName
    mode: Literal["live", "test"]
    phase: Phase
    light: Light = "red"
    round: RoundId | None
    cards: tuple[ShownCard, ...] = ()
    result: None = None
    hold: BareHold | None
    fault: str
    """The type of the error."""


class Display(msgspec.Struct, frozen=True, kw_only=True):
    """``display``: all that a display needs to draw the table without knowing anything before."""

    game: GameName
    """The game."""
    layout: Literal["A", "B", "C"] | None
    """2 Card Action only."""
    mode: Literal["live", "test"]
    """``test``: nothing counts."""
    phase: Phase
    """Where the round is."""
    light: Light
    """What the traffic light shows."""
    round: RoundId | None
    """The round that is shown; null before the first."""
    game_number: GameNumber | None
    """What people call it."""
    countdown_end: Moment | None
    """When bets or decisions close; null: no clock runs."""
    cards: tuple[ShownCard, ...]
    """All cards on the felt, in order."""
    next: str | None
    """The position of the next card, while cards are dealt."""
    result: ResultBody | None
    """Null until it is known, and when it was taken back."""
    revision: Count
    """Of the result; 0: there was none."""
    void: ShownVoid | None
    """The round is annulled."""
    odds: ShownOdds | None
    """At live odds."""
    free_hand: bool
    """Dealt without bets."""
    hold: ShownHold | None
    """The table waits for a supervisor."""
    last_round: bool
    """Of this shoe."""
    shoe: ShownShoe | None
    """Null: none is loaded."""
    last_results: tuple[Recalled, ...]
    """The latest rounds, oldest first."""
    decisions: dict[str, ShownDecisions]
    """Hand -> what the settlement system reported."""
    combinations: dict[str, str]
    """Hand -> the category that its cards and the board make, as far as they lie face up; empty before."""
    dealer: str | None
    """Badge of who deals."""
    gaming_day: str | None
    """As the house counts it: of the running round, else of the next."""
    may_open: MayOpen
    """Whether OPEN would be taken now."""
    limits: Limits | None
    """What a player may stake; null: the house says nothing of it."""
    prices: Prices
    """Which bets are taken at prices that follow the cards."""
    pays: dict[str, PaidBet]
    """The pay table as people read it, without the bets that have live prices."""
    names: dict[str, str | dict[str, str]] | UnsetType = UNSET
    """Of a house's own spots, by wager, where its pay table names them: in every language, or by the code of
    one."""
    scoreboard: Scoreboard | UnsetType = UNSET
    """Baccarat only."""
    seats: tuple[Place, ...] | UnsetType = UNSET
    """Two Cards High: the numbers of the seats that play, in the running round, else in the next."""
    countdown_s: Count | UnsetType = UNSET
    """How long the running clock runs in all, in seconds; not there: no clock runs."""
    awaits: str | UnsetType = UNSET
    """Bets are closed, and no card may be drawn before this consumer has closed its book; not there: nobody
    is waited for."""
    aside: Count | UnsetType = UNSET
    """So many cards came early, were accepted, and lie aside face down until one is due; not there: none."""
    closes: Literal["timer", "first_card"] | UnsetType = UNSET
    """What closes bets at this table; not there: only the dealer's button."""
