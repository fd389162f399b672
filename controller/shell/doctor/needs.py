"""What the table needs of a broker: a line for each need, how it is tried, and what it costs where it is not
given. ``doctor --broker`` and the page on brokers are drawn from them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack

import msgspec

from controller.outbox.broker import BrokerSettings
from controller.outbox.topics import topics_of
from controller.settings.model import Configuration
from controller.shell.doctor import trials
from controller.shell.doctor.conversation import Client, Missing, Unreachable, admitted
from controller.shell.doctor.findings import Diagnosis, Grade
from controller.shell.doctor.outside import AGAIN, STOPPED, check_login
from controller.shell.doctor.trials import Ground

STREAM_BYTES = 16 << 10
"""Every message of the stream is smaller."""
LARGEST_BYTES = 64 << 10
"""Every message of ours is smaller."""


class Need(msgspec.Struct, frozen=True):
    """One thing that the table needs."""

    name: str
    what: str
    """For people: what is needed."""
    grade: Grade
    """What it is called where it is missing."""
    costs: str
    """What is worse then at this table, and what can be done about it."""
    tried: Callable[[Ground], str]

    def examined(self, ground: Ground, watch: Client | None = None) -> Diagnosis:
        """What comes of trying it. Unreachable where the broker was gone meanwhile, which ``watch`` shows, or
        lets nobody in any more: nobody knows then what it gives."""
        where = ground.broker.where
        try:
            return Diagnosis(self.name, "ok", self.tried(ground), host=where)
        except Missing as missing:
            if watch is not None:
                watch.answers(ground.topic("try"))
            for broker in filter(None, (ground.broker, ground.first)):
                with admitted(broker):
                    pass
            return Diagnosis(self.name, self.grade, str(missing), self.costs, where)


NAMES = Need(
    "names",
    "connections of one user that are told apart by their names (client ids)",
    "fault",
    "each program that logs in as the table ends the table's own connection: `doctor` (this one, too) and"
    " `replace` interrupt it for a moment, and two consumers of one user put each other off for ever. Nothing"
    " more can be tried here. Take `use_username_as_clientid`, or its like, out of the broker's"
    " configuration",
    trials.names,
)
OWN_TOPICS = Need(
    "own topics",
    "the right to publish and to subscribe below `doctor/`, where all the rest is tried",
    "fault",
    "nothing more can be tried here. If the right is missing, let the table's user write and read `doctor/#`"
    " in the broker's ACL (config/broker)",
    trials.own_topics,
)
NEEDS = (
    Need(
        "protocol",
        "MQTT 5",
        "warning",
        "with MQTT 3.1.1 the broker does not say what it refuses: there is no alert `publish-denied`, and"
        " without `mqtt.consumers` a message that it throws away is lost unnoticed. Name the consumers",
        trials.protocol,
    ),
    Need(
        "admission",
        "a connection with a will that is retained, QoS 1",
        "fault",
        "the table cannot connect: it deals, and nobody hears of it. Allow retained messages and QoS 1",
        trials.admission,
    ),
    NAMES,
    OWN_TOPICS,
    Need(
        "rights",
        "the right to listen to acknowledgements, commands and what the table said last",
        "fault",
        "acknowledgements are not heard, so messages are repeated for ever; commands get no answer; another"
        " unit that is this table is not noticed. Give the table's user these rights (config/broker)",
        trials.rights,
    ),
    Need(
        "order",
        "QoS 1: every message, in the order in which it was sent",
        "fault",
        "consumers wait at each gap until the table repeats what is missing: boards and settlement lag"
        " behind, and may never catch up. Use another broker",
        trials.order,
    ),
    Need(
        "stream's message",
        "messages of 16 KiB: the stream, `result`, `display`",
        "fault",
        "a message of that size reaches nobody, and those behind it wait for it: the stream ends there. Raise"
        " the broker's limit to 65536 bytes",
        trials.message_of(STREAM_BYTES),
    ),
    Need(
        "largest message",
        "messages of 64 KiB: the answer to `snapshot`",
        "warning",
        "a large answer to `snapshot` does not arrive, and may cost the table its connection each time it is"
        " asked for. Raise the broker's limit to 65536 bytes",
        trials.message_of(LARGEST_BYTES),
    ),
    Need(
        "retained",
        "retained messages to who subscribes to their topic, until they are deleted",
        "fault",
        "a unit that starts cannot see that another one is this table; `replace` finds neither the round nor"
        " the consumers; boards are empty until the table next speaks; cleared alerts may stay. Use another"
        " broker",
        trials.retained,
    ),
    Need(
        "retained wildcard",
        "retained messages to who subscribes with a wildcard, too",
        "warning",
        "a board of many tables shows a table when it next says something, and an alert when it is next"
        " raised; `replace` cannot see consumers that it was not told of: name all of them in"
        " `mqtt.consumers`",
        trials.wildcard,
    ),
    Need(
        "will",
        "the will, as soon as a connection is cut off",
        "warning",
        "a table whose unit has lost its power stays `online` on every board, and `replace` has to ask"
        " whether it lives. Watch the units themselves (config/prometheus)",
        trials.will,
    ),
    Need(
        "session",
        "sessions that outlive a connection",
        "warning",
        "nothing is lost, and no program of ours asks for one. A consumer of yours that does gets what it"
        " missed from the table, after `mqtt.ack_timeout_s` or when it next acknowledges",
        trials.session,
    ),
    Need(
        "dots",
        "a dot in a level of a topic stays a dot",
        "warning",
        "nothing at this table: no site, table, consumer or command has a dot in its name. Keep to that in"
        " topics of your own",
        trials.dots,
    ),
    Need(
        "latency",
        f"a message and its way back within {trials.SLOW_MS:.0f} ms",
        "warning",
        "every card is that much later on boards and in settlement, and with `round.await_book` the shoe"
        " stays locked for longer. Look at the network and at the broker's load",
        trials.latency,
    ),
)
BETWEEN = (
    Need(
        "same stream",
        "of several brokers: what is published at one is heard at all",
        "fault",
        "a consumer at another broker than the table's hears nothing. Name only nodes of one cluster in"
        " `mqtt.hosts`",
        trials.same_stream,
    ),
    Need(
        "same retained",
        "of several brokers: what is retained at one is given by all",
        "warning",
        "as `retained wildcard`, and for exact topics, too, at another node than the one where the table"
        " spoke last. A unit that starts asks all nodes whether another one is this table, and `replace` what"
        " they keep of it; a table says all of it again when it connects to a node",
        trials.same_retained,
    ),
)
"""Tried at each broker of ``mqtt.hosts`` but the first."""


def check_needs(configuration: Configuration, broker: BrokerSettings) -> Iterator[Diagnosis]:
    """Each broker that is tried in turn: does it give what the table needs? On topics of the doctor's own and
    under names of its own, so that a table at work is not disturbed. Findings come as they are made; one that
    stops answering ends its broker.
    """
    table = configuration.table
    topics = topics_of(table.site, table.id, table.mode)
    heard = (*topics.listened_to(configuration.mqtt.consumers), topics.display, topics.result)
    run = secrets.token_hex(4)
    first: BrokerSettings | None = None
    for one in broker.each:
        answer = yield from check_login(configuration, one)
        if answer is None:
            continue
        here = msgspec.structs.replace(one, protocol=answer.protocol)
        try:
            if (yield from _tried(Ground(here, f"{topics.doctor}/{run}", heard, first))):
                first = first or here
        except Unreachable as gone:
            seen = f"{one.where}: {STOPPED} in the middle of the trials: {gone}"
            yield Diagnosis("broker", "fault", seen, AGAIN, one.where)


def _tried(ground: Ground) -> Generator[Diagnosis, None, bool]:
    """One broker; whether all could be tried."""
    with ExitStack() as held:
        watch: Client | None = None
        for need in NEEDS if ground.first is None else (*NEEDS, *BETWEEN):
            finding = need.examined(ground, watch)
            yield finding
            if need in (NAMES, OWN_TOPICS) and finding.grade == "fault":
                return False
            if need is NAMES:
                watch = held.enter_context(admitted(ground.broker))
    return True
