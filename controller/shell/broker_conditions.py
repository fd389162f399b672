"""What the outbox's notices say of broker, consumers and other units, as conditions that hold now."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from controller.outbox.notices import (
    AccessDenied,
    AckRefused,
    BrokerDown,
    BrokerUp,
    CommandRefused,
    ConsumerHeard,
    ConsumerSilent,
    MayNotRun,
    Newcomer,
    NobodyListens,
    Notice,
    OtherUnit,
    SomebodyListens,
    StreamReadable,
    StreamUnreadable,
    WitnessAgrees,
    WitnessDisagrees,
)
from controller.shell.conditions import Found, Moment
from controller.vocabulary.conditions import (
    ACK,
    BROKER,
    CONSUMER,
    JOURNAL,
    LISTENERS,
    MAY_NOT_RUN,
    NEWCOMER,
    OTHER_UNIT,
    PUBLISH_DENIED,
    WITNESS,
    Condition,
)

TURNED_AWAY = "another unit wants to be this table ({}); it was told that it is not, and does not run"
NEWCOMER_S = 60.0
"""So long after its last question the alert of a newcomer stays."""


class BrokerConditions:
    """The consumer of a refused acknowledgement is right again when it acknowledges something new, another
    unit is gone when it asks no more.
    """

    def __init__(self, cursors: Callable[[], Mapping[str, int]]) -> None:
        """``cursors``: up to where each consumer has everything."""
        self._cursors = cursors
        self._found: dict[str, Condition | None] = {}
        self._refused: dict[str, int] = {}
        """Consumer whose acknowledgement was refused -> its cursor then."""
        self._newcomer_s: float | None = None

    def note(self, notice: Notice, now_s: float) -> None:
        """Take in what the outbox noticed."""
        if isinstance(notice, AckRefused):
            self._refused[notice.consumer] = self._cursors().get(notice.consumer, 0)
        if isinstance(notice, Newcomer | CommandRefused) and _newcomer(notice) is not None:
            self._newcomer_s = now_s
        self._found.update(found_in(notice))

    def look(self, now: Moment) -> Found:
        """All that was noticed and is not over."""
        cursors = self._cursors()
        for consumer in [name for name, was in self._refused.items() if cursors.get(name, 0) > was]:
            del self._refused[consumer]
            self._found[ACK.named(consumer)] = None
        if self._newcomer_s is not None and now.monotonic_ns / 1e9 - self._newcomer_s >= NEWCOMER_S:
            self._newcomer_s = None
            self._found[NEWCOMER.code] = None
        return self._found


def found_in(notice: Notice) -> Found:
    """What a notice says of conditions; empty where it is only a figure."""
    match notice:
        case BrokerUp():
            # What was denied is tried again on each connection, and said again where it is still denied.
            return {BROKER.code: None, PUBLISH_DENIED.code: None}
        case BrokerDown():
            return {BROKER.code: BROKER.holds(f"no broker: {notice.reason}")}
        case WitnessDisagrees():
            message = f"consumer {notice.consumer} holds another message {notice.sequence} than this journal"
            return {WITNESS.named(notice.consumer): WITNESS.holds(message)}
        case WitnessAgrees():
            return {WITNESS.named(notice.consumer): None}
        case AckRefused():
            message = f"acknowledgement of {notice.consumer} refused: {notice.message}"
            # A journal that has lost its end meets at the broker what was acknowledged of it; a consumer that
            # claims too much while we speak is wrong, and stops no table.
            behind = notice.code == "beyond_head" and notice.retained
            return {ACK.named(notice.consumer): ACK.holds(message, blocks_opening=behind)}
        case NobodyListens():
            return {LISTENERS.code: LISTENERS.holds("nobody subscribes to the event stream")}
        case SomebodyListens():
            return {LISTENERS.code: None}
        case AccessDenied():
            return {PUBLISH_DENIED.code: PUBLISH_DENIED.holds(notice.message)}
        case OtherUnit(live=True):
            message = (
                f"another controller (boot {notice.boot}, epoch {notice.epoch}) says it is this table:"
                " switch one of the two off, then start this one anew"
            )
            return {OTHER_UNIT.code: OTHER_UNIT.holds(message)}
        case MayNotRun():
            return {MAY_NOT_RUN.code: MAY_NOT_RUN.holds(notice.message)}
        case Newcomer() | CommandRefused():
            who = _newcomer(notice)
            return {} if who is None else {NEWCOMER.code: NEWCOMER.holds(TURNED_AWAY.format(who))}
        case StreamUnreadable():
            message = f"what is to be sent cannot be read: {notice.message}; run dealer-table verify"
            return {JOURNAL.code: JOURNAL.holds(message)}
        case StreamReadable():
            return {JOURNAL.code: None}
        case ConsumerSilent():
            return {CONSUMER.named(notice.consumer): CONSUMER.holds(f"consumer {notice.message}")}
        case ConsumerHeard():
            return {CONSUMER.named(notice.consumer): None}
        case _:
            return {}


def _newcomer(notice: Newcomer | CommandRefused) -> str | None:
    if isinstance(notice, Newcomer):
        return f"boot {notice.boot}, epoch {notice.epoch}"
    return notice.refusal.code if notice.refusal.name == "who" else None
