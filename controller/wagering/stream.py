"""One table's stream in the books: a message, and all that it does to bets and money, in one transaction.

So a message that comes again books nothing, whatever dies in between, and only what is committed is
acknowledged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.consumer.store import MOST, Cursor, Keeping, StoreError, Taken
from controller.outbox.envelope import read_envelope
from controller.vocabulary.errors import InputError
from controller.wagering.booking import Booking
from controller.wagering.database import Database
from controller.wagering.felt import Felt, hear
from controller.wagering.tables import MESSAGES, STREAMS, BooksError, now

PAGE = 500
_HERE = STREAMS.c.site == sql.bindparam("site"), STREAMS.c.table == sql.bindparam("table")
_ROW = sql.select(STREAMS).where(*_HERE)
_FELT = sql.select(STREAMS.c.felt).where(*_HERE)


class BookedStream(Keeping):
    """What ``take`` keeps is booked. One owner, one thread; the books may be shared."""

    def __init__(self, database: Database, site: str, table: str) -> None:
        self._database = database
        self._place = {"site": site, "table": table}
        self._name = f"{site}/{table}"
        database.settle()  # before anything that is read here is acknowledged
        with database.read() as connection:
            row = connection.execute(_ROW, self._place).one_or_none()
        self.cursor = None if row is None else _cursor(row)

    def messages(self, epoch: int, after: int = 0, last: int = MOST) -> Iterator[bytes]:
        kept = sql.select(MESSAGES.c.sequence, MESSAGES.c.body).order_by(MESSAGES.c.sequence).limit(PAGE)
        kept = kept.where(MESSAGES.c.site == self._place["site"], MESSAGES.c.table == self._place["table"])
        while True:
            of_epoch = MESSAGES.c.epoch == epoch, MESSAGES.c.sequence > after, MESSAGES.c.sequence <= last
            with self._database.read() as connection:
                rows = connection.execute(kept.where(*of_epoch)).all()
            if not rows:
                return
            yield from (bytes(row.body) for row in rows)
            after = rows[-1].sequence

    def held(self, epoch: int, sequences: Collection[int]) -> Mapping[int, bytes]:
        kept = sql.select(MESSAGES.c.sequence, MESSAGES.c.body).where(
            MESSAGES.c.site == self._place["site"],
            MESSAGES.c.table == self._place["table"],
            MESSAGES.c.epoch == epoch,
        )
        found: dict[int, bytes] = {}
        asked = sorted(sequences)
        with self._database.read() as connection:
            for first in range(0, len(asked), PAGE):
                some = kept.where(MESSAGES.c.sequence.in_(asked[first : first + PAGE]))
                found.update({row.sequence: bytes(row.body) for row in connection.execute(some)})
        return found

    def _write(self, new: Sequence[Taken], cursor: Cursor) -> None:
        try:
            with self._database.change() as connection:
                self._book(connection, new, cursor)
        except (BooksError, InputError) as error:
            raise StoreError(f"table {self._name}: {error.message}") from error
        self.cursor = cursor

    def _book(self, connection: Connection, new: Sequence[Taken], cursor: Cursor) -> None:
        row = connection.execute(_ROW, self._place).one_or_none()
        if (None if row is None else _cursor(row)) != self.cursor:
            raise BooksError("another service books this table too; end one of the two")
        felt = as_felt(None if row is None else row.felt)
        rows, at = [], now()
        for taken in new:
            felt = hear(felt, taken.envelope)
            booking = Booking(connection, self._name, felt, taken.envelope)
            booking.book()
            rows.append(self._row(taken, None if booking.decides else at))
        if rows:
            connection.execute(sql.insert(MESSAGES), rows)
        place = msgspec.structs.asdict(cursor)
        values = {**place, "felt": msgspec.json.encode(felt).decode()}
        if row is None:
            connection.execute(sql.insert(STREAMS), {**self._place, **values})
        else:
            of_table = STREAMS.c.site == self._place["site"], STREAMS.c.table == self._place["table"]
            connection.execute(sql.update(STREAMS).where(*of_table).values(values))

    def _row(self, taken: Taken, at: str | None) -> dict[str, object]:
        envelope = taken.envelope
        number = {"epoch": envelope.epoch, "sequence": envelope.sequence}
        return {**self._place, **number, "body": taken.signed, "at": at}


def felt_of(connection: Connection, site: str, table: str) -> Felt:
    """The table as the books have it; an empty one before anything was heard."""
    return as_felt(connection.scalar(_FELT, {"site": site, "table": table}))


@lru_cache(maxsize=256)  # every call and every seat reads the same text until the table says something
def as_felt(kept: str | None) -> Felt:
    """The table as a row of ``streams`` has it; an empty one where there is no row."""
    return Felt() if kept is None else msgspec.json.decode(kept, type=Felt)


def message_of(connection: Connection, site: str, table: str, name: str) -> msgspec.Raw | None:
    """The data of a message of the stream by its id, ``<epoch>-<sequence>``."""
    epoch, _, sequence = name.partition("-")
    kept = sql.select(MESSAGES.c.body).where(
        MESSAGES.c.site == site,
        MESSAGES.c.table == table,
        MESSAGES.c.epoch == int(epoch),
        MESSAGES.c.sequence == int(sequence),
    )
    body = connection.scalar(kept)
    return None if body is None else read_envelope(bytes(body)).data


def _cursor(row: sql.Row[Any]) -> Cursor:
    return Cursor(row.epoch, row.sequence, row.hash, row.key or "")
