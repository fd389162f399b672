"""Keys for tables of a test, and what others make of a signed message."""

from __future__ import annotations

import re

from controller.outbox.envelope import message_hash, signed
from controller.outbox.signature import Signer

SIGNER = Signer(bytes(range(32)))
_SIGNED = re.compile(rb',"keyid":"[0-9a-f]{16}","signature":"[A-Za-z0-9_-]{86}"}\Z')


def by(signer: Signer, body: bytes) -> bytes:
    """The canonical message as the owner of this key sends it."""
    return signed(body, signer.seal(bytes.fromhex(message_hash(body))))


def as_hashed(payload: bytes) -> bytes:
    """A message without who signed it and without the mark of a late one: by the contract alone, for who does
    not ask the program."""
    return _SIGNED.sub(b"}", payload).replace(b'"historical":true,', b"", 1)
