"""A camera at the exit of a plain shoe, or over the felt; its settings need no library for pictures."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from msgspec import Meta

from drivers.errors import DeviceSettingsError, why
from drivers.settings import DeviceSettings, DriverContext, FeltDevice, ShoeDevice
from drivers.symbologies import Symbology

if TYPE_CHECKING:
    from drivers.camera.driver import CameraDriver
    from drivers.camera.felt.driver import FeltDriver
    from drivers.camera.simulator import SimulatedCamera

CSI = "/base/"
"""So begins libcamera's name of a camera at a CSI port."""
HELD = ("exposure_us", "gain", "focus_dioptres", "red_gain", "blue_gain")
"""What a CSI camera holds where it is told."""
CARD_WIDTH_MM, LEAST_CARD_PX = 63, 76
"""Of a card on the felt, and so wide it must be in the picture to be read."""
TABLE_MM = 1000
"""The hands of a table do not lie on less."""
ROW_PX = 64
"""libcamera pads a row to a multiple of this on a Raspberry Pi (raspberrypi/libcamera issue 138), and its
camera program hands the padding over (raspberrypi/rpicam-apps issue 857)."""
Gain = Annotated[float, Meta(ge=0.1, le=64)]
PYZBAR_READS = {"code128": "CODE128", "code39": "CODE39", "ean13": "EAN13", "itf": "I25", "qr": "QRCODE"}
"""A symbology, and pyzbar's name of it."""


def without_deck(library: str) -> Iterator[tuple[str, str]]:
    """Where nothing that was learnt is at this path: before `deck learn`, or where a path is wrong."""
    try:
        there = bool(os.listdir(library))
    except NotADirectoryError:
        return
    except OSError as problem:
        yield "library", f"{library} cannot be read ({why(problem)}); `deck learn` makes one"
        return
    if not there:
        yield "library", f"{library} is empty; `deck learn` makes one"


class Camera(DeviceSettings, frozen=True, kw_only=True):
    """A camera: where it is, and how it takes its pictures."""

    address_key: ClassVar[str | None] = "source"

    source: Annotated[
        str,
        Meta(
            min_length=1,
            description="a video device, libcamera's name of a CSI camera, a video file, a folder of stills",
            extra={"file": True},
        ),
    ]
    """As /dev/video0, or /base/soc/i2c0mux/i2c@1/imx708@1a (`setup --list` names them)."""
    width_px: Annotated[int, Meta(ge=64, le=8192)] = 640
    """Of the pictures that are asked for."""
    height_px: Annotated[int, Meta(ge=64, le=8192)] = 480
    """Of the pictures that are asked for."""
    frames_per_s: Annotated[int, Meta(ge=1, le=240)] = 30
    """Pictures a second that are asked for."""
    exposure_us: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """Of a CSI camera, held so long; without it the camera changes it with the light."""
    gain: Gain | None = None
    """Of a CSI camera, held."""
    focus_dioptres: Annotated[float, Meta(ge=0, le=32)] | None = None
    """Of a CSI camera with a lens that moves, held: 1 / the distance in metres."""
    red_gain: Gain | None = None
    """Of a CSI camera, held: how much red is raised over green. With `blue_gain`."""
    blue_gain: Gain | None = None
    """Of a CSI camera, held. With `red_gain`."""

    def __post_init__(self) -> None:
        held = [key for key in HELD if getattr(self, key) is not None]
        csi = self.source.startswith(CSI)
        if held and not csi:
            raise DeviceSettingsError(held[0], "for a CSI camera only; a USB camera is set by v4l2-ctl")
        if (self.red_gain is None) != (self.blue_gain is None):
            raise DeviceSettingsError("red_gain", "red_gain and blue_gain are held together, or neither")
        if csi and self.width_px % ROW_PX:
            raise DeviceSettingsError(
                "width_px", f"a multiple of {ROW_PX} at a CSI camera, else its rows are padded"
            )
        if csi and self.height_px % 2:
            raise DeviceSettingsError("height_px", "even at a CSI camera")

    def taken(self) -> Iterator[tuple[str, str]]:
        yield "source", self.source


