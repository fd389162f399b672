"""What the settings of every device have in common, and what is asked of a device before it is opened.

A driver owns its settings: a struct whose tag is the name in the file, whose types are the ranges, and whose
docstrings are the help. The struct itself refuses what does not go together (:class:`DeviceSettingsError`). A
key that names a file says so in its type, `Meta(extra={"file": True})`: a relative path is taken from the
folder of the configuration.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from abc import abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

import msgspec
from msgspec import Meta
from msgspec.structs import replace

if TYPE_CHECKING:  # settings are read where no device is opened
    from drivers.ports import Driver, OutputDevice
    from drivers.simulated_shoe import SimulatedShoe

DevicePath = Annotated[
    str,
    Meta(
        pattern=r"^/[^\x00]+$(?!\n)",
        description="the whole path of a device, as /dev/serial/by-id/... or /dev/dealer-table/shoe",
    ),
]
BaudRate = Annotated[int, Meta(ge=300, le=4_000_000)]
Milliseconds = Annotated[int, Meta(ge=1, le=60_000)]
Pin = Annotated[int, Meta(ge=0, le=53, description="the number of a GPIO line, 0 to 53")]
"""Numbered as the chip counts them (GPIO17), not as the pins of the header."""
DevicePlace = Literal["shoe", "shuffler", "panel", "beam", "felt", "lights"]
PinFactory = Callable[[], Any]
"""Gives the pins of the board (gpiozero); called when they are taken."""


class PortTimes(msgspec.Struct, frozen=True):
    """How a port keeps time, in seconds.

    Between two tries to open it passes a pause that grows from the first to the longest. A silence of
    `silence_s` ends what is unfinished (0: never). `tick_s`: how often the listener hears that time passes.
    """

    first_pause_s: float = 0.1
    longest_pause_s: float = 2.0
    silence_s: float = 0.0
    tick_s: float = 0.1

    def with_silence(self, silence_ms: int) -> "PortTimes":
        """With another silence."""
        return replace(self, silence_s=silence_ms / 1000)


class DriverContext(msgspec.Struct, frozen=True):
    """What a driver needs that is no setting of its own.

    `pins`: whose pins; None: the board's own. `check_digit`: whether the codes on the cards have a check
    digit that lets no single wrong character pass.
    """

    pins: PinFactory | None = None
    check_digit: bool = False
    times: PortTimes = PortTimes()


class DeviceSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="driver"):
    """Any device; ``driver`` in the file chooses it, ``[devices.<place>]`` is its place at the table."""

    place: ClassVar[DevicePlace]
    """The place that such a device takes at a table."""
    address_key: ClassVar[str | None] = None
    """The key that says where the device is plugged in."""

    def driver(self, name: str, context: DriverContext) -> "Driver":
        """The driver, not started yet; it is imported here and not before."""
        raise TypeError(f"{type(self).__name__} has no method driver")

    def listened_to(self) -> Self:
        """The same device where its line is only listened to: nothing is asked of it."""
        return self

    @property
    def plugged_in(self) -> str:
        """Its driver, and where it is plugged in: a device that has another one of them is another device."""
        driver = str(type(self).__struct_config__.tag)
        return driver if self.address_key is None else f"{driver} at {getattr(self, self.address_key)}"

    def taken(self) -> Iterator[tuple[str, str]]:
        """Each port and pin that the device takes, with its key: no other device may have it."""
        yield from ()

    def advice(self, check_digit: bool) -> Iterator[tuple[str, str]]:
        """What may be meant so and is worth a look: a key and what to know about it.

        `check_digit`: as in :class:`DriverContext`.
        """
        yield from ()

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        """Whether such a device says this line, and no other device should: for a port nobody has named.

        `is_card`: whether a code is a card's.
        """
        return False

    @classmethod
    def answers(cls, port: str) -> int | None:
        """Ask at this port for such a device; the speed at which it answers. Changes nothing at the device.

        Raises DeviceFault where the port cannot be used.
        """
        return None


class SerialDevice(DeviceSettings, frozen=True, kw_only=True):
    """A device on a serial port, 8N1 unless the site says otherwise."""

    address_key: ClassVar[str | None] = "port"

    port: DevicePath
    """A name that stays: the number of /dev/ttyUSB0 changes with every start."""
    baud_rate: BaudRate = 9600
    """As the device is set."""
    parity: Literal["N", "E", "O"] = "N"
    """N none, E even, O odd."""
    stop_bits: Literal[1, 2] = 1
    """As the device is set."""

    @property
    def bits(self) -> int:
        """Of a character: 7 or 8."""
        return 8

    def taken(self) -> Iterator[tuple[str, str]]:
        yield "port", self.port


class LineDevice(SerialDevice, frozen=True, kw_only=True):
    """A serial device of text, which may also come in seven bits."""

    data_bits: Literal[7, 8] = 8
    """As the device is set."""

    @property
    def bits(self) -> int:
        return self.data_bits


class ShoeDevice(DeviceSettings, frozen=True, kw_only=True):
    """A shoe, or what reads the cards at the exit of a plain one."""

    place: ClassVar[DevicePlace] = "shoe"
    knows_hands: ClassVar[bool] = False
    """Whether it is made for a game: it says where a card goes, and its own result."""
    numbered: ClassVar[bool] = False
    """Whether its reports carry numbers that prove that none was missed."""
    doubles: ClassVar[bool] = True
    """Whether it may say one card twice."""
    names_cards: ClassVar[bool] = False
    """Whether it says which card it was, as ``8S``, and not what is printed on it."""
    reads_print: ClassVar[bool] = False
    """Whether it may read cards without a code, as they are printed."""
    second: ClassVar[bool] = True
    """Whether it may watch the cards of another shoe, as a second reader."""
    simulator_keys: ClassVar[str] = ""
    """What the configuration of a simulated one has more (TOML)."""

    @property
    def lock(self) -> bool:
        """Whether the shoe takes commands and is locked whenever a draw would be illegal."""
        return False

    @property
    def safe_locked(self) -> bool:
        """With `lock`: whether it is left locked when the daemon ends or was killed."""
        return False

    @property
    def agree_within_ms(self) -> int:
        """Of a second reader: how far its reading of a card may lie from the shoe's."""
        raise TypeError(f"{type(self).__name__} is no second reader")

    @classmethod
    def plain_simulator(cls, path: Path) -> "tuple[SimulatedShoe, str]":
        """Where it `reads_print`: a simulated shoe of cards without a code, and the keys that its
        configuration needs more (TOML).
        """
        raise TypeError(f"{cls.__name__} reads no print")

    def misreads(self) -> str | None:
        """What may happen where the codes have no check digit; None if nothing worth mentioning."""
        return None

    def leave_locked(self) -> None:
        """Tell the shoe once to let no card out, where no daemon is there to do it. Raises DeviceFault."""

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedShoe":
        """Such a shoe of software, at this path."""
        raise TypeError(f"{cls.__name__} has no method simulator")


