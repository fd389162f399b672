"""Every published message held against its schema; quick enough for each end-to-end test."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec

from controller.journal.reader import SqliteReader
from controller.schema.documents import document
from tests.scenarios.conversation import name_of


@cache
def message_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    """Of a message of the stream, its envelope included."""
    return jsonschema_rs.Draft202012Validator(plain(closed(document(f"message/{name}"))))


@cache
def retained_validator(topic: str) -> jsonschema_rs.Draft202012Validator:
    """Of a retained topic: ``display``, ``result``, ``status``, ``alerts``."""
    return jsonschema_rs.Draft202012Validator(plain(closed(document(f"retained/{topic}"))))


def closed(schema: Any) -> Any:
    """The same with nothing beside what is described: a member that the code adds must be described."""
    if isinstance(schema, dict):
        inner = {key: closed(value) for key, value in schema.items()}
        if "properties" in inner and inner.get("type") == "object":
            inner.setdefault("additionalProperties", False)
        return inner
    return [closed(value) for value in schema] if isinstance(schema, list) else schema


def plain(schema: Any) -> Any:
    """Nothing but what JSON has."""
    return msgspec.json.decode(msgspec.json.encode(schema))


def check(topic: str, payload: dict[str, Any]) -> str:
    """Hold a payload against the schema of its topic (``events``, ``display``, ``alerts/..``); its name.

    ValidationError says where it differs. An empty alert is one that was deleted.
    """
    part = topic.split("/")[0]
    if part == "events":
        message_validator(name_of(payload)).validate(payload)
        return name_of(payload)
    if payload or part != "alerts":
        retained_validator(part).validate(payload)
    return part


def check_journal(path: Path) -> int:
    """Every message that a journal holds; how many."""
    with SqliteReader.open(path) as reader:
        return check_bodies([message.body for message in reader.messages(0, 1_000_000)])


def check_bodies(bodies: list[bytes]) -> int:
    """Every message of the stream as it was published; how many."""
    for body in bodies:
        check("events", msgspec.json.decode(body))
    return len(bodies)


def check_retained(seen: dict[str, bytes]) -> None:
    """The last payload of each retained topic; one that is empty was deleted."""
    for topic, payload in seen.items():
        if payload and topic.split("/")[0] in ("display", "result", "status", "alerts"):
            check(topic, msgspec.json.decode(payload))
