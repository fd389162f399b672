"""Who said a message: its Ed25519 signature, and the public key that consumers pin.

A table signs the hash of each message (SHA-256 of the canonical form, 32 bytes). Through ``prevhash`` that
covers every message before it too: whoever checks the chain as messages come may check the signature of the
last one only. A key is named by its first 16 hexadecimal digits of SHA-256, and written as 32 bytes in
base64url without padding.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache
from typing import Literal

import msgspec
from nacl.bindings import crypto_sign, crypto_sign_BYTES, crypto_sign_open, crypto_sign_seed_keypair
from nacl.exceptions import BadSignatureError

from controller.outbox.envelope import KEYID_BYTES, canonical, signature_of
from controller.vocabulary.errors import InputError

_KEY = re.compile(r"[A-Za-z0-9_-]{43}")


class Doubt(msgspec.Struct, frozen=True):
    """Why a message is not known to be the table's own."""

    code: Literal["unsigned", "other_key", "forged"]
    message: str
    keyid: str | None = None
    """The key that it names; None where it names none."""


def verify(message: bytes, key: str) -> Doubt | None:
    """Why a message, as it was sent, is not by the owner of this public key; None: it is.

    Takes about 0.1 ms. InputError where ``key`` is no public key.
    """
    public, keyid = _public(key), keyid_of(key)
    said = signature_of(message)
    if said is None:
        return Doubt("unsigned", f"it is not signed; the key of this table is {keyid}")
    if said.keyid != keyid:
        return Doubt(
            "other_key", f"it is signed by key {said.keyid}; the key of this table is {keyid}", said.keyid
        )
    digest = hashlib.sha256(canonical(message)).digest()
    try:
        crypto_sign_open(urlsafe_b64decode(said.signature + "==") + digest, public)
    except BadSignatureError:
        return Doubt(
            "forged", f"its signature is not by key {keyid}, which it names: it was changed or made up", keyid
        )
    return None


@lru_cache(maxsize=2048)
def keyid_of(key: str) -> str:
    """The name of a public key. InputError where it is none."""
    return hashlib.sha256(_public(key)).digest()[:KEYID_BYTES].hex()


def is_key(text: str) -> bool:
    """Whether this is a public key."""
    return _KEY.fullmatch(text) is not None


@lru_cache(maxsize=2048)
def _public(key: str) -> bytes:
    """Its 32 bytes."""
    if not is_key(key):
        raise InputError(f"{key!r} is no public key: expected 43 letters and digits, as `status` has them")
    return urlsafe_b64decode(key + "=")


class Signer:
    """The private key of a table at work; what it says of itself is public."""

    def __init__(self, seed: bytes) -> None:
        """``seed``: the 32 bytes that the key is made of."""
        public, self._secret = crypto_sign_seed_keypair(seed)
        self.key = urlsafe_b64encode(public).rstrip(b"=").decode()
        """The public half."""
        self.keyid = keyid_of(self.key)
        self._name = bytes.fromhex(self.keyid)

    def seal(self, digest: bytes) -> bytes:
        """Who signs a hash of 32 bytes, and the signature: 8 and 64 bytes; the same each time."""
        return self._name + crypto_sign(digest, self._secret)[:crypto_sign_BYTES]

    def made(self, seal: bytes) -> bool:
        """Whether a seal names this key."""
        return seal.startswith(self._name)
