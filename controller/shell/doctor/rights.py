"""What each role may do at the broker, tried on topics where it harms nobody: the table's own, and while no
table runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.outbox.broker import BrokerSettings
from controller.outbox.reports import Connected, ConnectionLost, Puback
from controller.outbox.topics import topics_of
from controller.settings.model import LOOPBACK, Configuration
from controller.shell.doctor.conversation import Unreachable, admitted
from controller.shell.doctor.findings import Diagnosis, judged
from controller.shell.doctor.outside import AGAIN, STOPPED, calling, first_of, named
from controller.vocabulary.errors import ConfigurationError

MEND = "fix the broker's users and its ACL: config/broker"


class Role(NamedTuple):
    """Another user of the broker, with the file of the password."""

    name: str
    user: str
    password_file: Path


def check_roles(
    configuration: Configuration, broker: BrokerSettings, roles: list[Role]
) -> Iterator[Diagnosis]:
    """Nobody gets in without a name; the table cannot acknowledge for a consumer; no other role writes for
    the table. A broker that stops answering ends it: who may do what is not known then.
    """
    try:
        yield from _tried(configuration, broker, roles)
    except Unreachable as gone:
        yield Diagnosis("broker", "fault", f"{STOPPED} in the middle of the trials: {gone}", AGAIN)


def _tried(configuration: Configuration, broker: BrokerSettings, roles: list[Role]) -> Iterator[Diagnosis]:
    table = configuration.table
    topics = topics_of(table.site, table.id, table.mode)
    known = broker.username is not None or broker.cert_file is not None
    if not known and all(one.host in LOOPBACK for one in broker.each):
        seen = "the broker asks for no name and is reached on this machine only"
        yield Diagnosis("broker: nobody", "ok", seen)
        return
    tried = partial(_tried_role, broker)
    nobody = msgspec.structs.replace(broker, username=None, password_file=None)
    yield tried("nobody", nobody, topics.doctor, "publish without a name")
    if broker.username is not None:
        wrong = msgspec.structs.replace(broker, password_file=None)
        yield tried("wrong password", wrong, topics.doctor, "publish with a wrong password")
    for consumer in configuration.mqtt.consumers:
        yield tried("controller", broker, topics.ack(consumer), f"acknowledge for {consumer}")
    for role in roles:
        settings = msgspec.structs.replace(broker, username=role.user, password_file=role.password_file)
        yield tried(role.name, settings, topics.doctor, f"write {topics.doctor}")
        if role.name in configuration.mqtt.consumers:
            own = topics.ack(role.name)
            yield tried(role.name, settings, own, "acknowledge its own messages", right=True)


def _tried_role(
    table: BrokerSettings, role: str, broker: BrokerSettings, topic: str, what: str, right: bool = False
) -> Diagnosis:
    """Whether the role may publish there, as it must (``right``) or must not; ``table``: as which we get in.
    Unreachable where the broker is gone."""
    allowed = may_publish(broker, topic)
    if not allowed:
        with admitted(table):
            pass  # it was no broker that is gone, or only hung up on who may not
    seen = f"may {what}" if allowed else f"may not {what}"
    if allowed is None and right:
        seen = "the broker does not let it in"
    return judged(f"broker: {role}", bool(allowed) == right, seen, MEND)


def may_publish(settings: BrokerSettings, topic: str) -> bool | None:
    """Whether the broker takes an empty message, not retained, on the topic; None if it lets us not in."""
    try:
        with calling(settings, named("try")) as (session, reports, answer):
            if not isinstance(answer, Connected):
                return None
            session.publish(topic, b"")
            answer = first_of(reports, (Puback, ConnectionLost))
            return isinstance(answer, Puback) and answer.denied is None
    except ConfigurationError:
        return None
