"""What kind of source is at a path; no library for pictures is needed to see that."""

from __future__ import annotations

import os
import stat
from typing import Literal

SourceKind = Literal["device", "recording", "stills"]


def kind_of(source: str) -> SourceKind | None:
    """What is at the path; None if nothing is that could show pictures."""
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return None
    if stat.S_ISCHR(mode):
        return "device"
    if stat.S_ISDIR(mode):
        return "stills"
    return "recording" if stat.S_ISREG(mode) else None
