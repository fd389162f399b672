"""When certificates end: read from the files, without any library beside Python's own.

Only the dates are read here; whether a certificate is to be trusted OpenSSL judges at the connection.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from controller.outbox.broker import BrokerSettings
from controller.vocabulary.errors import why

Which = Literal["client", "authority", "broker"]
DAY_S = 86_400

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----(.+?)-----END CERTIFICATE-----", re.DOTALL)
_SEQUENCE, _INTEGER, _VERSION, _UTC_TIME, _TIME = 0x30, 0x02, 0xA0, 0x17, 0x18


class Ending(msgspec.Struct, frozen=True):
    """One certificate file, and when the first certificate in it ends."""

    which: Which
    file: str
    ends_s: float | None
    """Seconds since 1970; None if the file cannot be read."""
    problem: str = ""


def endings(settings: BrokerSettings) -> list[Ending]:
    """Our own certificate and the authorities that we trust, where they are files of the configuration."""
    files: tuple[tuple[Which, Path | None], ...] = (
        ("client", settings.cert_file),
        ("authority", settings.ca_file),
    )
    return [ending(which, path) for which, path in files if path is not None]


def ending(which: Which, path: Path) -> Ending:
    """When the first certificate of a PEM file ends."""
    try:
        ends = list(dates(path.read_text(encoding="ascii")))
    except (OSError, ValueError, IndexError) as error:
        return Ending(which, str(path), None, f"{path} cannot be read: {why(error)}")
    if not ends:
        return Ending(which, str(path), None, f"{path} holds no certificate")
    return Ending(which, str(path), min(ends).timestamp())


def dates(pem: str) -> Iterator[datetime]:
    """``notAfter`` of every certificate in a PEM text. ValueError or IndexError if one is none."""
    for block in _PEM.findall(pem):
        try:
            der = base64.b64decode("".join(block.split()), validate=True)
        except binascii.Error as error:
            raise ValueError("not base64") from error
        yield not_after(der)


def not_after(der: bytes) -> datetime:
    """``notAfter`` of a certificate (RFC 5280, 4.1). ValueError or IndexError if it is none."""
    _, certificate, _ = element(der, 0, _SEQUENCE)
    _, to_be_signed, _ = element(certificate, 0, _SEQUENCE)
    tag, _, place = element(to_be_signed, 0)
    if tag == _VERSION:
        _, _, place = element(to_be_signed, place, _INTEGER)  # the serial number
    for _ in ("signature", "issuer"):
        _, _, place = element(to_be_signed, place, _SEQUENCE)
    _, validity, _ = element(to_be_signed, place, _SEQUENCE)
    _, _, second = element(validity, 0)
    tag, text, _ = element(validity, second)
    if tag == _UTC_TIME:
        century = b"20" if text < b"50" else b"19"
        text = century + text
    elif tag != _TIME:
        raise ValueError("no date where the certificate's end stands")
    return datetime.strptime(text.decode("ascii"), "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)


def element(data: bytes, place: int, wanted: int | None = None) -> tuple[int, bytes, int]:
    """Tag and content of the DER element at ``place``, and the place behind it."""
    tag, length, start = data[place], data[place + 1], place + 2
    if length & 0x80:
        size = length & 0x7F
        length, start = int.from_bytes(data[start : start + size], "big"), start + size
    if wanted is not None and tag != wanted:
        raise ValueError("no certificate")
    if start + length > len(data):
        raise ValueError("cut off")
    return tag, data[start : start + length], start + length


def verdict(found: Ending, now_s: float, warn_days: int) -> str | None:
    """What a person must know of this certificate now; None while it is long good."""
    if found.ends_s is None:
        return found.problem
    left_s = found.ends_s - now_s
    if left_s > warn_days * DAY_S:
        return None
    day = datetime.fromtimestamp(found.ends_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    what = {
        "client": "our certificate",
        "authority": "the certificate of the authority that we trust",
        "broker": "the broker's certificate",
    }[found.which]
    named = f" ({found.file})" if found.file else ""
    if left_s <= 0:
        return f"{what}{named} ended on {day}: nothing gets through at the next connection; make a new one"
    return f"{what}{named} ends on {day}: make a new one in time"
