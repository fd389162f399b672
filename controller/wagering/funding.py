"""Money to and from the house's own wallet: nothing is lost or doubled, whoever dies between two steps.

A stake is put down, asked for, and enters the ledger only together with the bets that it pays for; where the
bets are refused then, or nobody can say whether the wallet gave it, it is rolled back. Winnings leave the
ledger when they are booked, and are sent until the wallet has them. What is taken back is asked for too;
where the player has spent it, the account here stays below zero until a later stake or winnings cover it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Row

from controller.wagering.calls import UNHEARD, Answer, Asked, answer, digest_of, keep, refusal
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from controller.wagering.ledger import AWAY, For, Ledger, ask_wallet
from controller.wagering.slips import Short
from controller.wagering.tables import PURSES, WALLET, in_words
from controller.wagering.wallet import Declined, Done, Kind, Told, Unknown, Wallet

AGAIN_S = 1.0
AT_ONCE = 100
SILENT = 3
"""After so many calls in a row without an answer the wallet is given a rest."""
HANDS = 64
"""So many calls may wait for the wallet at the same time."""
BUSY = refusal("unavailable", "this call is being carried out; ask again with the same id")
UNAVAILABLE = refusal("unavailable", "the wallet did not answer; nothing was staked")


class Funding:
    """Carries calls out with money from the wallet, and sends it what is due."""

    def __init__(self, database: Database, desk: Desk, wallet: Wallet, tell: Callable[[str], None]) -> None:
        self._database = database
        self._desk = desk
        self._wallet = wallet
        self._tell = tell
        self._due = threading.Event()
        self._leave = threading.Event()
        self._hands = ThreadPoolExecutor(HANDS, "wagering-wallet-call")
        self._after = 0
        """The last entry that the wallet was asked about; the next pass goes on behind it, so that what it
        never takes stands in nobody's way."""
        self._left: list[str] = []
        """Stakes that the books could not be told about: to be given up as soon as they can."""
        self._thread = threading.Thread(target=self._pump, name="wagering-wallet", daemon=True)

    def start(self) -> None:
        """Roll back what a service that died was asking for, and begin to send what is due."""
        with self._database.change() as connection:
            give_up(connection)
        self._thread.start()

    def stop(self) -> None:
        """End after the present call."""
        self._hands.shutdown(wait=False, cancel_futures=True)
        self._leave.set()
        self._due.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self) -> None:
        """Something may be due; from any thread."""
        self._due.set()

    def ask(
        self, site: str, table: str, player: str, asked: Asked, heard: Callable[[], bool]
    ) -> Future[Answer]:
        """:meth:`carry_out` in a thread of its own: a wallet that takes its time holds up nobody else."""
        return self._hands.submit(self.carry_out, site, table, player, asked, heard)

    def carry_out(
        self, site: str, table: str, player: str, asked: Asked, heard: Callable[[], bool] = lambda: True
    ) -> Answer:
        """A call of a player; waits for the wallet."""
        name = f"stake-{uuid4().hex}"
        try:
            return self._carry_out(name, site, table, player, asked, heard)
        except BaseException:
            self._left.append(name)
            raise
        finally:
            self.look()

    def _carry_out(
        self, name: str, site: str, table: str, player: str, asked: Asked, heard: Callable[[], bool]
    ) -> Answer:

        def first(connection: Connection) -> Answer | int:
            mine = WALLET.c.player == player, WALLET.c.call == asked.id, WALLET.c.kind == "stake"
            under_way = sql.select(WALLET).where(*mine, WALLET.c.state.in_(("open", "undo")))
            on_the_way = connection.execute(under_way).one_or_none()
            if on_the_way is not None:
                if (on_the_way.id, on_the_way.state) == (name, "open"):  # a COMMIT had no answer
                    return int(on_the_way.amount)
                return answered(connection, site, table, player, asked) or BUSY
            try:
                return answer(connection, site, table, player, asked, lends=True, heard=heard())
            except Short as short:
                call = {"id": name, "call": asked.id, "asked": digest_of(site, table, asked)}
                ask_wallet(connection, "stake", player, short.missing_minor, **call)
                return short.missing_minor

        said = self._desk.ask(first).result()
        if isinstance(said, int):
            amount = said
            told = self._wallet.ask("debit", name, player, amount)

            def second(connection: Connection) -> Answer:
                def carried_out() -> Answer:
                    return answer(connection, site, table, player, asked, brought_minor=amount, heard=heard())

                def before() -> Answer:
                    return answered(connection, site, table, player, asked) or UNAVAILABLE

                return settle_stake(connection, name, told, carried_out, before)

            said = self._desk.ask(second).result()
        return said

    def send(self) -> bool:
        """Ask the wallet for what is due, each once; whether anything has to be asked for again."""
        while self._left:
            with self._database.change() as connection:
                give_up(connection, WALLET.c.id == self._left[0])
            del self._left[0]
        due = sql.or_(
            WALLET.c.state == "undo",
            sql.and_(WALLET.c.state == "open", WALLET.c.kind.in_(("credit", "owed"))),
        )
        later, silent = self._after > 0, 0
        while True:
            some = sql.select(WALLET).where(due, WALLET.c.number > self._after).order_by(WALLET.c.number)
            with self._database.read() as connection:
                rows = connection.execute(some.limit(AT_ONCE)).all()
            if not rows:  # what was sent may have made something due: it comes behind
                self._after = 0
                return later
            for row in rows:
                if self._leave.is_set():
                    return True
                told = self._wallet.ask(_kind(row), row.id, row.player, row.amount)
                self._after = row.number
                if not isinstance(told, Unknown):
                    silent = 0
                    with self._database.change() as connection:
                        sent(connection, row, told)
                    continue
                later, silent = True, silent + 1
                if silent == SILENT:
                    return True

    def _pump(self) -> None:
        said = ""
        while not self._leave.is_set():
            self._due.clear()
            try:
                later, problem = self.send(), ""
            except Exception as error:  # whatever it is: what is due stays due
                later, problem = True, in_words(error)
            if problem and problem != said:
                self._tell(f"what is due to the wallet: {problem}")
            said = problem
            if later:
                self._leave.wait(AGAIN_S)
            else:
                self._due.wait()


