"""Who sits where, in the books: a service that dies finds out afterwards who did not come back.

A sitting begins when a page comes, and has an id; it ends when its player has left and the bets are dealt
with. So what a player who is gone gets back is given back once, whichever life of the service does it.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.wagering.tables import SITTINGS
from controller.wagering.views import Place

Seat = tuple[Place, str]
"""Table and player."""


def begin(connection: Connection, seat: Seat, sitting: str) -> None:
    """A page has come; any sitting of the same player there is over."""
    (site, table), player = seat
    connection.execute(sql.delete(SITTINGS).where(*_of(seat)))
    row = {"site": site, "table": table, "player": player, "sitting": sitting}
    connection.execute(sql.insert(SITTINGS), row)


def end(connection: Connection, seat: Seat, sitting: str) -> None:
    """All that this one had to get back is dealt with."""
    connection.execute(sql.delete(SITTINGS).where(*_of(seat), SITTINGS.c.sitting == sitting))


def left_behind(connection: Connection, places: Collection[Place]) -> dict[Seat, str]:
    """The sittings that no life of the service has ended, at these tables."""
    rows = connection.execute(sql.select(SITTINGS)).all()
    found = {((row.site, row.table), row.player): row.sitting for row in rows}
    return {seat: sitting for seat, sitting in found.items() if seat[0] in places}


def _of(seat: Seat) -> tuple[sql.ColumnElement[bool], ...]:
    (site, table), player = seat
    return SITTINGS.c.site == site, SITTINGS.c.table == table, SITTINGS.c.player == player
