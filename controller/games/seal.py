"""The seal of a pay table file: the whole and eight digits a row, so that a changed row is named."""

from __future__ import annotations

import hashlib

import msgspec

from controller.games.paytable_values import PayRow, PayTable, row_name
from controller.vocabulary.errors import PayTableError


class Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``digest`` of the canonical form; ``rows`` in the order of the file."""

    digest: str
    rows: tuple[str, ...]


def row_seal(row: PayRow) -> str:
    """Eight hex digits that change when anything in the row changes."""
    text = msgspec.json.encode([row.bet, row.when, row.pays, row.says])
    return hashlib.sha256(text).hexdigest()[:8]


def check_seal(table: PayTable, value: object) -> None:
    """Whether the table is the one that was sealed; the error names the first row that is not."""
    again = "a changed table gets an id of its own and is sealed anew, or has no seal"
    try:
        seal = msgspec.convert(value, Seal)
    except msgspec.ValidationError as error:
        raise PayTableError(f"seal: {error}") from error
    for number, (row, sealed) in enumerate(zip(table.rows, seal.rows, strict=False), 1):
        if row_seal(row) != sealed:
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
        f"{key} = {text(getattr(table, key)).decode()}\n"
        for key in ("id", "source", "date", "game", "layouts")
    )
    seals = "".join(f'    "{row_seal(row)}", # {row.bet}, {row.when}\n' for row in table.rows)
    rows = "".join(line(row) for row in table.rows)
    return f'{head}rows = [\n{rows}]\n\n[seal]\ndigest = "{table.digest}"\nrows = [\n{seals}]\n'
