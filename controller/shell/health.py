"""How the shell itself is: counters, and what of the outside world becomes an event of the table."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from controller.outbox.notices import (
    AccessDenied,
    AckRefused,
    CommandArrived,
    CommandRefused,
    ConsumerHeard,
    ConsumerSilent,
    LinkDown,
    LinkUp,
    MayNotRun,
    Newcomer,
    NobodyListens,
    Notice,
    OtherUnit,
    RowsReadable,
    RowsUnreadable,
    SomebodyListens,
    WitnessAgrees,
    WitnessDisagrees,
)
from controller.round.state import State
from controller.vocabulary.errors import DealerTableError
from controller.vocabulary.events import AnyEvent, ConditionChanged, DecisionsReported
from controller.vocabulary.histogram import Histogram


class MayNotRunError(DealerTableError):
    """This unit is not the table: another one is, or its journal is not the table's."""

    code = "may_not_run"


class Counters(msgspec.Struct):
    """Figures since the start of this process."""

    readings: int = 0
    events: int = 0
    messages: int = 0
    commits: int = 0
    failed_commits: int = 0
    commit_s: Histogram = msgspec.field(default_factory=Histogram)
    """How long the disk took for each transaction that it took."""
    last_error: str = ""


STALE_AFTER_BOOT = (
    "listeners",
    "publish-denied",
    "other-unit",
    "may-not-run",
    "newcomer",
    "journal",
    "outputs",
)
"""Conditions that a fresh connection finds out anew; those of an earlier boot may be long over."""
NEWCOMER = "another unit wants to be this table ({}); it was told that it is not, and does not run"
NEWCOMER_S = 60.0
"""So long after its last question the alert of a newcomer stands."""
KEY_LEFT = "key-left-"
"""Begin of the condition that a supervisor's key has been forgotten in a panel."""
STUCK = "stuck-"
"""Begin of the condition of an input that is stuck."""
ACK = "ack-"
"""Begin of the condition of a consumer whose acknowledgement was refused."""
WITNESS = "witness-"
"""Begin of the condition of a consumer that holds another message than the journal."""
CERTIFICATE = "certificate-"
"""Begin of the condition of a certificate that ends soon, or has ended."""
CONSUMER = "consumer-"
"""Begin of the condition of a consumer that is silent."""


def notice_events(notice: Notice) -> tuple[AnyEvent, ...]:
    """The events that a notice of the outbox means; none where it is only a figure."""
    match notice:
        case LinkUp():
            # What was denied is tried again on each connection, and said again where it is still denied.
            return (over("broker"), over("publish-denied"))
        case LinkDown():
            return (ConditionChanged("broker", active=True, message=f"no broker: {notice.reason}"[:400]),)
        case WitnessDisagrees():
            message = f"consumer {notice.consumer} holds another message {notice.sequence} than this journal"
            condition = f"{WITNESS}{notice.consumer}"[:400]
            return (ConditionChanged(condition, True, message[:400], blocks_opening=True),)
        case WitnessAgrees():
            return (over(f"{WITNESS}{notice.consumer}"[:400]),)
        case AckRefused():
            message = f"acknowledgement of {notice.consumer} refused: {notice.message}"[:400]
            # A journal that has lost its end meets at the broker what was acknowledged of it; a consumer that
            # claims too much while we speak is wrong, and stops no table.
            behind = notice.code == "beyond_head" and notice.retained
            return (ConditionChanged(f"{ACK}{notice.consumer}"[:400], True, message, blocks_opening=behind),)
        case NobodyListens():
            return (
                ConditionChanged("listeners", active=True, message="nobody subscribes to the event stream"),
            )
        case SomebodyListens():
            return (over("listeners"),)
        case AccessDenied():
            return (ConditionChanged("publish-denied", active=True, message=notice.message[:400]),)
        case OtherUnit(live=True):
            message = (
                f"another controller (boot {notice.boot}, epoch {notice.epoch}) says it is this table:"
                " switch one of the two off, then start this one anew"
            )
            return (ConditionChanged("other-unit", active=True, message=message, blocks_opening=True),)
        case MayNotRun():
            return (ConditionChanged("may-not-run", True, notice.message[:400], blocks_opening=True),)
        case Newcomer():
            who = f"boot {notice.boot}, epoch {notice.epoch}"
            return (ConditionChanged("newcomer", True, NEWCOMER.format(who)),)
        case CommandRefused() if notice.refusal.name == "who":
            return (ConditionChanged("newcomer", True, NEWCOMER.format(notice.refusal.code)),)
        case RowsUnreadable():
            message = f"what is to be sent cannot be read: {notice.message}; run dealer-table verify"[:400]
            return (ConditionChanged("journal", True, message, blocks_opening=True),)
        case RowsReadable():
            return (over("journal"),)
        case ConsumerSilent():
            condition = f"{CONSUMER}{notice.consumer}"[:400]
            return (ConditionChanged(condition, True, f"consumer {notice.message}"[:400]),)
        case ConsumerHeard():
            return (over(f"{CONSUMER}{notice.consumer}"[:400]),)
        case CommandArrived():
            command = notice.command
            return (DecisionsReported(command.hand, command.play, command.fold, command.auto),)
        case _:
            return ()


def over(condition: str) -> ConditionChanged:
    """A condition that has ended."""
    return ConditionChanged(condition, active=False)


def stale_conditions(state: State | None) -> list[AnyEvent]:
    """At a start: the ends of the conditions that this boot has to find out for itself."""
    known = () if state is None else state.conditions
    begins = (ACK, CERTIFICATE, CONSUMER, STUCK, KEY_LEFT)
    return [over(name) for name in known if name in STALE_AFTER_BOOT or name.startswith(begins)]


class Refusals:
    """Who was refused: the condition of a consumer ends when it acknowledges something new, that of another
    unit when it asks no more."""

    def __init__(self) -> None:
        self._cursors: dict[str, int] = {}
        self._newcomer_s: float | None = None

    def note(self, notice: Notice, cursors: Mapping[str, int], now_s: float) -> None:
        """Remember where a refused consumer stands, and when another unit asked."""
        if isinstance(notice, AckRefused):
            self._cursors[notice.consumer] = cursors.get(notice.consumer, 0)
        elif isinstance(notice, Newcomer) or (
            isinstance(notice, CommandRefused) and notice.refusal.name == "who"
        ):
            self._newcomer_s = now_s

    def mended(self, cursors: Mapping[str, int], now_s: float) -> list[AnyEvent]:
        """The ends of the conditions of those that have moved on, or gone."""
        gone: list[AnyEvent] = []
        if self._newcomer_s is not None and now_s - self._newcomer_s >= NEWCOMER_S:
            self._newcomer_s = None
            gone.append(over("newcomer"))
        moved = [name for name, cursor in self._cursors.items() if cursors.get(name, 0) > cursor]
        for name in moved:
            del self._cursors[name]
        return gone + [over(f"{ACK}{name}"[:400]) for name in moved]


def is_no_news(event: AnyEvent, state: State | None) -> bool:
    """Whether a condition is as the table knows it already."""
    if not isinstance(event, ConditionChanged) or state is None:
        return False
    known = state.conditions.get(event.condition)
    if event.active:
        return known is not None and known.message == event.message
    return known is None


def where(error: BaseException) -> str:
    """Type and place of a failure; never its text, which could name a card that lies face down."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return (
        f"{type(error).__name__} at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    )
