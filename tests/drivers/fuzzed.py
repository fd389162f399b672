"""The wires that are fuzzed, and what each promises for any bytes whatever.

Each promise is held against a second, plainer way of reading the same bytes, written here and not in the
program: which frames or lines a stream holds, and which cards those are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from drivers.angel_eye import AngelEyeShoe
from drivers.angel_eye import wire as angel_eye
from drivers.angel_eye.decode import card_bytes
from drivers.angel_eye.decode import reading_of as angel_eye_reading
from drivers.bee_tek import BURNING, IN_GAME
from drivers.bee_tek import reading_of as bee_tek_reading
from drivers.camera.passage import Passages
from drivers.camera.wire import LONGEST_LINE, Learnt, Mark, PictureSeen, line_of, message_of
from drivers.framing import Framing, LineEnd, LineFraming, Noise, TextLine
from drivers.keypad import KEYPAD
from drivers.line import SHUFFLER
from drivers.line_protocol import LONGEST_LINE as LONGEST_OF_OURS
from drivers.line_protocol import Understood, not_understood, read_line
from drivers.readings import CardNotRead, CardReported, KeyPressed, ShufflerSaid
from drivers.scanner import ScannerShoe
from drivers.scanner.decode import reading_of as scanner_reading
from drivers.settings import DriverContext
from tests.drivers.guided import Outcome, Parts, Wire

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "DCSH"]
HEX = b"0123456789ABCDEFabcdef"
ANGEL_EYE_LOG = AngelEyeShoe(port="/dev/null").driver("shoe", DriverContext()).report_log


def fed(framing: Framing[Any], parts: Parts, dice: random.Random, silences: bool) -> list[object]:
    """The pieces of the parts in chunks of some size, with silences between the parts or without."""
    size = dice.choice((1, 2, 3, 7, 500))
    pieces: list[object] = []
    for part in parts if silences else (b"".join(parts),):
        for begin in range(0, len(part), size):
            pieces += framing.feed(part[begin : begin + size])
        if silences:
            pieces += framing.silence()
    return [*pieces, *framing.cut_off()]


def pairs_of(names: Iterable[str]) -> set[Outcome]:
    """Each name with the one before it."""
    return set(pairwise(("", *names)))


# Angel Eye


def angel_eye_message(dice: random.Random) -> bytes:
    data = b"D" + card_bytes(dice.choice(CARDS), dice.choice((0, 1, 2, 4, 5)), dice.randrange(16))
    others = (
        b"S",
        b"P",
        b"C",
        b"G\x91",
        b"E\xc1",
        b"e\x81",
        b"L\x81",
        b"M\x85",
        b"R" + data[1:],
        b"d" + data[1:],
    )
    data = data if dice.random() < 0.5 else dice.choice(others)
    answers = (b"\x06", b"\x15\x02", b"\x1521", angel_eye.command_frame("LK", "02"))
    return (
        dice.choice(answers)
        if dice.random() < 0.15
        else angel_eye.report_frame(dice.randrange(49, 127), data)
    )


def angel_eye_mended(part: bytes) -> bytes:
    """With right check characters behind each ETX that follows an ENQ."""
    begin, end = part.find(b"\x05"), part.find(b"\x03")
    if not 0 <= begin < end:
        return part
    return part[: end + 1] + angel_eye.bcc(part[begin + 1 : end + 1]) + part[end + 3 :]


def frames_in(stream: bytes) -> Iterator[bytes]:
    """The whole reports of a stream by the published description, read the plain way."""
    for begin in (place for place, byte in enumerate(stream) if byte == 5):
        end = begin + 1
        while end < len(stream) and stream[end] >= 0x20:
            end += 1
        check = stream[end + 1 : end + 3]
        total = 0
        for byte in stream[begin + 1 : end + 1]:
            total ^= byte
        whole = end < len(stream) and stream[end] == 3 and len(check) == 2 and all(c in HEX for c in check)
        fits = 3 <= end - begin <= angel_eye.LONGEST_REPORT
        if whole and fits and int(check, 16) == total:
            yield stream[begin : end + 3]


def check_angel_eye(parts: Parts, dice: random.Random) -> set[Outcome]:
    stream, silences = b"".join(parts), dice.random() < 0.3
    pieces = fed(angel_eye.AngelEyeFraming(), parts, dice, silences)
    assert b"".join(piece.raw for piece in pieces) == stream  # type: ignore[attr-defined]
    reports = [piece for piece in pieces if isinstance(piece, angel_eye.Report)]
    sent, got = list(frames_in(stream)), [report.raw for report in reports]
    if silences:  # a frame with a silence in its middle is none
        left = iter(sent)
        assert all(raw in left for raw in got)
    else:
        assert got == sent
    log, outcomes = ANGEL_EYE_LOG, []
    for report in reports:
        reading = angel_eye_reading(report)
        if isinstance(reading, CardReported):
            drawn, data = reading.code, report.data
            assert data[:1] in b"DdR"
            assert ("A23456789TJQK"[(data[2] & 15) - 1], " DCSH"[data[2] >> 4 & 7]) == tuple(drawn)
        judged = log.judge(report.number, report.raw)
        # What is dropped as a repeat is the same bytes, or says so itself and names the same card.
        if judged == "repeat" and log.last is not None and report.raw != log.last.raw:
            assert report.data[:1] == b"R"
            assert report.data[1:] == log.last.raw[3:-3]
        log = log.after(report.number, report.raw)
        outcomes.append(f"{judged} {type(reading).__name__}")
    return pairs_of(outcomes) | pairs_of(f"{type(p).__name__} {getattr(p, 'nak', '')}" for p in pieces)


# Lines


def lines_in(stream: bytes, ends: LineEnd, longest: int) -> list[bytes]:
    """The lines of a stream without their ends, the plain way: no empty ones, none that is too long."""
    by = {"lf": rb"\r?\n", "cr": rb"\r", "crlf": rb"\r\n", "any": rb"[\r\n]"}[ends]
    whole = re.split(by, stream)[:-1]
    return [line for line in whole if 0 < len(line) <= longest]


def check_framing(parts: Parts, dice: random.Random) -> list[bytes]:
    """Cut the parts into lines and hold them against the plain way; the lines."""
    ends: LineEnd = dice.choice(("lf", "any", "crlf", "cr"))
    longest = dice.choice((20, 64, LONGEST_OF_OURS))
    stream = b"".join(parts)
    pieces = fed(LineFraming(ends, longest), parts, dice, dice.random() < 0.3)
    bodies = [piece.body for piece in pieces if isinstance(piece, TextLine)]
    assert bodies == lines_in(stream, ends, longest)
    kept = b"".join(piece.raw for piece in pieces if isinstance(piece, TextLine | Noise))
    assert kept.translate(None, b"\r\n") == stream.translate(None, b"\r\n")
    return bodies


def bee_tek_message(dice: random.Random) -> bytes:
    code = dice.choice(CARDS)
    written = code if dice.random() < 0.5 else code[1] + code[0]
    card = f" [{BURNING if dice.random() < 0.2 else IN_GAME}]<Card:{written}> "
    others = (" [Game]<Game> ", " [GameAlarm]<Alarm:E3 Card Not Read> ", "<W0x01>", " [Game]<Card:10S> ")
    return (card if dice.random() < 0.6 else dice.choice(others)).encode() + dice.choice((b"\r\n", b"\n"))


BEE_TEK_CARD = re.compile(
    rb" \[(?:Game|Manual Burn Cards)\]<Card:(?:(10|[A2-9TJQK])([SHDC])|([SHDC])(10|[A2-9TJQK]))> "
)


def check_bee_tek(parts: Parts, dice: random.Random) -> set[Outcome]:
    outcomes = []
    for body in check_framing(parts, dice):
        reading = bee_tek_reading(body)
        outcomes.append(type(reading).__name__)
        whole = BEE_TEK_CARD.fullmatch(body)
        if whole is not None:
            rank, suit = whole[1] or whole[4], whole[2] or whole[3]
            assert isinstance(reading, CardReported)
            assert reading.code.encode() == rank.replace(b"10", b"T") + suit
        if isinstance(reading, CardReported):
            text = body.upper().replace(b"10", b"T")
            written = text[text.index(b"CARD:") + 5 : text.index(b">")].strip()
            assert sorted(written) == sorted(reading.code.encode())
            assert reading.code in CARDS
    return pairs_of(outcomes)


SCAN = ScannerShoe(port="/dev/null", symbologies=("code128", "qr"), shape="[0-9A-Z-]{2,20}")


def scanner_message(dice: random.Random) -> bytes:
    prefix = dice.choice((b"]C0", b"]Q1", b"]C0", b"]E0", b""))
    code = dice.choice((b"1010", b"R-TH-000123-7", b"8S", b"NLS0006010", b"NOREAD", b"%%SpecCode9A"))
    return prefix + code + dice.choice((b"\r\n", b"\r", b"\n"))


def check_scanner(parts: Parts, dice: random.Random) -> set[Outcome]:
    outcomes = []
    for body in check_framing(parts, dice):
        reading = scanner_reading(body, SCAN)
        outcomes.append(reading.detail[:20] if isinstance(reading, CardNotRead) else "")
        assert isinstance(reading, CardReported | CardNotRead)
        plain = re.fullmatch(rb" *\](?:C[02-9A-Za-z]|Q[0-9A-Za-z])([0-9A-Z-]{2,20}) *", body)
        begins = () if plain is None else (b"NLS", b"SET")
        expected = plain is not None and not plain[1].startswith(begins)
        assert isinstance(reading, CardReported) is expected
        if isinstance(reading, CardReported) and plain is not None:
            assert reading.code.encode() == plain[1]
    return pairs_of(outcomes)


OUR_LINES = (
    b"OPEN",
    b"VOID supervisor",
    b"ENTER TH",
    b"BURN 3 spilt",
    b"KEY 17",
    b"CLEAR continue all well",
    b"DAY",
    b"DONE 416 red",
    b"ERROR E7 jam",
    b"LOADED 8",
    b"COUNT 415 blue",
    b"VERSION 1.2",
    b"FAIL jam",
)


def check_our_lines(parts: Parts, dice: random.Random) -> set[Outcome]:
    outcomes = []
    for body in check_framing(parts, dice):
        for protocol, reading_of in ((KEYPAD, KeyPressed), (SHUFFLER, ShufflerSaid)):
            result = read_line(body, protocol)
            words = result.word if isinstance(result, Understood) else f"no {result.reason.split()[0]}"
            outcomes.append(words)
            if isinstance(result, Understood):
                assert result.line.encode() == body.strip(b" ")
                assert (result.word, *" ".join(result.arguments).split()) == tuple(result.line.split())
                assert reading_of(result.line, result.word, result.arguments).line == result.line
            answer = not_understood(body)
            assert (answer[:1], answer[-1:], answer.count(b"\n")) == (b"?", b"\n", 1)
    return pairs_of(outcomes)


# The eye


def eye_message(dice: random.Random) -> bytes:
    if dice.random() < 0.1:
        return line_of(Learnt((bytes(12),)))
    marks = tuple(
        Mark(dice.choice(CARDS), "code128", float(dice.randrange(640)), 100.0, 80.0)
        for _ in range(dice.choice((0, 1, 1, 1, 2)))
    )
    present = dice.random() < 0.6
    return line_of(PictureSeen(dice.randrange(10**9), "7.png", marks, present, dice.random() < 0.5))


def check_eye(parts: Parts, dice: random.Random) -> set[Outcome]:
    outcomes = []
    needed, told, pictures = dice.randrange(1, 4), 0, 0
    passages, texts = Passages(needed), set()
    for line in b"".join(parts).split(b"\n"):
        try:
            message = message_of(line[:LONGEST_LINE])
        except ValueError:
            continue
        assert message_of(line_of(message)[:-1]) == message
        if isinstance(message, PictureSeen):
            pictures += 1
            texts |= {mark.text for mark in message.marks}
            cards = passages.see(message)
            outcomes += [type(card).__name__ for card in cards] or [str(len(message.marks))]
            told += sum(isinstance(card, CardReported) for card in cards)
            assert {card.code for card in cards if isinstance(card, CardReported)} <= texts
    passages.finish()
    assert told * needed <= pictures
    return pairs_of(outcomes)


WIRES = (
    Wire(
        "angel-eye",
        angel_eye_message,
        check_angel_eye,
        (b"\x05", b"\x02", b"\x03", b"\x06", b"\x15", b"\x05\x05", b"D\x81\xb8", b"R", b"d", b"E\xc1", b"00"),
        angel_eye_mended,
    ),
    Wire(
        "bee-tek",
        bee_tek_message,
        check_bee_tek,
        (b"\r", b"\n", b"\r\n", b"[", b"]", b"<", b">", b"Card:", b"10", b"[Game]", b"Alarm:", b"W0x"),
    ),
    Wire(
        "scanner",
        scanner_message,
        check_scanner,
        (b"\r", b"\n", b"\r\n", b"]", b"]C0", b"]C1", b"]Q1", b"NR", b" ", b"\x16", b"@", b"SET", b"\xa0"),
    ),
    Wire(
        "our-lines",
        lambda dice: dice.choice(OUR_LINES) + dice.choice((b"\n", b"\r\n")),
        check_our_lines,
        (b"\n", b"\r", b" ", b"  ", b"0", b"99999", b"TH", b"\xff", b"CLEAR ", b"BURN 1 "),
    ),
    Wire(
        "eye",
        eye_message,
        check_eye,
        (
            b"null",
            b"1e308",
            b"-1e308",
            b"-1",
            b'""',
            b"true",
            b"[]",
            b'"black"',
            b'"marks":',
            b"\\u0000",
            b"{}",
        ),
    ),
)
"""By the name that ``make fuzz`` knows."""
