"""JSON lines in, one answer out for each, in order; a bad line is answered with an error as well."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import BinaryIO

import msgspec

from controller.vocabulary.errors import DealerTableError, InputError, why
from controller.vocabulary.outside import KeyTwice, check_keys, unmarked
from controller.vocabulary.shown import LONGEST

Answer = object
Answering = Callable[[object], Answer]


class AnswerError(msgspec.Struct, frozen=True):
    """What is wrong with a question: a stable code, and a message that names what to fix."""

    code: str
    message: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """The answer to a question that has none."""

    error: AnswerError


MOST_BYTES = 1_000_000
"""A longer line is refused; it is not kept in memory either."""

LONGEST_MESSAGE = 500

_MOST_DIGITS = 4_300
"""More than Python reads of a whole number, its sign counted."""

_CHUNK = 65_536
_decoder: msgspec.json.Decoder[object] = msgspec.json.Decoder()


def answer_lines(source: BinaryIO, sink: BinaryIO, answering: Answering) -> bool:
    """Answer every line of ``source``; true if no answer was an error.

    What has been asked is answered before more is waited for, so that another program can talk with this one
    line by line.
    """
    right = True
    for lines in arrivals(source):
        for line in lines:
            answer = answer_line(line, answering)
            right = right and not isinstance(answer, ErrorAnswer)
            sink.write(msgspec.json.encode(answer) + b"\n")
        sink.flush()
    return right


def arrivals(source: BinaryIO) -> Iterator[list[bytes]]:
    """The lines without their ends, as many at once as have arrived; the last needs no end, and the first may
    begin with a byte order mark.

    Of an over-long line so much is kept that it is seen to be one.
    """
    pending, begins = bytearray(), True
    while chunk := source.read1(_CHUNK):  # type: ignore[attr-defined]  # every buffered reader has it
        *ended, begun = chunk.split(b"\n")
        lines = []
        for piece in ended:
            lines.append(bytes(pending + piece))
            pending.clear()
        pending += begun
        del pending[MOST_BYTES + 1 :]
        if lines and begins:
            lines[0], begins = unmarked(lines[0]), False
        yield lines
    if pending:
        yield [unmarked(bytes(pending)) if begins else bytes(pending)]


def answer_line(line: bytes, answering: Answering) -> Answer:
    """The answer to one line, or an error that says what is wrong with it. Never raises."""
    try:
        return answering(read_line(line))
    except DealerTableError as error:
        return error_answer(error.code, error.message)
    except Exception as error:  # our bug: the lines behind it are answered all the same
        return error_answer(
            "fault", f"the program failed on this line, please report it: {type(error).__name__}: {error}"
        )


def read_line(line: bytes) -> object:
    """The value of one line; :class:`InputError` says why it is none."""
    if len(line) > MOST_BYTES:
        raise InputError(f"the line is longer than {MOST_BYTES} bytes", "line_too_long")
    if not line.strip():
        raise InputError("the line is empty", "empty_line")
    try:
        value = _decoder.decode(line)
        check_keys(line)
    except KeyTwice as error:
        raise InputError(str(error), "duplicate_key") from error
    except msgspec.ValidationError as error:  # of what has any shape only a number can be wrong
        raise InputError(f"the number {_too_large(line)} is too large", "bad_json") from error
    except RecursionError:
        raise InputError("the line is nested too deep", "bad_json") from None
    except UnicodeDecodeError as error:
        raise InputError(f"the line is not UTF-8 text: {error.reason}", "bad_json") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise InputError(f"the line is not JSON: {why(error)}", "bad_json") from error
    return value


def error_answer(code: str, message: str) -> ErrorAnswer:
    """An error as an answer."""
    if len(message) > LONGEST_MESSAGE:
        message = message[:LONGEST_MESSAGE] + " ..."
    return ErrorAnswer(AnswerError(code, message))


def _too_large(line: bytes) -> str:
    """The first number that is, as it is written."""
    found: list[str] = []

    def whole(text: str) -> None:
        if len(text) >= _MOST_DIGITS:
            found.append(f"{text[:LONGEST]}...")

    def broken(text: str) -> None:
        if math.isinf(float(text)):
            found.append(text if len(text) <= LONGEST else f"{text[:LONGEST]}...")

    json.loads(line, parse_int=whole, parse_float=broken)
    return next(iter(found), "in it")
