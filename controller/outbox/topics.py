"""All topics of a table, in one place (the contract, "Messages")."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal

import msgspec

from controller.vocabulary.errors import ConfigurationError

ROOT = "dealer-table/v1"
_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._~-]{0,63}")
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
NAMES = "1 to 40 letters, digits and _ - (a dot is a level to some brokers)"


def is_segment(name: str) -> bool:
    """Whether a name may stand between two slashes: letters, digits and ``._~-``, up to 64 of them."""
    return _SEGMENT.fullmatch(name) is not None


def is_name(name: str) -> bool:
    """Whether every broker takes a name for one level of a topic, and as it is written: see ``NAMES``."""
    return _NAME.fullmatch(name) is not None


def check_name(key: str, name: str) -> str:
    """The name, or ConfigurationError with the key path ``key``."""
    if not is_name(name):
        raise ConfigurationError(f"{key}: {name!r} cannot stand in an MQTT topic; use {NAMES}")
    return name


def check_segment(key: str, name: str) -> str:
    """The name, or ConfigurationError with the key path ``key`` where it cannot be part of a topic. For what
    records hold; what is configured now is a name (``check_name``)."""
    if not is_segment(name):
        raise ConfigurationError(
            f"{key}: {name!r} cannot stand in an MQTT topic; use up to 64 letters, digits, dots, dashes and"
            " underscores, not beginning with a dot"
        )
    return name


class Topics(msgspec.Struct, frozen=True):
    """The topics of one table; make one with ``topics_of``."""

    base: str
    """``dealer-table/v1/<site>/<table>``, with ``/test`` behind it in test mode."""
    source: str
    """Who speaks, in the envelope: ``/dealer-table/<site>/<table>``."""
    status: str
    """Retained, and the will."""
    events: str
    """The stream."""
    result: str
    """Retained: the last result or void."""
    display: str
    """Retained: all that a display needs."""
    chat: str
    """Retained, written by who serves the seats: what was said last at the table."""
    doctor: str
    """Not retained: a controller's message to itself, to see whether it gets through."""

    def alert(self, alert_id: str) -> str:
        """Retained: what needs a person; deleted when cleared."""
        return f"{self.base}/alerts/{alert_id}"

    def ack(self, consumer: str) -> str:
        """Retained, written by the consumer."""
        return f"{self.base}/acks/{consumer}"

    def repeats(self, consumer: str) -> str:
        """Not retained: what goes out again for one consumer that listens there."""
        return f"{self.base}/repeats/{consumer}"

    def command(self, name: str) -> str:
        """Not retained, to the table."""
        return f"{self.base}/commands/{name}"

    def reply(self, request_id: str) -> str:
        """Not retained, to who asked."""
        return f"{self.base}/replies/{request_id}"

    def listened_to(self, consumers: Iterable[str]) -> tuple[str, ...]:
        """What the table subscribes to. Some brokers give what is retained for exact topics only: so its
        consumers are named, too."""
        own = (self.ack(name) for name in consumers)
        return (self.status, self.ack("+"), *own, self.alert("+"), self.command("+"))

    def last_part(self, kind: Literal["alerts", "acks", "commands", "replies"], topic: str) -> str | None:
        """What follows ``kind/`` in a topic of this table; None for any other topic."""
        head = f"{self.base}/{kind}/"
        return topic.removeprefix(head) if topic.startswith(head) else None


@lru_cache(maxsize=8)
def topics_of(site: str, table: str, mode: Literal["live", "test"] = "live") -> Topics:
    """The topics of a table. ConfigurationError where a name cannot be part of a topic."""
    check_segment("table.site", site)
    check_segment("table.id", table)
    base = f"{ROOT}/{site}/{table}" + ("" if mode == "live" else "/test")
    own = ("status", "events", "result", "display", "chat", "doctor")
    return Topics(base, f"/dealer-table/{site}/{table}", *(f"{base}/{name}" for name in own))


def client_id(site: str, table: str, mode: Literal["live", "test"], role: str = "controller") -> str:
    """The stable client identifier of a part of this table: a second unit with the same one is noticed.

    Joined by what no name has in it: two tables with one identifier would put each other off for ever.
    """
    return ".".join(("dealer-table", role, site, table, *(["test"] if mode == "test" else [])))
