"""Who has seen an alert: said on a page with a badge, recorded in a file, shown on the pages from then on.

An acknowledgement is of one raising of an alert: raised anew it has been seen by nobody. It clears nothing.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import os
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from controller.board.floor import Key, Mode, SeenTable
from controller.vocabulary.configuration import Badge
from controller.vocabulary.errors import ConfigurationError, read_json, why

MOST_NAMED = 100
"""Alerts of one acknowledgement."""
MOST_KEPT = 10_000
"""Acknowledgements that are remembered; the file has all."""


class NamedAlert(msgspec.Struct, frozen=True):
    """The alert that a person saw."""

    id: Annotated[str, msgspec.Meta(max_length=200)]
    at: str
    """Since when, as the table said it."""


class Acknowledging(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page sends."""

    site: str
    table: str
    mode: Mode
    alerts: Annotated[tuple[NamedAlert, ...], msgspec.Meta(min_length=1, max_length=MOST_NAMED)]
    badge: Badge


class SeenBy(msgspec.Struct, frozen=True):
    """What the pages show of it."""

    by: str
    time: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the file."""

    time: str
    """When, RFC 3339."""
    by: str
    """The badge."""
    site: str
    table: str
    mode: Mode
    alert: str
    """Its id."""
    code: str | None = None
    message: str | None = None
    """What the person read."""
    at: str
    """Since when the alert stood."""


class ShownAlert(msgspec.Struct, frozen=True):
    """What is read of an alert."""

    at: str | None = None
    """Without it nobody can say which raising was seen."""
    code: str | None = None
    message: str | None = None


class Raised(NamedTuple):
    """One raising of one alert."""

    path: str
    alert: str
    at: str


class Acknowledgements:
    """The file, and what it says of the alerts that are there."""

    def __init__(self, path: Path, badges: Collection[str] = ()) -> None:
        """``badges``: who may acknowledge; none named: any badge. :class:`ConfigurationError` where the file
        cannot be read or written."""
        self._path = path
        self._badges = frozenset(badges)
        self._seen: dict[Raised, SeenBy] = {}
        try:
            with path.open("ab+") as file:
                file.seek(0)
                whole = file.read()
        except OSError as error:
            raise ConfigurationError(f"board.acknowledged: {why(error)}") from error
        for text in whole.splitlines():
            line = read_json(text, Line)
            if line is not None:
                self._adopt(line)

    def may(self, badge: str) -> bool:
        """Whether this badge may acknowledge."""
        return not self._badges or badge in self._badges

    def of(self, seen: SeenTable) -> dict[str, SeenBy]:
        """Alerts of the table that somebody has seen, by their id."""
        there = ((name, alert.at) for name, alert in _shown(seen).items() if alert.at is not None)
        known = ((name, self._seen.get(Raised(seen.key.path, name, at))) for name, at in there)
        return {name: by for name, by in known if by is not None}

    def lines(self, seen: SeenTable, asked: Acknowledging, time: str) -> list[Line]:
        """What is to be recorded: of the alerts that the person saw those that are still there."""
        saw = {(one.id, one.at) for one in asked.alerts}
        return [
            Line(
                time=time,
                by=asked.badge,
                site=seen.key.site,
                table=seen.key.table,
                mode=seen.key.mode,
                alert=name,
                code=alert.code,
                message=alert.message,
                at=alert.at,
            )
            for name, alert in _shown(seen).items()
            if alert.at is not None and (name, alert.at) in saw
        ]

    def write(self, lines: Collection[Line]) -> None:
        """Append them; returns when they are on the disk. OSError where they cannot be."""
        encoded = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
        with self._path.open("ab+") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() > 0:
                file.seek(-1, os.SEEK_END)
                # A line that a power cut left unfinished must not swallow the next one.
                encoded = encoded if file.read(1) == b"\n" else b"\n" + encoded
            file.write(encoded)
            file.flush()
            os.fsync(file.fileno())

    def adopt(self, lines: Collection[Line]) -> None:
        """They are recorded: from now on they are shown."""
        for line in lines:
            self._adopt(line)

    def _adopt(self, line: Line) -> None:
        key = Key(line.site, line.table, line.mode)
        self._seen[Raised(key.path, line.alert, line.at)] = SeenBy(line.by, line.time)
        if len(self._seen) > MOST_KEPT:
            self._seen.pop(next(iter(self._seen)))


def _shown(seen: SeenTable) -> dict[str, ShownAlert]:
    """What is read of the alerts of a table; of one that cannot be read nothing."""
    return {name: read_json(raw, ShownAlert) or ShownAlert() for name, raw in seen.alerts.items()}
