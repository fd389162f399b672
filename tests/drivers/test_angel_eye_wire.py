"""Angel Eye II-EX on the wire: the published frames, every report, and every way a frame can be broken."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.angel_eye import wire
from drivers.angel_eye.decode import card_bytes, reading_of
from drivers.framing import Noise
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

PUBLISHED: list[tuple[str, str, int, Reading]] = [
    ("S start", "05 43 53 03 31 33", 0x43, StartReported()),
    ("P standby", "05 44 50 03 31 37", 0x44, ShoeStandby()),
    ("Player #1 8S", "05 31 44 81 B8 03 34 46", 0x31, CardReported("8S", "player", 1)),
    ("Banker #1 5C", "05 37 44 91 A5 03 34 34", 0x37, CardReported("5C", "banker", 1)),
    ("Player win + P pair", "05 32 47 91 03 45 37", 0x32, ResultGiven("player", True, False)),
    ("Cut card", "05 33 43 03 37 33", 0x33, CutCardReported()),
    ("Error 1, error mode", "05 34 45 C1 03 42 33", 0x34, ErrorRaised(1, "card not read", True)),
    ("Locked", "05 35 4C 81 03 46 42", 0x35, LockStateReported(True)),
]
STREAM = b"".join(bytes.fromhex(frame) for _, frame, _, _ in PUBLISHED)
FRAME = bytes.fromhex("05 31 44 81 B8 03 34 46")
NEXT = bytes.fromhex("05 33 43 03 37 33")


def feed(stream: bytes, byte_by_byte: bool = False, with_stx: bool = True) -> list[wire.Piece]:
    framing = wire.AngelEyeFraming(with_stx)
    chunks = [stream[i : i + 1] for i in range(len(stream))] if byte_by_byte else [stream]
    return [piece for chunk in chunks for piece in framing.feed(chunk)]


@pytest.mark.parametrize(
    ("frame", "number", "reading"), [row[1:] for row in PUBLISHED], ids=[r[0] for r in PUBLISHED]
)
def test_published_frames_are_read_and_made_again(frame: str, number: int, reading: Reading) -> None:
    raw = bytes.fromhex(frame)
    (piece,) = feed(raw)
    assert isinstance(piece, wire.Report)
    assert (piece.raw, piece.number, reading_of(piece)) == (raw, number, reading)
    assert wire.report_frame(number, piece.data) == raw


@pytest.mark.parametrize("byte_by_byte", [False, True])
def test_frames_in_a_row(byte_by_byte: bool) -> None:
    read = [reading_of(piece) for piece in feed(STREAM, byte_by_byte) if isinstance(piece, wire.Report)]
    assert read == [reading for _, _, _, reading in PUBLISHED]


@pytest.mark.parametrize(
    ("data", "reading"),
    [
        (b"d\x81\xb8", CardReported("8S", "lock_mode", 1, in_game=False)),
        (b"d\x91\xb8", CardReported("8S", "error_mode", 1, in_game=False)),
        (b"d\xa2\xb8", CardReported("8S", "setting_mode", 2, in_game=False)),
        (b"d\xb2\xb8", CardReported("8S", None, 2, in_game=False)),
        (b"d\x81\x80", CardNotRead("the shoe gives suit 0 and rank 0", in_game=False)),
        (b"D\xa3\x91", CardReported("AD", "burn", 3)),
        (b"D\xc0\xca", CardReported("TH", "burn_count_first", 0)),
        (b"D\xd1\xcd", CardReported("KH", "burn_count", 1)),
        (b"D\x81\x80", CardNotRead("the shoe gives suit 0 and rank 0")),
        (b"D\x81\xbe", CardNotRead("the shoe gives suit 3 and rank 14")),
        (b"D\x81\xd1", CardNotRead("the shoe gives suit 5 and rank 1")),
        (b"D\xb1\xb8", CardNotRead("8S for destination 3, which is unknown")),
        (b"D\x81", CardNotRead("a card report with 1 bytes where 2 belong")),
        (b"D\x81\x38", CardNotRead("a card report with bit 7 missing; is the line set to eight data bits?")),
        (b"R\x81\xb8", CardReported("8S", "player", 1, again=True)),
        (b"G\xa0", ResultGiven("tie", False, False)),
        (b"G\xc3", ResultGiven("banker", True, True)),
        (b"G\xf2", ResultGiven("forced_quit", False, True)),
        (b"G\xb0", Unreadable("a result whose winner is 3")),
        (b"G\x21", Unreadable("report G with bit 7 missing; is the line set to eight data bits?")),
        (b"E\x87", ErrorRaised(7, "draw time-out")),
        (b"E\xc9", ErrorRaised(9, "unknown error", True)),
        (b"e\xc4", ErrorCleared(4, "reverse run at the exit")),
        (b"L\x80", LockStateReported(False)),
        (b"L\x82", Unreadable("lock state 2 where 0 or 1 belongs")),
        (b"M\x83", PresetChanged("83")),
        (b"M010004", PresetChanged("303130303034")),
        (b"C\x80", Unreadable("report C with 1 bytes where 0 belong")),
        (b"E", Unreadable("report E with 0 bytes where 1 belong")),
        (b"X\x80", Unreadable("a report of unknown kind 58")),
    ],
)
def test_every_report_and_every_content_that_makes_no_sense(data: bytes, reading: Reading) -> None:
    (piece,) = feed(wire.report_frame(0x31, data))
    assert isinstance(piece, wire.Report)
    assert reading_of(piece) == reading


def test_all_cards_destinations_and_indexes_round_trip() -> None:
    for place, word in {0: "player", 1: "banker", 2: "burn", 4: "burn_count_first", 5: "burn_count"}.items():
        for index in range(16):
            for code in (rank + suit for rank in "A23456789TJQK" for suit in "DCSH"):
                (piece,) = feed(wire.report_frame(0x40, b"D" + card_bytes(code, place, index)))
                assert isinstance(piece, wire.Report)
                assert reading_of(piece) == CardReported(code, word, index)


@pytest.mark.parametrize("card", ["1S", "10S", "SS", "A", ""])
def test_what_is_no_card_cannot_be_sent(card: str) -> None:
    with pytest.raises(ValueError, match="no card"):
        card_bytes(card, 0, 0)


def test_r_as_redeal_wipes_the_hand() -> None:
    (piece,) = feed(wire.report_frame(0x31, b"R\x81\xb8"))
    assert isinstance(piece, wire.Report)
    assert reading_of(piece, "redeal") == Redealt("8S", "player", 1)


def broken(raw: bytes, reason: str, nak: int | None) -> wire.BrokenFrame:
    return wire.BrokenFrame(raw, reason, nak=nak)


INTERRUPTED = "a frame that another one interrupts"
EMPTY = wire.report_frame(0x31, b"")
OUTSIDE = "bytes outside of a frame"
BROKEN: list[tuple[str, bytes, list[wire.Piece]]] = [
    ("noise before a frame", b"\xff\x00x" + NEXT, [Noise(b"\xff\x00x", OUTSIDE)]),
    ("wrong BCC", FRAME[:-1] + b"0" + NEXT,
     [broken(FRAME[:-1] + b"0", "wrong BCC: 40 where 4F is right", 2)]),
    ("one bit of the card", b"\x051D\x81\xb9\x034F" + NEXT,
     [broken(b"\x051D\x81\xb9\x034F", "wrong BCC: 4F where 4E is right", 2)]),
    ("BCC of letters that are no digits", FRAME[:-2] + b"ZZ" + NEXT,
     [broken(FRAME[:-2] + b"Z", "check characters that are no hexadecimal digits", 2),
      Noise(b"Z", OUTSIDE, continued=True)]),
    ("cut off by the next", FRAME[:4] + NEXT, [broken(FRAME[:4], INTERRUPTED, None)]),
    ("cut off in the BCC", FRAME[:-1] + NEXT, [broken(FRAME[:-1], INTERRUPTED, None)]),
    ("control byte inside", FRAME[:3] + b"\x06" + FRAME[3:] + NEXT,
     [broken(FRAME[:3] + b"\x06", "control byte 06 in a frame", 1), Noise(FRAME[3:], OUTSIDE, True)]),
    ("no ETX at all", b"\x051D" + b"\x81" * 23 + NEXT,
     [broken(b"\x051D" + b"\x81" * 22, "no ETX", 3), Noise(b"\x81", OUTSIDE, continued=True)]),
    ("no data", EMPTY + NEXT, [broken(EMPTY, "an empty frame", 0x11)]),
    ("no number", b"\x05\x03" + wire.bcc(b"\x03") + NEXT,
     [broken(b"\x05\x0303", "an empty frame", 0x11)]),
    ("doubled ENQ", b"\x05" + FRAME + NEXT, [broken(b"\x05", INTERRUPTED, None)]),
    ("lower case BCC is right", FRAME[:-1] + b"f" + NEXT, []),
    ("endless noise comes in pieces", b"\xaa" * 70 + NEXT,
     [Noise(b"\xaa" * 64, OUTSIDE), Noise(b"\xaa" * 6, OUTSIDE, continued=True)]),
]  # fmt: skip


@pytest.mark.parametrize(("stream", "wanted"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
@pytest.mark.parametrize("byte_by_byte", [False, True])
def test_a_broken_frame_is_named_and_never_takes_the_next_with_it(
    stream: bytes, wanted: list[wire.Piece], byte_by_byte: bool
) -> None:
    pieces = feed(stream, byte_by_byte)
    assert [piece for piece in pieces if isinstance(piece, Noise)] == wanted
    assert pieces[-1] == wire.Report(NEXT, 0x33, b"C")


def test_a_silence_ends_a_frame_and_names_what_is_missing() -> None:
    for begun, reason, code in (
        (FRAME[:4], "no ETX", 3),
        (FRAME[:-1], "the check characters are missing", 2),
    ):
        framing = wire.AngelEyeFraming()
        assert framing.feed(begun) == []
        assert framing.silence() == [broken(begun, reason, code)]
        assert framing.silence() == []
        assert framing.feed(NEXT) == [wire.Report(NEXT, 0x33, b"C")]


def test_interleaved_repeats_are_all_handed_on() -> None:
    pieces = feed(FRAME + FRAME + NEXT + FRAME)
    assert [piece.raw for piece in pieces] == [FRAME, FRAME, NEXT, FRAME]


def test_the_published_command_and_both_readings_of_its_check() -> None:
    assert wire.command_frame("LK", "02").hex(" ").upper() == "02 4F 50 4C 4B 30 32 03 31 42"
    assert wire.command_frame("LK", "02", bcc_includes_stx=False)[-2:] == b"19"
    for with_stx in (True, False):
        frame = wire.command_frame("GP", "00", with_stx)
        assert feed(frame, with_stx=with_stx) == [wire.Text(frame, b"OPGP00")]
        assert [type(piece) for piece in feed(frame, with_stx=not with_stx)] == [wire.BrokenFrame]


@pytest.mark.parametrize(
    ("stream", "pieces"),
    [
        (b"\x06", [wire.Acknowledged(b"\x06")]),
        (b"\x15\x02", [wire.Denied(b"\x15\x02", "02")]),
        (b"\x15\xff", [wire.Denied(b"\x15\xff", "FF")]),
        (b"\x1521", [wire.Denied(b"\x1521", "21")]),
        (b"\x15FF", [wire.Denied(b"\x15FF", "FF")]),
        (b"\x152\x06", [wire.Denied(b"\x152", "32"), wire.Acknowledged(b"\x06")]),
        (b"\x15" + NEXT, [wire.Denied(b"\x15", ""), wire.Report(NEXT, 0x33, b"C")]),
        (b"\x06" + NEXT, [wire.Acknowledged(b"\x06"), wire.Report(NEXT, 0x33, b"C")]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("byte_by_byte", [False, True])
def test_answers(stream: bytes, pieces: list[wire.Piece], byte_by_byte: bool) -> None:
    assert feed(stream, byte_by_byte) == pieces


CARDS = st.builds(
    lambda rank, suit, place, index: b"D" + card_bytes(rank + suit, place, index),
    st.sampled_from("A23456789TJQK"),
    st.sampled_from("DCSH"),
    st.sampled_from((0, 1, 2, 4, 5)),
    st.integers(0, 15),
)
FRAMES = st.builds(wire.report_frame, st.integers(0x31, 0x7E), CARDS)
CONTROLS = st.sampled_from([b"\x02", b"\x03", b"\x05", b"\x06", b"\x15", b"\x05\x05", b"\x02OP"])


@settings(max_examples=400)
@given(st.lists(FRAMES | CONTROLS | st.binary(max_size=6), max_size=12), st.integers(0, 7))
def test_any_stream_gives_back_its_bytes_and_no_card_that_was_not_sent(parts: list[bytes], size: int) -> None:
    stream = b"".join(parts)
    framing = wire.AngelEyeFraming()
    chunks = [stream[i : i + size] for i in range(0, len(stream), size)] if size else [stream]
    pieces = [piece for chunk in chunks for piece in framing.feed(chunk)] + framing.cut_off()
    assert b"".join(piece.raw for piece in pieces) == stream
    for piece in pieces:
        if isinstance(piece, wire.Report):
            reading_of(piece)
            assert piece.raw == wire.report_frame(piece.number, piece.data)


@given(FRAMES, st.integers(0, 7), st.integers(1, 255))
def test_one_wrong_byte_anywhere_never_gives_a_card(frame: bytes, place: int, flip: int) -> None:
    damaged = bytearray(frame)
    damaged[place] ^= flip
    cards = [
        piece for piece in feed(bytes(damaged) + NEXT) if isinstance(piece, wire.Report) and piece.raw != NEXT
    ]
    # A check character in the other case is the same check.
    assert all(card.raw.upper() == frame.upper() for card in cards)
