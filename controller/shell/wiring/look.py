"""One look at the broker, for who is about to take over a table; says nothing as the table."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import msgspec

from controller.outbox.broker import BrokerSettings
from controller.outbox.claim import Sighting
from controller.outbox.reports import ConnectionLost, ConnectionRefused
from controller.outbox.retained import Ack
from controller.outbox.session import Session
from controller.outbox.takeover import Look
from controller.outbox.topics import Topics
from controller.vocabulary.errors import DealerTableError

PATIENCE_S = 15.0


class NoBrokerError(DealerTableError):
    """The broker cannot be asked."""

    code = "no_broker"


def look(topics: Topics, broker: BrokerSettings, consumers: Iterable[str] = ()) -> Sighting:
    """What the brokers keep of the table and of these consumers, and whether somebody answers as the table.
    Each of several is asked, for each may keep other words of the table: the newest count. NoBrokerError if
    none of them can be asked.
    """
    names, seen, why = tuple(consumers), list[Sighting](), list[str]()
    each = broker.each
    for one in each:
        try:
            seen.append(_look(topics, one, names, several=len(each) > 1))
        except NoBrokerError as error:
            why.append(error.message)
    if not seen:
        raise NoBrokerError("; ".join(why))
    return msgspec.structs.replace(newest(seen), unasked=tuple(why))


def newest(seen: Sequence[Sighting]) -> Sighting:
    """The table as the broker knows it that has heard it last, each consumer where it has come furthest."""

    def age(one: Sighting) -> tuple[int, int, int, bool]:
        status, shown = one.status, one.display is not None
        return (-1, 0, 0, shown) if status is None else (status.epoch, status.boot, status.sequence, shown)

    acks: dict[str, Ack] = {}
    for one in seen:
        for name, ack in one.acks.items():
            acks[name] = max(acks.get(name, ack), ack, key=lambda ack: (ack.epoch, ack.sequence))
    answered = any(one.answered for one in seen)
    return msgspec.structs.replace(max(seen, key=age), acks=acks, answered=answered)


def _look(topics: Topics, broker: BrokerSettings, consumers: Iterable[str], *, several: bool) -> Sighting:
    session = Session(broker)
    seen = Look(topics, session, 0, 0, lambda: datetime.now(UTC), consumers, several=several)
    until_s = time.monotonic() + PATIENCE_S
    try:
        _open(session)
        while (now_s := time.monotonic()) < until_s:
            session.wait(0.05)
            for report in session.serve(now_s):
                if not isinstance(report, ConnectionRefused | ConnectionLost):
                    seen.handle(report, now_s)
                elif session.attempts.again:
                    _open(session)
                else:
                    raise NoBrokerError(f"the broker cannot be asked: {report.reason}")
            if seen.done(time.monotonic()):
                return seen.sighting
        raise NoBrokerError("the broker cannot be asked: it does not answer")
    finally:
        session.hang_up()


def _open(session: Session) -> None:
    """Under a name that takes no other connection's place."""
    session.open(time.monotonic(), also_named=f"-replace-{secrets.token_hex(4)}")
