"""One look at the broker, for who is about to take over a table; says nothing as the table."""

from __future__ import annotations

import queue
import secrets
import time
from datetime import UTC, datetime

from controller.outbox.claim import Sighting
from controller.outbox.mqtt import BrokerSettings, Link
from controller.outbox.reports import Lost, Refused, Report
from controller.outbox.scout import Scout
from controller.outbox.topics import Topics
from controller.vocabulary.errors import DealerTableError

PATIENCE_S = 15.0


class NoBrokerError(DealerTableError):
    """The broker cannot be asked."""

    code = "no_broker"


def look(topics: Topics, broker: BrokerSettings) -> Sighting:
    """What the broker keeps of the table, and whether somebody answers as it. NoBrokerError where it cannot
    be asked.
    """
    reports: queue.SimpleQueue[Report] = queue.SimpleQueue()
    link = Link(broker, reports.put)
    scout = Scout(topics, link, 0, 0, lambda: datetime.now(UTC))
    until_s = time.monotonic() + PATIENCE_S
    try:
        link.open("5", None, f"-replace-{secrets.token_hex(4)}")
        spoken = "5"
        while (now_s := time.monotonic()) < until_s:
            try:
                report = reports.get(timeout=0.05)
            except queue.Empty:
                report = None
            if isinstance(report, Refused | Lost) and report.connection == link.connection:
                unsupported = isinstance(report, Refused) and report.unsupported
                silent = isinstance(report, Lost) and report.silent
                if spoken == "3.1.1" or not (unsupported or silent):
                    raise NoBrokerError(f"the broker cannot be asked: {report.reason}")
                spoken = "3.1.1"
                link.open("3.1.1", None, f"-replace-{secrets.token_hex(4)}")
            elif report is not None:
                scout.handle(report, now_s)
            if scout.done(time.monotonic()):
                return scout.sighting
        raise NoBrokerError("the broker cannot be asked: it does not answer")
    finally:
        link.drop()
