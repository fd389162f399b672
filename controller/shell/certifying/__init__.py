"""The certificate of a unit: what was looked at, what any unit of its kind must have alike, and who says so.

A certificate is two lines: the report in canonical JSON, and the table's signature over the SHA-256 of that
line. A laboratory checks it with a program of its own, and compares two of them member by member.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from typing import Literal

import msgspec

from controller.outbox.signature import Signer
from controller.shell.commissioning import Identity
from controller.vocabulary.codec import canonical

KIND = "dealer-table-certificate-1"
_NAME_BYTES = 8
"""Of a seal: the name of the key, which stands before the signature."""


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at. ``missing``: it could not be looked at, so nothing is said of it."""

    part: str
    name: str
    verdict: Literal["passed", "failed", "missing"]
    seen: str


class Certificate(msgspec.Struct, frozen=True, kw_only=True):
    """The report."""

    kind: str = KIND
    identity: Identity
    machine: dict[str, str]
    at: str
    verdict: Literal["passed", "failed"]
    alike: dict[str, str]
    """What every unit with this software, configuration and system must say too: name -> value."""
    checks: tuple[Check, ...]


class Seal(msgspec.Struct, frozen=True):
    """Who says it: Ed25519 over the SHA-256 (32 bytes) of the report's line, base64url without padding."""

    key: str
    keyid: str
    signature: str


def judge(checks: list[Check]) -> Literal["passed", "failed"]:
    """Passed where everything was looked at, and is well."""
    return "passed" if all(check.verdict == "passed" for check in checks) else "failed"


def sealed(report: Certificate, signer: Signer) -> bytes:
    """Both lines."""
    line = canonical(report)
    signature = signer.seal(hashlib.sha256(line).digest())[_NAME_BYTES:]
    seal = Seal(signer.key, signer.keyid, urlsafe_b64encode(signature).rstrip(b"=").decode())
    return line + b"\n" + canonical(seal) + b"\n"
