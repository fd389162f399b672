"""A socket that cuts what is too large, before anything of it is kept.

MQTT 5 lets us tell the broker the largest packet that we take. Brokers of 3.1.1 cannot be told, and somebody
with a right to one topic could leave 256 MB there, retained, for every connection. Such a message arrives cut
to the largest packet: its topic and number are whole, so it is answered for, and refused by its length like
any other.
"""

from __future__ import annotations

from typing import Any

LARGEST_PACKET = 1 << 18
"""Bytes of an MQTT packet that we take; the largest of ours is a snapshot, some 64 KiB."""
CHUNK = 1 << 16
MOST_CHUNKS = 16
"""Thrown away at once; the loop has other things to do in between."""


class Sieve:
    """Stands before a socket that is read by ``recv``; all else is the socket's own."""

    def __init__(self, within: Any, largest: int = LARGEST_PACKET) -> None:
        self._within = within
        self._largest = largest
        self._head = bytearray()
        """The fixed header that is being read: kind, then the length in up to four bytes."""
        self._ready = bytearray()
        """To be handed out before anything is read."""
        self._passes = 0
        """So much of the packet is still to be read, as it is."""
        self._kept = bytearray()
        self._keeps = self._drops = 0
        """So much of one that is too large is still to be kept, and to be thrown away."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._within, name)

    def __enter__(self) -> Sieve:
        return self

    def __exit__(self, *_: object) -> None:
        self._within.close()

    def recv(self, most: int) -> bytes:
        """As of a socket that does not block."""
        while not self._ready:
            if self._passes:
                read = self._read(min(most, self._passes))
                self._passes -= len(read)
                return read
            if not (self._cut() if self._keeps or self._drops else self._header()):
                return b""
        handed = bytes(self._ready[:most])
        del self._ready[:most]
        return handed

    def _header(self) -> bool:
        """Read on until a packet's length is known; False at the end of the connection."""
        while True:
            byte = self._read(1)
            if not byte:
                return False
            self._head += byte
            count = len(self._head) - 1
            if count and (byte[0] < 0x80 or count == 4):
                break
        length = sum((digit & 0x7F) << (7 * place) for place, digit in enumerate(self._head[1:]))
        if length <= self._largest:
            self._ready, self._passes = self._head, length
        else:
            self._ready, self._keeps, self._drops = bytearray(), self._largest, length - self._largest
            self._kept = bytearray(self._head[:1]) + _length(self._largest)
        self._head = bytearray()
        return True

    def _cut(self) -> bool:
        """Take the beginning of one that is too large, and throw away the rest; False at the end."""
        while self._keeps:
            read = self._read(self._keeps)
            if not read:
                return False
            self._kept += read
            self._keeps -= len(read)
        for _ in range(MOST_CHUNKS):
            read = self._read(min(CHUNK, self._drops))
            if not read:
                return False
            self._drops -= len(read)
            if not self._drops:
                self._ready, self._kept = self._kept, bytearray()
                return True
        raise BlockingIOError

    def _read(self, most: int) -> bytes:
        read: bytes = self._within.recv(most)
        return read


def _length(length: int) -> bytes:
    """As the header of a packet has it: seven bits a byte, the least first."""
    digits = bytearray()
    while True:
        length, digit = divmod(length, 128)
        digits.append(digit | (0x80 if length else 0))
        if not length:
            return bytes(digits)
