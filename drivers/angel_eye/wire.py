"""Angel Eye II-EX: bytes on the cable, both ways, without input or output.

Shoe to host: ENQ(05) Seq(1) Data ETX(03) BCC(2 ASCII hex digits); BCC is the XOR of the bytes from Seq to
ETX. Host to shoe: STX(02) "OP" type(2) data(2) ETX BCC. Either side answers with ACK(06), or NAK(15) and a
code. The bytes of Data after its first letter have bit 7 set (the preset report may carry text), so that
ETX is unambiguous and eight data bits are needed.

Where public sources disagree there is a setting: whether the BCC of a command includes STX, and whether a
NAK code is one byte or two hexadecimal digits (both are understood; digits are never a one-byte code).
"""

from __future__ import annotations

from functools import reduce
from operator import xor

import msgspec

from drivers.framing import Noise

STX, ETX, ENQ, ACK, NAK = 0x02, 0x03, 0x05, 0x06, 0x15
LONGEST_REPORT = 24
LONGEST_NOISE = 64

NAK_TEXTS = {
    0x01: "framing or parity error",
    0x02: "wrong BCC",
    0x03: "no ETX",
    0x11: "wrong length",
    0x12: "wrong address",
    0x13: "unknown command",
    0x14: "unknown type",
    0x21: "busy",
    0x22: "writing",
    0xFF: "other error",
}
_HEX = frozenset(b"0123456789ABCDEFabcdef")


class Report(msgspec.Struct, frozen=True):
    """A numbered report of the shoe with a right BCC: all its bytes, its number, and its data."""

    raw: bytes
    number: int
    data: bytes


class Acknowledged(msgspec.Struct, frozen=True):
    """ACK: the other side has taken what we sent."""

    raw: bytes


class Denied(msgspec.Struct, frozen=True):
    """NAK: the other side refuses what we sent; `code` is two hexadecimal digits, empty if none came."""

    raw: bytes
    code: str


class Text(msgspec.Struct, frozen=True):
    """A frame that begins with STX: a command of the host, or a shoe's answer in text. Its BCC is right."""

    raw: bytes
    data: bytes


class BrokenFrame(Noise, frozen=True):
    """A frame that began well and is corrupt. `nak` is the code to answer with at once; None: the next has
    begun.
    """

    nak: int | None = None


Piece = Report | Acknowledged | Denied | Text | Noise


def bcc(covered: bytes) -> bytes:
    """The check characters: XOR of all bytes as two upper case hexadecimal digits."""
    return b"%02X" % reduce(xor, covered, 0)


def report_frame(number: int, data: bytes) -> bytes:
    """The bytes of a report."""
    body = bytes((number,)) + data + bytes((ETX,))
    return bytes((ENQ,)) + body + bcc(body)


def command_frame(kind: str, argument: str, bcc_includes_stx: bool = True) -> bytes:
    """The bytes of a command: `kind` and `argument` are two ASCII characters each ("LK", "02")."""
    body = b"OP" + kind.encode("ascii") + argument.encode("ascii") + bytes((ETX,))
    covered = bytes((STX,)) + body if bcc_includes_stx else body
    return bytes((STX,)) + body + bcc(covered)


def nak(code: int, as_text: bool = False) -> bytes:
    """The bytes of a refusal."""
    return bytes((NAK,)) + (b"%02X" % code if as_text else bytes((code,)))


