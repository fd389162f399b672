"""Types of keys: a range, or a shape with the words that an error says about it."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Annotated

from msgspec import Meta

FilePath = Annotated[str, Meta(pattern=r"^[^\x00]+$(?!\n)", description="the path of a file")]
"""Relative: from the folder of the configuration file."""

DevicePath = Annotated[
    str,
    Meta(
        pattern=r"^/[^\x00]+$(?!\n)",
        description="the whole path of a device, as /dev/serial/by-id/... or /dev/dealer-table/shoe",
    ),
]

NetworkPort = Annotated[int, Meta(ge=1, le=65535)]
Count = Annotated[int, Meta(ge=1, le=100_000_000)]
LongSeconds = Annotated[int, Meta(ge=1, le=86_400)]
BaudRate = Annotated[int, Meta(ge=300, le=4_000_000)]
Byte = Annotated[int, Meta(ge=0, le=255)]
Pin = Annotated[int, Meta(ge=0, le=53, description="the number of a GPIO line, 0 to 53")]
"""Numbered as the chip counts them (GPIO17), not as the pins of the header."""
