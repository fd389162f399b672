"""A whole table of processes and cables: simulated devices, the daemon, a broker, a settlement system."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.journal.port import Record
from controller.journal.reader import SqliteReader
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import AnyEvent, Stamp
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.panel.keypad.simulator import Keypad
from tests.broker import Broker
from tests.e2e.process import Daemon
from tests.e2e.settlement import Settlement
from tests.schema.shapes import check_bodies, check_retained

CONFIGURATION = """\
[table]
site = "north"
id = "7"

[game]
name = "baccarat"

[mqtt]
port = {port}
consumers = {consumers}
ack_timeout_s = 1
{mqtt}

[journal]
path = "{folder}/journal.db"

[devices.shoe]
driver = "{driver}"
port = "{folder}/shoe"
{shoe}

[devices.panel]
driver = "keypad"
port = "{folder}/keypad"
"""
BASE = "dealer-table/v1/north/7"

Shoe = SimulatedAngelEye | SimulatedBeeTek


@dataclass
class House:
    """All parts of a table. The devices outlive the daemon, as real ones do."""

    folder: Path
    broker: Broker
    shoe: Shoe
    keypad: Keypad
    daemon: Daemon
    settlement: Settlement

    @property
    def angel_eye(self) -> SimulatedAngelEye:
        """The shoe, where it is one that numbers its reports."""
        if not isinstance(self.shoe, SimulatedAngelEye):
            raise TypeError("another shoe stands at this table")
        return self.shoe

    @property
    def journal(self) -> Path:
        """The journal's file."""
        return self.folder / "journal.db"

    def records(self, after: int = 0) -> list[tuple[Record, AnyEvent, Stamp]]:
        """The journal so far, or its records above ``after``; the chain is checked on the way."""
        with SqliteReader.open(self.journal) as reader:
            return [(record, *decode_event(record.body)) for record in reader.records(after)]

    def stream_head(self) -> int:
        """Sequence of the last durable message."""
        with SqliteReader.open(self.journal) as reader:
            return reader.stream_head

    def wait_delivered(self) -> None:
        """Wait until the settlement system has everything that is durable now."""
        head = self.stream_head()
        self.settlement.wait(lambda: len(self.settlement.taken) >= head, f"message {head} arrives")

    def close_down(self) -> int:
        """End the daemon when everything is told; its exit status.

        What it says of a loaded machine while it is waited for, its next life tells.
        """
        status = 0
        while True:
            self.wait_delivered()
            status = status or self.daemon.stop()
            if len(self.settlement.taken) >= self.stream_head():
                return status
            self.daemon.start()


@contextmanager
def house(
    folder: Path,
    shoe: Shoe,
    *,
    broker: Broker | None = None,
    mqtt: str = "",
    shoe_keys: str = "",
    broker_runs: bool = True,
    login: tuple[str, str] | None = None,
    consumers: Sequence[str] = ("settlement",),
) -> Iterator[House]:
    """Set the table up, without the daemon; everything ends with the context.

    ``settlement`` is one of the consumers; who names others brings them.
    """
    with ExitStack() as stack:
        stack.callback(shoe.stop)
        keypad = stack.enter_context(Keypad(folder / "keypad"))
        broker = broker or Broker(folder / "broker")
        if broker_runs:
            broker.start()
        stack.callback(broker.stop)
        path = folder / "table.toml"
        driver = "angel-eye" if isinstance(shoe, SimulatedAngelEye) else "bee-tek"
        path.write_text(
            CONFIGURATION.format(
                folder=folder,
                port=broker.port,
                consumers=json.dumps(consumers),
                mqtt=mqtt,
                shoe=shoe_keys,
                driver=driver,
            )
        )
        settlement = Settlement(broker.port, BASE, login=login)
        stack.callback(settlement.stop)
        daemon = Daemon(path)
        stack.callback(daemon.kill)
        yield House(folder, broker, shoe, keypad, daemon, settlement)
        check_bodies(settlement.taken)
        check_retained(settlement.retained)
