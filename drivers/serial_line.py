"""The line of a serial port: how it is set, opened and read."""

from __future__ import annotations

import errno
import os
import select

import serial

from drivers.errors import DeviceFault
from drivers.errors import why as reason_of
from drivers.settings import SerialDevice

CHUNK = 4096


def read_of(fd: int) -> bytes:
    """What waits at a port; empty if nothing does, OSError if nothing will any more.

    As pyserial sets the line, a read that finds nothing gives what a read of a vanished port gives. Only the
    second one goes on being told of.
    """
    try:
        if chunk := os.read(fd, CHUNK):
            return chunk
        more = select.poll()
        more.register(fd, select.POLLIN)
        if more.poll(0) and not (chunk := os.read(fd, CHUNK)):
            raise OSError(errno.EIO, "it has hung up")
    except BlockingIOError:
        return b""
    return chunk


def open_port(settings: SerialDevice, *, only_listens: bool = False) -> serial.Serial:
    """Open and lock a port with pyserial. Raises a DeviceFault that names the path and what to mend.

    ``only_listens``: the lines that tell a device that somebody is there (DTR, RTS) stay low.
    """
    port = settings.port
    try:
        opened = serial.Serial(
            None,
            settings.baud_rate,
            bytesize=settings.bits,
            parity=settings.parity,
            stopbits=settings.stop_bits,
            timeout=0,
            exclusive=True,
        )
        if only_listens:
            opened.dtr = opened.rts = False
        opened.port = port
        opened.open()
        return opened
    except (OSError, ValueError) as problem:  # pyserial's own errors among them
        raise port_error(port, problem) from problem


def port_error(port: str, problem: OSError | ValueError) -> DeviceFault:
    """What an opening's error means, by its error number."""
    match getattr(problem, "errno", None):
        case errno.ENOENT | errno.ENODEV | errno.ENXIO | errno.ENOTDIR:
            why = "no device there; is it plugged in and switched on?"
        case errno.EACCES | errno.EPERM:
            why = "this user may not open it; add it to the group that owns it (dialout)"
        case errno.EAGAIN | errno.EBUSY:
            why = "another program holds the port (ModemManager, a terminal, another table?)"
        case _:
            said = reason_of(problem) if isinstance(problem, OSError) else problem
            why = f"not usable as a serial port: {said}"
    return DeviceFault(f"{port}: {why}")
