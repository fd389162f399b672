"""What tables say: rounds of baccarat as a table dealt them, said again by a thousand others with their own
names, chains and signatures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

from controller.outbox.envelope import StreamHead, envelope, message_hash, name_of, read_envelope
from controller.outbox.signature import Signer
from controller.outbox.topics import topics_of
from controller.shell.announcer import retained_payloads
from tests.bench.core import played

ROUNDS = 20
"""So many different ones; then they come again."""
SITE = "north"
_NAMED = b"north-7-1700000000000-"


class Entry(NamedTuple):
    """One message of a stream, as the outbox reads it."""

    sequence: int
    body: bytes
    hash: str
    seal: bytes | None


class _Said(NamedTuple):
    name: str
    subject: bytes | None
    data: bytes
    display: bytes
    """What is retained after it, on the topic ``display``."""


@cache
def said() -> tuple[_Said, ...]:
    """All messages of these rounds in order."""
    found = []
    for happened in played("baccarat", ROUNDS):
        state = happened.handled.table.state
        retained = {} if state is None else retained_payloads(state)
        display = next((payload for topic, payload in retained.items() if topic.endswith("/display")), b"{}")
        for body in happened.handled.messages:
            read = read_envelope(body)
            subject = None if read.subject is None else read.subject.encode()
            found.append(_Said(name_of(read.type_) or "", subject, bytes(read.data), display))
    return tuple(found)


def messages_per_round() -> float:
    """On average."""
    return len(said()) / ROUNDS


def signer_of(table: str) -> Signer:
    """The key of a simulated table."""
    return Signer(hashlib.sha256(table.encode()).digest())


class Saying:
    """What one table says, message by message."""

    def __init__(self, table: str, epoch: int) -> None:
        self.table = table
        self.topics = topics_of(SITE, table)
        self.signer = signer_of(table)
        self.head = StreamHead(epoch, 1, "0" * 64)
        self.display = b""

    def next(self, time: str) -> Entry:
        """The next one. ``time``: UTC, RFC 3339."""
        lap, number = divmod(self.head.sequence - 1, len(said()))
        one = said()[number]
        named = b"%s-%s-%d-%d" % (SITE.encode(), self.table.encode(), self.head.epoch, lap)
        data: Any = msgspec.Raw(one.data.replace(_NAMED, named))
        body = envelope(
            self.head,
            source=self.topics.source,
            mode="live",
            name=one.name,
            subject=None if one.subject is None else one.subject.replace(_NAMED, named).decode(),
            time=time,
            data=data,
        )
        self.display = one.display.replace(_NAMED, named)
        hash_ = message_hash(body)
        entry = Entry(self.head.sequence, body, hash_, self.signer.seal(bytes.fromhex(hash_)))
        self.head = StreamHead(self.head.epoch, self.head.sequence + 1, hash_)
        return entry


def table_names(count: int) -> Iterator[str]:
    """``t0001`` and so on."""
    return (f"t{number:04}" for number in range(1, count + 1))
