"""Lines and events: one flat JSON object holds an event and its stamp.

Reading is strict about what the core needs (names, types, ranges) and lenient about what it does not know:
a field of a later version is kept in the journal's bytes and ignored here.
"""

from __future__ import annotations

import hashlib
import re

import msgspec

from controller.vocabulary.errors import NOT_JSON, InputError, why
from controller.vocabulary.events import AnyEvent, Event, Stamp

_events: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_stamps = msgspec.json.Decoder(Stamp)
_AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)\Z")


def canonical(value: object) -> bytes:
    """The one JSON form that digests and chains are computed over: sorted keys, no spaces, UTF-8."""
    return msgspec.json.encode(value, order="sorted")


def digest(value: object) -> str:
    """SHA-256 of the canonical form, hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def decode_event(line: bytes) -> tuple[AnyEvent, Stamp]:
    """An event and its stamp from one line; :class:`InputError` names the field that is wrong."""
    try:
        event, stamp = _events.decode(line), _stamps.decode(line)
    except msgspec.ValidationError as error:
        raise InputError(f"not an event: {why(error)}", "bad_event") from error
    except NOT_JSON as error:
        raise InputError(f"not a JSON object: {why(error)}", "bad_json") from error
    if not _AT.match(stamp.at):
        raise InputError(
            f"not an event: `at` is {stamp.at!r}, expected UTC as 2026-01-31T20:15:00Z", "bad_event"
        )
    return event, stamp


def encode_event(event: Event, stamp: Stamp) -> bytes:
    """One canonical line of an event and its stamp, without the line end."""
    flat: dict[str, object] = msgspec.to_builtins(stamp)
    flat.update(msgspec.to_builtins(event))
    return canonical(flat)
