"""The line of a serial port: how it is set, opened and read."""

from __future__ import annotations

import contextlib
import errno
import os
import select

import msgspec
import serial

from drivers.errors import (
    DeviceError,
    DeviceSettingsError,
    PortForbidden,
    PortHeld,
    PortMissing,
    PortUnusable,
)

CHUNK = 4096


class LineSettings(msgspec.Struct, frozen=True):
    """How to reach a port and how its line is set. Times in seconds; `silence_s` 0 means silence ends
    nothing.
    """

    port: str
    baud_rate: int = 9600
    data_bits: int = 8
    parity: str = "N"
    stop_bits: int = 1
    first_pause_s: float = 0.1
    longest_pause_s: float = 2.0
    silence_s: float = 0.0
    tick_s: float = 0.1

    def __post_init__(self) -> None:
        checks = (
            ("port", bool(self.port), "the path of the serial port is needed"),
            ("baud_rate", self.baud_rate > 0, f"{self.baud_rate} is no speed of a line"),
            ("data_bits", self.data_bits in (7, 8), f"7 or 8, not {self.data_bits}"),
            ("parity", self.parity in ("N", "E", "O"), f"N, E or O, not {self.parity!r}"),
            ("stop_bits", self.stop_bits in (1, 2), f"1 or 2, not {self.stop_bits}"),
        )
        for key, right, problem in checks:
            if not right:
                raise DeviceSettingsError(key, problem)


def read_of(fd: int) -> bytes:
    """What waits at a port; empty where nothing does, OSError where nothing will any more.

    As pyserial sets the line, a read that finds nothing gives what a read of a vanished port gives. Only the
    second one goes on being told of.
    """
    chunk, more = b"", select.poll()
    more.register(fd, select.POLLIN)
    with contextlib.suppress(BlockingIOError):
        chunk = os.read(fd, CHUNK)
        if not chunk and more.poll(0):
            chunk = os.read(fd, CHUNK)
            if not chunk:
                raise OSError(errno.EIO, "it has hung up")
    return chunk


def open_port(settings: LineSettings) -> serial.Serial:
    """Open and lock a port with pyserial. Raises a DeviceError that names the path and what to mend."""
    port = settings.port
    try:
        return serial.Serial(
            port,
            settings.baud_rate,
            bytesize=settings.data_bits,
            parity=settings.parity,
            stopbits=settings.stop_bits,
            timeout=0,
            exclusive=True,
        )
    except serial.SerialException as problem:
        raise port_error(port, problem) from problem
    except (OSError, ValueError) as problem:
        raise PortUnusable(f"{port}: the port cannot be set up: {problem}") from problem


def port_error(port: str, problem: serial.SerialException) -> DeviceError:
    """What pyserial's error means, by its error number."""
    number = problem.errno
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR):
        return PortMissing(f"{port}: no device there; is it plugged in and switched on?")
    if number in (errno.EACCES, errno.EPERM):
        return PortForbidden(f"{port}: this user may not open it; add it to the group that owns it (dialout)")
    if number in (errno.EAGAIN, errno.EBUSY):
        return PortHeld(f"{port}: another program holds the port (ModemManager, a terminal, another table?)")
    return PortUnusable(f"{port}: not usable as a serial port: {problem}")
