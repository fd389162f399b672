"""Lines for people and for the journal of the machine: as text, as JSON, or with fields that can be searched.

A line names devices, codes and places in the program, never a card and never a secret: what lies face down
must not be found in a log (R25). ``journalctl DEALERTABLE_TABLE=north/7`` shows one table.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import socket
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import msgspec

JOURNALD = Path("/run/systemd/journal/socket")
OWN = "controller.", "drivers."
"""Loggers of this program: where a line comes from is in the fields of JSON and journald."""
_PRIORITY = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))
MINUTE_S, LINES_A_MINUTE = 60.0, 20
MOST_KINDS = 500
_DEBUG = 7
"""Levels as syslog counts them."""


_NUMBER = re.compile(r"(?<![^\s(#-])\d+")
"""Stands alone, or behind a hyphen: no part of a table's name."""


class TextLines(logging.Formatter):
    """Words for people, with the time in UTC; a library that speaks is named."""

    def format(self, record: logging.LogRecord) -> str:
        """The time, the level, and the line."""
        library = "" if record.name.startswith(OWN) else f" {record.name}:"
        return f"{_at(record)} {record.levelname}{library} {super().format(record)}"


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def __init__(self, table: str) -> None:
        super().__init__()
        self._table = table

    def format(self, record: logging.LogRecord) -> str:
        """``at``, ``level``, ``logger``, ``table`` where it is the log of one, ``message``."""
        table: dict[str, str] = {"table": self._table} if self._table else {}
        members = {
            "at": _at(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            **table,
            "message": record.getMessage(),
        }
        if record.exc_info:
            members["where"] = self.formatException(record.exc_info)
        return msgspec.json.encode(members).decode()


def _at(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    return at.replace("+00:00", "Z")


class Rates(logging.Filter):
    """At most so many lines of one kind a minute; how many were left out is said with the next one."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock_s = clock_s
        self._counted: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written; a kind is a place in the program with its level, or what the line says
        of its kind."""
        if record.levelno >= logging.CRITICAL:
            return True
        kind = f"{record.name}/{record.levelno}/{getattr(record, 'kind', record.msg)}"
        now_s = self._clock_s()
        if len(self._counted) >= MOST_KINDS:
            self._counted = {
                one: seen
                for one, seen in self._counted.items()
                if now_s - seen[0] < MINUTE_S or seen[1] > LINES_A_MINUTE
            }
        since_s, count = self._counted.get(kind, (now_s, 0))
        if now_s - since_s >= MINUTE_S:
            left_out, since_s, count = max(count - LINES_A_MINUTE, 0), now_s, 0
            if left_out:
                record.msg = f"{record.getMessage()} ({left_out} more like this were left out)"
                record.args = None
        if len(self._counted) < MOST_KINDS or kind in self._counted:
            self._counted[kind] = since_s, count + 1
        return count < LINES_A_MINUTE


class Journald(logging.Handler):
    """Speaks the native protocol of journald, so that each line has fields."""

    def __init__(self, table: str, path: Path | None = None) -> None:
        """OSError if journald does not listen there."""
        super().__init__()
        self.setFormatter(logging.Formatter("%(message)s"))
        self._table = table
        self._link = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        try:
            self._link.connect(str(path or JOURNALD))
        except OSError:
            self._link.close()
            raise

    def emit(self, record: logging.LogRecord) -> None:
        """One line. A journal that takes nothing must not stop a table: the line is lost."""
        priority = next((code for least, code in _PRIORITY if record.levelno >= least), _DEBUG)
        fields = {
            "MESSAGE": self.format(record),
            "PRIORITY": str(priority),
            "SYSLOG_IDENTIFIER": "dealer-table",
            "LOGGER": record.name,
        }
        if self._table:
            fields["DEALERTABLE_TABLE"] = self._table
        with contextlib.suppress(OSError):
            self._link.send(datagram(fields))

    def close(self) -> None:
        """No line follows."""
        self._link.close()
        super().close()


def datagram(fields: dict[str, str]) -> bytes:
    """Fields as journald takes them; a value with a line end has its length before it."""
    parts = []
    for name, value in fields.items():
        raw = value.encode()
        if b"\n" in raw:
            parts.append(name.encode() + b"\n" + len(raw).to_bytes(8, "little") + raw + b"\n")
        else:
            parts.append(name.encode() + b"=" + raw + b"\n")
    return b"".join(parts)


def goes_to_journald(stream: TextIO) -> bool:
    """Whether the service manager has connected this stream with journald, as ``JOURNAL_STREAM`` says."""
    device, _, inode = os.environ.get("JOURNAL_STREAM", "").partition(":")
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return (device, inode) == (str(status.st_dev), str(status.st_ino))


def where(error: BaseException) -> str:
    """Type and place of a failure; never its text, which could name a card that lies face down."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return (
        f"{type(error).__name__} at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
    )


def teller(name: str) -> Callable[[str], None]:
    """Lines of a program that follows many tables, into the log; ``name``: the logger. Lines that differ in
    numbers alone are of one kind."""
    logger = logging.getLogger(name)

    def tell(line: str) -> None:
        logger.info("%s", line, extra={"kind": _NUMBER.sub("#", line)})  # type: ignore[misc]  # nobody reads it

    return tell


def open_log(form: str, table: str = "", stream: TextIO = sys.stderr) -> None:
    """From now on lines go where they belong. ``form``: ``auto``, ``text``, ``json``; ``table``: whose log it
    is; empty: of a program for many."""
    handler: logging.Handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(table) if form == "json" else TextLines())
    if form == "auto" and goes_to_journald(stream):
        with contextlib.suppress(OSError):
            handler = Journald(table)
    handler.addFilter(Rates())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
