"""The ledger: double entry, append-only, whole minor units.

A movement takes an amount from one account and gives it to another: two lines, whose sum is nothing. Each
line names the message of the stream and the bet, or the call, that it is for.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any
from uuid import uuid4

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.wagering.tables import ACCOUNTS, BETS, LINES, PAYS_OUT, PURSES, ROUNDS, WALLET, now

STAKES = "house:stakes"
"""Of bets that are not settled yet."""
BANK = "house:bank"
"""Lost stakes go there, and winnings come from there."""
CASHIER = "house:cashier"
"""Where players' first balances come from."""
AWAY = "house:wallet"
"""The house's own wallet, where it has one: what players have there is not here."""
OWN = "house:"
"""Names of our accounts begin so; no name of a player has a colon."""

_OF_ACCOUNT = ACCOUNTS.c.name == sql.bindparam("account")
_BALANCE = sql.select(ACCOUNTS.c.balance).where(_OF_ACCOUNT)
# Both databases read it so, and no account has to be looked up before.
_ADD = sql.text(
    "INSERT INTO accounts (name, balance) VALUES (:account, :amount)"
    " ON CONFLICT (name) DO UPDATE SET balance = accounts.balance + excluded.balance"
)
_WRITE = sql.insert(LINES)


class For(msgspec.Struct, frozen=True):
    """What a movement is for."""

    what: str
    """``opening stake undo lost paid refund reversal``."""
    message: str | None = None
    """``<site>/<table>/<epoch>-<sequence>``."""
    call: str | None = None
    bet: str | None = None
    round: str | None = None


class Ledger:
    """The accounts within one transaction. Movements are written by :meth:`write`, all together."""

    def __init__(self, connection: Connection, known: Mapping[str, int | None] = {}) -> None:
        """``known``: what some accounts are known to hold now; None: they do not exist."""
        self._connection = connection
        self._balances = dict(known)
        self._moved: dict[str, int] = {}
        self._lines: list[dict[str, object]] = []

    def balance(self, account: str) -> int:
        """What an account holds now, minor units; 0 where there is none yet."""
        if account not in self._balances:
            self._balances[account] = self._connection.scalar(_BALANCE, {"account": account})
        return (self._balances[account] or 0) + self._moved.get(account, 0)

    def told(self, player: str) -> int:
        """What a player is told to have, when all is written."""
        if self._connection.get_execution_options().get(PAYS_OUT):
            return balance_of(self._connection, player)
        return self.balance(player)

    def exists(self, account: str) -> bool:
        """Whether anything was ever booked on it."""
        self.balance(account)
        return self._balances[account] is not None or account in self._moved

    def move(self, source: str, target: str, amount_minor: int, reason: For) -> None:
        """Take from one account, give to the other; nothing where the amount is 0."""
        if not amount_minor:
            return
        for account, amount in ((source, -amount_minor), (target, amount_minor)):
            self._moved[account] = self._moved.get(account, 0) + amount
            self._lines.append({"account": account, "amount": amount, **msgspec.to_builtins(reason)})

    def open(self, account: str, balance_minor: int) -> None:
        """A new account and its first balance, booked once; one that exists is left alone."""
        if not self.exists(account):
            self._moved.setdefault(account, 0)
            self.move(CASHIER, account, balance_minor, For("opening"))

    def write(self) -> None:
        """Write what was moved since the last time; where players' money is in a wallet of the house, what
        they now have is on its way there, and what they owe is asked for."""
        if self._connection.get_execution_options().get(PAYS_OUT):
            self._pay_out()
        if self._lines:
            at = now()
            self._connection.execute(_WRITE, [{"at": at, **line} for line in self._lines])
        if self._moved:
            added = [{"account": account, "amount": amount} for account, amount in self._moved.items()]
            self._connection.execute(_ADD, added)
        for account, amount in self._moved.items():
            if account in self._balances:
                self._balances[account] = (self._balances[account] or 0) + amount
        self._lines, self._moved = [], {}

    def _pay_out(self) -> None:
        for account in [name for name in self._moved if not name.startswith(OWN)]:
            balance = self.balance(account)
            if balance > 0:
                self.move(account, AWAY, balance, For("credit", call=self._ask("credit", account, balance)))
            elif balance < 0:
                asked = sql.select(sql.func.coalesce(sql.func.sum(WALLET.c.amount), 0)).where(
                    WALLET.c.player == account, WALLET.c.kind == "owed", WALLET.c.state == "open"
                )
                owed = -balance - int(self._connection.scalar(asked) or 0)
                if owed > 0:
                    self._ask("owed", account, owed)

    def _ask(self, kind: str, player: str, amount_minor: int) -> str:
        return ask_wallet(self._connection, kind, player, amount_minor)


