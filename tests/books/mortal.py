"""The wagering service without its network, which dies at any statement, before a commit or after it.

Dying is as it is for a process: nothing of it does anything any more, what was not committed is not there,
and whoever waits for an answer gets none.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.wagering.calls import Answer, Asked, answer
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from controller.wagering.funding import Funding, give_up
from controller.wagering.stream import BookedStream
from controller.wagering.wallet import Wallet
from tests.wagering.seats import SITE, TABLE

NEVER = 1 << 60


class Killed(BaseException):
    """Nobody catches it."""


class Life:
    """Ends after so many steps."""

    def __init__(self) -> None:
        self.left = NEVER
        self.over = False

    def step(self) -> None:
        """A statement, a commit."""
        self.left -= 1
        if self.left <= 0:
            self.over = True
        if self.over:
            raise Killed


class MortalDatabase(Database):
    """Its transactions end with the life."""

    def __init__(self, url: str, life: Life, *, pays_out: bool) -> None:
        self._life = life
        super().__init__(url, pays_out=pays_out)
        for engine in (self._writes, self._reads):
            sql.event.listen(engine, "before_cursor_execute", lambda *_: life.step())

    @contextmanager
    def change(self) -> Iterator[Connection]:
        with super().change() as connection:
            yield connection
            self._life.step()
        self._life.step()  # it is committed, and nobody hears of it


class Service:
    """Desk, stream and, where the house has a wallet, the funding of one life."""

    def __init__(self, url: str, wallet: str | None) -> None:
        self.life = Life()
        self.database = MortalDatabase(url, self.life, pays_out=wallet is not None)
        self.stream = BookedStream(self.database, SITE, TABLE)
        self.desk = Desk(self.database)
        self._waiting: list[Future[Any]] = []
        self._guard = threading.Lock()
        asks = self.desk.ask

        def ask(work: Any) -> Future[Any]:
            with self._guard:
                if self.life.over:
                    raise Killed
                self._waiting.append(future := asks(work))
            return future

        self.desk.ask = ask  # type: ignore[method-assign]
        self.funding = None
        if wallet is not None:
            with self.database.change() as connection:
                give_up(connection)
            self.funding = Funding(self.database, self.desk, Wallet(wallet, patience_s=5), print)
        self.desk.start()

    def call(self, player: str, asked: Asked) -> Future[Answer]:
        """A call of a player."""
        if self.funding is not None:
            return self.funding.ask(SITE, TABLE, player, asked, lambda: True)
        return self.desk.ask(lambda connection: answer(connection, SITE, TABLE, player, asked))

    def wait(self, future: Future[Answer]) -> Answer:
        """What is answered; Killed where nobody will."""
        while True:
            with suppress(TimeoutError):
                return future.result(0.05)
            if self.life.over and not future.done():
                raise Killed

    def bury(self) -> None:
        """After its death, or as its death: whoever waits hears of it."""
        self.life.over = True
        self.desk.stop()
        with self._guard:
            for future in self._waiting:
                if not future.done():
                    future.set_exception(Killed())
        if self.funding is not None:
            self.funding.stop()
        self.database.close()


def quiet(given: threading.ExceptHookArgs) -> None:
    """A thread that is killed has nothing to say."""
    if given.exc_type is not Killed:
        threading.__excepthook__(given)
