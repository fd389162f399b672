"""What a seat is told of the books: the table as it takes bets, a player's bets there, and the balance.

Everything of one table is read at once, for all who sit there. A player's picture holds what is his alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Mapping
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection, Row

from controller.wagering.calls import placed
from controller.wagering.felt import Felt
from controller.wagering.ledger import balances_of
from controller.wagering.stream import felt_of
from controller.wagering.tables import BETS, DECISIONS, LINES, PAYS_OUT, ROUNDS
from controller.wagering.views import Place

Json = dict[str, Any]
Bets = Mapping[str, list[Row[Any]]]
# Each click reads them: putting a statement together takes longer than SQLite takes for it.
_BETS = sql.select(BETS).where(
    BETS.c.round == sql.bindparam("round"),
    BETS.c.player.in_(sql.bindparam("players", expanding=True)),
)
_BETS = _BETS.order_by(BETS.c.number)
_BINDING = sql.select(DECISIONS).where(
    DECISIONS.c.round == sql.bindparam("round"), DECISIONS.c.asked == sql.bindparam("asked")
)
_NEWEST = sql.select(sql.func.max(LINES.c.id))
_MOVED = sql.select(LINES.c.account).where(LINES.c.id > sql.bindparam("line")).distinct()


class SeatPicture(msgspec.Struct, frozen=True):
    """A player's own at one table: the running round, or the last."""

    table: str
    """``<site>/<table>``."""
    round: str | None
    bets: list[Json]
    """Those that were not undone, in the order in which they were placed."""
    placed: int
    """How many the player has placed in this round, also those that were undone: by that a page knows a
    picture that is older than an answer which it has."""
    staked: int
    returned: int | None
    """Null until the round is decided, and while anything of it is open again."""
    decisions: dict[str, str]
    """Hand -> ``play``, ``fold`` or ``auto``."""
    previous: dict[str, int] = {}
    """What REPEAT places: spot -> stake of the last round in which this player bet here."""
    given_back: bool = False
    """Whether the player left this round and got the bets back."""


class TableRead(msgspec.Struct, frozen=True):
    """One look at the books of one table."""

    felt: Felt
    seats: dict[str, SeatPicture]


def read_table(connection: Connection, place: Place, players: Collection[str]) -> TableRead:
    """``players``: whose seats are wanted."""
    felt = felt_of(connection, *place)
    bets, made = _bets(connection, felt, players), _decisions(connection, felt)
    lying = {player: [bet for bet in bets[player] if bet.state != "undone"] for player in players}
    seats = {
        player: SeatPicture(
            table="/".join(place),
            round=felt.round,
            bets=[_bet(row) for row in lying[player]],
            placed=len(bets[player]),
            staked=sum(row.stake for row in lying[player]),
            returned=_returned(lying[player]),
            decisions=made[player],
        )
        for player in players
    }
    return TableRead(felt, seats)


def _bets(connection: Connection, felt: Felt, players: Collection[str]) -> Bets:
    found: dict[str, list[Row[Any]]] = defaultdict(list)
    if felt.round is None:
        return found
    for row in connection.execute(_BETS, {"round": felt.round, "players": list(players)}):
        found[row.player].append(row)
    return found


def _decisions(connection: Connection, felt: Felt) -> Mapping[str, dict[str, str]]:
    """The decisions that bind; those of an earlier asking are not told."""
    made: dict[str, dict[str, str]] = defaultdict(dict)
    if not felt.asked:
        return made
    for row in connection.execute(_BINDING, {"round": felt.round, "asked": felt.asked}):
        made[row.player][row.hand] = row.decision
    return made


def _bet(row: Row[Any]) -> Json:
    told: Json = msgspec.to_builtins(placed(row))
    return told | {
        "call": row.call,
        "betting_round": row.betting_round,
        "state": row.state,
        "result": row.result,
        "returned": row.returned,
    }


def _returned(bets: list[Row[Any]]) -> int | None:
    if not bets or any(row.state == "open" for row in bets):
        return None
    return sum(row.returned or 0 for row in bets)


def repeatable(felt: Felt, picture: SeatPicture) -> dict[str, int]:
    """What REPEAT places in the next round: spot -> stake, without what a decision raised."""
    raised = {decision.raised for decision in felt.decisions.values()}
    stakes: dict[str, int] = {}
    for bet in picture.bets:
        if bet["spot"] not in raised:
            stakes[bet["spot"]] = stakes.get(bet["spot"], 0) + bet["stake"]
    return stakes


def last_bets(connection: Connection, place: Place, player: str) -> dict[str, int]:
    """:func:`repeatable` of the last round before the running one in which this player bet at this table."""
    felt = felt_of(connection, *place)
    mine = BETS.c.player == player, BETS.c.state != "undone", BETS.c.round != (felt.round or "")
    here = ROUNDS.c.round == BETS.c.round, ROUNDS.c.site == place[0], ROUNDS.c.table == place[1]
    newest = sql.select(BETS.c.round).join(ROUNDS, sql.and_(*here)).where(*mine)
    round_ = connection.scalar(newest.order_by(ROUNDS.c.opened_at.desc()).limit(1))
    rows = connection.execute(sql.select(BETS).where(*mine, BETS.c.round == round_)).all()
    bets = [{"spot": row.spot, "stake": row.stake} for row in rows]
    return repeatable(felt, SeatPicture("/".join(place), round_, bets, len(bets), 0, None, {}))


class Purses(msgspec.Struct, frozen=True):
    """Whose balances are to be read."""

    players: Collection[str]
    others: Collection[str]
    """Only if money has moved."""
    since: int | None
    """The line of the ledger from which on it may have; None: whenever."""


class Look(msgspec.Struct, frozen=True):
    """One state of the books, for all who sit."""

    tables: dict[Place, TableRead]
    previous: dict[tuple[Place, str], dict[str, int]]
    """What REPEAT places, of who was not known yet."""
    balances: dict[str, int]
    line: int
    """The last of the ledger."""


def look(
    connection: Connection,
    wanted: Mapping[Place, Collection[str]],
    known: Container[tuple[Place, str]],
    purses: Purses,
) -> Look:
    """Whose seats are ``wanted`` at each table; ``known``: who has been told before what REPEAT places."""
    new = [(place, who) for place, players in wanted.items() for who in players if (place, who) not in known]
    previous = {(place, who): last_bets(connection, place, who) for place, who in new}
    tables = {place: read_table(connection, place, players) for place, players in wanted.items()}
    line = int(connection.scalar(_NEWEST) or 0)
    others = set(purses.others)
    if others and purses.since is not None and not connection.get_execution_options().get(PAYS_OUT):
        others.intersection_update(connection.scalars(_MOVED, {"line": purses.since}))
    whose = others.union(purses.players)
    return Look(tables, previous, balances_of(connection, whose) if whose else {}, line)
