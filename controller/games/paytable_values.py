"""The values of a pay table: rows that are sound in themselves, and their canonical form."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property

import msgspec

from controller.games.ratio import parse_ratio
from controller.vocabulary.errors import PayTableError
from controller.vocabulary.outcomes import SpotOutcome

RowKey = tuple[str, str]
"""What names a row: the bet, and the condition on which it pays."""

MOST_ROWS = 1000


class PayRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One row: ``bet`` pays ``pays`` (exact ratio to 1) when ``when`` is fulfilled."""

    bet: str
    when: str
    pays: str
    says: str = ""
    """The words of the document, for people."""

    @property
    def key(self) -> RowKey:
        return (self.bet, self.when)


class PayTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A pay table whose rows are sound in themselves: named once each, with exact positive ratios."""

    id: str
    source: str
    date: str
    game: str
    rows: tuple[PayRow, ...]
    layouts: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical form: JSON, sorted keys, no spaces, rows in file order. Every result
        names it.
        """
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()

    @cached_property
    def won(self) -> Mapping[RowKey, SpotOutcome]:
        """What a spot does that wins by a row."""
        return {row.key: SpotOutcome("win", row.pays) for row in self.rows}

    def ratios(self) -> dict[RowKey, str]:
        """What each row pays, as text."""
        return {row.key: row.pays for row in self.rows}


def row_name(number: int, key: RowKey) -> str:
    """How a row is named in an error; ``number`` counts from 1."""
    return f"row {number} (bet {key[0]!r}, when {key[1]!r})"


def from_json(value: object) -> PayTable:
    """The table of a record; every check of a file but the seal, which does not travel."""
    if not isinstance(value, dict):
        raise PayTableError(
            f"a pay table is an object with id, source, date, game and rows, not {type(value).__name__}"
        )
    rows = value.get("rows")
    if not isinstance(rows, list | tuple) or not rows:
        raise PayTableError("rows: a pay table needs a list of rows")
    if len(rows) > MOST_ROWS:
        raise PayTableError(f"rows: {len(rows)} rows, at most {MOST_ROWS} are read")
    read = tuple(_row(number, row) for number, row in enumerate(rows, 1))
    _check_named_once(read)
    try:
        table = msgspec.convert({**value, "rows": read}, PayTable)
    except msgspec.ValidationError as error:
        raise PayTableError(f"pay table: {error}") from error
    _check_head(table)
    return table


def _row(number: int, value: object) -> PayRow:
    try:
        row = msgspec.convert(value, PayRow)
    except msgspec.ValidationError as error:
        raise PayTableError(f"row {number}: {error}") from error
    if not row.bet or not row.when:
        raise PayTableError(f"row {number}: bet and when must not be empty")
    try:
        parse_ratio(row.pays)
    except ValueError as error:
        raise PayTableError(f"{row_name(number, row.key)}: {error}") from error
    return row


def _check_named_once(rows: Sequence[PayRow]) -> None:
    first: dict[RowKey, int] = {}
    for number, row in enumerate(rows, 1):
        if row.key in first:
            other = rows[first[row.key] - 1]
            raise PayTableError(
                f"{row_name(number, row.key)} pays {row.pays}, but row {first[row.key]} pays {other.pays}"
                " for the same: a condition has one row"
            )
        first[row.key] = number


def _check_head(table: PayTable) -> None:
    for key in ("id", "source", "game"):
        if not getattr(table, key).strip():
            raise PayTableError(f"{key}: must not be empty")
    try:
        date.fromisoformat(table.date)
    except ValueError as error:
        raise PayTableError(f"date: {table.date!r} is no date as '2026-11-21'") from error
