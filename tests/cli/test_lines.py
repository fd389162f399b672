"""Batches: an answer for every line, in order, whatever the line is and however it arrives."""

from __future__ import annotations

import json
from codecs import BOM_UTF8 as MARK
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cli.lines import (
    LONGEST_MESSAGE,
    MOST_BYTES,
    ErrorAnswer,
    answer_line,
    answer_lines,
    arrivals,
    error_answer,
)
from controller.games.score import score_line
from controller.odds.counting import odds_line
from controller.settlement import settle_line
from tests.cli.program import Told, answered, dealer_table, started


def echo(line: object) -> dict[str, object]:
    return {"asked": line}


def fails(line: object) -> dict[str, object]:
    raise ZeroDivisionError(line)


def answers(asked: bytes) -> list[dict[str, object]]:
    sink = BytesIO()
    answer_lines(BytesIO(asked), sink, echo)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


BAD_LINES = [
    (b"", "empty_line"),
    (b"   \t\r", "empty_line"),
    (b"{", "bad_json"),
    (b"nonsense", "bad_json"),
    (b"{'a': 1}", "bad_json"),
    (b'{"a": 1} {"a": 2}', "bad_json"),
    (b'{"a": NaN}', "bad_json"),
    (b'{"a": -Infinity}', "bad_json"),
    (b'{"a": 1e999}', "bad_json"),
    (b'{"a": ' + b"9" * 10_000 + b"}", "bad_json"),
    (b'{"a": 01}', "bad_json"),
    (b'"\\ud800"', "bad_json"),
    (b'{"a": "\xff\xfe"}', "bad_json"),
    (MARK + MARK + b"{}", "bad_json"),
    (b"\x00", "bad_json"),
    (b"[" * 100_000, "bad_json"),
    (b'{"a":' * 50_000, "bad_json"),
    (b"[" * 900 + b"]" * 900, None),
    (b'{"a": 1, "a": 2}', "duplicate_key"),
    (b'{"b": [{"a": 1, "a": 1}]}', "duplicate_key"),
    (b'"' + b"x" * MOST_BYTES + b'"', "line_too_long"),
    (b'{"a": ' + b"9" * 30 + b"}", None),
    (b"null", None),
    (b'{"a": 1}\r', None),
]


@pytest.mark.parametrize(("line", "code"), BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_is_answered_with_its_error_and_the_next_goes_on(line: bytes, code: str | None) -> None:
    bad, next_ = answers(line + b'\n{"next": true}\n')
    assert next_ == {"asked": {"next": True}}
    if code is None:
        assert "error" not in bad
    else:
        error = bad["error"]
        assert isinstance(error, dict)
        assert error["code"] == code
        assert error["message"]


def test_the_mark_that_editors_of_windows_write_is_left_out_once_at_the_beginning() -> None:
    first, second, third = answers(MARK + b'{"a": 1}\r\n{"a": 2}\r\n' + MARK + b'{"a": 3}')
    assert (first, second) == ({"asked": {"a": 1}}, {"asked": {"a": 2}})
    assert "error" in third
    assert answers(MARK + b'{"a": 1}') == [{"asked": {"a": 1}}]


@pytest.mark.parametrize("ends", [[1, 2, 3, 5], [4, 9]])
def test_the_mark_may_arrive_in_pieces(ends: list[int]) -> None:
    asked = MARK + b"[1]\n[2]"
    pieces = iter([asked[begin:end] for begin, end in zip([0, *ends], [*ends, len(asked)], strict=True)])

    class Slowly(BytesIO):
        def read1(self, size: int | None = -1, /) -> bytes:
            return next(pieces, b"")

    assert [line for lines in arrivals(Slowly()) for line in lines] == [b"[1]", b"[2]"]


def test_one_question_may_begin_with_the_mark(told: Told) -> None:
    line = '{"game": "baccarat", "cards": ["KC"]}'
    assert answered("score", "--json", asked=MARK + line.encode()) == told("score", "--json", line).out
    assert told("score", "--json", MARK.decode() + line).out == told("score", "--json", line).out


@pytest.mark.parametrize(("number", "shown"), [("-1e400", "-1e400"), ("9" * 5000, "9" * 60 + "...")])
def test_a_number_that_is_too_large_is_named_as_it_is_written(number: str, shown: str) -> None:
    [bad] = answers(f'{{"cards": ["KC", {{"a": [7, {number}]}}]}}'.encode())
    assert bad == {"error": {"code": "bad_json", "message": f"the number {shown} is too large"}}


@pytest.mark.parametrize("answering", [score_line, settle_line, odds_line])
@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"1",
        b'"text"',
        b"[]",
        b"{}",
        b'{"game": null}',
        b'{"game": "whist"}',
        b'{"game": ["baccarat"]}',
        b'{"game": "baccarat", "cards": 7, "bets": 7, "remaining": 7}',
        b'{"game": "baccarat", "cards": [["KC"]], "remaining": {"A": 1e30}}',
        b'{"game": "baccarat", "cards": {"KC": 1}, "remaining": {"A": 99999999999999999999999999}}',
        b'{"game": "casino-holdem", "hands": {"hand1": 3}, "flop": [3]}',
        b'{"game": "casino-holdem", "hands": [], "board": {}}',
        b'{"game": "2-card-action", "layout": "Z"}',
    ],
)
def test_a_line_that_asks_nonsense_gets_an_error_and_no_fault(answering: object, line: bytes) -> None:
    answer = answer_line(line, answering)  # type: ignore[arg-type]
    assert isinstance(answer, ErrorAnswer)
    assert answer.error.code not in ("fault", "error")
    assert answer.error.message


