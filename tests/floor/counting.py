"""What a floor's record holds against what its tables said: lost, reordered, doubled, chain broken."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
import psycopg

PREVHASH = re.compile(rb'"prevhash":"([0-9a-f]{64})"')
_ROWS = (
    'SELECT "table", sequence, id, raw, recorded_at FROM dealer_table.messages WHERE epoch = %s'
    ' ORDER BY "table", sequence'
)
Row = tuple[str, int, str, bytes, Any]


class Counted(msgspec.Struct):
    """Of all tables."""

    messages: int = 0
    lost: int = 0
    reordered: int = 0
    """Recorded before the one before it."""
    doubled: int = 0
    broken: int = 0
    """Does not follow on the one before it, or is not what the table said last."""

    @property
    def well(self) -> bool:
        return not (self.lost or self.reordered or self.doubled or self.broken)


def counted(rows: Iterable[Row], ends: Mapping[str, tuple[int, str]]) -> Counted:
    """``rows`` by table and sequence; ``ends``: the messages of each table, and the hash of the last one."""
    found, held, seen = Counted(), dict.fromkeys(ends, 0), set[str]()
    table, before, last = "", 0, "0" * 64
    at: Any = None
    ids = set[str]()
    for name, sequence, id_, raw, recorded_at in rows:
        if name != table:
            found.broken += table in ends and last != ends[table][1]
            table, before, last, at = name, 0, "0" * 64, None
            seen.add(name)
            ids.clear()
        found.messages += 1
        found.doubled += id_ in ids
        ids.add(id_)
        prevhash = PREVHASH.search(raw)
        found.broken += sequence == before + 1 and (prevhash is None or prevhash[1].decode() != last)
        found.reordered += at is not None and recorded_at < at
        before, last, at = sequence, hashlib.sha256(raw).hexdigest(), recorded_at
        held[name] = held.get(name, 0) + 1
    found.broken += table in ends and last != ends[table][1]
    found.lost = sum(max(count - held[name], 0) for name, (count, _) in ends.items())
    return found


def rows_of(connection: psycopg.Connection[Any], epoch: int) -> Iterator[Row]:
    """All messages of an epoch, some at a time."""
    with connection.transaction(), connection.cursor(name="counted") as cursor:
        cursor.itersize = 2000
        yield from cursor.execute(_ROWS, (epoch,))
