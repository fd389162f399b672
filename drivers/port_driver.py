"""What drivers of devices on a serial port share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from drivers.framing import Framing
from drivers.ports import PortState, Received, Source
from drivers.readings import DeviceReachable, DeviceUnreachable
from drivers.reporting import ReportingDriver
from drivers.serial_port import SerialPort
from drivers.settings import PortTimes, SerialDevice

PieceT = TypeVar("PieceT")


class PortDriver(ReportingDriver, ABC, Generic[PieceT]):
    """A framed port, and what becomes of each piece. It keeps no state of the device: the shell does."""

    def __init__(self, name: str, settings: SerialDevice, framing: Framing[PieceT], times: PortTimes) -> None:
        super().__init__(name)
        self._port: SerialPort[PieceT] = SerialPort(settings, framing, self, times)

    @property
    def state(self) -> PortState:
        return self._port.state

    @property
    def source(self) -> Source:
        """The port, for the thread that waits for it."""
        return self._port

    def start(self, deliver: Callable[[Received], None]) -> None:
        self._deliver = deliver
        self._port.begin()

    def stop(self) -> None:
        self._port.end()
        self._deliver = None

    # What the port tells, one call after the other.

    def opened(self, identity: str, first: bool, replaced: bool, monotonic_ns: int) -> None:
        self._say(DeviceReachable(identity, first, replaced), b"", monotonic_ns)

    @abstractmethod
    def arrived(self, piece: PieceT, monotonic_ns: int) -> None:
        """A piece was read at this moment."""

    def ticked(self, monotonic_ns: int) -> None:
        """Time passes."""

    def closed(self, reason: str, monotonic_ns: int) -> None:
        self._say(DeviceUnreachable(reason), b"", monotonic_ns)
