"""The line of a serial port: how it is set, opened and read."""

from __future__ import annotations

import contextlib
import errno
import os
import select

import serial

from drivers.errors import DeviceFault, PortForbidden, PortHeld, PortMissing, PortUnusable
from drivers.settings import SerialDevice

CHUNK = 4096


def read_of(fd: int) -> bytes:
    """What waits at a port; empty if nothing does, OSError if nothing will any more.

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


def open_port(settings: SerialDevice) -> serial.Serial:
    """Open and lock a port with pyserial. Raises a DeviceFault that names the path and what to mend."""
    port = settings.port
    try:
        return serial.Serial(
            port,
            settings.baud_rate,
            bytesize=settings.bits,
            parity=settings.parity,
            stopbits=settings.stop_bits,
            timeout=0,
            exclusive=True,
        )
    except serial.SerialException as problem:
        raise port_error(port, problem) from problem
    except (OSError, ValueError) as problem:
        raise PortUnusable(f"{port}: the port cannot be set up: {problem}") from problem


def port_error(port: str, problem: serial.SerialException) -> DeviceFault:
    """What pyserial's error means, by its error number."""
    number = problem.errno
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.ENOTDIR):
        return PortMissing(f"{port}: no device there; is it plugged in and switched on?")
    if number in (errno.EACCES, errno.EPERM):
        return PortForbidden(f"{port}: this user may not open it; add it to the group that owns it (dialout)")
    if number in (errno.EAGAIN, errno.EBUSY):
        return PortHeld(f"{port}: another program holds the port (ModemManager, a terminal, another table?)")
    return PortUnusable(f"{port}: not usable as a serial port: {problem}")
