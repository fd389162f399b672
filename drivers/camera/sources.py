"""Where pictures come from: a UVC device, a CSI camera, a video file, a folder of stills that may grow."""

from __future__ import annotations

import os
import re
import time
from collections import deque
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera import CameraShoe
from drivers.camera.csi import CsiCamera
from drivers.camera.source_kind import CameraGone, kind_of
from drivers.errors import why
from drivers.port_identity import identity_of

# Before the first video is opened: ffmpeg would write to the terminal what we say ourselves.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")

Picture = NDArray[np.uint8]
PICTURE_ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".tif", ".tiff", ".webp"})
_Order = tuple[tuple[int, int | str], ...]
_HELD = {1: True, 3: False}
"""V4L2's exposure modes, and whether such a one keeps the exposure."""
_TICK_NS = 50_000_000
_SPOILED_AFTER_S = 1.0


class RecordingOver(Exception):
    """A recording has been played to its end."""


class StillSpoiled(Exception):
    """A still is no picture; its name is the text."""


def open_source(settings: CameraShoe, after: str = "", skip: int = 0) -> Source:
    """Open what is at the path of the settings; a recording behind the picture of the name `after`, and
    `skip` more. Raises CameraGone.

    What it returns is `live` if pictures come when they are taken, so that nobody has to keep their pace;
    `identity` is what the system knows of it, `exposure_held` whether the camera keeps its exposure (None:
    nobody knows). Each `next` gives a name and a picture with 8 bits, in colour
    where the print itself is read, else grey; None if there is none yet. It raises CameraGone, RecordingOver
    or StillSpoiled.
    """
    kind, colour = kind_of(settings.source), settings.library is not None
    if kind == "device":
        return VideoDevice(settings)
    if kind == "csi":
        return CsiCamera(settings)
    if kind == "stills":
        return Stills(Path(settings.source), after, skip, colour=colour)
    return Recording(settings.source, int(after or "0") + skip, colour=colour)


class VideoDevice:
    """A UVC camera through V4L2."""

    live = True

    def __init__(self, settings: CameraShoe) -> None:
        path = settings.source
        try:
            opened = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        except OSError as problem:
            mend = (
                "add this user to the group video" if isinstance(problem, PermissionError) else "look there"
            )
            raise CameraGone(f"{path}: cannot be opened ({why(problem)}); {mend}") from problem
        try:
            self.identity = identity_of(opened)
        finally:
            os.close(opened)
        self._path = path
        self._see = coloured if settings.library is not None else grey
        self._capture = cv2.VideoCapture(path, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CameraGone(f"{path}: gives no pictures; is it a camera, and does another program hold it?")
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, settings.width_px)
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, settings.height_px)
        self._capture.set(cv2.CAP_PROP_FPS, settings.frames_per_s)
        # An old picture is worth nothing: as few as possible wait in the driver.
        self._capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        self.exposure_held = _HELD.get(round(self._capture.get(cv2.CAP_PROP_AUTO_EXPOSURE)))

    def next(self) -> tuple[str, Picture] | None:
        good, picture = self._capture.read()
        if not good:
            raise CameraGone(f"{self._path}: the camera gives no pictures any more")
        return "", self._see(picture)

    def pass_over(self) -> None:
        """Let the next picture go by: it is taken, and not decoded."""
        if not self._capture.grab():
            raise CameraGone(f"{self._path}: the camera gives no pictures any more")


class Recording:
    """A video file, from a picture on (0 is the first). Names are the numbers of the pictures, from 1."""

    live = False
    exposure_held = None

    def __init__(self, path: str, begin: int = 0, *, colour: bool = False) -> None:
        self.identity = "video file"
        self._see = coloured if colour else grey
        self._capture = cv2.VideoCapture(path)
        if not self._capture.isOpened():
            raise CameraGone(f"{path}: not a video file that OpenCV can play")
        self._number = 0
        # Seeking by number lands on key frames only in many formats: count.
        while self._number < begin and self._capture.grab():
            self._number += 1

    def next(self) -> tuple[str, Picture] | None:
        good, picture = self._capture.read()
        if not good:
            raise RecordingOver
        self._number += 1
        return str(self._number), self._see(picture)


