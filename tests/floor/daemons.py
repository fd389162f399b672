"""Real tables on the floor: the daemon, a shoe that speaks real bytes, and a dealer; killed as well."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self, cast

import psycopg

from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer
from tests.harness.house import House, WholeTable, table

PAUSE_S = 5.0
"""Between two rounds of one of them."""
HEARD_S = 300.0


class RealTables:
    """Some daemons, each with a dealer in a thread of its own. They name the recorder."""

    def __init__(self, folder: Path, hosts: Sequence[str], count: int) -> None:
        self._folder, self._hosts, self._count = folder, hosts, count
        self._stack = ExitStack()
        self._tables: dict[str, WholeTable] = {}
        self._dealing: list[threading.Thread] = []
        self._ending = threading.Event()
        self._failed: list[BaseException] = []

    def __enter__(self) -> Self:
        broker = cast(Broker, None)  # its hosts say where
        for number in range(1, self._count + 1):
            name = f"real{number}"
            folder = self._folder / name
            folder.mkdir()
            shoe = SimulatedAngelEye(folder / "shoe", tries=1_000_000, answer_timeout_s=0.5)
            own: dict[str, object] = {
                "table": {"id": name},
                "mqtt": {"consumers": ["recorder"], "ack_timeout_s": 5},
            }
            made = self._stack.enter_context(table(folder, broker, shoe, own, hosts=self._hosts))
            made.daemon.start()
            self._tables[name] = made
            dealer = threading.Thread(target=self._deal, args=(made, number), name=f"dealer of {name}")
            dealer.start()
            self._dealing.append(dealer)
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        for dealer in self._dealing:
            dealer.join(120)
        self._stack.close()

    def _deal(self, made: WholeTable, seed: int) -> None:
        try:
            dealer = Dealer(cast(House, made), random.Random(seed))
            dealer.load()
            while not self._ending.wait(PAUSE_S):
                dealer.round()
        except BaseException as error:
            self._failed.append(error)

    def kill(self, chance: random.Random) -> None:
        """One of them, and it comes back."""
        chance.choice([*self._tables.values()]).daemon.restart()

    def finish(self) -> dict[str, list[bytes]]:
        """Nobody deals any more: what each has said."""
        self._ending.set()
        for dealer in self._dealing:
            dealer.join()
        if self._failed:
            raise self._failed[0]
        return {name: made.messages() for name, made in self._tables.items()}

    def recorded(self, connection: psycopg.Connection[Any], name: str) -> list[bytes]:
        """The same as the record has it, when it has as many."""
        wanted, end_s = len(self._tables[name].messages()), time.monotonic() + HEARD_S
        query = 'SELECT raw FROM dealer_table.messages WHERE "table" = %s ORDER BY epoch, sequence'
        while True:
            rows = [raw for (raw,) in connection.execute(query, (name,))]
            if len(rows) >= wanted or time.monotonic() > end_s:
                return rows
            time.sleep(0.5)
