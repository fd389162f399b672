"""Who may do what at the broker: mosquitto's ACL of a floor, and whether it lets consumers do their work."""

from __future__ import annotations

from pathlib import Path

import msgspec
from paho.mqtt.client import topic_matches_sub

from controller.inventory.settings import RightsKeys
from controller.outbox.topics import topics_of
from controller.vocabulary.configuration import TableSettings
from controller.vocabulary.errors import ConfigurationError, why

OF_A_TABLE = "SITE/TABLE"
"""Stands in the lines of one table for its site and number."""


class Rights(msgspec.Struct, frozen=True):
    """The two files as they are."""

    roles: str
    table: str
    granted: dict[str, tuple[tuple[str, str], ...]]
    """Role -> kind (``read``, ``write``, ``readwrite``, ``deny``) and filter of each of its lines."""

    @classmethod
    def read(cls, keys: RightsKeys) -> Rights:
        """:class:`ConfigurationError` where a file cannot be read or is not what it must be."""
        roles, table = _text(keys.acl, "rights.acl"), _text(keys.table, "rights.table")
        if f"user {OF_A_TABLE}" not in table.splitlines():
            raise ConfigurationError(
                f"rights.table: {keys.table}: no line `user {OF_A_TABLE}`; needed is the shipped acl.table"
            )
        return cls(roles, table, _granted(roles))

    def missing(self, table: TableSettings, consumer: str) -> list[str]:
        """What a consumer of a table must be allowed and is not: as ``write acks/settlement``."""
        topics = topics_of(table.site, table.id, table.mode)
        needed = (
            ("read", topics.events),
            ("read", topics.repeats(consumer)),
            ("write", topics.ack(consumer)),
            ("write", topics.command("resend")),
        )
        return [
            f"{kind} {topic.removeprefix(f'{topics.base}/')}"
            for kind, topic in needed
            if not self._may(consumer, kind, topic)
        ]

    def _may(self, user: str, kind: str, topic: str) -> bool:
        lines = [given for given, granted in self.granted.get(user, ()) if topic_matches_sub(granted, topic)]
        return "deny" not in lines and any(given in (kind, "readwrite") for given in lines)

    def text(self, site: str, tables: list[str]) -> str:
        """The ACL of the floor: the roles, then the lines of each table."""
        lines = [line for line in self.table.splitlines() if not line.startswith("#")]
        each = "\n".join(lines).strip("\n")
        parts = [self.roles.rstrip("\n"), *(each.replace(OF_A_TABLE, f"{site}/{table}") for table in tables)]
        return "\n\n".join(parts) + "\n"


def _granted(text: str) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, list[tuple[str, str]]] = {}
    user = ""
    for line in text.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "user":
            user = rest.strip()
        elif word == "topic":
            kind, _, topic = rest.strip().partition(" ")
            # Without a kind a line grants both.
            found.setdefault(user, []).append((kind, topic) if topic else ("readwrite", kind))
    return {name: tuple(lines) for name, lines in found.items()}


def _text(path: str, key: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{key}: {path}: cannot be read: {why(error)}") from error
