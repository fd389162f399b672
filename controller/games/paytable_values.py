"""The values of a pay table: rows that are sound in themselves, and their canonical form."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cached_property

import msgspec

from controller.games.house_spots import HouseSpot, read_spots, read_without
from controller.games.ratio import parse_ratio
from controller.vocabulary.errors import PayTableError, why
from controller.vocabulary.outcomes import SpotOutcome
from controller.vocabulary.shown import meant

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


class PayTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, dict=True):
    """A pay table whose rows are sound in themselves: named once each, with exact positive ratios.

    A house's table without rows is played with those of the game (``standing_on``).
    """

    given_id: str = msgspec.field(name="id")
    source: str
    date: str
    game: str
    rows: tuple[PayRow, ...]
    layouts: tuple[str, ...] = msgspec.field(default_factory=lambda: ())  # always in the canonical form
    without: tuple[str, ...] = ()
    """Spots of the game that the house leaves out, of a hand's spots the wager: ``bonus``."""
    spots: dict[str, HouseSpot] = {}
    """The house's own, by name; one of the game's names takes that spot's place."""
    allow_above_100: bool = False
    """A return above 100 % is meant."""

    @property
    def id(self) -> str:
        """Names exactly one table: the digest, where a house has given no name."""
        return self.given_id or self.digest

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical form: JSON, sorted keys, no spaces, rows in file order. Every result
        names it.
        """
        return hashlib.sha256(msgspec.json.encode(self, order="sorted")).hexdigest()

    def __hash__(self) -> int:
        """Equal tables have the same canonical form; a house's own spots have no hash of their own."""
        return hash(self.digest)

    @cached_property
    def won(self) -> Mapping[RowKey, SpotOutcome]:
        """What a spot does that wins by a row."""
        return {row.key: SpotOutcome("win", row.pays) for row in self.rows}

    def standing_on(self, published: "PayTable") -> "PayTable":
        """The same table, where it has no rows with the game's own; under a name with their source and date.
        One that says nothing is the game's own.
        """
        if self.rows:
            return self
        if msgspec.structs.replace(self, game="") == PayTable("", "", "", "", ()):
            return published
        table = msgspec.structs.replace(self, game=published.game, rows=published.rows)
        if not table.given_id:
            return table
        source, date = table.source or published.source, table.date or published.date
        return msgspec.structs.replace(table, source=source, date=date)

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
    for key in value:
        if key not in _KEYS:
            expected = meant(str(key), _KEYS, f"expected {', '.join(_KEYS)}")
            raise PayTableError(f"{key}: a pay table has no such key: {expected}")
    own = {"spots": read_spots(value.get("spots", {})), "without": read_without(value.get("without", ()))}
    if value.get("rows") is None:
        table = _converted({"id": "", "source": "", "date": "", "game": "", **value, **own, "rows": ()})
        if table.date:
            _check_date(table)
        return table
    rows = value["rows"]
    if not isinstance(rows, list | tuple) or not rows:
        raise PayTableError("rows: expected a list of rows; without the key the game's own table stands")
    if len(rows) > MOST_ROWS:
        raise PayTableError(f"rows: {len(rows)} rows, at most {MOST_ROWS} are read")
    read = tuple(_row(number, row) for number, row in enumerate(rows, 1))
    _check_named_once(read)
    table = _converted({**value, **own, "rows": read})
    if not any(own.values()) or table.given_id:
        _check_head(table)  # a table that stands on the game's own is recorded with its rows, and no name
    return table


_KEYS = tuple(field.encode_name for field in msgspec.structs.fields(PayTable))


def _converted(value: Mapping[str, object]) -> PayTable:
    try:
        return msgspec.convert(value, PayTable)
    except msgspec.ValidationError as error:
        raise PayTableError(f"pay table: {why(error)}") from error


def _row(number: int, value: object) -> PayRow:
    try:
        row = msgspec.convert(value, PayRow)
    except msgspec.ValidationError as error:
        raise PayTableError(f"row {number}: {why(error)}") from error
    if not row.bet or not row.when:
        raise PayTableError(f"row {number}: bet and when must not be empty")
    try:
        parse_ratio(row.pays)
    except ValueError as error:
        raise PayTableError(f"{row_name(number, row.key)}: {why(error)}") from error
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
    for key, text in {"id": table.given_id, "source": table.source, "game": table.game}.items():
        if not text.strip():
            raise PayTableError(f"{key}: must not be empty")
    _check_date(table)


def _check_date(table: PayTable) -> None:
    try:
        date.fromisoformat(table.date)
    except ValueError as error:
        raise PayTableError(f"date: {table.date!r} is no date as '2026-11-21'") from error
