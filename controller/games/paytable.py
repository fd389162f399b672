"""Pay tables: versioned data with a source and a digest, as published and as a test laboratory reads them.

A file is TOML (or JSON of the same shape)::

    id = "baccarat-fixed"                # names exactly one table, for ever
    source = "the document and paragraph"
    date = "2026-11-21"                  # since when, ISO
    game = "baccarat"
    layouts = []                         # where the game has layouts
    rows = [{ bet = "tie", when = "win", pays = "8:1", says = "as the document prints it" }]

    [seal]                               # optional in a house's file; ours have it
    digest = "..."                       # of the canonical form
    rows = ["...", ...]                  # eight hex digits a row, so that a changed row is named

Which rows a game wants is the game's business (``Game.pay_rows``); this file knows no game by name.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Sequence
from datetime import date
from functools import cache
from pathlib import Path

import msgspec

from controller.games.paytable_values import PayRow, PayTable, RowKey, from_json, row_name
from controller.vocabulary.errors import NOT_JSON, PayTableError, why
from controller.vocabulary.outside import KeyTwice, read_once, unmarked

__all__ = [
    "BUILT_IN",
    "PayRow",
    "PayTable",
    "RowKey",
    "builtin_pay_table",
    "check_game",
    "check_rows",
    "from_json",
    "load_pay_table",
    "pay_table_file",
    "sealed_toml",
]

BUILT_IN = Path(__file__).parent / "pay_tables"
"""The folder of the published tables."""
MOST_BYTES = 1_000_000


class Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``digest`` of the canonical form; ``rows`` in the order of the file."""

    digest: str
    rows: tuple[str, ...]


def load_pay_table(source: str | Path | bytes) -> PayTable:
    """The table of a file (path, or its bytes), checked: shape, ratios, seal; its id is its own.

    Raises :class:`PayTableError` naming the file and the row. Whether the rows are those of a game is asked
    when the game is built.
    """
    if isinstance(source, bytes):
        return _checked(source)
    raw = pay_table_file(source)
    try:
        return _checked(raw)
    except PayTableError as error:
        raise PayTableError(f"{source}: {error.message}") from error


def pay_table_file(path: str | Path) -> bytes:
    """What stands in a file."""
    if not str(path).strip():
        raise PayTableError("pay_table: the path of the file is empty")
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise PayTableError(f"{path}: cannot be read: {why(error)}") from error
    except ValueError as error:
        raise PayTableError(f"{str(path)[:60]!r}: this is no path of a file: {why(error)}") from error


def builtin_pay_table(game: str, layout: str | None = None) -> PayTable:
    """The published table of a game and layout."""
    named_after_it_first = sorted(
        BUILT_IN.glob("*.toml"), key=lambda path: (not path.name.startswith(game), path)
    )
    for path in named_after_it_first:
        table = _published_in(path)
        if table.game == game and (layout in table.layouts if table.layouts else layout is None):
            return table
    where = f"{game!r}, layout {layout!r}" if layout else f"{game!r}"
    raise PayTableError(f"no published pay table for {where}")


def check_game(table: PayTable, game: str, layout: str | None) -> None:
    """Whether the table is one for this game and layout."""
    if table.game not in ("", game):
        raise PayTableError(f"pay table {table.id!r} is for the game {table.game!r}, not for {game!r}")
    if table.layouts and layout not in table.layouts:
        other = "not for a game without layouts" if layout is None else f"not for {layout}"
        raise PayTableError(f"pay table {table.id!r} is for layout {', '.join(table.layouts)}, {other}")


def check_rows(table: PayTable, game: str, wanted: Sequence[RowKey]) -> None:
    """Whether the table has exactly the ``wanted`` rows."""
    known = set(wanted)
    for number, row in enumerate(table.rows, 1):
        if row.key not in known:
            raise PayTableError(
                f"pay table {table.id!r}, {row_name(number, row.key)}: {game} has no such row"
            )
    given = {row.key for row in table.rows}
    missing = [f"bet {bet!r}, when {when!r}" for bet, when in wanted if (bet, when) not in given]
    if missing:
        raise PayTableError(f"pay table {table.id!r} is incomplete: no row for {'; '.join(missing)}")