def test_a_fault_of_the_program_is_an_answer_too() -> None:
    sink = BytesIO()
    assert not answer_lines(BytesIO(b"1\n2\n"), sink, fails)
    first, second = (json.loads(line)["error"] for line in sink.getvalue().splitlines())
    assert first["code"] == second["code"] == "fault"
    assert "ZeroDivisionError" in first["message"]


def test_a_long_message_is_cut() -> None:
    assert len(error_answer("code", "x" * 10_000).error.message) < LONGEST_MESSAGE + 10


class Dripping:
    """A reader that gives its bytes in pieces of the given sizes."""

    def __init__(self, content: bytes, sizes: list[int]) -> None:
        self._left, self._sizes = content, sizes

    def read1(self, most: int) -> bytes:
        size = self._sizes.pop(0) if self._sizes else most
        piece, self._left = self._left[:size], self._left[size:]
        return piece


@given(
    lines=st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b""))),
    sizes=st.lists(st.integers(1, 9)),
)
def test_lines_are_the_same_however_they_arrive(lines: list[bytes], sizes: list[int]) -> None:
    content = b"\n".join(lines)
    got = [line for several in arrivals(Dripping(content, sizes)) for line in several]  # type: ignore[arg-type]
    assert got == (
        content.split(b"\n") if not content.endswith(b"\n") and content else content.split(b"\n")[:-1]
    )


def test_an_over_long_line_is_not_kept_in_memory() -> None:
    huge = MOST_BYTES * 20
    (long, short) = [line for lines in arrivals(BytesIO(b"x" * huge + b"\n{}\n")) for line in lines]
    assert MOST_BYTES < len(long) < MOST_BYTES + 200_000
    assert short == b"{}"


def test_another_program_can_talk_line_by_line() -> None:
    with started(["score", "--batch"]) as program:
        for cards in ('["KC"]', '["KC", "7C"]', '["XX"]'):
            program.stdin.write(f'{{"game": "baccarat", "cards": {cards}}}\n'.encode())
            program.stdin.flush()
            answer = json.loads(program.stdout.readline())
            assert ("error" in answer) == (cards == '["XX"]')
        program.stdin.close()
        assert program.wait() == 1


def test_the_status_says_whether_an_answer_was_an_error() -> None:
    right = '{"game": "baccarat", "cards": []}\n'
    assert answered("score", "--batch", asked=right * 3)
    assert not answered("score", "--batch")
    done = dealer_table("score", "--batch", asked=right + "\n" + right)
    assert (done.returncode, done.stderr) == (1, "")
    assert len(done.stdout.splitlines()) == 3


def test_cards_behind_the_last_one_of_a_round_are_said_to_be_a_surplus(told: Told) -> None:
    eight = '{"game": "baccarat", "cards": ["KC", "7C", "7D", "2D", "3H", "4S", "5D", "6C"]}'
    assert "SURPLUS: the round was over before the last 4 of the 8 cards" in told("score", eight).out
    assert "SURPLUS" not in told("score", eight.replace(', "3H", "4S", "5D", "6C"', "")).out
    assert json.loads(told("score", "--json", eight).out)["used"] == 4
