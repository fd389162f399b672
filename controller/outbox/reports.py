"""What the connection to the broker reports, as values on the loop's queue.

Each carries the number of the connection it speaks of, so that a late word of an old one is known as such.
"""

from __future__ import annotations

import msgspec


class Connected(msgspec.Struct, frozen=True):
    """CONNACK: the broker let us in. ``window``: so many unanswered messages it takes (MQTT 5), else ours."""

    connection: int
    window: int
    protocol: str
    """``5`` or ``3.1.1``."""
    certificate_ends_s: float | None = None
    """When the certificate that the broker showed ends, seconds since 1970; None without TLS."""


class Refused(msgspec.Struct, frozen=True):
    """The broker answered and does not let us in: login, certificate, or a setting of ours."""

    connection: int
    reason: str
    unsupported: bool = False
    """The broker does not speak this version of MQTT."""


class Lost(msgspec.Struct, frozen=True):
    """There is no connection: nobody answers, or the one we had ended."""

    connection: int
    reason: str
    silent: bool = False
    """The other side hung up without a CONNACK."""


class Puback(msgspec.Struct, frozen=True):
    """The broker's answer to our message ``mid``."""

    mid: int
    denied: str | None = None
    """Why the broker did not take it, None where it did."""
    nobody: bool = False
    """No subscriber matched (MQTT 5, reason 0x10)."""


class Published(msgspec.Struct, frozen=True):
    """What the broker answered to our messages, as many as came together."""

    connection: int
    answers: tuple[Puback, ...]

    @property
    def denied(self) -> str | None:
        """Why the broker did not take one of them, None where it took all."""
        return next((answer.denied for answer in self.answers if answer.denied is not None), None)


class Subscribed(msgspec.Struct, frozen=True):
    """SUBACK: from now on we hear, but for the topics in ``denied`` (topic -> reason)."""

    connection: int
    denied: dict[str, str]


class Arrived(msgspec.Struct, frozen=True):
    """A message that we subscribed to."""

    connection: int
    topic: str
    payload: bytes
    retained: bool


Report = Connected | Refused | Lost | Published | Subscribed | Arrived
