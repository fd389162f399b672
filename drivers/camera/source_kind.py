"""What kind of source is at a path; no library for pictures is needed to see that."""

from __future__ import annotations

import os
import stat
from typing import Literal

from drivers.errors import DeviceFault


class CameraGone(DeviceFault):
    """The camera cannot be opened, or gives no pictures any more."""


def kind_of(source: str) -> Literal["device", "recording", "stills"]:
    """What is at the path. Raises CameraGone if nothing is that could show pictures."""
    try:
        mode = os.stat(source).st_mode
    except OSError:
        mode = 0
    if stat.S_ISCHR(mode):
        return "device"
    if stat.S_ISDIR(mode):
        return "stills"
    if stat.S_ISREG(mode):
        return "recording"
    raise CameraGone(f"{source}: no camera, video file or folder there; is it plugged in?")
