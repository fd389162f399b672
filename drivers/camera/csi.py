"""A CSI camera of a Raspberry Pi, by the camera program of its system: raw pictures through a pipe.

OpenCV as PyPI has it does not know libcamera, and picamera2 is bound to the system's own Python. `rpicam-vid`
is on every Raspberry Pi OS (`libcamera-vid` on older ones), holds focus, exposure and colour, and a crash of
it is not ours. It ends with the process that reads it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from typing import TYPE_CHECKING

import cv2
import numpy as np

from drivers.camera import CameraShoe
from drivers.camera.source_kind import CameraGone, camera_program, csi_cameras
from drivers.errors import why

if TYPE_CHECKING:
    from drivers.camera.sources import Picture

LONGEST_SAID = 4096
_NOTED = re.compile(r"^(\[[\d:.]+\] )?(\[\d+\] )?(\x1b\[[\d;]*m)?\s*|\x1b\[[\d;]*m")
"""Time, thread and colours before what libcamera says."""


def order_of(program: str, number: int, settings: CameraShoe) -> list[str]:
    """The words that start it: pictures of 8 bits as Y, U and V, one after the other, until it is ended."""
    words = [
        *("setpriv", "--pdeathsig", "KILL", program, "--camera", str(number)),
        *("--nopreview", "--timeout", "0", "--codec", "yuv420", "--flush", "--output", "-"),
        *("--width", str(settings.width_px), "--height", str(settings.height_px)),
        *("--framerate", str(settings.frames_per_s)),
    ]
    if settings.exposure_us is not None:
        words += ["--shutter", str(settings.exposure_us)]
    if settings.gain is not None:
        words += ["--gain", f"{settings.gain:g}"]
    if settings.focus_dioptres is not None:
        words += ["--autofocus-mode", "manual", "--lens-position", f"{settings.focus_dioptres:g}"]
    if settings.red_gain is not None and settings.blue_gain is not None:
        words += ["--awbgains", f"{settings.red_gain:g},{settings.blue_gain:g}"]
    return words


class CsiCamera:
    """The pictures of one camera as they are taken. Raises CameraGone where there is none, or no more."""

    live = True

    def __init__(self, settings: CameraShoe) -> None:
        self._name = settings.source
        program, found = camera_program(), csi_cameras()
        if program is None:
            raise CameraGone(f"{self._name}: this system has no rpicam-vid: apt install rpicam-apps-lite")
        if self._name not in found:
            seen = ", ".join(found) or "none"
            raise CameraGone(f"{self._name}: no such CSI camera, the system sees {seen}; is its cable in?")
        number, self.identity = found[self._name]
        self.exposure_held = settings.exposure_us is not None
        self._colour = settings.library is not None
        self._shape = settings.height_px, settings.width_px
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it is read when the program has ended
        try:
            self._process = subprocess.Popen(
                order_of(program, number, settings),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._said,
            )
        except OSError as problem:
            raise CameraGone(f"{self._name}: {program} cannot be started ({why(problem)})") from problem

    def next(self) -> tuple[str, Picture] | None:
        """The next picture."""
        height, width = self._shape
        raw = self._raw()
        planes = np.frombuffer(raw, np.uint8).reshape(height * 3 // 2, width)
        if self._colour:
            return "", np.ascontiguousarray(cv2.cvtColor(planes, cv2.COLOR_YUV2BGR_I420), np.uint8)
        return "", planes[:height]

    def pass_over(self) -> None:
        """Let the next picture go by."""
        self._raw()

    def _raw(self) -> bytes:
        height, width = self._shape
        size = height * width * 3 // 2
        pipe = self._process.stdout
        raw = b"" if pipe is None else pipe.read(size)
        if len(raw) < size:
            raise CameraGone(f"{self._name}: the camera gives no pictures any more{self._last_words()}")
        return raw

    def _last_words(self) -> str:
        """What the program said at its end."""
        self._said.seek(0)
        lines = self._said.read()[-LONGEST_SAID:].decode("utf-8", "replace").splitlines()
        said = [words for line in lines if (words := _NOTED.sub("", line).strip())]
        return f" ({said[-1]})" if said else ""