class Stills:
    """The stills of a folder in the order of their numbers; what is added behind them is read as it comes."""

    live = False
    exposure_held = None

    def __init__(self, folder: Path, after: str = "", skip: int = 0, *, colour: bool = False) -> None:
        self.identity = "folder of stills"
        self._see = coloured if colour else grey
        self._folder = folder
        self._last: _Order = _order(after) if after else ()
        self._known: set[str] = set()
        self._skip = skip
        self._waiting: deque[str] = deque()
        self._listed_ns: int | None = None
        self._unfinished_s = 0.0

    def next(self) -> tuple[str, Picture] | None:
        if not self._waiting and not self._listed():
            return None
        name = self._waiting[0]
        picture = cv2.imread(str(self._folder / name), cv2.IMREAD_UNCHANGED)
        if picture is None:
            self._leave_unfinished(name)
            return None
        self._done()
        return name, self._see(picture)

    def _leave_unfinished(self, name: str) -> None:
        """A still that somebody is writing is one soon; what stays none is left out."""
        now_s = time.monotonic()
        self._unfinished_s = self._unfinished_s or now_s
        if now_s - self._unfinished_s > _SPOILED_AFTER_S:
            self._done()
            raise StillSpoiled(name)

    def _done(self) -> None:
        self._last = _order(self._waiting.popleft())
        self._unfinished_s = 0.0

    def _listed(self) -> bool:
        """Look for new stills; false if there are none."""
        now_ns = time.time_ns()
        try:
            changed_ns = os.stat(self._folder).st_mtime_ns
            if changed_ns == self._listed_ns:
                return False
            # A listing may miss a still that comes in meanwhile and show one that comes later: what the
            # first listing shows to be complete is taken from a second one.
            before = self._stills()
            after = self._stills() if before else before
        except OSError as problem:
            raise CameraGone(f"{self._folder}: the folder is gone") from problem
        # The clock of a file system is coarse: what comes in the same tick would not be seen.
        self._listed_ns = changed_ns if now_ns - changed_ns > _TICK_NS else None
        new = sorted(order for order in after if not self._last or order > self._last)
        newest = max(before, default=())
        self._known.update(before.values())
        new = [order for order in new if order <= newest]
        skipped = min(self._skip, len(new))
        self._skip -= skipped
        if skipped:
            self._last = new[skipped - 1]
        self._waiting.extend(after[order] for order in new[skipped:])
        return bool(self._waiting)

    def _stills(self) -> dict[_Order, str]:
        """The stills that were not known at the last look, by their order."""
        names = os.listdir(self._folder)
        self._known.intersection_update(names)
        fresh = (name for name in names if name not in self._known and not name.startswith("."))
        return {_order(name): name for name in fresh if Path(name).suffix.lower() in PICTURE_ENDINGS}


Source = VideoDevice | CsiCamera | Recording | Stills


def grey(picture: object) -> Picture:
    """Any picture that OpenCV gives as grey with 8 bits."""
    image = np.asarray(picture)
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 3 and image.shape[2] in (3, 4):
        image = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY if image.shape[2] == 3 else cv2.COLOR_BGRA2GRAY)
    return np.ascontiguousarray(image.reshape(image.shape[:2]), np.uint8)


def coloured(picture: object) -> Picture:
    """Any picture that OpenCV gives as blue, green and red with 8 bits."""
    image = np.asarray(picture)
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        image = cv2.cvtColor(image, cv2.COLOR_GRAY2BGR)
    elif image.shape[2] == 4:
        image = cv2.cvtColor(image, cv2.COLOR_BGRA2BGR)
    return np.ascontiguousarray(image, np.uint8)


def _order(name: str) -> _Order:
    """Sort numbers by value and the rest as text."""
    parts = re.split(r"(\d+)", name)
    return tuple((0, int(part)) if part.isdigit() else (1, part) for part in parts if part)
