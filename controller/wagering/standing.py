"""What a call of a player finds in the books, by one statement: the table, and all that is the player's.

A statement costs more than what SQLite or PostgreSQL does for it, and a thousand seats click in one second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection, Row

from controller.wagering.felt import Felt
from controller.wagering.stream import as_felt
from controller.wagering.tables import ACCOUNTS, BETS, CALLS, CURRENCY, OWN_LIMITS, STREAMS

_HERE = sql.select(sql.literal(1).label("one")).subquery("here")
_PLAYER: sql.BindParameter[str] = sql.bindparam("player")
_OF_CALL = sql.and_(CALLS.c.player == _PLAYER, CALLS.c.id == sql.bindparam("call"))
_OF_TABLE = sql.and_(STREAMS.c.site == sql.bindparam("site"), STREAMS.c.table == sql.bindparam("table"))
_MINE = sql.and_(BETS.c.round == sql.bindparam("round"), BETS.c.player == _PLAYER)
_ALL = (
    sql.select(
        CALLS.c.asked.label("call_asked"),
        CALLS.c.status.label("call_status"),
        CALLS.c.answer.label("call_answer"),
        OWN_LIMITS.c.kept.label("own_limits"),
        ACCOUNTS.c.balance.label("account"),
        CURRENCY.c.code.label("currency"),
        # Once, and not again with each bet: it is the longest of all.
        sql.case((sql.func.coalesce(BETS.c.number, 1) == 1, STREAMS.c.felt)).label("felt"),
        *BETS.c,
    )
    .select_from(
        _HERE.outerjoin(STREAMS, _OF_TABLE)
        .outerjoin(CALLS, _OF_CALL)
        .outerjoin(OWN_LIMITS, OWN_LIMITS.c.player == _PLAYER)
        .outerjoin(ACCOUNTS, ACCOUNTS.c.name == _PLAYER)
        .outerjoin(CURRENCY, CURRENCY.c.only == 1)
        .outerjoin(BETS, _MINE)
    )
    .order_by(BETS.c.number)
)


class Standing(msgspec.Struct, frozen=True):
    """As it is before the call."""

    felt: Felt
    answered: tuple[str, int, str] | None
    """What was asked for under this id before, and what was answered to it: status and body."""
    own_limits: str | None
    """As :mod:`controller.wagering.sessions` keeps them."""
    account_minor: int | None
    """What the player's account holds; None: nothing was ever booked on it."""
    currency: str | None
    bets: Sequence[Row[Any]]
    """The player's bets of the round that the call names, undone ones too, in order."""


def standing(connection: Connection, site: str, table: str, player: str, call: str, round_: str) -> Standing:
    """All that a call needs to know."""
    named = {"site": site, "table": table, "player": player, "call": call, "round": round_}
    rows = connection.execute(_ALL, named).all()
    first = rows[0]
    answered = None
    if first.call_asked is not None:
        answered = first.call_asked, first.call_status, first.call_answer
    return Standing(
        felt=as_felt(first.felt),
        answered=answered,
        own_limits=first.own_limits,
        account_minor=first.account,
        currency=first.currency,
        bets=() if first.id is None else rows,
    )
