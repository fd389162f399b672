"""The port every driver fits: how readings come in and answers go out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol, runtime_checkable

import msgspec

from drivers.readings import Reading
from drivers.repeats import ReportLog


class PortState(msgspec.Struct, frozen=True):
    """What a driver can tell about its port at any moment.

    Counters since start, for health pages and `doctor`. Times are `time.monotonic_ns`; None if it
    never happened.
    """

    path: str
    connected: bool = False
    identity: str | None = None
    connections: int = 0
    losses: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    frames_in: int = 0
    noise_in: int = 0
    writes_failed: int = 0
    last_error: str | None = None
    last_byte_ns: int | None = None


class Received(msgspec.Struct, frozen=True):
    """One reading of one device.

    `raw` holds the bytes it was made from (empty if there were none), `monotonic_ns` the moment they
    were read (`time.monotonic_ns`), `number` the device's own report number or None.
    """

    device: str
    reading: Reading
    raw: bytes
    monotonic_ns: int
    number: int | None


class Accepted(msgspec.Struct, frozen=True):
    """The reading is durable and was taken."""


class Refused(msgspec.Struct, frozen=True):
    """The reading is durable, was understood, and is refused now; `why` is shown at the device where it
    can.
    """

    why: str


class NotUnderstood(msgspec.Struct, frozen=True):
    """The reading is durable as a device fault; it meant nothing."""


Answer = Accepted | Refused | NotUnderstood


class Driver(Protocol):
    """A device as the shell sees it.

    A driver turns bytes into readings. It is *not* responsible for dropping repeats, for holding the table,
    or for knowing what a card means. It never calls `deliver` after `stop` has returned.
    """

    @property
    def name(self) -> str:
        """The device's name in the configuration, for example "shoe"."""

    @property
    def state(self) -> PortState:
        """Counters and last error, a copy, safe from any thread."""

    def start(self, deliver: Callable[[Received], None]) -> None:
        """Begin; from now on `deliver` is called, from a thread of the driver or in `Source.read`. It must
        return at once.
        """

    def acknowledge(self, received: Received, answer: Answer) -> None:
        """Tell the device what became of its report. Called after the commit, for repeats too. Never blocks
        or raises.
        """

    def stop(self) -> None:
        """Close the port and end the thread; returns when both are done."""


@runtime_checkable
class Source(Protocol):
    """A driver whose port can be read in the thread that waits for it; its own thread steps back meanwhile.

    `attend`, wait until the descriptor can be read, `read`, `leave`, all in one thread. Nothing is lost where
    nobody attends: the port's own thread reads then. A port that is closed may be held by who waits for its
    descriptor until the wait ends, so waits should be short.
    """

    def attend(self, away_s: float) -> int | None:
        """What to wait for; None if there is nothing to wait for now. Holds until `leave`.

        `away_s`: for how long at most nobody may read after `leave`; a reading may be stamped so much later.
        """

    def read(self) -> None:
        """Hand on what is there, in this thread. Never waits for the device, never raises."""

    def leave(self) -> None:
        """The port's own thread reads again, after `away_s` at the latest."""


@runtime_checkable
class NumberedDriver(Driver, Protocol):
    """A driver of a device that numbers its reports. The settings of such a shoe say `numbered`."""

    @property
    def report_log(self) -> ReportLog:
        """An empty log with the device's cycle of numbers: the rule that tells a repeat from a gap."""


@runtime_checkable
class LockableShoe(Driver, Protocol):
    """A shoe that can be told to let no card out. Each command is answered later by a `CommandAnswered`
    reading.
    """

    def lock(self) -> None:
        """Let no card out."""

    def unlock(self) -> None:
        """Let cards out again."""

    def clear_error(self, code: int) -> None:
        """Take back the error of this code (0 to 99)."""

    def query(self) -> None:
        """Ask for the state of the shoe's process."""


Light = Literal["red", "yellow", "green", "off"]


class OutputDevice(Protocol):
    """Lights, lamps and lock on pins: no method blocks or raises for a failing pin."""

    @property
    def state(self) -> PortState:
        """``writes_failed`` counts what could not be switched."""

    @property
    def has_lock(self) -> bool:
        """Whether the table has a lock of the shoe on a pin."""

    def start(self) -> None:
        """Take the pins, in the safe state."""

    def safe(self) -> None:
        """Put everything into the safe state and leave it so."""

    def levels(self) -> dict[str, bool]:
        """Which outputs are on, as their pins say when they are read; one that cannot be read is missing."""

    def light(self, light: Light) -> None:
        """Show one colour, or none."""

    def hold_lamp(self, on: bool) -> None:
        """Switch the lamp that calls a supervisor."""

    def lock(self) -> None:
        """Let no card out."""

    def unlock(self) -> None:
        """Let cards out again."""

    def buzz(self, on_ms: int, off_ms: int = 0, times: int = 1) -> None:
        """Sound the buzzer."""
