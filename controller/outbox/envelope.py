"""The envelope of the stream: CloudEvents 1.0, structured JSON, chained by ``prevhash``.

The canonical form of a message is JSON without spaces, the members of every object sorted by name, UTF-8,
without the members ``historical``, ``keyid`` and ``signature``. That is what the journal keeps and what is
hashed and signed. ``historical: true`` is put in when a message is sent late, between ``epoch`` and ``id``
where the order has it; ``keyid`` and ``signature`` stand last. All are left out again for the hash by cutting
bytes: nobody has to write JSON the way we do in order to check the chain.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import hashlib
import re
from base64 import urlsafe_b64encode
from typing import Any, NamedTuple

import msgspec

from controller.vocabulary.errors import NOT_JSON, InputError, why

SPEC_VERSION = "1.0"
CONTENT_TYPE = "application/json"
ZERO_HASH = "0" * 64
"""``prevhash`` of the first message of an epoch."""

_HISTORICAL = b'"historical":true,'
_BEFORE_ID = b'"id":"'
KEYID_BYTES = 8
_SIGNED = re.compile(rb',"keyid":"([0-9a-f]{16})","signature":"([A-Za-z0-9_-]{86})"}')
_SIGNED_BYTES = 129
"""How long that is."""


class StreamHead(msgspec.Struct, frozen=True):
    """Where the next message goes: its own sequence, and the hash of the message before it."""

    epoch: int
    sequence: int
    prevhash: str

    def after(self, body: bytes) -> "StreamHead":
        """The head after ``body``, the canonical message that was written here."""
        return StreamHead(self.epoch, self.sequence + 1, message_hash(body))


def first_head(epoch: int) -> StreamHead:
    """The place of the first message of an epoch."""
    return StreamHead(epoch, 1, ZERO_HASH)


def message_id(epoch: int, sequence: int) -> str:
    """``<epoch>-<sequence>``."""
    return f"{epoch}-{sequence}"


def message_type(name: str) -> str:
    """``dealertable.<name>.v1``; ``name`` as in the contract: ``round.card``."""
    return f"dealertable.{name}.v1"


def name_of(type_: str) -> str | None:
    """``round.card`` out of ``dealertable.round.card.v1``, None where it is no type of ours."""
    if type_.startswith("dealertable.") and type_.endswith(".v1"):
        return type_[len("dealertable.") : -len(".v1")]
    return None


def canonical_json(value: object) -> bytes:
    """JSON without spaces, members sorted by name."""
    return msgspec.json.encode(value, order="sorted")


def envelope(
    head: StreamHead, *, source: str, mode: str, name: str, subject: str | None, time: str, data: Any
) -> bytes:
    """The canonical message at ``head``.

    ``name`` as in the contract, ``subject`` the round id or None, ``time`` UTC in RFC 3339, ``data``
    anything that msgspec writes as JSON.
    """
    members = {
        "data": data,
        "datacontenttype": CONTENT_TYPE,
        "epoch": head.epoch,
        "id": message_id(head.epoch, head.sequence),
        "mode": mode,
        "prevhash": head.prevhash,
        "sequence": head.sequence,
        "source": source,
        "specversion": SPEC_VERSION,
        "time": time,
        "type": message_type(name),
    }
    if subject is not None:
        members["subject"] = subject
    return canonical_json(members)


def message_hash(body: bytes) -> str:
    """SHA-256 of a canonical message, hex: ``prevhash`` of the next one."""
    return hashlib.sha256(body).hexdigest()


def sent_late(body: bytes) -> bytes:
    """The canonical message with ``historical: true``."""
    place = body.rfind(_BEFORE_ID)
    return body[:place] + _HISTORICAL + body[place:]


class Signature(NamedTuple):
    """Who signed a message, as it says."""

    keyid: str
    signature: str
    """86 characters of base64url."""


def signed(body: bytes, seal: bytes) -> bytes:
    """The message with who signed it; ``seal``: as ``signature.Signer.seal`` makes it."""
    keyid, signature = opened(seal)
    return b'%s,"keyid":"%s","signature":"%s"}' % (body[:-1], keyid.encode(), signature.encode())


def opened(seal: bytes) -> Signature:
    """A seal as a message says it."""
    return Signature(seal[:KEYID_BYTES].hex(), urlsafe_b64encode(seal[KEYID_BYTES:]).rstrip(b"=").decode())


def signature_of(body: bytes) -> Signature | None:
    """Who signed the message, None where nobody did; ``signature.verify`` says whether that is true."""
    said = _SIGNED.fullmatch(body, max(0, len(body) - _SIGNED_BYTES))
    return None if said is None else Signature(said[1].decode(), said[2].decode())


def canonical(body: bytes) -> bytes:
    """The message without who signed it and without ``historical: true``, as it is hashed."""
    return on_time(body if signature_of(body) is None else body[:-_SIGNED_BYTES] + b"}")


def on_time(body: bytes) -> bytes:
    """The message without ``historical: true``.

    All members behind ``historical`` are plain texts and numbers, and a quotation mark inside a text is
    escaped, so the last place where these bytes occur is the member itself or inside ``data``, which precedes
    ``id``.
    """
    place = body.rfind(_HISTORICAL + _BEFORE_ID)
    if place < 0 or body.rfind(_BEFORE_ID) != place + len(_HISTORICAL):
        return body
    return body[:place] + body[place + len(_HISTORICAL) :]


class Envelope(msgspec.Struct, frozen=True, rename={"type_": "type"}):
    """A message of the stream as a consumer reads it; unknown members are passed over."""

    specversion: str
    id: str
    source: str
    type_: str
    time: str
    epoch: int
    sequence: int
    prevhash: str
    mode: str
    data: msgspec.Raw
    subject: str | None = None
    historical: bool = False


_ENVELOPE = msgspec.json.Decoder(Envelope)


def read_envelope(body: bytes) -> Envelope:
    """The parts of a message. Raises InputError where it is none."""
    try:
        return _ENVELOPE.decode(body)
    except NOT_JSON as error:
        raise InputError(f"this is no message of a dealer table: {why(error)}") from error
