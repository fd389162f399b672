"""The broker and the devices: do they answer, and to us?"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.certificates import DAY_S, Ending, endings, verdict
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Puback,
    Report,
    Subscribed,
)
from controller.outbox.session import NO_ANSWER, Session
from controller.outbox.topics import topics_of
from controller.settings.model import Configuration
from controller.shell.doctor.findings import Diagnosis, Grade
from controller.vocabulary.errors import ConfigurationError

PATIENCE_S = 5.0
STOPPED = "the broker stopped answering"
AGAIN = "look at the broker and its log, then run this again"


@contextmanager
def calling(
    broker: BrokerSettings, also_named: str, will: Will | None = None, keeps_s: int = 0
) -> Iterator[tuple[Session, Iterator[Report], Report | None]]:
    """A session with the broker under a name that no table has, what comes of it, and the answer to CONNECT.
    ConfigurationError where a file that the settings name cannot be used.
    """
    session = Session(broker)
    answer: Report | None = None
    left = len(broker.each)
    try:
        while left:
            session.open(time.monotonic(), will, also_named, keeps_s)
            answer = None
            while answer is None:  # the session itself gives up
                reports = awaited(session)
                answer = first_of(reports, (Connected, ConnectionRefused, ConnectionLost))
            if isinstance(answer, Connected):
                break
            left -= not session.attempts.again  # in the older version of MQTT
        yield session, reports, answer
    finally:
        session.hang_up()


def awaited(session: Session) -> Iterator[Report]:
    """What is reported until nothing has been for so long."""
    return session.reports(PATIENCE_S)


def named(purpose: str) -> str:
    """A name that no table and no other call has."""
    return f"-{purpose}-{secrets.token_hex(4)}"


def check_broker(configuration: Configuration, broker: BrokerSettings) -> Iterator[Diagnosis]:
    """Each broker that is tried in turn: login, the rights to publish and to subscribe, and a round trip,
    under a name of the doctor's own."""
    table = configuration.table
    trip = partial(round_trip, topic=topics_of(table.site, table.id, table.mode).doctor)
    for one in broker.each:
        yield from check_login(configuration, one, trip)


def check_login(
    configuration: Configuration,
    broker: BrokerSettings,
    also: Callable[[BrokerSettings, Session, Iterator[Report]], Diagnosis] | None = None,
) -> Generator[Diagnosis, None, Connected | None]:
    """One broker: does it answer, does it let us in, and what ``also`` finds then; how it let us in."""
    where = broker.where
    try:
        with calling(broker, named("doctor")) as (session, reports, answer):
            if isinstance(answer, Connected):
                yield Diagnosis("broker", "ok", f"{where}, MQTT {answer.protocol}", host=where)
                yield from check_certificates(configuration, broker, answer.certificate_ends_s)
                if also is not None:
                    yield also(broker, session, reports)
                return answer
    except ConfigurationError as error:
        yield Diagnosis("broker", "fault", error.message, "fix the key that is named", where)
        return None
    key = "mqtt.hosts" if configuration.mqtt.hosts else "mqtt.host and mqtt.port"
    mend = f"start the broker, or fix {key}"
    if isinstance(answer, ConnectionRefused):
        mend = "fix mqtt.username, mqtt.password_file or mqtt.tls, or the broker's users"
    why = reason_of(answer)
    if why == NO_ANSWER and broker.protocol == "5":
        mend = f'{mend}; if it knows only MQTT 3.1.1, write mqtt.protocol = "3.1.1"'
    yield Diagnosis("broker", "fault", why if where in why else f"{where}: {why}", mend, where)
    yield from check_certificates(configuration, broker, None)
    return None


def check_certificates(
    configuration: Configuration, broker: BrokerSettings, shown_s: float | None
) -> Iterator[Diagnosis]:
    """Our certificate, the authority's, and the one that the broker showed: do they end soon?"""
    tls = configuration.mqtt.tls
    if tls is None:
        return
    now_s, found = time.time(), endings(broker)
    if shown_s is not None:
        found.append(Ending("broker", "", shown_s))
    for one in found:
        name, problem = f"certificate {one.which}", verdict(one, now_s, tls.warn_days)
        left_s = 0.0 if one.ends_s is None else one.ends_s - now_s
        if problem is None:
            yield Diagnosis(name, "ok", f"good for {int(left_s // DAY_S)} days", host=broker.where)
        else:
            grade: Grade = "warning" if left_s > 0 else "fault"
            mend = "see the page on the broker with TLS"
            yield Diagnosis(name, grade, problem, mend, broker.where)


def round_trip(
    broker: BrokerSettings, session: Session, reports: Iterator[Report], *, topic: str
) -> Diagnosis:
    """A message to ourselves on a topic that only the controller may use."""
    mark, where = secrets.token_hex(8).encode(), broker.where
    rights = f"the broker's ACL must let the controller publish and read {topic}"
    session.subscribe([topic])
    answer = first_of(reports, (Subscribed, ConnectionLost))
    if not isinstance(answer, Subscribed):
        return Diagnosis("broker round trip", "fault", f"{STOPPED}: {reason_of(answer)}", AGAIN, where)
    if answer.denied:
        why = ", ".join(answer.denied.values())
        return Diagnosis("broker rights", "fault", f"cannot read {topic}: {why}", rights, where)
    began = time.monotonic()
    session.publish(topic, mark)
    answered = False
    while True:
        report = first_of(reports, (Arrived, Puback, ConnectionLost))
        if isinstance(report, Arrived) and report.payload == mark:
            took = (time.monotonic() - began) * 1000
            return Diagnosis("broker round trip", "ok", f"{took:.1f} ms", host=where)
        if report is None and answered:
            seen = f"the broker took a message on {topic}, and did not send it to us"
            return Diagnosis("broker round trip", "fault", seen, rights, where)
        if report is None or isinstance(report, ConnectionLost):
            return Diagnosis("broker round trip", "fault", f"{STOPPED}: {reason_of(report)}", AGAIN, where)
        if isinstance(report, Puback):
            answered = True
            if report.denied is not None:
                return Diagnosis(
                    "broker rights", "fault", f"publishing denied: {report.denied}", rights, where
                )


def reason_of(report: Report | None) -> str:
    """Why there is no connection, in words; None: nothing was said in time."""
    if isinstance(report, ConnectionRefused | ConnectionLost):
        return report.reason
    return f"no answer within {PATIENCE_S:.0f} s"


def first_of(reports: Iterator[Report], kinds: tuple[type[Report], ...]) -> Report | None:
    """The next report of one of these kinds, None if none comes in time."""
    return next((report for report in reports if isinstance(report, kinds)), None)


def check_port(name: str, port: str, probe: Callable[[], list[Diagnosis]]) -> list[Diagnosis]:
    """A serial port: is it there, may we open it; then what the device says."""
    path = Path(port)
    if not os.path.exists(path):  # also where no such path can be
        mend = f"plug the device in; see `ls -l /dev/serial/by-id`, or fix devices.{name}.port"
        return [Diagnosis(name, "fault", f"{port} is not there", mend)]
    if not os.access(path, os.R_OK | os.W_OK):
        mend = "add the user of the service to the group of the port (dialout)"
        return [Diagnosis(name, "fault", f"{port} may not be opened by this user", mend)]
    return probe()
