"""A time server for machines: who has the time, as NTP says it (RFC 5905, a server's answer and no more)."""

from __future__ import annotations

import socket
import struct
import threading
import time

PORT = 123
SINCE_1900_S = 2_208_988_800


class TimeServer:
    """Answers on loopback, where the machine's network ends, with this host's time."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", PORT))
        self._ends = False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> TimeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends = True
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while not self._ends:
            asked, who = self._socket.recvfrom(512)
            if len(asked) >= 48:
                self._socket.sendto(answer(asked, time.time()), who)


def answer(asked: bytes, now_s: float) -> bytes:
    """A server (version 4, stratum 2) that is sure of its time."""
    now = int((now_s + SINCE_1900_S) * 2**32)
    head = struct.pack(">BBbbII4s", 0x24, 2, 6, -20, 0, 0, b"\x7f\0\0\1")
    return head + struct.pack(">Q", now) + asked[40:48] + struct.pack(">QQ", now, now)
