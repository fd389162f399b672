"""Our own line protocols: every word, every wrong line, and the answers, on real pseudo-terminals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers import line_protocol
from drivers.keypad import KEYPAD, KeypadPanel
from drivers.keypad.simulator import Keypad
from drivers.line import SHUFFLER, LineShuffler
from drivers.line_protocol import Misunderstood, Understood, read_line, usage
from drivers.line_simulator import SimulatedLineDevice
from drivers.ports import Accepted, NotUnderstood, Refused
from drivers.readings import DeviceReachable, KeyPressed, ShufflerSaid, Unreadable
from drivers.settings import DriverContext
from tests.drivers.listening import Listener, listening

KEYPAD_CONTRACT = """
SHOE <cards>; SEATS <n> ...; OPEN; CLOSE; DECIDED; REVEAL [<hand>]; SETTLED; HOLD; BURN <n> [<reason>];
KEY <badge>; NOKEY; VOID <reason>; ENTER <card>; RETURN <card>; COUNT <cards>; LEFT <cards>; EMPTY;
CLEAR <choice> [<note>]; CUT; DEALER <badge>; NODEALER; DAY [<gaming_day>]; ENDDAY
"""
SHUFFLER_CONTRACT = """
START; DONE <cards> [<set>]; FAIL <reason>; LOADED <decks> [<set>]; COUNT <cards> [<set>];
COLLECTED <cards>; VERSION <text>; SERIAL <text>; ERROR <code> <text>
"""

USUAL = DriverContext()


@pytest.mark.parametrize(("protocol", "contract"), [(KEYPAD, KEYPAD_CONTRACT), (SHUFFLER, SHUFFLER_CONTRACT)])
def test_the_table_is_the_contract(protocol: line_protocol.Protocol, contract: str) -> None:
    wanted = [line.strip() for line in contract.replace("\n", " ").split(";")]
    assert [usage(word, arguments) for word, arguments in protocol.items()] == wanted


GOOD_KEYS = [
    ("SHOE 416", ("416",)),
    ("OPEN", ()),
    ("SEATS 1", ("1",)),
    ("SEATS 1 3  5", ("1", "3", "5")),
    ("BURN 3", ("3",)),
    ("BURN 3 first card was a three", ("3", "first card was a three")),
    ("KEY 00:17-A", ("00:17-A",)),
    ("NOKEY", ()),
    ("VOID foreign_card", ("foreign_card",)),
    ("ENTER TH", ("TH",)),
    ("RETURN 2C", ("2C",)),
    ("COUNT 0", ("0",)),
    ("LEFT 99999", ("99999",)),
    ("EMPTY", ()),
    ("CLEAR enter", ("enter",)),
    ("CLEAR stand  felt and  screen agree", ("stand", "felt and  screen agree")),
    ("CUT", ()),
    ("DEALER 4711", ("4711",)),
    ("REVEAL", ()),
    ("REVEAL banker", ("banker",)),
    ("DAY", ()),
    ("DAY 2026-01-31", ("2026-01-31",)),
    ("ENDDAY", ()),
    ("  BURN   3  ", ("3",)),
]
BAD_KEYS = [
    "open",
    "",
    "OPENS",
    "OPEN now",
    "SHOE",
    "SHOE 0",
    "SHOE 416 decks",
    "SHOE -1",
    "SHOE 4.5",
    "SHOE 0416",
    "SHOE 100000",
    "SEATS",
    "SEATS 0",
    "SEATS 1 two",
    "SEATS 1,3",
    "SHOE ٣",
    "ENTER 10H",
    "ENTER HT",
    "ENTER XX",
    "ENTER th",
    "KEY",
    "KEY a b",
    "VOID",
    "VOID two words",
    "CLEAR",
    "CARD 8S",
    "DEALER",
    "DAY 31 January",
    "ENDDAY now",
    "OPEN\x00",
    "OPEN\tCLOSE",
    "HOLD é",
]
GOOD_SHUFFLER = [
    ("START", ()),
    ("DONE 416", ("416",)),
    ("DONE 0 blue", ("0", "blue")),
    ("FAIL jam at the exit", ("jam at the exit",)),
    ("LOADED 8 red-2", ("8", "red-2")),
    ("COUNT 415", ("415",)),
    ("COLLECTED 7", ("7",)),
    ("VERSION 3.1 of May", ("3.1 of May",)),
    ("SERIAL A/123", ("A/123",)),
    ("ERROR E7 card 51 upside down", ("E7", "card 51 upside down")),
]
BAD_SHUFFLER = [
    "DONE",
    "DONE many",
    "FAIL",
    "LOADED 0",
    "ERROR E7",
    "CARDS AS KS",
    "DONE 52 red AS",
    "START AS",
    "OPEN",
]


@pytest.mark.parametrize(
    ("protocol", "line", "arguments"),
    [(KEYPAD, *row) for row in GOOD_KEYS] + [(SHUFFLER, *row) for row in GOOD_SHUFFLER],
)
def test_well_formed_lines(protocol: line_protocol.Protocol, line: str, arguments: tuple[str, ...]) -> None:
    result = read_line(line.encode(), protocol)
    assert result == Understood(line.strip(" "), line.split()[0], arguments)


@pytest.mark.parametrize(
    ("protocol", "line"), [(KEYPAD, line) for line in BAD_KEYS] + [(SHUFFLER, line) for line in BAD_SHUFFLER]
)
def test_lines_that_are_not_understood(protocol: line_protocol.Protocol, line: str) -> None:
    assert isinstance(read_line(line.encode(), protocol), Misunderstood)


@pytest.mark.parametrize("line", ["BURN 0", "BURN 417", "SHOE 0", "SHOE 100000", "COUNT 100000", "SEATS 0"])
def test_a_number_that_cannot_be_meant_is_understood_and_refused(tmp_path: Path, line: str) -> None:
    with keypad_heard(tmp_path) as (keypad, heard):
        heard.answer = Refused("no")
        keypad.send(line)
        reading = heard.reading()
        assert isinstance(reading, Unreadable)
        assert reading.refused
        assert keypad.answer() == "NO no"


@given(st.binary(max_size=60) | st.text(alphabet="SHOECLRBUNK 0123456789ATHx", max_size=40).map(str.encode))
def test_no_line_raises_and_what_is_understood_is_what_was_sent(line: bytes) -> None:
    for protocol in (KEYPAD, SHUFFLER):
        result = read_line(line, protocol)
        if isinstance(result, Understood):
            assert result.line.encode() == line.strip(b" ")
            assert result.word in protocol


@contextmanager
def keypad_heard(folder: Path, end: bytes = b"\n") -> Iterator[tuple[Keypad, Listener]]:
    """A keypad that is connected."""
    with (
        Keypad(folder / "keypad", end=end) as keypad,
        listening(KeypadPanel(port=keypad.path).driver("panel", USUAL)) as heard,
    ):
        assert isinstance(heard.reading(), DeviceReachable)
        yield keypad, heard


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_keys_are_answered_by_what_became_of_them(tmp_path: Path, end: bytes) -> None:
    with keypad_heard(tmp_path, end) as (keypad, heard):
        for answer, said in (
            (Accepted(), "OK"),
            (Refused("the round is running"), "NO the round is running"),
            (NotUnderstood(), "? SHOE 416"),
            (Refused("zweite Zeile\nOK — ü"), "NO zweite Zeile.OK ? ?"),
        ):
            heard.answer = answer
            keypad.send("SHOE 416")
            assert heard.reading() == KeyPressed("SHOE 416", "SHOE", ("416",))
            assert keypad.answer() == said


def test_no_answer_before_the_shell_gives_one(tmp_path: Path) -> None:
    with keypad_heard(tmp_path) as (keypad, heard):
        heard.silent = True
        keypad.send("OPEN")
        received = heard.take()
        assert not keypad.answers
        heard.driver.acknowledge(received, Accepted())
        assert keypad.answer() == "OK"


def test_unknown_lines_noise_and_over_long_lines_are_faults_answered_once(tmp_path: Path) -> None:
    with keypad_heard(tmp_path) as (keypad, heard):
        heard.answer = NotUnderstood()
        for sent, said in (
            (b"DANCE 3\n", "? DANCE 3"),
            (b"\x00\xffOPEN\r\n", "? ..OPEN"),
            (b"OPEN 3\n", "? OPEN 3"),
            (b"\n", "?"),
            (b"  \r\n", "?"),
        ):
            keypad.send_raw(sent)
            received = heard.take()
            assert isinstance(received.reading, Unreadable)
            assert received.raw == sent
            assert keypad.answer() == said
        keypad.send_raw(b"A" * 300 + b"\n")
        raws = [heard.take().raw for _ in range(3)]
        assert b"".join(raws) == b"A" * 300 + b"\n"
        heard.answer = Accepted()
        keypad.send("OPEN")
        assert heard.reading() == KeyPressed("OPEN", "OPEN", ())
        assert [keypad.answer(), keypad.answer()] == ["? " + "A" * 118, "OK"]


def test_a_shuffler_tells_what_it_did_and_never_which_cards(tmp_path: Path) -> None:
    with (
        SimulatedLineDevice(tmp_path / "shuffler") as shuffler,
        listening(LineShuffler(port=shuffler.path).driver("shuffler", USUAL)) as heard,
    ):
        heard.reading()
        said = [line for line, _ in GOOD_SHUFFLER]
        for line in said:
            shuffler.send(line)
        assert [reading.line for _ in said if isinstance(reading := heard.reading(), ShufflerSaid)] == said
        shuffler.send("ERROR E7 jam at the exit")
        assert heard.reading() == ShufflerSaid("ERROR E7 jam at the exit", "ERROR", ("E7", "jam at the exit"))
        shuffler.send("ORDER AS KS QS")
        assert isinstance(heard.reading(), Unreadable)
