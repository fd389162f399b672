"""What the books forget: answers that nobody asks for again, and messages that no bet points to.

Bets, decisions and ledger lines stay for ever, and so does each word on a round in which anybody bet: a
player's history goes down to its cards. A call that comes again after its answer is forgotten does nothing
either: it names its round, and that is over.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import sqlalchemy as sql

from controller.wagering.database import Database
from controller.wagering.settings import RetentionKeys
from controller.wagering.tables import CALLS, MESSAGES, WALLET, BooksError, in_words, stamp

EVERY_S = 3600.0
LOOK_S = 5.0
"""So often it is looked whether the books are still ours."""
AT_ONCE = 500
"""Rows of one transaction: players' calls and the stream wait for no more."""
WALLET_DONE = sql.and_(
    WALLET.c.state.in_(("done", "undone")) | ((WALLET.c.kind == "stake") & (WALLET.c.state == "refused")),
    WALLET.c.number < sql.select(sql.func.max(WALLET.c.number)).scalar_subquery(),
)
"""What the house's wallet has done or undone; the last number stays, so that none comes twice."""


class Forgetting(threading.Thread):
    """Forgets every hour, until :meth:`stop`."""

    def __init__(self, database: Database, keys: RetentionKeys, tell: Callable[[str], None]) -> None:
        super().__init__(name="wagering-forgetting", daemon=True)
        self._database = database
        self._keys = keys
        self._tell = tell
        self._leave = threading.Event()

    def stop(self) -> None:
        """End after the present transaction."""
        self._leave.set()
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Until :meth:`stop`."""
        due_s = 0.0
        while not self._leave.is_set():
            if time.monotonic() >= due_s:
                due_s = time.monotonic() + EVERY_S
                try:
                    forget(self._database, self._keys, datetime.now(UTC), self._leave.is_set)
                except Exception as error:  # it is tried again; nothing but room is lost
                    self._tell(f"old calls and messages stay: {in_words(error)}")
            with suppress(BooksError):  # whoever books next says what is wrong
                self._database.look()
            self._leave.wait(LOOK_S)


def forget(
    database: Database, keys: RetentionKeys, now: datetime, leave: Callable[[], bool] = lambda: False
) -> int:
    """Forget what is older than it has to be; how many rows, in small transactions."""
    gone = 0
    for table, days, may_go in (
        (CALLS, keys.calls_days, sql.true()),
        (WALLET, keys.calls_days, WALLET_DONE),
        (MESSAGES, keys.messages_days, sql.true()),
    ):
        key = sql.tuple_(*table.primary_key.columns)
        old = sql.select(*table.primary_key.columns).where(
            table.c.at < stamp(now - timedelta(days=days)), may_go
        )
        rows = AT_ONCE
        while rows == AT_ONCE and not leave():
            with database.change() as connection:
                found = [tuple(row) for row in connection.execute(old.limit(AT_ONCE))]
                connection.execute(sql.delete(table).where(key.in_(found)))
            rows = len(found)
            gone += rows
    return gone
