"""``[devices.*]``: which devices the table has, by the place they take, and the options of each driver.

``driver`` chooses the struct; a key of another driver is refused. ``numbered`` says whether the reports of a
shoe carry numbers that prove that none was missed.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from controller.settings.types import BaudRate, Byte, DevicePath, Pin

Symbology = Literal["code128", "gs1-128", "code39", "ean13", "itf", "data-matrix", "qr", "pdf417", "aztec"]
Milliseconds = Annotated[int, Meta(ge=1, le=60_000)]
Words = tuple[Annotated[str, Meta(min_length=1, max_length=40)], ...]


class Device(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="driver"):
    """Any device; ``driver`` stands in the file, the name of the place in ``[devices.<place>]``."""


class SerialDevice(Device, frozen=True, kw_only=True):
    """A device on a serial port, 8N1 unless the site says otherwise."""

    port: DevicePath
    """A name that stays: the number of /dev/ttyUSB0 changes with every start."""
    baud_rate: BaudRate = 9600
    """As the device is set."""
    parity: Literal["N", "E", "O"] = "N"
    """N none, E even, O odd."""
    stop_bits: Literal[1, 2] = 1
    """As the device is set."""


class LineDevice(SerialDevice, frozen=True, kw_only=True):
    """A serial device of text, which may also come in seven bits."""

    data_bits: Literal[7, 8] = 8
    """As the device is set."""


class AngelEyeShoe(SerialDevice, frozen=True, kw_only=True, tag="angel-eye"):
    """Angel Eye II-EX; its reports need eight data bits."""

    numbered: ClassVar[bool] = True

    baud_rate: BaudRate = 4800
    """Some sites run 9600."""
    bcc_includes_stx: bool = True
    """Whether the check of a command counts the STX (the published example does)."""
    repeat_meaning: Literal["retransmission", "redeal"] = "retransmission"
    """What the report R says: the same card once more, or a hand that is dealt anew."""
    first_report_number: Byte = 0x31
    """As a number of 0 to 255: 49 is the character 1."""
    last_report_number: Byte = 0x7E
    """The numbers of the reports run from the first to the last and begin again."""
    command_timeout_ms: Milliseconds = 500
    """So long for an answer of the shoe."""
    command_tries: Annotated[int, Meta(ge=1, le=10)] = 3
    """Then an alert says that the shoe did not answer."""
    query_on_connect: bool = True
    """Ask where the shoe stands after each connection, so that a report that passed unheard is noticed."""
    nak_code_as_text: bool = False
    """How the reason of a refusal is written to the shoe."""
    silence_ms: Milliseconds = 100
    """A pause so long within a frame ends it."""
    lock: bool = True
    """Lock the shoe whenever a draw would be illegal."""
    safe_locked: bool = True
    """With ``lock``: the shoe is left locked when the daemon ends or was killed."""


class BeeTekShoe(LineDevice, frozen=True, kw_only=True, tag="bee-tek"):
    """Bee-Tek."""

    numbered: ClassVar[bool] = False


class ScannerShoe(LineDevice, frozen=True, kw_only=True, tag="scanner"):
    """A bar code or QR scanner at the exit of a plain shoe."""

    numbered: ClassVar[bool] = False

    suffix: Literal["any", "lf", "cr", "crlf", "none"] = "any"
    """What ends a code; ``none``: a silence."""
    silence_ms: Milliseconds = 50
    """With ``suffix = "none"``: the silence that ends a code."""
    symbologies: tuple[Symbology, ...] = ()
    """Only these are read (the scanner sends AIM prefixes); none named: all, with a prefix or without."""
    aim: Literal["optional", "required", "none"] = "optional"
    """Whether the scanner puts an AIM prefix before each code; ``none``: what looks like one is code."""
    shape: str = ""
    """A regular expression for the whole code, as ``[0-9]{4}``: another code is a card that was not read, and
    never a foreign one. Empty: the code map alone decides."""
    no_read: Words | None = None
    """What the scanner sends when it read nothing; not given: NOREAD, NO READ and NR."""
    programming: Words | None = None
    """How codes begin that would program a scanner, and are no cards; not given: those of common makers."""
    longest: Annotated[int, Meta(ge=1, le=4096)] = 128
    """The most characters of a code with its prefix; more is noise that may hide a card."""


class CameraShoe(Device, frozen=True, kw_only=True, tag="camera"):
    """A camera over the exit of a plain shoe."""

    numbered: ClassVar[bool] = False

    source: Annotated[
        str, Meta(min_length=1, description="a video device, a video file or a folder of stills")
    ]
    """As /dev/video0."""
    decoder: Literal["zxing-cpp", "pyzbar"] = "zxing-cpp"
    """What finds and reads the marks."""
    symbologies: tuple[Symbology, ...] = ("code128",)
    """Only these are looked for."""
    width_px: Annotated[int, Meta(ge=64, le=8192)] = 640
    """Of the pictures that are asked for."""
    height_px: Annotated[int, Meta(ge=64, le=8192)] = 480
    """Of the pictures that are asked for."""
    frames_per_s: Annotated[int, Meta(ge=1, le=240)] = 30
    """Pictures a second that are asked for."""
    agreeing_frames: Annotated[int, Meta(ge=1, le=100)] = 3
    """A card counts when so many frames agree, and leaves when it is absent from as many."""
    least_confidence: Annotated[float, Meta(ge=0, le=1)] = 0.1
    """The share of its pictures in which a card must have been read; one with less was not read, and is never
    a foreign one."""
    marks_per_card: Annotated[int, Meta(ge=1, le=8)] = 1
    """How many marks of the same text one card shows at once: 2 where both edges carry it."""
    rescue: bool = False
    """Try harder on degraded frames; only where the code map has a strong check digit (mod37, mod97)."""


Agreement = Annotated[int, Meta(ge=100, le=10_000)]


class SecondBeeTek(BeeTekShoe, frozen=True, kw_only=True, tag="bee-tek"):
    """A second reader: it watches the same cards as the shoe, and only contradicts."""

    agree_within_ms: Agreement = 1500
    """How far the two readings of one card may lie apart."""


class SecondScanner(ScannerShoe, frozen=True, kw_only=True, tag="scanner"):
    """A second reader: it watches the same cards as the shoe, and only contradicts."""

    agree_within_ms: Agreement = 1500
    """How far the two readings of one card may lie apart."""


class SecondCamera(CameraShoe, frozen=True, kw_only=True, tag="camera"):
    """A second reader: it watches the same cards as the shoe, and only contradicts."""

    agree_within_ms: Agreement = 1500
    """How far the two readings of one card may lie apart."""


class LineShuffler(LineDevice, frozen=True, kw_only=True, tag="line"):
    """A shuffler that speaks our line protocol."""


class KeypadPanel(LineDevice, frozen=True, kw_only=True, tag="keypad"):
    """A keypad that speaks our line protocol."""


class GpioDevice(Device, frozen=True, kw_only=True):
    """Inputs on pins of the board."""

    active: Literal["low", "high"] = "low"
    """Low: the contact closes to ground and the board pulls up."""
    debounce_ms: Milliseconds = 20
    """A level counts when it has stood so long."""


KeypadLine = Annotated[str, Meta(min_length=2, max_length=120)]


class GpioButtons(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which pin each button is on; a table has the buttons that are named."""

    open: Pin | None = None
    """ "Place your bets, please"."""
    close: Pin | None = None
    """ "No more bets"."""
    decided: Pin | None = None
    """All players have decided."""
    reveal: Pin | None = None
    """The cards are turned up."""
    settled: Pin | None = None
    """All winning bets are paid."""
    hold: Pin | None = None
    """The dealer asks for a supervisor."""


