"""What kind of source is at a path, and which CSI cameras there are; no library for pictures is needed to see
that."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from typing import Literal

from drivers.camera import CSI
from drivers.errors import DeviceFault

PROGRAMS = ("rpicam-vid", "libcamera-vid")
PATIENCE_S = 10.0
"""For the list of cameras."""
_LISTED = re.compile(r"^ *(\d+) : (\S+) .*\((/base/[^)]+)\)", re.MULTILINE)


class CameraGone(DeviceFault):
    """The camera cannot be opened, or gives no pictures any more."""


def kind_of(source: str) -> Literal["device", "recording", "stills", "csi"]:
    """What is at the path. Raises CameraGone if nothing is that could show pictures; whether a CSI camera is
    there only its program knows."""
    if source.startswith(CSI):
        return "csi"
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


def csi_cameras() -> dict[str, tuple[int, str]]:
    """The name of each CSI camera as libcamera has it (it names the port, so it lasts), with its number now
    and its sensor. Empty where the system has no program for them."""
    program = camera_program()
    if program is None:
        return {}
    try:
        done = subprocess.run(
            [program, "--list-cameras"], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return {}
    return {
        name: (int(number), sensor) for number, sensor, name in _LISTED.findall(done.stdout + done.stderr)
    }


def camera_program() -> str | None:
    """Where the system has it."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)
