"""paho's client without paho's thread: what is published leaves in the thread that publishes it.

With a thread of its own paho is woken through a socket, waits for the interpreter, and only then writes: that
is a good part of the way of a card. Here the publishing thread writes at once, and the thread that connected
stays to read, to send what the socket did not take, and to keep the connection alive.

What is published in a row leaves together, and what the broker answered to it is read and told together:
paho alone sends packet by packet and reads byte by byte, and every call of the system gives the interpreter
away to another thread of ours.

Two threads may have something to write (we read a message and owe a PUBACK), so writing is one at a time:
else two packets could overtake each other. Reading takes no lock. That is wrong for TLS, whose reading and
writing share one state: there paho's own thread does both.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import paho.mqtt.client as paho
from paho.mqtt.enums import MQTTErrorCode, MQTTProtocolVersion

LOOK_MS = 1000
"""So often the keep-alive is looked at."""
PUBLISH_QOS_1 = 0x32
_PUBACK = b"\x40"
READ_BYTES = 1 << 16
"""So much is read at once at most."""
TOGETHER = 16
"""So many packets are kept together at most, so that the broker begins while we go on."""


class DirectClient(paho.Client):
    """Call ``serve`` once ``connect`` has returned; it returns when the connection is over."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.on_answered: Callable[[list[tuple[int, int]]], None] | None = None
        """Hears what the broker answered to messages of ``say``: number and reason of each; 0: taken."""
        self._unanswered: set[int] = set()
        self._writing = threading.RLock()
        self._bell: socket.socket | None = None
        self._kept = bytearray()
        """What is said within ``together``, until it leaves as one piece."""
        self._together: int | None = None
        """So many packets are in there; None outside of it."""
        self._read, self._taken = b"", 0
        """What was read of the socket, and how much of it has been taken."""

    def say(self, topic: str, payload: bytes, *, retain: bool) -> int | None:
        """Publish with QoS 1; the number of the message, or None where the connection has gone.

        The same on the wire as ``publish``, without what paho keeps for those who wait, send again and log:
        the outbox does that.
        """
        if self.socket() is None:
            return None
        name, five = topic.encode(), self.protocol == MQTTProtocolVersion.MQTTv5
        mid = self._mid_generate()
        packet = self._kept if self._together is not None else bytearray()
        packet.append(PUBLISH_QOS_1 | retain)
        self._pack_remaining_length(packet, len(name) + len(payload) + (5 if five else 4))
        packet += len(name).to_bytes(2, "big") + name + mid.to_bytes(2, "big")
        if five:
            packet.append(0)  # no properties
        packet += payload
        self._unanswered.add(mid)
        if self._together is None:
            return mid if self._hand_over(packet, mid) else None
        self._together += 1
        if self._together == TOGETHER:
            self._write_kept()
            self._together = 0
        return mid

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is said in here leaves in few pieces, the last of them at the end. For one thread only."""
        self._together = 0
        try:
            yield
        finally:
            self._write_kept()

    def _write_kept(self) -> None:
        """Write what was kept; the network gets it as one piece."""
        kept, self._kept, self._together = self._kept, bytearray(), None
        if kept:
            self._hand_over(kept, 0)

    def _hand_over(self, packets: bytearray, mid: int) -> bool:
        """Whole packets for the network, at once where it takes them; else paho has them, as one."""
        with self._writing:
            sent = 0
            if not self.want_write():
                with contextlib.suppress(OSError, AttributeError, ValueError):  # paho meets it, and can tell
                    sent = self._sock_send(packets)
            if sent == len(packets):
                return True
            if sent:
                # In front of what another thread has brought meanwhile: a packet must not be cut in two.
                rest = len(packets) - sent
                self._out_packet.appendleft(
                    {
                        "command": PUBLISH_QOS_1,
                        "mid": mid,
                        "qos": 1,
                        "pos": sent,
                        "to_process": rest,
                        "packet": packets,
                        "info": None,
                    }
                )
                self.ring()
                return True
        told = self._packet_queue(PUBLISH_QOS_1, packets, mid, 1)
        self._ring_for_rest()
        return told == MQTTErrorCode.MQTT_ERR_SUCCESS

    def _handle_pubackcomp(self, cmd: Literal["PUBACK", "PUBCOMP"]) -> MQTTErrorCode:
        """An answer that paho has read: one that came in pieces, or a long one."""
        packet = self._in_packet["packet"]
        mid = int.from_bytes(packet[:2], "big")
        if cmd != "PUBACK" or mid not in self._unanswered:
            return super()._handle_pubackcomp(cmd)
        self._unanswered.discard(mid)
        self._tell([(mid, packet[2] if len(packet) > 2 else 0)])
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def _tell(self, answers: list[tuple[int, int]]) -> None:
        hear = self.on_answered
        if hear is not None:
            hear(answers)

    def _sock_recv(self, bufsize: int) -> bytes:
        """What paho asks for, byte by byte, out of what one call of the system has brought."""
        if self._taken == len(self._read):
            self._read, self._taken = super()._sock_recv(READ_BYTES), 0
        begin, self._taken = self._taken, min(self._taken + bufsize, len(self._read))
        return self._read[begin : self._taken]

    def loop_write(self) -> MQTTErrorCode:
        """Write what waits, one thread at a time; paho calls it for every packet."""
        with self._writing:
            return super().loop_write()

    def publish(self, *given: Any, **named: Any) -> paho.MQTTMessageInfo:
        """Publish, and write at once."""
        told = super().publish(*given, **named)
        self._ring_for_rest()
        return told

    def _ring_for_rest(self) -> None:
        """What the socket does not take now, ``serve`` writes."""
        if self.want_write() or self.socket() is None:
            self.ring()

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
            self._hear(opened)
        if self.want_write():
            self.loop_write()
        self.loop_misc()

    def _hear(self, opened: socket.socket) -> None:
        """Read what has come: answers to what was said are told at once, all else is paho's."""
        with contextlib.suppress(OSError):  # paho meets it, and can tell
            if self._taken == len(self._read):
                self._read, self._taken = opened.recv(READ_BYTES), 0
        if not self._take_answers():
            self.loop_read()
        while self._taken < len(self._read) and self.socket() is opened:
            if not self._take_answers():
                self.loop_read()

    def _take_answers(self) -> bool:
        """Take the answers to messages of ``say`` that stand next in what was read, and tell of them.

        Whether there were any.
        """
        read, at = self._read, self._taken
        answers: list[tuple[int, int]] = []
        while not self._in_packet["command"] and read[at : at + 1] == _PUBACK and len(read) >= at + 4:
            end = at + 2 + read[at + 1]  # a length of more than 127 has another form, and is paho's
            mid = int.from_bytes(read[at + 2 : at + 4], "big")
            if not at + 4 <= end <= len(read) or read[at + 1] > 127 or mid not in self._unanswered:
                break
            self._unanswered.discard(mid)
            answers.append((mid, read[at + 4] if end > at + 4 else 0))
            at = end
        self._taken = at
        if answers:
            self._tell(answers)
        return bool(answers)