class AngelEyeFraming:
    """Cuts what one side sends into reports, texts, answers and noise; used for both directions.

    A corrupt frame never swallows the next: ENQ and STX begin a frame wherever they come, since no payload
    holds them.
    """

    def __init__(self, bcc_of_text_includes_stx: bool = True) -> None:
        self._text_with_stx = bcc_of_text_includes_stx
        self._pending = bytearray()
        self._begun = 0  # the control byte that began the frame in hand; 0: none
        self._end = -1  # where ETX is in the current frame; -1: not yet
        self._skipping = False

    def feed(self, chunk: bytes) -> list[Piece]:
        pieces: list[Piece] = []
        for byte in chunk:
            pieces += self._take(byte)
        return pieces

    def silence(self) -> list[Piece]:
        if self._begun == NAK:
            return [self._denied()]
        if self._begun:
            reason = "no ETX" if self._end < 0 else "the check characters are missing"
            return [self._broken(reason, 0x03 if self._end < 0 else 0x02)]
        return self._noise()

    def cut_off(self) -> list[Piece]:
        if not self._begun:
            return self._noise()
        return [self._broken("the connection ended in the middle of a frame", None)]

    def _take(self, byte: int) -> list[Piece]:
        if self._begun == NAK:
            return self._take_code(byte)
        if byte in (ENQ, STX):
            begun = self._interrupted() if self._begun else self._noise()
            self._start(byte)
            return begun
        if self._begun:
            return self._take_in_frame(byte)
        if byte == ACK:
            before = self._noise()
            self._skipping = False
            return [*before, Acknowledged(bytes((ACK,)))]
        if byte == NAK:
            before = self._noise()
            self._start(NAK)
            return before
        self._pending.append(byte)
        return self._noise() if len(self._pending) >= LONGEST_NOISE else []

    def _start(self, byte: int) -> None:
        self._pending = bytearray((byte,))
        self._begun, self._end, self._skipping = byte, -1, False

    def _take_code(self, byte: int) -> list[Piece]:
        """The byte or bytes after NAK."""
        digits = len(self._pending) == 2
        # 02 is a code ("wrong BCC") as well as STX, so STX ends nothing here.
        if (not digits and byte in (ENQ, ACK, NAK)) or (digits and byte not in _HEX):
            return [self._denied(), *self._take(byte)]
        self._pending.append(byte)
        return [] if not digits and byte in _HEX else [self._denied()]

    def _denied(self) -> Denied:
        raw = bytes(self._pending)
        code = raw[1:].decode("ascii").upper() if len(raw) == 3 else raw[1:].hex().upper()
        self._reset()
        return Denied(raw, code)

    def _take_in_frame(self, byte: int) -> list[Piece]:
        self._pending.append(byte)
        if self._end >= 0:
            if byte not in _HEX:
                return [self._broken("check characters that are no hexadecimal digits", 0x02)]
            return [self._whole()] if len(self._pending) == self._end + 3 else []
        if byte == ETX:
            self._end = len(self._pending) - 1
            return []
        if byte < 0x20:
            return [self._broken(f"control byte {byte:02X} in a frame", 0x01)]
        return [self._broken("no ETX", 0x03)] if len(self._pending) > LONGEST_REPORT else []

    def _whole(self) -> Piece:
        raw, end = bytes(self._pending), self._end
        body, check = raw[1 : end + 1], raw[end + 1 :].upper()
        covered = raw[: end + 1] if raw[0] == STX and self._text_with_stx else body
        if bcc(covered) != check:
            return self._broken(f"wrong BCC: {check.decode()} where {bcc(covered).decode()} is right", 0x02)
        if len(body) < (3 if raw[0] == ENQ else 2):
            return self._broken("an empty frame", 0x11)
        self._reset()
        return Report(raw, raw[1], raw[2:end]) if raw[0] == ENQ else Text(raw, raw[1:end])

    def _interrupted(self) -> list[Piece]:
        return [self._broken("a frame that another one interrupts", None)]

    def _broken(self, reason: str, code: int | None) -> BrokenFrame:
        raw = bytes(self._pending)
        self._reset()
        # What follows is the rest of this frame, until a new one begins.
        self._skipping = True
        return BrokenFrame(raw, reason, nak=code)

    def _noise(self) -> list[Piece]:
        raw, continued = bytes(self._pending), self._skipping
        self._pending.clear()
        if not raw:
            return []
        self._skipping = True
        return [Noise(raw, "bytes outside of a frame", continued)]

    def _reset(self) -> None:
        self._pending.clear()
        self._begun, self._end, self._skipping = 0, -1, False
