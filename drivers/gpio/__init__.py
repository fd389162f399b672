"""Buttons, key switch, beam, shuffler, lamps and lock on the pins of the board. Only this package imports
gpiozero.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, get_args

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
    ShufflerDevice,
)

if TYPE_CHECKING:
    from drivers.gpio.driver import GpioBeamDriver, GpioPanelDriver
    from drivers.gpio.outputs import GpioOutputs
    from drivers.gpio.shuffler import GpioShufflerDriver

Active = Literal["low", "high"]
Contact = Literal["running", "ready", "door", "jam", "count"]
CountEdge = Literal["begin", "end", "both"]
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

    def says_badge(self) -> str | None:
        return None if self.key_switch is None else self.key_badge

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


class GpioShuffler(GpioDevice, ShufflerDevice, frozen=True, kw_only=True, tag="gpio"):
    """A shuffler that tells by contacts that it runs and is ready; it shuffles sets of a plain shoe.

    It names no set, and never says that its cards are loaded: a person does (`SHOE`).
    """

    only_shuffles: ClassVar[bool] = True

    running: Pin
    """Active from the beginning of a shuffle to its end."""
    ready: Pin
    """Active while it is at rest and well, never while it shuffles; a shuffle is done when it is so again."""
    door: Pin | None = None
    """Active while a door is open: a shuffle in which it opens has failed."""
    jam: Pin | None = None
    """Active while a card is jammed, or whatever the machine has as its fault: the shuffle has failed."""
    count: Pin | None = None
    """A pulse for each card of the shuffle. Without it nobody counts them."""
    inverted: tuple[Contact, ...] = ()
    """Inputs that are active at the other level, as a contact that opens with the door: then a broken wire is
    an open door."""
    count_edge: CountEdge = "begin"
    """Which edge of a pulse is a card; both: the output changes once for each card."""
    count_debounce_ms: Annotated[int, Meta(ge=1, le=1000)] = 2
    """A level of the count must stand so long, instead of `debounce_ms`."""
    ready_within_ms: Milliseconds = 5000
    """After its end, the machine is ready in this time, or the shuffle has failed."""
    longest_s: Annotated[int, Meta(ge=5, le=7200)] = 900
    """The longest time that a shuffle may take; one that takes longer has failed."""

    def __post_init__(self) -> None:
        for name in self.inverted:
            if name not in self.named():
                raise DeviceSettingsError("inverted", f'"{name}" has no pin')
        if self.count_debounce_ms > self.debounce_ms:
            # The last card must have counted when the end of the shuffle does.
            problem = f"{self.count_debounce_ms} is wrong; needed is at most debounce_ms = {self.debounce_ms}"
            raise DeviceSettingsError("count_debounce_ms", problem)

    def named(self) -> tuple[Contact, ...]:
        """The contacts that the machine has."""
        return tuple(name for name in get_args(Contact) if getattr(self, name) is not None)

    def pins(self) -> Iterator[tuple[str, int]]:
        for name in self.named():
            yield name, getattr(self, name)

    def advice(self, check_digit: bool) -> Iterator[tuple[str, str]]:
        if self.count is None:
            yield (
                "count",
                "no pin: nobody counts what was shuffled, and a lost card is found in the shoe or never",
            )
        if self.door is None and self.jam is None:
            yield (
                "jam",
                "no pin, nor one for the door: a shuffle fails only where the machine does not get ready",
            )

    def driver(self, name: str, context: DriverContext) -> "GpioShufflerDriver":
        from drivers.gpio.shuffler import GpioShufflerDriver

        return GpioShufflerDriver(name, self, context.pins)


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


DEVICES = (GpioPanel, GpioBeam, GpioLights, GpioShuffler)
