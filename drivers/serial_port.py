"""A serial port that is read for ever.

One thread a port: it reads, frames, stamps and hands on; nothing else happens in it. When the port vanishes,
is held by another program, or its path leads to another device, the thread says so once and tries again for
ever, with a growing pause.

Whoever waits for what the port says may read it in the thread in which it waits (``Source``): to wake one
thread that wakes another costs more than all that is done with a line. The port's own thread steps back
then, and reads when the other is away: what arrives while the table writes to a slow disk is kept, and
stamped at most so late as the other allowed.

pyserial sets the line and takes the advisory lock (`exclusive=True`, only programs that lock as well
respect it). Note that its `open` throws away what waits in the input buffer: what a device said before the
port was open is lost. The shell finds that out by the numbers of the reports, or holds the table. Reading
and writing are done here on the descriptor: `readline` and timed reads return parts of frames.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
from abc import abstractmethod
from typing import Generic, TypeVar

import serial

from drivers.errors import DeviceFault, why
from drivers.framing import Framing, Noise
from drivers.port_identity import Way, identity_of, is_other_device, is_taken_over, way_to
from drivers.ports import PortState
from drivers.readings import DeviceReachable
from drivers.serial_line import open_port, read_of
from drivers.serving import Serving, ServingDriver
from drivers.settings import PortTimes, SerialDevice

_LOOK_AT_PATH_NS = 500_000_000
_STEADY_NS = 2_000_000_000

PieceT = TypeVar("PieceT")


class PortDriver(ServingDriver, Generic[PieceT]):
    """A framed port with its thread, a ``Source``, and what becomes of each piece. It keeps no state of the
    device: the shell does. `write` and `state` may be used from any thread.
    """

    def __init__(self, name: str, settings: SerialDevice, framing: Framing[PieceT], times: PortTimes) -> None:
        super().__init__(name, settings.port, times.first_pause_s, times.longest_pause_s)
        self._settings = settings
        self._times = times
        self._framing = framing
        self._guard = threading.Lock()
        self._reading = threading.Lock()
        """Held by whoever reads, and while a piece is handed on: pieces come in the order of the bytes."""
        self._fd: int | None = None
        """What is read, where the port is open."""
        self._attended = False
        self._away_s = 0.0
        """For how long at most nobody may read after `leave`."""
        self._over: str | Exception | None = None
        """Why this connection ends, or what failed on it; found by whoever read last."""
        self._last_read_ns = 0
        self._quiet = True
        """Silence has ended what was unfinished."""
        self._serial: serial.Serial | None = None
        self._opened_ns = 0
        self._counts = {"connections": 0, "losses": 0, "bytes_in": 0, "bytes_out": 0}
        self._counts |= {"frames_in": 0, "noise_in": 0, "writes_failed": 0}
        self._identity: str | None = None
        self._way: Way | None = None
        """How the path led to a pseudo-terminal that was open."""
        self._last_error: str | None = None
        self._last_byte_ns: int | None = None

    @property
    def state(self) -> PortState:
        """A copy of the counters and the last error."""
        with self._guard:
            return PortState(
                path=self._settings.port,
                connected=self._serial is not None,
                identity=self._identity,
                last_error=self._last_error,
                last_byte_ns=self._last_byte_ns,
                **self._counts,
            )

    def write(self, message: bytes, heard_ns: int | None = None) -> bool:
        """Send without waiting; false if it could not leave whole.

        `heard_ns` is when the report came that this answers: an answer never goes to a connection that is
        younger than the report, since the device would take it for an answer to something else.
        """
        if self._only_listens:
            return False
        with self._guard:
            port = self._serial
            if port is None or (heard_ns is not None and heard_ns < self._opened_ns):
                return False
            try:
                sent = os.write(port.fileno(), message)
            except OSError as problem:
                self._counts["writes_failed"] += 1
                self._last_error = f"{self._settings.port}: writing failed: {why(problem)}"
                return False
            self._counts["bytes_out"] += sent
            if sent == len(message):
                return True
            self._counts["writes_failed"] += 1
            self._last_error = f"{self._settings.port}: the device does not take what is sent to it"
            return False

    # What the port tells: one call after the other, most from the port's thread; `arrived` also from that of
    # whoever reads the port as a ``Source``.

    def opened(self, identity: str, first: bool, replaced: bool, monotonic_ns: int) -> None:
        """The port answers; `first` since start, `replaced` where another device than before is there."""
        self._say(DeviceReachable(identity, first, replaced), b"", monotonic_ns)

    @abstractmethod
    def arrived(self, piece: PieceT, monotonic_ns: int) -> None:
        """A piece was read at this moment."""

    def ticked(self, monotonic_ns: int) -> None:
        """Time passes: called at least every `tick_s` while the port is open."""

    def serve(self) -> Serving:
        """Open the port and read until it is gone."""
        begun_ns = time.monotonic_ns()
        try:
            return (yield from self._read_until_lost(self._open()))
        finally:
            with self._reading:
                self._fd = None  # nobody else reads from here on, nor hands on
            pieces = self._close()
            if time.monotonic_ns() - begun_ns > _STEADY_NS:
                self.all_is_well()
            if not self._stopping.is_set():
                self._hand_on(pieces, time.monotonic_ns())

    def _open(self) -> int:
        if is_taken_over(self._way, self._settings.port):
            raise DeviceFault(
                f"{self._settings.port}: no device there; what it led to is gone, and another program was"
                " given the number"
            )
        port = open_port(self._settings, only_listens=self._only_listens)
        fd: int = port.fileno()
        try:
            identity, now = identity_of(fd), time.monotonic_ns()
        except OSError as problem:
            port.close()
            raise DeviceFault(f"{self._settings.port}: gone while it was being opened") from problem
        with self._guard:
            first, replaced = self._counts["connections"] == 0, self._identity not in (None, identity)
            self._serial, self._opened_ns, self._identity = port, now, identity
            self._way = way_to(self._settings.port, fd)
            self._counts["connections"] += 1
        self._told_lost = False
        self.opened(identity, first, replaced, now)
        return fd

    def attend(self, away_s: float) -> int | None:
        """See ``Source``."""
        fd = None if self._over is not None else self._fd
        self._away_s, self._attended = away_s, fd is not None
        return fd

    def leave(self) -> None:
        """See ``Source``."""
        self._attended = False

    def read(self) -> None:
        """See ``Source``; the port's own thread reads so, too."""
        with self._reading:
            fd = self._fd
            if fd is None or self._over is not None:
                return
            try:
                chunk = read_of(fd)
            except OSError as problem:
                self._end(f"{self._settings.port}: the port is gone: {why(problem)}")
                return
            if not chunk:
                return
            self._last_read_ns, self._quiet = time.monotonic_ns(), False
            try:
                self._take(chunk, self._last_read_ns)
            except Exception as problem:  # our bug: who reads here must not die of it, the port starts anew
                self._end(problem)

    def _end(self, why: str | Exception) -> None:
        """Let the port's own thread end this connection."""
        self._over = why
        self.wake()

    def _begin(self, fd: int) -> None:
        with self._reading:
            self._over, self._attended = None, False  # who attends now waits for a descriptor of before
            self._last_read_ns, self._quiet = time.monotonic_ns(), True
            self._fd = fd

    def _read_until_lost(self, fd: int) -> Serving:
        self._begin(fd)
        watching, standing_back = select.poll(), select.poll()
        watching.register(fd, select.POLLIN)
        for poll in (watching, standing_back):
            poll.register(self._wake, select.POLLIN)
        tick_s = self._times.tick_s
        looked_ns = time.monotonic_ns()
        while not self._stopping.is_set():
            if self._attended:
                ready = yield standing_back, min(tick_s, self._away_s)
            else:
                ready = yield watching, tick_s
            if self._wake in ready:
                os.eventfd_read(self._wake)
            now = time.monotonic_ns()
            if (fd in ready and not self._attended) or self._silent(now):
                self.read()  # what waits unread is no silence
            if self._over is not None:
                return self._why()
            with self._reading:
                self._pass_time(now)
            if now - looked_ns > _LOOK_AT_PATH_NS:
                looked_ns = now
                if is_other_device(fd, self._settings.port):
                    self.read()  # what the old one has said
                    return f"{self._settings.port}: the path leads to another device now"
        self.read()  # what came while this thread stood back
        return "stopped"

    def _why(self) -> str:
        """Why the connection ended; raises what failed on it."""
        why, self._over = self._over, "over"
        if isinstance(why, Exception):
            raise why
        return str(why)

    def _silent(self, now: int) -> bool:
        return not self._quiet and 0 < self._times.silence_s <= (now - self._last_read_ns) / 1e9

    def _pass_time(self, now: int) -> None:
        if self._silent(now):
            self._hand_on(self._framing.silence(), now)
            self._quiet = True
        self.ticked(now)

    def _take(self, chunk: bytes, now: int) -> None:
        with self._guard:
            self._counts["bytes_in"] += len(chunk)
            self._last_byte_ns = now
        self._hand_on(self._framing.feed(chunk), now)

    def _hand_on(self, pieces: list[PieceT], now: int) -> None:
        for piece in pieces:
            with self._guard:
                self._counts["noise_in" if isinstance(piece, Noise) else "frames_in"] += 1
            self.arrived(piece, now)

    def _close(self) -> list[PieceT]:
        """Let go of the port; returns what was unfinished."""
        with self._guard:
            port, self._serial = self._serial, None
            if port is None:
                return []
            if self._way is not None and (last := way_to(self._settings.port, port.fileno())) is not None:
                self._way = Way(self._way.links, last.terminal)  # its rights may have changed
            if not self._stopping.is_set():
                self._counts["losses"] += 1
            # A vanished device may refuse even the closing.
            with contextlib.suppress(OSError, serial.SerialException):
                port.close()
        return self._framing.cut_off()

    def note_lost(self, reason: str) -> None:
        with self._guard:
            self._last_error = reason
