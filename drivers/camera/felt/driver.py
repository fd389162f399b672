"""The driver of the camera over a felt: the shoe camera's process and thread, and what lies still in place of
what passes.
"""

from __future__ import annotations

from msgspec.structs import replace

from drivers.camera import CameraShoe, FeltCamera
from drivers.camera.driver import CameraDriver
from drivers.camera.felt.steady import Steady
from drivers.camera.tally import Tally
from drivers.camera.wire import LOOKS_PER_S, CameraTimes, Order, PictureSeen
from drivers.readings import FeltSeen

FELT_TIMES = CameraTimes(silence_s=15.0, black_after_s=2.0)
"""A large picture with many cards takes a small machine its time."""


class FeltDriver(CameraDriver):
    """A camera over the table. It says what lies there as often as it looks; it never says that a card was
    drawn.
    """

    def __init__(self, name: str, settings: FeltCamera, times: CameraTimes = FELT_TIMES) -> None:
        keys = {key: getattr(settings, key) for key in settings.__struct_fields__}
        camera = CameraShoe(**{key: keys[key] for key in CameraShoe.__struct_fields__ if key in keys})
        super().__init__(name, camera, times)
        self._tally = Tally(replace(camera, frames_per_s=min(LOOKS_PER_S, camera.frames_per_s)))
        self._steady = Steady(settings.agreeing_frames)

    def order(self) -> Order:
        return replace(super().order(), felt=True)

    def judge(self, seen: PictureSeen, line: bytes) -> None:
        self._tally.saw(seen)
        if seen.blind is not None:  # whatever was done behind a hand was not seen
            self._steady.forget()
            return
        lying = self._steady.see(seen.marks)
        if self._steady.knows:
            self._say(FeltSeen(lying), line, seen.at_ns)

    def note_lost(self, reason: str) -> None:
        self._steady.forget()
        super().note_lost(reason)