class GpioPanel(GpioDevice, frozen=True, kw_only=True, tag="gpio"):
    """Buttons and the supervisor's key switch on pins."""

    buttons: GpioButtons = GpioButtons()
    lines: dict[KeypadLine, Pin] = {}
    """More buttons: a whole line of the keypad and its pin, as "SHOE 416" or "CLEAR continue"."""
    key_switch: Pin | None = None
    """The supervisor's key, while it is turned."""
    key_badge: Annotated[str, Meta(min_length=1, max_length=40)] = "supervisor"
    """Who is named in the record when the key is turned: a switch cannot tell."""


class GpioBeam(GpioDevice, frozen=True, kw_only=True, tag="gpio"):
    """A beam across the shoe's exit: each break must meet a card.

    A cut card breaks it as well: where the shoe does not tell of it, the table holds for a card unread.
    """

    pin: Pin
    """Active while something stands in the beam."""
    card_within_ms: Milliseconds = 800
    """A break that meets no card in this time is a card that was not read."""


class GpioLights(Device, frozen=True, kw_only=True, tag="gpio"):
    """Outputs on pins: traffic light, lamps, the lock of the shoe."""

    red: Pin | None = None
    """Traffic light: no bets."""
    yellow: Pin | None = None
    """Traffic light: bets close soon."""
    green: Pin | None = None
    """Traffic light: bets are open."""
    hold: Pin | None = None
    """A lamp that is on while the table waits for a supervisor."""
    buzzer: Pin | None = None
    """Sounds when a hold begins."""
    shoe_lock: Pin | None = None
    """Active: the shoe is locked."""
    active: Literal["low", "high"] = "high"
    """The level that switches an output on."""
    safe_light: Literal["red", "yellow", "off"] = "red"
    """The safe state: the outputs begin in it, and stay in it when the daemon ends or is killed. Never green:
    nobody is at the wheel then."""
    safe_hold: bool = False
    """Whether the lamp ``hold`` is on in the safe state."""
    safe_locked: bool = True
    """Whether the shoe is locked in the safe state."""


class Devices(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The devices by the place they take at the table."""

    shoe: AngelEyeShoe | BeeTekShoe | ScannerShoe | CameraShoe
    second_reader: SecondBeeTek | SecondScanner | SecondCamera | None = None
    shuffler: LineShuffler | None = None
    panel: KeypadPanel | GpioPanel | None = None
    beam: GpioBeam | None = None
    lights: GpioLights | None = None
