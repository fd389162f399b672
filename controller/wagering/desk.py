"""The one thread that carries players' calls out: those that wait share one transaction.

A commit costs a sync of the disk, so a thousand bets in the last second are a few commits and not a thousand.
What fails in a transaction is done again one by one, and only the call that fails is not carried out.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from sqlalchemy.engine import Connection

from controller.wagering.database import Database
from controller.wagering.tables import BooksError

T = TypeVar("T")
MOST_TOGETHER = 64
Job = tuple[Callable[[Connection], Any], Future[Any]]


class Desk(threading.Thread):
    """Carries out what :meth:`ask` is given, in order, until :meth:`stop`."""

    def __init__(self, database: Database) -> None:
        super().__init__(name="wagering-desk", daemon=True)
        self._database = database
        self._waiting: queue.Queue[Job | None] = queue.Queue()
        self._guard = threading.Lock()
        self._ended = False

    def ask(self, work: Callable[[Connection], T]) -> Future[T]:
        """The answer comes when what was done is durable. BooksError after :meth:`stop`."""
        future: Future[T] = Future()
        with self._guard:
            if self._ended:
                raise BooksError("the service ends")
            self._waiting.put((work, future))
        return future

    def stop(self) -> None:
        """Carry out what waits, then end."""
        with self._guard:
            self._ended = True
            self._waiting.put(None)
        if self.is_alive():
            self.join()

    def run(self) -> None:
        """Until :meth:`stop`."""
        going = True
        while going:
            together = [self._waiting.get()]
            while len(together) < MOST_TOGETHER and not self._waiting.empty():
                together.append(self._waiting.get())
            going = None not in together
            self._carry_out(
                [one for one in together if one is not None and one[1].set_running_or_notify_cancel()]
            )

    def _carry_out(self, together: list[Job]) -> None:
        if not together:
            return
        try:
            with self._database.change() as connection:
                answers = [work(connection) for work, _ in together]
        except Exception as error:  # nothing of it is done; whoever asked hears of it
            if len(together) == 1:
                together[0][1].set_exception(error)
                return
            for one in together:
                self._carry_out([one])
            return
        for (_, future), said in zip(together, answers, strict=True):
            future.set_result(said)
