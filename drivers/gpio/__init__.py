"""Buttons, key switch, beam, lamps and lock on the pins of the board. Only this package imports gpiozero."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from drivers.errors import DeviceSettingsError
from drivers.keypad import pressing
from drivers.settings import (
    BeamDevice,
    DeviceSettings,
    DriverContext,
    LightsDevice,
    Milliseconds,
    PanelDevice,
    Pin,
)

if TYPE_CHECKING:
    from drivers.gpio.driver import GpioBeamDriver, GpioPanelDriver
    from drivers.gpio.outputs import GpioOutputs

Active = Literal["low", "high"]
KeypadLine = Annotated[str, Meta(min_length=2, max_length=120)]
COLOURS = ("red", "yellow", "green")
OUTPUTS = (*COLOURS, "hold", "buzzer", "shoe_lock")


class GpioDevice(DeviceSettings, frozen=True, kw_only=True):
    """Inputs on pins of the board."""

    active: Active = "low"
    """Low: the contact closes to ground and the board pulls up."""
    debounce_ms: Milliseconds = 20
    """A level counts when it has stood so long."""

    @abstractmethod
    def pins(self) -> Iterator[tuple[str, int]]:
        """Each pin with its key."""

    def taken(self) -> Iterator[tuple[str, str]]:
        for key, number in self.pins():
            yield key, f"GPIO{number}"


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


class GpioPanel(GpioDevice, PanelDevice, frozen=True, kw_only=True, tag="gpio"):
    """Buttons and the supervisor's key switch on pins."""

    buttons: GpioButtons = GpioButtons()
    lines: dict[KeypadLine, Pin] = msgspec.field(default_factory=dict)
    """More buttons: a whole line of the keypad and its pin, as "SHOE 416" or "CLEAR continue"."""
    key_switch: Pin | None = None
    """The supervisor's key, while it is turned."""
    key_badge: Annotated[str, Meta(min_length=1, max_length=40)] = "supervisor"
    """Who is named in the record when the key is turned: a switch cannot tell."""

    def __post_init__(self) -> None:
        if not self.pin_of_line():
            raise DeviceSettingsError("buttons", "no button has a pin; needed is at least one")
        for line in self.lines:
            pressing(line)

    def pin_of_line(self) -> dict[str, int]:
        """Each line that a button says, with its pin."""
        named = {button.upper(): pin for button, pin in asdict(self.buttons).items() if pin is not None}
        return named | self.lines

    def lines_said(self) -> tuple[str, ...]:
        return (*self.pin_of_line(), *(() if self.key_switch is None else ("KEY", "NOKEY")))

    def pins(self) -> Iterator[tuple[str, int]]:
        for button, pin in asdict(self.buttons).items():
            if pin is not None:
                yield f"buttons.{button}", pin
        for line, pin in self.lines.items():
            yield f'lines."{line}"', pin
        if self.key_switch is not None:
            yield "key_switch", self.key_switch

    def advice(self, check_digit: bool) -> Iterator[tuple[str, str]]:
        if not any(line.startswith("CLEAR ") for line in self.lines):
            yield "lines", 'no button clears a hold; name at least "CLEAR continue" and "CLEAR void"'

    def driver(self, name: str, context: DriverContext) -> "GpioPanelDriver":
        from drivers.gpio.driver import GpioPanelDriver

        return GpioPanelDriver(name, self, context.pins)


class GpioBeam(GpioDevice, BeamDevice, frozen=True, kw_only=True, tag="gpio"):
    """A beam across the shoe's exit: each break must meet a card.

    A cut card breaks it as well: where the shoe does not tell of it, the table holds for a card unread.
    """

    pin: Pin
    """Active while something stands in the beam."""
    card_within_ms: Milliseconds = 800
    """A break that meets no card in this time is a card that was not read."""

    def pins(self) -> Iterator[tuple[str, int]]:
        yield "pin", self.pin

    def driver(self, name: str, context: DriverContext) -> "GpioBeamDriver":
        from drivers.gpio.driver import GpioBeamDriver

        return GpioBeamDriver(name, self, context.pins)


class GpioLights(LightsDevice, frozen=True, kw_only=True, tag="gpio"):
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
    active: Active = "high"
    """The level that switches an output on."""
    safe_light: Literal["red", "yellow", "off"] = "red"
    """The safe state: the outputs begin in it, and stay in it when the daemon ends or is killed. Never green:
    nobody is at the wheel then."""
    safe_hold: bool = False
    """Whether the lamp ``hold`` is on in the safe state."""
    safe_locked: bool = True
    """Whether the shoe is locked in the safe state."""

    def named(self) -> list[tuple[str, int]]:
        """The outputs that the table has, with their pins."""
        return [(name, number) for name in OUTPUTS if (number := getattr(self, name)) is not None]

    def has(self, output: str) -> bool:
        return output in dict(self.named())

    def on_when_safe(self, name: str) -> bool:
        """Whether this output is on in the safe state."""
        safe = {colour: self.safe_light == colour for colour in COLOURS}
        return {**safe, "hold": self.safe_hold, "buzzer": False, "shoe_lock": self.safe_locked}[name]

    def taken(self) -> Iterator[tuple[str, str]]:
        for name, number in self.named():
            yield name, f"GPIO{number}"

    def outputs(self, name: str, context: DriverContext) -> "GpioOutputs":
        from drivers.gpio.outputs import GpioOutputs

        return GpioOutputs(name, self, context.pins)

    def leave_safe(self, context: DriverContext) -> int:
        from drivers.gpio.outputs import put_safe

        if self.named():
            put_safe(self, context.pins)
        return len(self.named())


DEVICES = (GpioPanel, GpioBeam, GpioLights)
