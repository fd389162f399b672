"""What every command says in the same way: complaints, rows in columns, lines."""

from __future__ import annotations

import codecs
import io
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, TextIO

import msgspec

from controller.vocabulary.errors import DealerTableError, InputError, why

WRONG_CALL = 2
"""Exit status: the call or the configuration is wrong."""
FAILED = 1
"""Exit status: the answer is a finding or an error."""


_SPELT = {"♠": "S", "♥": "H", "♦": "D", "♣": "C", "▒": "#", "●": "*", "○": "o", "╱": "/", "·": "."}
"""What stands for a sign that a terminal does not have."""


def spell_out() -> None:
    """From now on a sign that a terminal cannot show is spelt with those that it has: a card stays a card."""
    codecs.register_error("spelt", _spelt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spelt")


def _spelt(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    sign = error.object[error.start]
    if sign in _SPELT:
        return _SPELT[sign], error.start + 1
    return codecs.backslashreplace_errors(error)


def shows(text: str) -> bool:
    """Whether standard output can show it as it is."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def complain(message: str, status: int = WRONG_CALL) -> int:
    """Say on standard error what to fix; returns the exit status."""
    if sys.stderr is not None:  # else print would take standard output for it
        for line in message.splitlines():
            print(f"dealer-table: {line}", file=sys.stderr)
    return status


COUNTED = "every way that the cards can fall is counted, to know what the pay table returns: some seconds"


@contextmanager
def patience(what: str, after_s: float = 1.0) -> Iterator[None]:
    """Tell who sits at a terminal what takes so long, once it does."""
    waiting = threading.Timer(after_s, complain, (what,))
    waiting.daemon = True
    if sys.stderr is not None and sys.stderr.isatty():
        waiting.start()
    try:
        yield
    finally:
        waiting.cancel()


def print_json(answer: object) -> None:
    """Print an answer for programs, spread over lines so that people can read it as well."""
    _write(msgspec.json.format(msgspec.json.encode(answer)))


def print_json_line(answer: object) -> None:
    """Print one of many answers for programs: one object, one line, and out with it."""
    _write(msgspec.json.encode(answer))


def _write(line: bytes) -> None:
    with writing():
        stream = standard_output()
        stream.write(line + b"\n")
        stream.flush()


def print_lines(lines: Iterable[str]) -> None:
    """Print an answer."""
    with writing():
        for line in lines:
            print(line)


def print_or_end(line: str) -> None:
    """Print a line of any thread. Where nobody reads any more, the program is told to end as by SIGTERM: an
    error in a thread beside the main one would end that thread alone."""
    try:
        print(line, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        signal.raise_signal(signal.SIGTERM)


@contextmanager
def writing() -> Iterator[None]:
    """A disk that is full is nobody's bug; a reader that went away is not even a complaint."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DealerTableError(f"the answer cannot be written: {why(error)}") from error


def standard_input() -> BinaryIO:
    """The bytes on standard input; :class:`InputError` where the caller closed it."""
    if sys.stdin is None:
        raise InputError("standard input is closed")
    return sys.stdin.buffer


def typed_lines() -> TextIO:
    """What a person types, for a thread of its own; what is no UTF-8 has a sign in its place.

    Not its bytes: a thread that waits in their lock aborts the program as it ends. InputError where standard
    input is closed.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    return sys.stdin


def standard_output() -> BinaryIO:
    """The bytes of standard output; :class:`DealerTableError` where the caller closed it."""
    if sys.stdout is None:
        raise DealerTableError("standard output is closed")
    return sys.stdout.buffer


def columns(rows: Sequence[Sequence[object]], right: Iterable[int] = ()) -> list[str]:
    """Rows as aligned columns, two blanks between; the columns of ``right`` end at the same place."""
    texts = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    ends = frozenset(right)
    return [
        "  ".join(
            text.rjust(width) if place in ends else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in texts
    ]
