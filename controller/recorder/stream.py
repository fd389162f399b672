"""One table's stream in the record. What is taken waits in the batch; it is safe when that is written."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from controller.consumer.store import MOST, Cursor, Keeping, Taken
from controller.outbox.envelope import Envelope, message_id
from controller.outbox.signature import is_key, keyid_of
from controller.outbox.topics import Topics
from controller.recorder.batch import Batch, Place
from controller.recorder.database import Connection, committed, told
from controller.vocabulary.errors import read_json

PAGE = 500
_KEPT = (
    'SELECT sequence, raw FROM dealer_table.messages WHERE site = %s AND "table" = %s AND epoch = %s'
    " AND sequence > %s AND sequence <= %s ORDER BY sequence LIMIT %s"
)
_KEPT_ONES = (
    'SELECT sequence, raw FROM dealer_table.messages WHERE site = %s AND "table" = %s AND epoch = %s'
    " AND sequence = ANY(%s)"
)
_KEPT_OF_MANY = (
    'SELECT site, "table", epoch, sequence, raw FROM dealer_table.messages'
    " JOIN unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[])"
    ' AS asked(site, "table", epoch, sequence) USING (site, "table", epoch, sequence)'
)
_PLACES = (
    'SELECT DISTINCT ON (site, "table") site, "table", epoch, sequence, hash, key, head'
    ' FROM dealer_table.streams WHERE site = ANY(%s) ORDER BY site, "table", epoch DESC'
)
_ACCEPTED = 'SELECT site, "table", key FROM dealer_table.keys WHERE site = ANY(%s)'
_ACCEPT = (
    'INSERT INTO dealer_table.keys (site, "table", key) VALUES (%s, %s, %s) ON CONFLICT (site, "table")'
    " DO UPDATE SET key = excluded.key, accepted_at = now(), accepted_by = session_user"
)
LARGEST = (1 << 63) - 1


class _Number(msgspec.Struct):
    """What we read of a message before it is judged."""

    epoch: int
    sequence: int


class RecordedStream(Keeping):
    """What ``take`` keeps is written with the batch. One owner, one thread."""

    def __init__(
        self, connection: Connection, batch: Batch, place: Place, topics: Topics, cursor: Cursor | None
    ) -> None:
        self._connection = connection
        self._batch = batch
        self.place = place
        self._topics = topics
        self._waiting: dict[tuple[int, int], bytes] = {}
        """What is taken and not written yet, by epoch and sequence."""
        self.recalled: dict[tuple[int, int], bytes | None] = {}
        """What the database was just asked for, by epoch and sequence; None: it is not there."""
        self.cursor = self.safe = cursor

    def pin(self, key: str) -> None:
        """Believe this key. It is written with the first message that it signed, for it may be that of
        another epoch: what is recorded stays beside the key that signed it."""
        if self.cursor is None or not self.cursor.key:
            super().pin(key)
        else:
            keyid_of(key)
            self.given = key

    def accept_epoch(self, epoch: int, key: str = "") -> None:
        super().accept_epoch(epoch, key)
        self.given = ""

    def refuses(self, envelope: Envelope) -> str | None:
        """A message that is not this table's, or that is none as the table writes them."""
        if envelope.source != self._topics.source:
            return f"a message of {envelope.source[:80]} came on the topic of another table"
        if envelope.mode != "live":
            return "a message of a table in test mode came on the topic of play"
        if not 0 < envelope.sequence <= LARGEST or not 0 <= envelope.epoch <= LARGEST:
            return "a message without a number"
        if envelope.id != message_id(envelope.epoch, envelope.sequence):
            return f"the id of a message is not its number: {envelope.id[:80]}"
        try:
            if datetime.fromisoformat(envelope.time).tzinfo is not None:
                return None
        except ValueError:
            pass
        return f"the time of a message is none: {envelope.time[:80]}"

    def messages(self, epoch: int, after: int = 0, last: int = MOST) -> Iterator[bytes]:
        while True:
            with told():
                rows = self._connection.execute(_KEPT, (*self.place, epoch, after, last, PAGE)).fetchall()
            for sequence, raw in rows:
                yield raw
                after = sequence
            if len(rows) < PAGE:
                break
        for (of_epoch, sequence), body in list(self._waiting.items()):
            if of_epoch == epoch and after < sequence <= last:
                yield body

    def held(self, epoch: int, sequences: Collection[int]) -> Mapping[int, bytes]:
        found: dict[int, bytes | None] = {}
        for sequence in sequences:
            for known in (self._waiting, self.recalled):
                if (epoch, sequence) in known:
                    found[sequence] = known[epoch, sequence]
        asked = [sequence for sequence in sequences if sequence not in found]
        if asked:
            with told():
                found.update(self._connection.execute(_KEPT_ONES, (*self.place, epoch, asked)).fetchall())
        return {sequence: body for sequence, body in found.items() if body is not None}

    def again(self, bodies: Sequence[bytes]) -> Iterator[tuple[int, int]]:
        """Epoch and sequence of those that are recorded already, if they are what they say."""
        cursor = self.cursor
        for body in bodies if cursor is not None else ():
            said = read_json(body, _Number)
            if said is not None and cursor is not None:
                known = said.epoch == cursor.epoch and 0 < said.sequence <= cursor.sequence
                if known and (said.epoch, said.sequence) not in self._waiting:
                    yield said.epoch, said.sequence

    def written(self) -> None:
        """The batch is committed."""
        self.safe = self.cursor
        self._waiting.clear()

    def dropped(self) -> None:
        """The batch went without what this table had in it."""
        self.cursor = self.safe
        self._waiting.clear()

    def _write(self, new: Sequence[Taken], cursor: Cursor) -> None:
        self._batch.take(self.place, list(new), self.cursor, cursor)
        for one in new:
            self._waiting[one.envelope.epoch, one.envelope.sequence] = one.body
        self.cursor = cursor


def recall(connection: Connection, came: Mapping[RecordedStream, Sequence[bytes]]) -> None:
    """What comes again of many tables is looked up in one question for all of them: a flood of it on a whole
    floor must not be what keeps us from answering."""
    for stream, bodies in came.items():
        stream.recalled = dict.fromkeys(stream.again(bodies))
    asked = [(*stream.place, *number) for stream in came for number in stream.recalled]
    if not asked:
        return
    with told():
        rows = connection.execute(
            _KEPT_OF_MANY, [list(column) for column in zip(*asked, strict=True)]
        ).fetchall()
    streams = {stream.place: stream for stream in came}
    for site, table, epoch, sequence, raw in rows:
        streams[site, table].recalled[epoch, sequence] = raw


def places(connection: Connection, sites: Sequence[str]) -> dict[Place, tuple[Cursor, int]]:
    """Up to where each table of these sites is recorded, and its head as it was known last."""
    with told():
        rows = connection.execute(_PLACES, (list(sites),)).fetchall()
    return {
        (site, table): (Cursor(epoch, sequence, hash_, key), head)
        for site, table, epoch, sequence, hash_, key, head in rows
    }


def accepted_keys(connection: Connection, sites: Sequence[str]) -> dict[Place, str]:
    """The keys that a person has accepted for tables of these sites."""
    with told():
        rows = connection.execute(_ACCEPTED, (list(sites),)).fetchall()
    return {(site, table): key for site, table, key in rows if is_key(key)}


def accept_key(connection: Connection, place: Place, key: str) -> None:
    """A person has compared this key with the table's own. InputError where it is none."""
    keyid_of(key)
    with told(), committed(connection):
        connection.execute(_ACCEPT, (*place, key))
