"""What the process at the camera (the eye) and the driver say to each other: one JSON object a line.

The driver sends one `Order` and then nothing; the end of its pipe tells the eye to leave. The eye sends the
rest. Times are `time.monotonic_ns`, which all processes of a machine share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from drivers.camera import CameraShoe

LONGEST_TEXT = 200
"""Characters of a mark that are handed on; a longer one is no card's."""
LONGEST_LINE = 32_768
LOOKS_PER_S = 4
"""So often at most a camera over a felt is looked at: cards lie still."""
Blindness = Literal["black", "frozen"]


class CameraTimes(msgspec.Struct, frozen=True):
    """When a camera is lost, in seconds. None of it is configured.

    A device without a picture for `silence_s`, a black picture for `black_after_s`, and one that does not
    change by a single bit for `frozen_after_s` (0: never looked at) are a lost device. `opening_s` is how
    long libraries and device may take to start. Pauses between two tries grow from the first to the longest.
    A recording is played at the speed that is asked of a camera, or as fast as it is read where `paced` is
    false.
    """

    silence_s: float = 3.0
    black_after_s: float = 1.0
    frozen_after_s: float = 3.0
    opening_s: float = 30.0
    first_pause_s: float = 0.2
    longest_pause_s: float = 5.0
    paced: bool = True


USUAL_TIMES = CameraTimes()


class Order(msgspec.Struct, frozen=True):
    """How to look; recordings go on after the picture of the name `after`, leaving out `skip` more. `views`
    is what an earlier eye has learnt of the empty view.
    """

    settings: CameraShoe
    times: CameraTimes
    after: str = ""
    skip: int = 0
    views: tuple[bytes, ...] = ()
    felt: bool = False
    """It looks at the cards that lie on a table, and not at those that pass."""


class Light(msgspec.Struct, frozen=True):
    """How bright a picture is, in grey levels: its ground, its paper (what is bright in it), its brightest
    place, and all in the mean; `glare` is the share of the paper that is as bright as a camera can tell.
    """

    ground: int
    paper: int
    brightest: int
    glare: float
    mean: float


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """There are pictures now. `test_ms` is how long the decoder took for a mark that we drew, None if we
    can draw none of the symbologies. `exposure_held`: whether the camera keeps its exposure, None where
    nobody knows.
    """

    identity: str
    test_ms: float | None
    exposure_held: bool | None = None


PRINTED = "printed"
"""The symbology of a card without a code: its text is what is printed on it."""


class Mark(msgspec.Struct, frozen=True):
    """One mark in a picture: its text (empty if that is no printable ASCII or too long), where its middle
    is and how long it is, in pixels.

    `rescued`: the ordinary decoder did not read it.
    """

    text: str
    symbology: str
    x_px: float
    y_px: float
    length_px: float
    rescued: bool = False


class PictureSeen(msgspec.Struct, frozen=True, tag="seen"):
    """One picture. `name` is its place in a recording, `present` whether something is in view that is not
    in the empty view, `moved` whether the picture changed since the one before. A picture in which nothing
    can be seen (`blind`) has no marks and nothing in it; `blind_long`: for so long now that the camera is
    lost.
    """

    at_ns: int
    name: str = ""
    marks: tuple[Mark, ...] = ()
    present: bool = False
    moved: bool = False
    blind: Blindness | None = None
    blind_long: bool = False
    took_us: int = 0
    pixels: int = 0
    light: Light | None = None


class Learnt(msgspec.Struct, frozen=True, tag="learnt"):
    """The empty view, as often as it has come to look otherwise: brightness in a coarse grid."""

    views: tuple[bytes, ...]


class Waiting(msgspec.Struct, frozen=True, tag="waiting"):
    """No picture has come, and none needs to: a folder does not grow."""


class Spoiled(msgspec.Struct, frozen=True, tag="spoiled"):
    """A still that is no picture was left out."""

    name: str


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The recording is over."""


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The eye cannot look, and leaves."""

    reason: str


Message = Opened | PictureSeen | Learnt | Waiting | Spoiled | Ended | Failed
message_of: Callable[[bytes], Message] = msgspec.json.Decoder(Message).decode
"""The message of a line. Raises ValueError if it is none."""


def line_of(message: Message | Order) -> bytes:
    """A message as a line, with its end."""
    return msgspec.json.encode(message) + b"\n"
