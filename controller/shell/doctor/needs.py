"""What the table needs of a broker: a line for each need, how it is tried, and what it costs where it is not
given. ``doctor --broker`` and the page on brokers are drawn from them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator

import msgspec

from controller.outbox.broker import BrokerSettings
from controller.outbox.topics import topics_of
from controller.settings.model import Configuration
from controller.shell.doctor import trials
from controller.shell.doctor.conversation import Missing, Peer
from controller.shell.doctor.findings import Diagnosis, Grade
from controller.shell.doctor.outside import check_login
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

    def examined(self, ground: Ground) -> Diagnosis:
        """What comes of trying it."""
        try:
            return Diagnosis(self.name, "ok", self.tried(ground))
        except Missing as missing:
            return Diagnosis(self.name, self.grade, str(missing), self.costs)


OWN_TOPICS = Need(
    "own topics",
    "the right to `doctor/#`, where all the rest is tried",
    "fault",
    "nothing more can be tried. If it is a right that is missing: the broker's ACL must let the table's"
    " user write and read `doctor/#` (config/broker)",
    trials.own_topics,
)
NEEDS = (
    Need(
        "protocol",
        "MQTT 5",
        "warning",
        "MQTT 3.1.1 does not tell that a message was refused: no alert `publish-denied`, and without"
        " `mqtt.consumers` what the broker throws away is lost unnoticed; name consumers",
        trials.protocol,
    ),
    Need(
        "admission",
        "a connection with a will that is retained, QoS 1",
        "fault",
        "the table never connects: it plays, and nobody hears it; allow retained messages and QoS 1",
        trials.admission,
    ),
    OWN_TOPICS,
    Need(
        "rights",
        "to listen to acknowledgements, commands and what the table said last",
        "fault",
        "what consumers acknowledge is sent to them again for ever, commands go unanswered, or another unit"
        " that is this table is not seen; give the table's user these rights (config/broker)",
        trials.rights,
    ),
    Need(
        "order",
        "QoS 1, every message, in the order in which it was sent",
        "fault",
        "consumers wait at each gap until the table sends again what is missing; boards and settlement lag"
        " behind, and may never catch up. Use another broker",
        trials.order,
    ),
    Need(
        "stream's message",
        "messages of 16 KiB: the stream, `result`, `display`",
        "fault",
        "such a message reaches nobody, and no message behind it does: the stream ends there; raise the"
        " broker's limit to 65536 bytes",
        trials.message_of(STREAM_BYTES),
    ),
    Need(
        "largest message",
        "messages of 64 KiB: the answer to `snapshot`",
        "warning",
        "a large answer to `snapshot` is not given, and may end the table's connection each time it is"
        " asked for; raise the broker's limit to 65536 bytes",
        trials.message_of(LARGEST_BYTES),
    ),
    Need(
        "retained",
        "retained messages of a topic, until they are deleted",
        "fault",
        "a unit that starts cannot see that another one is this table; `replace` finds neither the round"
        " nor the consumers; boards are empty until the table next speaks; alerts that were cleared may"
        " stay. Use another broker",
        trials.retained,
    ),
    Need(
        "retained wildcard",
        "retained messages to who asks with a wildcard",
        "warning",
        "a board of many tables shows a table when it next says something, asks for the rest by name then,"
        " and hears of an alert when it is next raised; `replace` cannot see consumers that it was not told"
        " of: name all of them in `mqtt.consumers`",
        trials.wildcard,
    ),
    Need(
        "will",
        "the will, as soon as a connection is cut off",
        "warning",
        "a table whose unit has lost its power stays `online` on every board, and `replace` has to ask"
        " whether it lives; watch the units themselves (config/prometheus)",
        trials.will,
    ),
    Need(
        "session",
        "sessions that outlive a connection",
        "warning",
        "nothing is lost, and no program of ours asks for one. A consumer of yours that does gets what it"
        " missed from the table, after `mqtt.ack_timeout_s` or when it acknowledges again",
        trials.session,
    ),
    Need(
        "dots",
        "a dot in a level of a topic stays a dot",
        "warning",
        "nothing at this table: no site, table, consumer or command may have a dot in its name. Keep to"
        " that in topics of your own",
        trials.dots,
    ),
    Need(
        "latency",
        f"a message and its way back within {trials.SLOW_MS:.0f} ms",
        "warning",
        "every card is so much later on boards and in settlement, and with `round.await_book` the shoe"
        " stays locked for longer; look at network and load of the broker",
        trials.latency,
    ),
)
BETWEEN = (
    Need(
        "same stream",
        "of several brokers: what is said at one is heard at all",
        "fault",
        "a consumer at another broker than the table's hears nothing: `mqtt.hosts` must name nodes of one"
        " cluster",
        trials.same_stream,
    ),
    Need(
        "same retained",
        "of several brokers: what is retained at one is given by all",
        "warning",
        "as `retained wildcard`, for boards and units at another node than the one where the table spoke"
        " last, and for exact topics, too; a table says all of it again when it connects to a node",
        trials.same_retained,
    ),
)
"""Tried at each broker of ``mqtt.hosts`` but the first."""


def check_needs(configuration: Configuration, broker: BrokerSettings) -> Iterator[Diagnosis]:
    """Each broker that is tried in turn: does it give what the table needs? On topics of the doctor's own and
    under names of its own, so that a table at work is not disturbed. Findings come as they are made.
    """
    table = configuration.table
    topics = topics_of(table.site, table.id, table.mode)
    heard = (*topics.listened_to(configuration.mqtt.consumers), topics.display, topics.result)
    run = secrets.token_hex(4)
    first: Peer | None = None
    for one in broker.each:
        answer = yield from check_login(configuration, one)
        if answer is None:
            continue
        peer = Peer(one, answer.protocol)
        ground = Ground(peer, f"{topics.doctor}/{run}", heard, first)
        needs = NEEDS if first is None else (*NEEDS, *BETWEEN)
        for need in needs:
            finding = need.examined(ground)
            yield finding
            if need is OWN_TOPICS and finding.grade == "fault":
                break
        else:
            first = first or peer
