"""The last command to a shoe whose daemon is dead: lock, sent once, by the process that outlives the daemon.

Nothing is read, so that what the shoe says meanwhile waits for the next daemon, and nobody waits for an
answer.
"""

from __future__ import annotations

import os
import termios

from drivers.angel_eye import AngelEyeShoe, wire
from drivers.errors import DeviceFault, why
from drivers.settings import SerialDevice

_STOP_BITS = {1: 0, 2: termios.CSTOPB}
_PARITY = {"N": 0, "E": termios.PARENB, "O": termios.PARENB | termios.PARODD}


def leave_locked(shoe: AngelEyeShoe) -> None:
    """Tell the shoe at this port to let no card out. Raises DeviceFault where it cannot be told."""
    frame = wire.command_frame("LK", "02", shoe.bcc_includes_stx)
    try:
        port = os.open(shoe.port, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as problem:
        raise DeviceFault(f"{shoe.port}: cannot be opened: {why(problem)}") from problem
    try:
        set_line(port, shoe)
        sent = os.write(port, frame)
    except (OSError, termios.error, AttributeError) as problem:
        reason = why(problem) if isinstance(problem, OSError) else "this is no serial port"
        raise DeviceFault(f"{shoe.port}: the shoe cannot be told to lock: {reason}") from problem
    finally:
        os.close(port)
    if sent != len(frame):
        raise DeviceFault(f"{shoe.port}: the shoe does not take what is sent to it")


def set_line(port: int, line: SerialDevice) -> None:
    """Raw, at the speed of the shoe, and without a flush: what waits in the port is not ours to drop."""
    speed = getattr(termios, f"B{line.baud_rate}")
    *_, special = termios.tcgetattr(port)
    control = termios.CS8 | termios.CREAD | termios.CLOCAL | _STOP_BITS[line.stop_bits] | _PARITY[line.parity]
    termios.tcsetattr(port, termios.TCSANOW, [0, 0, control, 0, speed, speed, special])
