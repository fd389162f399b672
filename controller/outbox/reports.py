"""What a session reports to its owner, as values and in order."""

from __future__ import annotations

from typing import Literal

import msgspec


class Connected(msgspec.Struct, frozen=True):
    """CONNACK: the broker let us in. ``window``: so many unanswered messages it takes (MQTT 5), else ours."""

    window: int
    protocol: Literal["5", "3.1.1"]
    certificate_ends_s: float | None = None
    """When the certificate that the broker showed ends, seconds since 1970; None without TLS."""


class ConnectionRefused(msgspec.Struct, frozen=True):
    """The broker answered and does not let us in: login, certificate, or a setting of ours."""

    reason: str
    unsupported: bool = False
    """The broker does not speak this version of MQTT."""


class ConnectionLost(msgspec.Struct, frozen=True):
    """There is no connection: nobody answers, or the one we had ended."""

    reason: str
    silent: bool = False
    """The other side hung up without a CONNACK: it may not speak MQTT 5."""


class Puback(msgspec.Struct, frozen=True):
    """The broker's answer to our message ``mid``."""

    mid: int
    denied: str | None = None
    """Why the broker did not take it, None if it did."""
    nobody: bool = False
    """No subscriber matched (MQTT 5, reason 0x10)."""


class Subscribed(msgspec.Struct, frozen=True):
    """SUBACK: from now on we hear, but for the topics in ``denied`` (topic -> reason)."""

    denied: dict[str, str]
    qos: int = 1
    """The least that was granted."""


class Unsubscribed(msgspec.Struct, frozen=True):
    """UNSUBACK."""


class Arrived(msgspec.Struct, frozen=True):
    """A message that we subscribed to."""

    topic: str
    payload: bytes
    retained: bool


Report = Connected | ConnectionRefused | ConnectionLost | Puback | Subscribed | Unsubscribed | Arrived