def sealed_toml(table: PayTable) -> str:
    """The file of a table with its seal, one line a row."""
    text = msgspec.json.encode

    def line(row: PayRow) -> str:
        says = f", says = {text(row.says).decode()}" if row.says else ""
        keys = " ".join(
            f"{key} = {text(value).decode()}," for key, value in zip(("bet", "when"), row.key, strict=True)
        )
        return f"    {{ {keys} pays = {text(row.pays).decode()}{says} }},\n"

    head = "".join(
        f"{key} = {text(value).decode()}\n"
        for key, value in msgspec.to_builtins(table).items()
        if key in ("id", "source", "date", "game", "layouts") and (value or table.rows)
    )
    seals = "".join(f'    "{_row_seal(row)}", # {row.bet}, {row.when}\n' for row in table.rows)
    rows = "".join(line(row) for row in table.rows)
    listed = f"rows = [\n{rows}]\n" if table.rows else ""
    listed += f"without = {inline(list(table.without))}\n" if table.without else ""
    listed += "allow_above_100 = true\n" if table.allow_above_100 else ""
    for name, spot in table.spots.items():
        listed += f"\n[spots.{name}]\n" + "".join(
            f"{key} = {inline(value)}\n" for key, value in msgspec.to_builtins(spot).items()
        )
    return f'{head}{listed}\n[seal]\ndigest = "{table.digest}"\nrows = [\n{seals}]\n'


def inline(value: object) -> str:
    """A value as TOML has it in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f'"{key}" = {inline(one)}' for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    return msgspec.json.encode(value).decode()


@cache
def _published_in(path: Path) -> PayTable:
    try:
        return _read(path.read_bytes())
    except PayTableError as error:
        raise PayTableError(f"the published {path.name}: {error.message}") from error


def _checked(raw: bytes) -> PayTable:
    table = _read(raw)
    for path in sorted(BUILT_IN.glob("*.toml")):
        published = _published_in(path)
        if published.id == table.id:
            _check_same(table, published)
    return table


def _read(raw: bytes) -> PayTable:
    if len(raw) > MOST_BYTES:
        raise PayTableError(f"a pay table file has at most {MOST_BYTES} bytes, this one has more")
    raw = unmarked(raw)
    try:
        value = read_once(raw, object) if raw.lstrip()[:1] == b"{" else tomllib.loads(raw.decode())
    except KeyTwice as error:
        raise PayTableError(str(error)) from error
    except (*NOT_JSON, tomllib.TOMLDecodeError) as error:
        raise PayTableError(f"a pay table file is TOML or JSON: {why(error)}") from error
    if not isinstance(value, dict):
        raise PayTableError("a pay table file holds one table")
    if not value:  # perhaps a file that was cut short: its house means other pays
        raise PayTableError("it says nothing: without a pay table the game's own stands")
    seal = value.pop("seal", None)
    if isinstance(value.get("date"), date):
        value["date"] = value["date"].isoformat()
    table = from_json(value)
    if seal is not None:
        _check_seal(table, seal)
    return table


def _check_same(table: PayTable, published: PayTable) -> None:
    """An id names one table: a file with a published id must be that table."""
    if table == published:
        return
    ours = published.ratios()
    own_id = f"{table.id!r} names the published table; a house's own table has an id of its own"
    for number, row in enumerate(table.rows, 1):
        if ours.get(row.key) != row.pays:
            was = ours.get(row.key, "nothing")
            raise PayTableError(f"{row_name(number, row.key)}: pays {row.pays}, published is {was}: {own_id}")
    given = table.ratios()
    for row in published.rows:
        if row.key not in given:
            raise PayTableError(f"no row for bet {row.bet!r}, when {row.when!r}: {own_id}")
    raise PayTableError(f"source, date, layouts, words or order of the rows were changed: {own_id}")


def _row_seal(row: PayRow) -> str:
    """Eight hex digits that change when anything in the row changes."""
    text = msgspec.json.encode([row.bet, row.when, row.pays, row.says])
    return hashlib.sha256(text).hexdigest()[:8]


def _check_seal(table: PayTable, value: object) -> None:
    """Whether the table is the one that was sealed; the error names the first row that is not."""
    again = "a changed table gets an id of its own and is sealed anew, or has no seal"
    try:
        seal = msgspec.convert(value, Seal)
    except msgspec.ValidationError as error:
        raise PayTableError(f"seal: {why(error)}") from error
    for number, (row, sealed) in enumerate(zip(table.rows, seal.rows, strict=False), 1):
        if _row_seal(row) != sealed:
            raise PayTableError(
                f"{row_name(number, row.key)}: pays {row.pays}, not the row that was sealed: {again}"
            )
    if len(table.rows) != len(seal.rows):
        number = min(len(table.rows), len(seal.rows)) + 1
        raise PayTableError(
            f"row {number}: {len(seal.rows)} rows were sealed, there are {len(table.rows)}: {again}"
        )
    if seal.digest != table.digest:
        raise PayTableError(f"seal: the digest is {table.digest}, sealed was {seal.digest}: {again}")