def ask_wallet(connection: Connection, kind: str, player: str, amount_minor: int, **call: str) -> str:
    """Put down what the house's wallet is asked for; the id that makes it happen once."""
    number = int(connection.scalar(sql.select(sql.func.max(WALLET.c.number))) or 0) + 1
    row = {"number": number, "kind": kind, "player": player, "amount": amount_minor, "state": "open"}
    named = {"id": f"{kind}-{uuid4().hex}", "call": None, "asked": None, "at": now(), **call}
    connection.execute(sql.insert(WALLET), {**row, **named})
    return str(named["id"])


def balance_of(connection: Connection, player: str) -> int:
    """What a player is told to have."""
    return balances_of(connection, [player])[player]


def balances_of(connection: Connection, players: Collection[str]) -> dict[str, int]:
    """What these players are told to have: where the house has a wallet, what that last said and is still
    asked to pay."""
    if not connection.get_execution_options().get(PAYS_OUT):
        told = _amounts(connection, sql.select(ACCOUNTS.c.name, ACCOUNTS.c.balance), ACCOUNTS.c.name, players)
        return {player: told.get(player, 0) for player in players}
    asked = sql.select(WALLET.c.player, sql.func.sum(WALLET.c.amount)).group_by(WALLET.c.player)
    asked = asked.where(WALLET.c.kind == "credit", WALLET.c.state == "open")
    due = _amounts(connection, asked, WALLET.c.player, players)
    told = _amounts(connection, sql.select(PURSES.c.player, PURSES.c.balance), PURSES.c.player, players)
    return {player: told.get(player, 0) + due.get(player, 0) for player in players}


def _amounts(
    connection: Connection, rows: sql.Select[Any], name: sql.Column[Any], players: Collection[str]
) -> dict[str, int]:
    found = connection.execute(rows.where(name.in_(players)))
    return {player: int(amount) for player, amount in found}


def accounts(connection: Connection) -> dict[str, int]:
    """Name -> balance of every account."""
    return {row.name: row.balance for row in connection.execute(sql.select(ACCOUNTS))}


def faults(connection: Connection) -> list[str]:
    """What does not add up, in words; empty where the books balance to the unit."""
    found = []
    total = sql.func.coalesce(sql.func.sum(LINES.c.amount), 0)
    added: Mapping[str, int] = {
        name: int(amount)
        for name, amount in connection.execute(sql.select(LINES.c.account, total).group_by(LINES.c.account))
    }
    kept = accounts(connection)
    if sum(added.values()):
        found.append(f"all lines together are {sum(added.values())}, not 0")
    for name in sorted({*added, *kept}):
        if added.get(name, 0) != kept.get(name, 0):
            found.append(f"{name} has {kept.get(name, 0)}, its lines add up to {added.get(name, 0)}")
    stakes = sql.select(sql.func.coalesce(sql.func.sum(BETS.c.stake), 0)).where(BETS.c.state == "open")
    waiting = int(connection.scalar(stakes) or 0)
    if kept.get(STAKES, 0) != waiting:
        found.append(f"{STAKES} has {kept.get(STAKES, 0)}, the open bets are {waiting}")
    staked = sql.exists().where(BETS.c.round == ROUNDS.c.round, BETS.c.state != "undone")
    never = ROUNDS.c.result.is_(None) | (ROUNDS.c.revision != ROUNDS.c.final)
    for row in connection.execute(sql.select(ROUNDS).where(ROUNDS.c.final.is_not(None), never, staked)):
        booked = "no result" if row.result is None else f"revision {row.revision}"
        found.append(f"{row.round} is final with revision {row.final}, booked was {booked}: pay it by hand")
    return found
