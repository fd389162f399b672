"""paho's client without paho's thread: what is published leaves in the thread that publishes it.

With a thread of its own paho is woken through a socket, waits for the interpreter, and only then writes: that
is a good part of the way of a card. Here the publishing thread writes at once, and the thread that connected
stays to read, to send what the socket did not take, and to keep the connection alive.

Two threads may have something to write (we read a message and owe a PUBACK), so writing is one at a time:
else two packets could overtake each other. Reading takes no lock. That is wrong for TLS, whose reading and
writing share one state: there paho's own thread does both.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode

LOOK_MS = 1000
"""So often the keep-alive is looked at."""


class DirectClient(paho.Client):
    """Call ``serve`` once ``connect`` has returned; it returns when the connection is over."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._writing = threading.RLock()
        self._bell: socket.socket | None = None

    def loop_write(self) -> MQTTErrorCode:
        """Write what waits, one thread at a time; paho calls it for every packet."""
        with self._writing:
            return super().loop_write()

    def publish(self, *given: Any, **named: Any) -> paho.MQTTMessageInfo:
        """Publish, and write at once; what the socket does not take now, ``serve`` writes."""
        told = super().publish(*given, **named)
        if self.want_write() or self.socket() is None:
            self.ring()
        return told

    def disconnect(self, *given: Any, **named: Any) -> MQTTErrorCode:
        """Take leave; ``serve`` ends."""
        told = super().disconnect(*given, **named)
        self.ring()
        return told

    def ring(self) -> None:
        """Let ``serve`` look what there is to do; from any thread."""
        bell = self._bell
        if bell is not None:
            with contextlib.suppress(OSError):  # it has just ended, or has been rung already
                bell.send(b"!")

    def serve(self) -> None:
        """Read until the connection is over, which ``on_disconnect`` hears."""
        heard, self._bell = socket.socketpair()
        with heard, self._bell:
            heard.setblocking(False)
            self._bell.setblocking(False)
            while isinstance(opened := self.socket(), socket.socket):
                self._serve_once(opened, heard)
        self._bell = None

    def _serve_once(self, opened: socket.socket, bell: socket.socket) -> None:
        number = opened.fileno()
        if number < 0:
            return  # another thread has just closed it
        poll = select.poll()
        poll.register(number, select.POLLIN | (select.POLLOUT if self.want_write() else 0))
        poll.register(bell, select.POLLIN)
        ready = dict(poll.poll(LOOK_MS))
        if bell.fileno() in ready:
            with contextlib.suppress(BlockingIOError):
                bell.recv(4096)
        if ready.get(number, 0) & ~select.POLLOUT:
            self.loop_read()
        if self.want_write():
            self.loop_write()
        self.loop_misc()
