"""Framing: from a stream of bytes to pieces, without input or output.

Every byte that comes in leaves again, in a frame or in a `Noise`; only empty lines and line ends are
dropped. Feeding whole or byte by byte gives the same pieces.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeVar

import msgspec

PieceT = TypeVar("PieceT")

REST = "the rest of an over-long line"

LineEnd = Literal["lf", "cr", "crlf", "any", "none"]


class TextLine(msgspec.Struct, frozen=True):
    """One line: all its bytes, and those without the line end."""

    raw: bytes
    body: bytes


class Noise(msgspec.Struct, frozen=True):
    """Bytes that are no frame, and why. `continued` marks later pieces of one over-long frame."""

    raw: bytes
    reason: str
    continued: bool = False


class Framing(Protocol[PieceT]):
    """Cuts a stream into pieces."""

    def feed(self, chunk: bytes) -> list[PieceT]:
        """Take bytes in the order of their arrival; return the pieces that they complete."""

    def silence(self) -> list[PieceT]:
        """The device has been silent for the configured time: end what is unfinished."""

    def cut_off(self) -> list[PieceT]:
        """The connection ended: give up what is unfinished and begin anew."""


class LineFraming:
    """Lines of at most `longest` bytes without their end.

    `ends`: "lf" (a CR before it belongs to the end), "cr", "crlf" (only the pair), "any" (CR, LF or both),
    or "none": a silence ends the line. An over-long line is noise up to its end, in pieces, and the next
    line is read again. An empty line is no piece, unless `empty` says that somebody awaits an answer to it.
    """

    def __init__(self, ends: LineEnd = "lf", longest: int = 128, *, empty: bool = False) -> None:
        self._ends: LineEnd = ends
        self._empty = empty
        self._longest = longest
        self._pending = bytearray()
        self._previous = -1
        self._skipping = False

    def feed(self, chunk: bytes) -> list[TextLine | Noise]:
        pieces: list[TextLine | Noise] = []
        while self._ends == "lf" and (end := chunk.find(b"\n")) >= 0:
            if len(self._pending) + end > self._longest:
                break
            # A whole line that is short enough, as nearly all are: nothing is to be seen byte by byte.
            self._pending += chunk[: end + 1]
            self._previous = 0x0A
            pieces += self._line()
            chunk = chunk[end + 1 :]
        return pieces + self._byte_by_byte(chunk)

    def _byte_by_byte(self, chunk: bytes) -> list[TextLine | Noise]:
        pieces: list[TextLine | Noise] = []
        for byte in chunk:
            self._pending.append(byte)
            if self._is_end(byte):
                pieces += self._line()
            elif len(self._pending) > self._longest + self._grace(byte):
                pieces.append(self._too_long())
            self._previous = byte
        return pieces

    def silence(self) -> list[TextLine | Noise]:
        """Ends the line where no character does; elsewhere a slow typist is not cut short."""
        return self._line() if self._ends == "none" else []

    def cut_off(self) -> list[TextLine | Noise]:
        pending, continued = bytes(self._pending), self._skipping
        self._pending.clear()
        self._previous = -1
        self._skipping = False
        if not pending.strip(b"\r\n"):
            return []
        return [Noise(pending, "the connection ended in the middle of a line", continued)]

    def _is_end(self, byte: int) -> bool:
        if self._ends == "lf":
            return byte == 0x0A
        if self._ends == "cr":
            return byte == 0x0D
        if self._ends == "crlf":
            return byte == 0x0A and self._previous == 0x0D
        return self._ends == "any" and byte in (0x0A, 0x0D)

    def _grace(self, byte: int) -> int:
        """A CR that may belong to the end does not count."""
        return 1 if byte == 0x0D and self._ends in ("lf", "crlf") else 0

    def _line(self) -> list[TextLine | Noise]:
        raw = bytes(self._pending)
        self._pending.clear()
        if self._skipping:
            self._skipping = False
            return [Noise(raw, REST, continued=True)]
        body = self._without_end(raw)
        return [TextLine(raw, body)] if body or self._empty else []

    def _without_end(self, raw: bytes) -> bytes:
        if self._ends == "none":
            return raw
        if self._ends == "crlf":
            return raw[:-2]
        body = raw[:-1]
        return body.removesuffix(b"\r") if self._ends == "lf" else body

    def _too_long(self) -> Noise:
        raw = bytes(self._pending)
        self._pending.clear()
        continued, self._skipping = self._skipping, True
        reason = REST if continued else f"a line of more than {self._longest} bytes"
        return Noise(raw, reason, continued)