class CameraShoe(ShoeDevice, Camera, frozen=True, kw_only=True, tag="camera"):
    """A camera over the exit of a plain shoe."""

    doubles: ClassVar[bool] = False
    reads_print: ClassVar[bool] = True

    decoder: Literal["zxing-cpp", "pyzbar"] = "zxing-cpp"
    """What finds and reads the marks."""
    symbologies: tuple[Symbology, ...] = ("code128",)
    """Only these are looked for."""
    agreeing_frames: Annotated[int, Meta(ge=1, le=100)] = 3
    """A card counts when so many frames agree, and leaves when it is absent from as many."""
    least_confidence: Annotated[float, Meta(ge=0, le=1)] = 0.1
    """The share of its pictures in which a card must have been read; one with less was not read, and is never
    a foreign one."""
    marks_per_card: Annotated[int, Meta(ge=1, le=8)] = 1
    """How many marks of the same text one card shows at once: 2 where both edges carry it."""
    library: Annotated[
        str | None, Meta(description="a file of `deck learn`, or a folder of such", extra={"file": True})
    ] = None
    """The cards carry no code: what they look like. The reader then says cards (`8S`), as the code map
    "plain" has them, and neither `decoder` nor `symbologies` are used."""
    rescue: bool = False
    """Try harder on degraded frames; only where the code map has a strong check digit (mod37, mod97)."""

    def __post_init__(self) -> None:
        unread = sorted(set(self.symbologies) - set(PYZBAR_READS)) if self.decoder == "pyzbar" else []
        if not self.symbologies:
            raise DeviceSettingsError("symbologies", "at least one")
        if unread:
            raise DeviceSettingsError("symbologies", f"pyzbar does not read {unread[0]}; zxing-cpp does")
        super().__post_init__()

    def driver(self, name: str, context: DriverContext) -> "CameraDriver":
        """A rescue needs a check digit in the codes, to prove it."""
        from drivers.camera.driver import CameraDriver

        keys = {key: getattr(self, key) for key in CameraShoe.__struct_fields__}
        keys["rescue"] = self.rescue and context.check_digit
        # A camera that is a second reader has keys more, which the process at the camera does not know.
        return CameraDriver(name, CameraShoe(**keys))

    def advice(self, check_digit: bool) -> Iterator[tuple[str, str]]:
        if self.library is not None:
            yield from without_deck(self.library)
            if self.rescue:
                yield "rescue", "is for codes; with a library no code is read"
            if self.source.startswith(CSI) and self.exposure_us is None:
                yield "exposure_us", "is not held: a card that slides may be blurred, and the next one darker"
            return
        if self.rescue and not check_digit:
            yield "rescue", 'needs a strong check digit in the codes ("mod37", "mod97"); it stays off'

    def misreads(self) -> str:
        from drivers.camera.measured import WITHOUT_CHECK_DIGIT

        if self.library is not None:
            return "a camera may take one plain card for another: that was tried with drawn cards only"
        risk = "without a check digit in the codes a camera may take one card for another"
        return f"{risk}: measured in degraded pictures, {WITHOUT_CHECK_DIGIT}"

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedCamera":
        from drivers.camera.simulator import SimulatedCamera

        return SimulatedCamera(path)

    @classmethod
    def plain_simulator(cls, path: Path) -> "tuple[SimulatedCamera, str]":
        """With the library of its deck beside it."""
        from drivers.camera.plain.simulator import PlainCamera, learn_drawn

        library = path.with_name("drawn.deck")
        learn_drawn(library)
        return PlainCamera(path), f'library = "{library}"\n'


class FeltCamera(FeltDevice, Camera, frozen=True, kw_only=True, tag="camera"):
    """A still camera over the table: it reads the cards that lie face up after the result, and only
    contradicts. The cards are read as they are printed, whatever the shoe reads."""

    library: Annotated[
        str, Meta(description="a file of `deck learn`, or a folder of such", extra={"file": True})
    ]
    """What the cards look like."""
    width_px: Annotated[int, Meta(ge=180, le=8192)] = 1920
    """Of the pictures that are asked for: a card is to be 76 pixels wide or more."""
    height_px: Annotated[int, Meta(ge=180, le=8192)] = 1080
    """Of the pictures that are asked for: a card is no larger than 0.6 of it."""
    agreeing_frames: Annotated[int, Meta(ge=1, le=100)] = 3
    """A card counts when so many pictures in a row show it at the same place; four a second are looked at."""
    agree_within_ms: Annotated[int, Meta(ge=500, le=30_000)] = 4000
    """After the result no round opens before so much time, in which it may contradict."""

    def driver(self, name: str, context: DriverContext) -> "FeltDriver":
        from drivers.camera.felt.driver import FeltDriver

        return FeltDriver(name, self)

    def advice(self, check_digit: bool) -> Iterator[tuple[str, str]]:
        from drivers.camera.wire import LOOKS_PER_S

        yield from without_deck(self.library)
        if self.source.startswith(CSI) and self.exposure_us is None:
            yield "exposure_us", "is not held: the light over a table changes, and a hand makes it do so"
        pictures = min(LOOKS_PER_S, self.frames_per_s) * self.agree_within_ms // 1000
        if pictures <= self.agreeing_frames:
            yield (
                "agree_within_ms",
                f"is over after {pictures} pictures, and agreeing_frames wants {self.agreeing_frames}:"
                " a card that is laid with the result contradicts nothing",
            )
        if (seen_mm := self.width_px * CARD_WIDTH_MM // LEAST_CARD_PX) < TABLE_MM:
            yield (
                "width_px",
                f"shows {seen_mm // 10} cm of a table where cards are large enough to be read; 1920 shows"
                f" {1920 * CARD_WIDTH_MM // LEAST_CARD_PX // 10} cm",
            )


DEVICES = (CameraShoe, FeltCamera)
