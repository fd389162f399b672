"""What a driver can tell about its port at any moment."""

from __future__ import annotations

import msgspec


class PortState(msgspec.Struct, frozen=True):
    """Counters since start, for health pages and `doctor`. Times are `time.monotonic_ns`; None if it
    never happened.
    """

    path: str
    connected: bool = False
    identity: str | None = None
    connections: int = 0
    losses: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    frames_in: int = 0
    noise_in: int = 0
    writes_failed: int = 0
    last_error: str | None = None
    last_byte_ns: int | None = None
