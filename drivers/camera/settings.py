"""What a camera shoe is told: which camera, which marks, how many frames must agree. No library is needed
here.
"""

from __future__ import annotations

import os
import stat
from typing import Literal, get_args

import msgspec

from drivers.errors import DeviceSettingsError
from drivers.scanner.decode import NAMES

Decoder = Literal["zxing-cpp", "pyzbar"]
Kind = Literal["device", "recording", "stills"]
PYZBAR_READS = frozenset({"code128", "code39", "ean13", "itf", "qr"})


class CameraSettings(msgspec.Struct, frozen=True):
    """Settings of one camera.

    `source`: the path of a video device (UVC), of a video file, or of a folder of numbered stills, which is
    followed as it grows. `symbologies`: only these are read, by the names of `drivers.scanner.decode`.
    `width_px`, `height_px` and `frames_per_s` are asked of a device; recordings have a size of their own and
    are played at `frames_per_s`, or as fast as they are read where `paced` is false.

    `agreeing_frames`: a card counts when so many frames agree, and has left when it is absent from as many.
    `rescue`: try harder on degraded Code 128; only where the code map has a strong check digit (mod37,
    mod97). `marks_per_card`: how many marks of the same text one card shows at once (2 where both edges carry
    it). `least_confidence`: the share of its pictures in which a card must have been read; one with less was
    not read.

    A device without a picture for `silence_s`, a black picture for `black_after_s`, and one that does not
    change by a single bit for `frozen_after_s` (0: never looked at) are a lost device. `opening_s` is how
    long libraries and device may take to start. Pauses between two tries grow from the first to the longest.
    """

    source: str
    decoder: Decoder = "zxing-cpp"
    symbologies: tuple[str, ...] = ("code128",)
    width_px: int = 640
    height_px: int = 480
    frames_per_s: int = 30
    agreeing_frames: int = 3
    rescue: bool = False
    marks_per_card: int = 1
    paced: bool = True
    silence_s: float = 3.0
    black_after_s: float = 1.0
    frozen_after_s: float = 3.0
    opening_s: float = 30.0
    least_confidence: float = 0.1
    first_pause_s: float = 0.2
    longest_pause_s: float = 5.0

    def __post_init__(self) -> None:
        unknown = sorted(set(self.symbologies) - NAMES)
        unread = sorted(set(self.symbologies) - PYZBAR_READS) if self.decoder == "pyzbar" else []
        known = ", ".join(sorted(NAMES))
        checks = (
            ("source", bool(self.source), "the path of a video device, a video file or a folder is needed"),
            ("decoder", self.decoder in get_args(Decoder), f"zxing-cpp or pyzbar, not {self.decoder!r}"),
            ("symbologies", bool(self.symbologies), "at least one"),
            ("symbologies", not unknown, f"{unknown[:1]} is none of {known}"),
            ("symbologies", not unread, f"pyzbar does not read {unread[:1]}; zxing-cpp does"),
            ("width_px", 64 <= self.width_px <= 8192, f"64 to 8192, not {self.width_px}"),
            ("height_px", 64 <= self.height_px <= 8192, f"64 to 8192, not {self.height_px}"),
            ("frames_per_s", 1 <= self.frames_per_s <= 240, f"1 to 240, not {self.frames_per_s}"),
            ("agreeing_frames", 1 <= self.agreeing_frames <= 100, f"1 to 100, not {self.agreeing_frames}"),
            ("marks_per_card", 1 <= self.marks_per_card <= 8, f"1 to 8, not {self.marks_per_card}"),
            ("least_confidence", 0 <= self.least_confidence <= 1, f"0 to 1, not {self.least_confidence}"),
            ("silence_s", self.silence_s > 0, "a time above 0"),
            ("opening_s", self.opening_s > 0, "a time above 0"),
            ("black_after_s", self.black_after_s >= 0, "a time, or 0 for never"),
            ("frozen_after_s", self.frozen_after_s >= 0, "a time, or 0 for never"),
            ("first_pause_s", 0 < self.first_pause_s <= self.longest_pause_s, "above 0, up to the longest"),
        )
        for key, right, problem in checks:
            if not right:
                raise DeviceSettingsError(key, problem)


def kind_of(source: str) -> Kind | None:
    """What is at the path; None where nothing is that could show pictures."""
    try:
        mode = os.stat(source).st_mode
    except OSError:
        return None
    if stat.S_ISCHR(mode):
        return "device"
    if stat.S_ISDIR(mode):
        return "stills"
    return "recording" if stat.S_ISREG(mode) else None
