"""What the books say to who asks: tables, accounts, history, audit. A player reads what is his."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection, Row

from controller.wagering.booking import Result
from controller.wagering.calls import placed
from controller.wagering.felt import Felt
from controller.wagering.ledger import accounts, balance_of, faults
from controller.wagering.stream import felt_of, message_of
from controller.wagering.tables import BETS, CURRENCY, DECISIONS, LINES, ROUNDS, WALLET

MOST_ROUNDS = 100
MOST_LINES = 1000
Json = dict[str, Any]
Place = tuple[str, str]
"""Site and table."""


def tables(connection: Connection, places: Sequence[Place]) -> list[Json]:
    """Each table, and what may be staked there now."""
    return [shown_table(felt_of(connection, *place), place) for place in places]


def shown_table(felt: Felt, place: Place) -> Json:
    """One table, and what may be staked there now."""
    opened = felt.open_spots
    return {
        "site": place[0],
        "table": place[1],
        "game": felt.game or None,
        "phase": felt.phase,
        "held": bool(felt.holds),
        "round": felt.round,
        "game_number": felt.game_number or None,
        "betting_round": felt.betting_round,
        "free_hand": felt.free_hand,
        "limits": msgspec.to_builtins(felt.limits),
        "live": list(felt.live),
        "spots": {spot: _spot(felt, spot) for spot in felt.spots},
        "open_spots": None if opened is None else list(opened),
        "needs": felt.needs,
        "decisions": msgspec.to_builtins(felt.decisions),
    }


def _spot(felt: Felt, spot: str) -> Json:
    limit, price = felt.limit(spot), felt.prices.get(spot)
    return {
        "pays": felt.spots[spot],
        "offer": None if price is None else felt.offer,
        "price": price,
        "min": None if limit is None else limit.min,
        "max": None if limit is None else limit.max,
    }


def account(connection: Connection, player: str) -> Json:
    """The balance, and the bets that are not settled yet."""
    balance = balance_of(connection, player)
    return {"player": player, "balance": balance, "open": _open(connection, BETS.c.player == player)}


def _open(connection: Connection, *which: sql.ColumnElement[bool]) -> list[Json]:
    rows = connection.execute(
        sql.select(BETS).where(BETS.c.state == "open", *which).order_by(BETS.c.round, BETS.c.number)
    )
    return [{"player": row.player, "round": row.round, **msgspec.to_builtins(placed(row))} for row in rows]


def history(connection: Connection, player: str, before: str | None = None, most: int = 20) -> Json:
    """A player's rounds, the newest first: down to cards, rule and ledger lines. ``before``: an id of a round
    that was told already."""
    mine = sql.select(BETS.c.round).where(BETS.c.player == player).distinct()
    rounds = sql.select(ROUNDS).where(ROUNDS.c.round.in_(mine))
    if before is not None:
        told = sql.select(ROUNDS.c.opened_at).where(ROUNDS.c.round == before).scalar_subquery()
        at_once = sql.and_(ROUNDS.c.opened_at == told, ROUNDS.c.round < before)
        rounds = rounds.where(sql.or_(ROUNDS.c.opened_at < told, at_once))
    rows = connection.execute(
        rounds.order_by(ROUNDS.c.opened_at.desc(), ROUNDS.c.round.desc()).limit(min(most, MOST_ROUNDS))
    ).all()
    names = [row.round for row in rows]
    bets = _by_round(connection, sql.select(BETS).where(BETS.c.player == player), BETS, names)
    lines = _by_round(connection, sql.select(LINES).where(LINES.c.account == player), LINES, names)
    decided = _by_round(
        connection, sql.select(DECISIONS).where(DECISIONS.c.player == player), DECISIONS, names
    )
    return {
        "rounds": [
            _round(connection, row, bets[row.round], decided[row.round], lines[row.round]) for row in rows
        ]
    }


def _by_round(
    connection: Connection, rows: sql.Select[Any], table: sql.Table, names: Sequence[str]
) -> dict[str, list[Row[Any]]]:
    found: dict[str, list[Row[Any]]] = defaultdict(list)
    by = table.c.number if "number" in table.c else table.c.id if "id" in table.c else table.c.asked
    for row in connection.execute(rows.where(table.c.round.in_(names)).order_by(by)):
        found[row.round].append(row)
    return found


def _round(
    connection: Connection,
    row: Row[Any],
    bets: Sequence[Row[Any]],
    decided: Sequence[Row[Any]],
    lines: Sequence[Row[Any]],
) -> Json:
    result = None if row.result is None else message_of(connection, row.site, row.table, row.result)
    void = None if row.void is None else message_of(connection, row.site, row.table, row.void)
    read = None if result is None else msgspec.json.decode(result, type=Result)
    cards: Json = {} if read is None else dict(read.hands)
    if read is not None and read.board:
        cards["board"] = read.board
    notice = None if void is None else msgspec.json.decode(void)
    return {
        "round": row.round,
        "site": row.site,
        "table": row.table,
        "game": row.game,
        "game_number": row.game_number,
        "opened_at": row.opened_at,
        "bets": [
            {
                **msgspec.to_builtins(placed(bet)),
                "state": bet.state,
                "result": bet.result,
                "returned": bet.returned,
                "pays": _pays(read, bet),
            }
            for bet in bets
            if bet.state != "undone"
        ],
        "decisions": {one.hand: one.decision for one in decided},
        "staked": sum(bet.stake for bet in bets if bet.state != "undone"),
        "returned": sum(bet.returned or 0 for bet in bets),
        "cards": None if read is None else cards,
        "revision": 0 if read is None else read.revision,
        "pay_table": None if read is None else msgspec.to_builtins(read.pay_table),
        "rules": None if read is None else read.rules,
        "void": None if notice is None else {"reason": notice["reason"], "rule": notice["rule"]},
        "lines": [_line(line) for line in lines],
    }


def _pays(read: Result | None, bet: Row[Any]) -> str | None:
    """By which row of the pay table a bet won; null where it did not, or has a price of its own."""
    if read is None or bet.result != "win" or bet.price is not None:
        return None
    said = read.bets.get(bet.spot)
    return None if said is None else said.pays


def _line(row: Row[Any]) -> Json:
    values = {column.name: getattr(row, column.name) for column in LINES.c}
    return {name: value for name, value in values.items() if value is not None}


def audit(connection: Connection, after: int = 0) -> Json:
    """The whole ledger for an operator: what does not add up, every balance, open bets, lines above one."""
    balances = accounts(connection)
    lines = sql.select(LINES).where(LINES.c.id > after).order_by(LINES.c.id).limit(MOST_LINES)
    total = sql.select(sql.func.coalesce(sql.func.sum(LINES.c.amount), 0))
    return {
        "sum": int(connection.scalar(total) or 0),
        "faults": faults(connection),
        "currency": connection.scalar(sql.select(CURRENCY.c.code)),
        "accounts": balances,
        "open": _open(connection),
        "wallet": _due(connection),
        "lines": [_line(row) for row in connection.execute(lines)],
    }


def _due(connection: Connection) -> list[Json]:
    """What the house's wallet has not done yet, or refused to give back."""
    rows = connection.execute(
        sql.select(WALLET).where(WALLET.c.state.in_(("open", "undo", "refused"))).order_by(WALLET.c.number)
    )
    return [
        {"id": row.id, "kind": row.kind, "player": row.player, "amount": row.amount, "state": row.state}
        for row in rows
        if (row.kind, row.state) != ("stake", "refused")
    ]