def _kind(row: Row[Any]) -> Kind:
    if row.state == "undo":
        return "rollback"
    return "credit" if row.kind == "credit" else "debit"


def answered(connection: Connection, site: str, table: str, player: str, asked: Asked) -> Answer | None:
    """What was answered to a call; None where nothing was kept."""
    said = answer(connection, site, table, player, asked, heard=False)
    return None if said == UNHEARD else said


def settle_stake(
    connection: Connection,
    name: str,
    told: Told,
    carry_out: Callable[[], Answer],
    before: Callable[[], Answer],
) -> Answer:
    """What becomes of a call when the wallet has answered, or has not; ``before``: what was answered to it
    already. Of a stake of which nobody knows nothing is kept: the call may come again under its id."""
    row = connection.execute(sql.select(WALLET).where(WALLET.c.id == name)).one()
    if row.state != "open":  # done already, or given up: this stake pays for nothing any more
        return before()
    match told:
        case Done(balance):
            note_purse(connection, row.player, balance)
            said = carry_out()
            _mark(connection, name, "done" if said[0] < 300 else "undo")
            return said
        case Declined():
            said = refusal("insufficient_balance", "the wallet does not cover the bets")
            _mark(connection, name, "refused")
        case Unknown():
            _mark(connection, name, "undo")
            return UNAVAILABLE
    keep(connection, row.player, row.call, row.asked, said)
    return said


def give_up(connection: Connection, *which: sql.ColumnElement[bool]) -> None:
    """Stakes that nobody waits for any more are rolled back."""
    waiting = sql.select(WALLET).where(WALLET.c.kind == "stake", WALLET.c.state == "open", *which)
    for row in connection.execute(waiting).all():
        _mark(connection, row.id, "undo")


def sent(connection: Connection, row: Row[Any], told: Done | Declined) -> None:
    """The wallet has done what was due, or a player does not have what is owed."""
    now = connection.scalar(sql.select(WALLET.c.state).where(WALLET.c.id == row.id))
    if now != row.state:
        return
    if isinstance(told, Declined):
        _mark(connection, row.id, "refused")
        return
    note_purse(connection, row.player, told.balance)
    _mark(connection, row.id, "undone" if row.state == "undo" else "done")
    if row.kind == "owed":
        ledger = Ledger(connection)
        ledger.move(AWAY, row.player, row.amount, For("debit", call=row.id))
        ledger.write()


def note_purse(connection: Connection, player: str, balance_minor: int) -> None:
    """What the wallet says that a player has."""
    changed = sql.update(PURSES).where(PURSES.c.player == player).values(balance=balance_minor)
    if not connection.execute(changed).rowcount:
        connection.execute(sql.insert(PURSES), {"player": player, "balance": balance_minor})


def _mark(connection: Connection, name: str, state: str) -> None:
    connection.execute(sql.update(WALLET).where(WALLET.c.id == name).values(state=state))
