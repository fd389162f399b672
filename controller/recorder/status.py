"""``record --status``: one line a table, from the database alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec
from psycopg.rows import class_row

from controller.recorder.database import RecordError, connect, is_recording, told
from controller.recorder.settings import DatabaseKeys

_ASKED = """
SELECT site, "table", epoch, place, head, coalesce(missing, 0) AS missing, last_time, state, seen_at,
    coalesce(alarms, '{}') AS alarms, %s AS recording
FROM dealer_table.tables WHERE site = ANY(%s) ORDER BY site, "table"
"""


class TableLine(msgspec.Struct, frozen=True, kw_only=True):
    """One table of the floor, as the database has it."""

    site: str
    table: str
    epoch: int | None
    place: int | None
    """Recorded up to here; None: the table does not name the recorder."""
    head: int | None
    """The table has spoken up to here."""
    missing: int
    last_time: datetime | None
    """When the last message that is recorded was said, by the table's clock."""
    state: str | None
    """What the table last said of itself: online, offline or lost."""
    seen_at: datetime | None
    alarms: list[str]
    recording: bool
    """Whether a recorder is at work. Where none is, nobody knows what the table has said since."""

    @property
    def well(self) -> bool:
        """Whether nobody need look."""
        return self.recording and self.place is not None and not self.missing and not self.alarms


def table_lines(database: DatabaseKeys, name: str, sites: Sequence[str]) -> list[TableLine]:
    """One for each table that the recorder of this name knows. RecordError where the database does not
    answer or has no record."""
    with connect(database, "dealer-table record --status") as connection, told():
        if connection.execute("SELECT to_regclass('dealer_table.tables')").fetchone() == (None,):
            raise RecordError("the database holds no record yet: start dealer-table record")
        with connection.cursor(row_factory=class_row(TableLine)) as cursor:
            return cursor.execute(_ASKED, (is_recording(connection, name), list(sites))).fetchall()


def in_text(lines: Sequence[TableLine]) -> Iterator[str]:
    """The lines for people."""
    wide = max((len(f"{line.site}/{line.table}") for line in lines), default=0)
    for line in lines:
        name = f"{line.site}/{line.table}".ljust(wide)
        if line.place is None or line.epoch is None:
            yield f"{name}  not recorded  {line.state or ''}  {' '.join(line.alarms)}".rstrip()
            continue
        place = f"{line.epoch}-{line.place}"
        missing = f"{line.missing} missing of {line.head or 0}" if line.missing else "complete"
        last = "" if line.last_time is None else f"last {line.last_time:%Y-%m-%d %H:%M:%S}Z"
        alarms = " ".join(line.alarms)
        state = line.state or "not seen"
        if not line.recording:
            missing, state = "not known, no recorder is at work", ""
        yield "  ".join(filter(None, (name, place, missing, last, state, alarms)))
