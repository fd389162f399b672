"""Line framing: whole, byte by byte, over-long, with every line end; nothing is lost silently."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.framing import LineEnd, LineFraming, Noise, TextLine

LF: list[TextLine | Noise] = [TextLine(b"OPEN\n", b"OPEN"), TextLine(b"CLOSE\r\n", b"CLOSE")]

CASES: list[tuple[str, LineEnd, int, bytes, list[TextLine | Noise]]] = [
    ("LF and CR LF", "lf", 20, b"OPEN\nCLOSE\r\n", LF),
    ("empty lines say nothing", "lf", 20, b"\n\r\n\nOPEN\n", LF[:1]),
    ("CR inside a line stays", "lf", 20, b"A\rB\n", [TextLine(b"A\rB\n", b"A\rB")]),
    ("CR ends", "cr", 20, b"8S\r9S\r", [TextLine(b"8S\r", b"8S"), TextLine(b"9S\r", b"9S")]),
    ("only the pair ends", "crlf", 20, b"A\nB\rC\r\n", [TextLine(b"A\nB\rC\r\n", b"A\nB\rC")]),
    (
        "any of them ends",
        "any",
        20,
        b"A\rB\nC\r\n",
        [TextLine(b"A\r", b"A"), TextLine(b"B\n", b"B"), TextLine(b"C\r", b"C")],
    ),
    ("longest line", "lf", 4, b"OPEN\r\n", [TextLine(b"OPEN\r\n", b"OPEN")]),
    (
        "over-long, then in step again",
        "lf",
        4,
        b"ABCDEFGHIJKLM\nOPEN\n",
        [
            Noise(b"ABCDE", "a line of more than 4 bytes"),
            Noise(b"FGHIJ", "the rest of an over-long line", continued=True),
            Noise(b"KLM\n", "the rest of an over-long line", continued=True),
            TextLine(b"OPEN\n", b"OPEN"),
        ],
    ),
    (
        "over-long whose end is cut between CR and LF",
        "crlf",
        4,
        b"ABCDEFGHI\r\nOK\r\n",
        [
            Noise(b"ABCDE", "a line of more than 4 bytes"),
            Noise(b"FGHI\r\n", "the rest of an over-long line", continued=True),
            TextLine(b"OK\r\n", b"OK"),
        ],
    ),
]


@pytest.mark.parametrize(
    ("ends", "longest", "stream", "pieces"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
@pytest.mark.parametrize("byte_by_byte", [False, True])
def test_a_stream_is_cut_into_lines(
    ends: LineEnd, longest: int, stream: bytes, pieces: list[TextLine | Noise], byte_by_byte: bool
) -> None:
    framing = LineFraming(ends, longest)
    chunks = [stream[i : i + 1] for i in range(len(stream))] if byte_by_byte else [stream]
    assert [piece for chunk in chunks for piece in framing.feed(chunk)] == pieces


def test_silence_ends_a_line_only_where_no_character_does() -> None:
    by_silence, by_lf = LineFraming("none", 20), LineFraming("lf", 20)
    assert by_silence.feed(b"8S") == []
    assert by_silence.silence() == [TextLine(b"8S", b"8S")]
    assert by_lf.feed(b"8S") == []
    assert by_lf.silence() == []
    assert by_lf.feed(b"\n") == [TextLine(b"8S\n", b"8S")]


def test_what_was_unfinished_when_the_connection_ended_is_noise_and_does_not_reach_into_the_next_line() -> (
    None
):
    framing = LineFraming("lf", 20)
    framing.feed(b"VOI")
    assert framing.cut_off() == [Noise(b"VOI", "the connection ended in the middle of a line")]
    assert framing.cut_off() == []
    assert framing.feed(b"OPEN\n") == [TextLine(b"OPEN\n", b"OPEN")]


@given(
    st.lists(st.binary(max_size=12), max_size=12),
    st.sampled_from(["lf", "cr", "crlf", "any", "none"]),
    st.integers(1, 8),
)
def test_every_byte_leaves_again_but_line_ends_and_nothing_depends_on_the_chunks(
    chunks: list[bytes], ends: LineEnd, longest: int
) -> None:
    stream = b"".join(chunks)
    in_chunks, whole = LineFraming(ends, longest), LineFraming(ends, longest)
    pieces = [piece for chunk in chunks for piece in in_chunks.feed(chunk)] + in_chunks.cut_off()
    assert pieces == whole.feed(stream) + whole.cut_off()
    out = b"".join(piece.raw for piece in pieces)
    drop = str.maketrans("", "", "\r\n")
    assert out.decode("latin1").translate(drop) == stream.decode("latin1").translate(drop)
