"""Types of keys: a range, or a shape with the words that an error says about it."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Annotated

from msgspec import Meta

FilePath = Annotated[
    str, Meta(pattern=r"^[^\x00]+$(?!\n)", description="the path of a file", extra={"file": True})
]
"""Relative: from the folder of the configuration file. Whoever reads the file takes it from there."""


NetworkPort = Annotated[int, Meta(ge=1, le=65535)]
Count = Annotated[int, Meta(ge=1, le=100_000_000)]
LongSeconds = Annotated[int, Meta(ge=1, le=86_400)]