class ShufflerDevice(DeviceSettings, frozen=True, kw_only=True):
    """A shuffler."""

    place: ClassVar[DevicePlace] = "shuffler"
    only_shuffles: ClassVar[bool] = False
    """Whether it tells of shuffles alone: people say that its cards are loaded (`SHOE`), and nobody hears of
    cards that go back."""


class PanelDevice(DeviceSettings, frozen=True, kw_only=True):
    """The dealer's panel; it speaks the lines of the keypad."""

    place: ClassVar[DevicePlace] = "panel"

    def lines_said(self) -> tuple[str, ...] | None:
        """The whole lines that it can say, and no others; None: all that the keypad has."""
        return None

    def says_badge(self) -> str | None:
        """The one badge that it says, whoever turns the key; None: it says whose key it is, or has none."""
        return None


class BeamDevice(DeviceSettings, frozen=True, kw_only=True):
    """A beam across the shoe's exit."""

    place: ClassVar[DevicePlace] = "beam"

    @property
    @abstractmethod
    def card_within_ms(self) -> int:
        """A break that meets no card in this time is a card that was not read."""


class FeltDevice(DeviceSettings, frozen=True, kw_only=True):
    """What sees the cards that lie on the table."""

    place: ClassVar[DevicePlace] = "felt"

    @property
    @abstractmethod
    def agree_within_ms(self) -> int:
        """After the result no round opens before so much time, in which it may contradict."""


class LightsDevice(DeviceSettings, frozen=True, kw_only=True):
    """Traffic light, lamps, and a lock of the shoe."""

    place: ClassVar[DevicePlace] = "lights"

    @property
    @abstractmethod
    def safe_light(self) -> str:
        """The colour of the traffic light in the safe state, or `off`."""

    @property
    @abstractmethod
    def safe_hold(self) -> bool:
        """Whether the lamp that calls a supervisor is on in the safe state."""

    @abstractmethod
    def has(self, output: str) -> bool:
        """Whether there is such an output: a colour, `hold`, `buzzer` or `shoe_lock`."""

    @abstractmethod
    def outputs(self, name: str, context: DriverContext) -> "OutputDevice":
        """What switches them, not yet taken."""

    @abstractmethod
    def leave_safe(self, context: DriverContext) -> int:
        """Put every output into the safe state, where no daemon is there to do it; how many there are.

        Raises DeviceFault. The outputs stay driven: the caller ends with `os._exit`, so that no library lets
        them go on its way out.
        """
