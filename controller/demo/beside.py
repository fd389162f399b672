"""What hears the demo table: its result board and a settlement desk, each in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from controller.board.server import Board
from controller.board.settings import BoardKeys, BoardSettings, checked
from controller.consumer.consumer import Consumer, ConsumerNotice
from controller.consumer.store import MessageStore, Repeated, Taken
from controller.outbox.broker import BrokerSettings
from controller.outbox.envelope import name_of
from controller.outbox.topics import client_id, topics_of
from controller.vocabulary.configuration import TableSettings
from controller.vocabulary.errors import ConfigurationError

PATIENCE_S = 10.0
Hear = Callable[[str, str, Mapping[str, object]], None]
"""Told the id, the name and the data of each message, once, in order, when it is durable."""


class BoardBeside(threading.Thread):
    """Serves the board of a loopback broker; on its usual port, or else on any free one."""

    def __init__(self, broker_port: int, host: str) -> None:
        super().__init__(name="board", daemon=True)
        settings = checked(BoardSettings(), board={"host": host}, mqtt={"port": broker_port})
        try:
            self.board = Board(settings, port=BoardKeys().port)
        except ConfigurationError:
            self.board = Board(settings, port=0)

    def run(self) -> None:
        """Serve until :meth:`stop`."""
        self.board.run()

    def stop(self) -> None:
        """End it and wait."""
        self.board.stop()
        if self.ident is None:
            self.board.close()
        else:
            self.join(PATIENCE_S)


class SettlementDesk(threading.Thread):
    """Keeps the stream durably and acknowledges it, as a settlement system must."""

    def __init__(self, name: str, table: TableSettings, path: Path, port: int, hear: Hear) -> None:
        super().__init__(name=name, daemon=True)
        self._table = table
        self._path = path
        self._port = port
        self._hear = hear
        self._leave, self._hears = threading.Event(), threading.Event()
        self.repeated = 0
        """So many messages came that were here already."""

    def start(self) -> None:
        """Begin, and wait until it hears the stream: a table that nobody hears complains."""
        super().start()
        self._hears.wait(PATIENCE_S)

    def run(self) -> None:
        """Receive until :meth:`stop`."""
        table = self._table
        broker = BrokerSettings(client_id(table.site, table.id, table.mode, self.name), port=self._port)
        with MessageStore(self._path) as store:
            consumer = Consumer(
                name=self.name,
                topics=topics_of(table.site, table.id, table.mode),
                broker=broker,
                store=store,
                see=self._see,
            )
            while not self._leave.is_set():
                consumer.step(0.1)
                if consumer.listening:
                    self._hears.set()
            consumer.stop()

    def _see(self, seen: ConsumerNotice) -> None:
        self.repeated += isinstance(seen, Repeated)
        if isinstance(seen, Taken):
            message = seen.envelope
            self._hear(message.id, name_of(message.type_) or "", msgspec.json.decode(message.data))

    def stop(self) -> None:
        """Take leave and wait for it."""
        self._leave.set()
        if self.is_alive():
            self.join(PATIENCE_S)
