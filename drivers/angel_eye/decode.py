"""Angel Eye II-EX: what a report means, and back. Both directions walk the same tables."""

from __future__ import annotations

from drivers.angel_eye import RepeatMeaning
from drivers.angel_eye.wire import Report
from drivers.readings import (
    CardNotRead,
    CardReported,
    CutCardReported,
    ErrorCleared,
    ErrorRaised,
    LockStateReported,
    PresetChanged,
    Reading,
    Redealt,
    ResultGiven,
    ShoeStandby,
    StartReported,
    Unreadable,
)

DESTINATIONS = {0: "player", 1: "banker", 2: "burn", 4: "burn_count_first", 5: "burn_count"}
MODES = {0: "lock_mode", 1: "error_mode", 2: "setting_mode"}
SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
RANKS = dict(enumerate("A23456789TJQK", start=1))
WINNERS = {1: "player", 2: "tie", 4: "banker", 7: "forced_quit"}
ERRORS = {
    1: "card not read",
    2: "overdraw",
    3: "button misuse",
    4: "reverse run at the exit",
    5: "reverse run midway",
    6: "card code error",
    7: "draw time-out",
}
_LENGTHS = {"S": 0, "P": 0, "C": 0, "G": 1, "E": 1, "e": 1, "L": 1}


def card_bytes(code: str, place: int, index: int) -> bytes:
    """The two bytes of a card, for example ("8S", 0, 1). `place` is a key of DESTINATIONS or MODES, `index`
    0 to 15.

    Raises ValueError for a card, place or index that the wire cannot carry.
    """
    ranks = {rank: number for number, rank in RANKS.items()}
    suits = {suit: number for number, suit in SUITS.items()}
    if len(code) != 2 or code[0] not in ranks or code[1] not in suits:
        raise ValueError(f"{code!r} is no card: a rank of A23456789TJQK and a suit of SHDC are needed")
    if not 0 <= place <= 7 or not 0 <= index <= 15:
        raise ValueError(f"place {place} must be 0 to 7 and index {index} 0 to 15")
    return bytes((0x80 | place << 4 | index, 0x80 | suits[code[1]] << 4 | ranks[code[0]]))


def reading_of(report: Report, repeat_meaning: RepeatMeaning = "retransmission") -> Reading:
    """The reading that a report is.

    A report whose BCC is right but whose content is unknown is an `Unreadable`; where it is a card, a
    `CardNotRead`: a card has passed, whatever it was.
    """
    kind, payload = chr(report.data[0]), report.data[1:]
    if kind in ("D", "d", "R"):
        return _card(kind, payload, repeat_meaning)
    if kind == "M":
        return PresetChanged(payload.hex().upper())
    if kind not in _LENGTHS:
        return Unreadable(f"a report of unknown kind {report.data[:1].hex().upper()}")
    if len(payload) != _LENGTHS[kind]:
        return Unreadable(f"report {kind} with {len(payload)} bytes where {_LENGTHS[kind]} belong")
    if any(byte < 0x80 for byte in payload):
        return Unreadable(f"report {kind} with bit 7 missing; is the line set to eight data bits?")
    return _PLAIN[kind] if kind in _PLAIN else _with_byte(kind, payload[0])


def says_again(last: bytes, new: bytes) -> bool:
    """True if the new frame is an `R` that names the same card, destination and index as the last `D` or
    `R`.
    """
    return (
        len(new) == len(last) == 8
        and new[2:3] == b"R"
        and last[2:3] in (b"D", b"R")
        and last[3:5] == new[3:5]
    )


_PLAIN: dict[str, Reading] = {"S": StartReported(), "P": ShoeStandby(), "C": CutCardReported()}


def _with_byte(kind: str, byte: int) -> Reading:
    if kind == "G":
        winner = WINNERS.get(byte >> 4 & 7)
        if winner is None:
            return Unreadable(f"a result whose winner is {byte >> 4 & 7}")
        return ResultGiven(winner, player_pair=bool(byte & 1), banker_pair=bool(byte & 2))
    if kind == "L":
        if byte & 0x7E:
            return Unreadable(f"lock state {byte & 0x7F} where 0 or 1 belongs")
        return LockStateReported(locked=bool(byte & 1))
    code = byte & 0x3F
    text = ERRORS.get(code, "unknown error")
    return (
        ErrorRaised(code, text, in_error_mode=bool(byte & 0x40)) if kind == "E" else ErrorCleared(code, text)
    )


def _card(kind: str, payload: bytes, repeat_meaning: RepeatMeaning) -> Reading:
    in_game = kind != "d"
    if len(payload) != 2:
        return CardNotRead(f"a card report with {len(payload)} bytes where 2 belong", in_game)
    if any(byte < 0x80 for byte in payload):
        return CardNotRead("a card report with bit 7 missing; is the line set to eight data bits?", in_game)
    place, index = payload[0] >> 4 & 7, payload[0] & 15
    suit, rank = SUITS.get(payload[1] >> 4 & 7), RANKS.get(payload[1] & 15)
    code = rank + suit if rank and suit else None
    destination = (DESTINATIONS if in_game else MODES).get(place)
    if kind == "R" and repeat_meaning == "redeal":
        return Redealt(code, destination, index)
    if code is None:
        return CardNotRead(f"the shoe gives suit {payload[1] >> 4 & 7} and rank {payload[1] & 15}", in_game)
    if destination is None and in_game:
        return CardNotRead(f"{code} for destination {place}, which is unknown", in_game)
    return CardReported(code, destination, index, in_game, again=kind == "R")
