"""The far end of a serial cable: what all simulators share.

A simulator speaks on the master side of a pseudo-terminal, from a thread of its own; the driver under test
opens the other side by its path, which may be a link that stays the same while the device behind it comes
and goes.
"""

from __future__ import annotations

import contextlib
import os
import select
import threading
import time
import tty
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

_CHUNK = 4096


class PseudoTerminal:
    """A pseudo-terminal under a path of our choice. Not thread-safe by itself."""

    def __init__(self, link: Path | None = None) -> None:
        self._link = link
        self._master = self._slave = -1
        self.plugged = False
        self.plug()

    @property
    def path(self) -> str:
        """Where the driver opens the port: the link, or the terminal's own name while it is plugged."""
        return str(self._link) if self._link else os.ttyname(self._slave)

    @property
    def fd(self) -> int:
        """The master's descriptor, -1 while unplugged."""
        return self._master

    def plug(self) -> None:
        """Make a new terminal and point the link to it."""
        if self.plugged:
            return
        self._master, self._slave = os.openpty()
        # The slave stays open here: without any reader, reading the master would fail instead of waiting.
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.plugged = True
        if self._link is not None:
            fresh = self._link.with_name(f".{self._link.name}.new")
            with contextlib.suppress(FileNotFoundError):
                fresh.unlink()
            fresh.symlink_to(os.ttyname(self._slave))
            fresh.replace(self._link)

    def unplug(self) -> None:
        """Take the terminal away, as a pulled cable does; the link goes with it."""
        if not self.plugged:
            return
        self.plugged = False
        if self._link is not None:
            with contextlib.suppress(FileNotFoundError):
                self._link.unlink()
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1

    def write(self, message: bytes) -> None:
        """Send; what nobody takes is gone, as on a cable."""
        if self.plugged:
            with contextlib.suppress(OSError):
                os.write(self._master, message)

    def read(self) -> bytes:
        """What has arrived; empty if nothing has."""
        try:
            return os.read(self._master, _CHUNK)
        except OSError:
            return b""


class SimulatedDevice(ABC):
    """A thread that hears bytes and keeps time. Subclasses say what to do with both, under `self.guard`."""

    patience_s: ClassVar[float] = 10.0
    """How long somebody waits for what the host does with it, where nothing else is said."""

    def __init__(self, link: Path | None = None) -> None:
        self.guard = threading.Condition()
        self.terminal = PseudoTerminal(link)
        self._woken = os.eventfd(0)
        self._running = True
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def path(self) -> str:
        """The path a driver opens."""
        return self.terminal.path

    def stop(self) -> None:
        """Unplug and end the thread."""
        with self.guard:
            if not self._running:
                return
            self._running = False
            self._wake()
        self._thread.join()
        self.terminal.unplug()
        os.close(self._woken)

    def unplug(self) -> None:
        """Pull the cable. The device itself goes on."""
        with self.guard:
            self.terminal.unplug()
            self._wake()

    def replug(self) -> None:
        """Put the cable in again: another terminal under the same link."""
        with self.guard:
            self.terminal.plug()
            self._wake()

    def send_raw(self, message: bytes) -> None:
        """Put bytes on the cable as they are: noise, parts of frames, what a test needs."""
        with self.guard:
            self.terminal.write(message)

    def comes(self, so: Callable[[], bool], timeout_s: float | None = None) -> bool:
        """Wait until it is so, `patience_s` where no time is given; whether it came. Called under
        `self.guard`.
        """
        return self.guard.wait_for(so, self.patience_s if timeout_s is None else timeout_s)

    @abstractmethod
    def hear(self, chunk: bytes) -> None:
        """Bytes came from the host. Called under `self.guard`."""

    def deadline_ns(self) -> int | None:
        """When `pass_time` is next due, or None. Called under `self.guard`."""
        return None

    def pass_time(self, now_ns: int) -> None:  # noqa: B027 (most devices do nothing by themselves)
        """The deadline has come. Called under `self.guard`."""

    def _wake(self) -> None:
        self.guard.notify_all()
        os.eventfd_write(self._woken, 1)

    def _run(self) -> None:
        while True:
            with self.guard:
                if not self._running:
                    return
                deadline, fd = self.deadline_ns(), self.terminal.fd
            poll = select.poll()
            poll.register(self._woken, select.POLLIN)
            if fd >= 0:
                poll.register(fd, select.POLLIN)
            wait_ms = None if deadline is None else max(0, deadline - time.monotonic_ns()) / 1e6
            ready = {ready_fd for ready_fd, _ in poll.poll(wait_ms)}
            with self.guard:
                if self._woken in ready:
                    os.eventfd_read(self._woken)
                chunk = self.terminal.read() if fd in ready and fd == self.terminal.fd else b""
                if chunk:
                    self.hear(chunk)
                now, due = time.monotonic_ns(), self.deadline_ns()
                if due is not None and due <= now:
                    self.pass_time(now)
                self.guard.notify_all()
