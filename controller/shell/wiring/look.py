"""One look at the broker, for who is about to take over a table; says nothing as the table."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from datetime import UTC, datetime

from controller.outbox.broker import BrokerSettings
from controller.outbox.claim import Sighting
from controller.outbox.reports import ConnectionLost, ConnectionRefused
from controller.outbox.session import Session
from controller.outbox.takeover import Look
from controller.outbox.topics import Topics
from controller.vocabulary.errors import DealerTableError

PATIENCE_S = 15.0


class NoBrokerError(DealerTableError):
    """The broker cannot be asked."""

    code = "no_broker"


def look(topics: Topics, broker: BrokerSettings, consumers: Iterable[str] = ()) -> Sighting:
    """What the broker keeps of the table and of these consumers, and whether somebody answers as the table.
    NoBrokerError if none of those that are tried in turn can be asked.
    """
    names, why = tuple(consumers), list[str]()
    for one in broker.each:
        try:
            return _look(topics, one, names)
        except NoBrokerError as error:
            why.append(error.message)
    raise NoBrokerError("; ".join(why))


def _look(topics: Topics, broker: BrokerSettings, consumers: Iterable[str]) -> Sighting:
    session = Session(broker)
    seen = Look(topics, session, 0, 0, lambda: datetime.now(UTC), consumers)
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
