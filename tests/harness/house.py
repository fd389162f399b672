"""A whole table of processes and cables: simulated devices, the daemon, a broker, and who hears it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.cli.top import ask, read
from controller.journal.reader import SqliteReader
from controller.journal.record import Record
from controller.vocabulary.codec import decode_event
from controller.vocabulary.events import AnyEvent, Stamp
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from tests.harness.broker import Broker
from tests.harness.configuration import PANEL, Given, configured
from tests.harness.deals import Deal
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Consumer, Daemon, until
from tests.harness.proxy import FaultProxy
from tests.harness.settlement import Settlement
from tests.harness.ways import over_tls, plain
from tests.schema.shapes import check_bodies, check_retained

BASE = "dealer-table/v1/north/7"
LOOK_S = 0.02

Shoe = SimulatedAngelEye | SimulatedBeeTek


@dataclass
class WholeTable:
    """All parts of a table. The devices outlive the daemon, as real ones do."""

    folder: Path
    broker: Broker
    shoe: Shoe
    keypad: Keypad
    daemon: Daemon

    @property
    def angel_eye(self) -> SimulatedAngelEye:
        """The shoe, where it is one that numbers its reports."""
        if not isinstance(self.shoe, SimulatedAngelEye):
            raise TypeError("another shoe stands at this table")
        return self.shoe

    @property
    def journal(self) -> Path:
        return self.folder / "journal.db"

    def records(self, after: int = 0) -> list[tuple[Record, AnyEvent, Stamp]]:
        """The journal so far, or its records above ``after``; the chain is checked on the way."""
        with SqliteReader.open(self.journal) as reader:
            return [(record, *decode_event(record.body)) for record in reader.records(after)]

    def messages(self) -> list[bytes]:
        """The stream so far, as the journal has it."""
        with SqliteReader.open(self.journal) as reader:
            return [message.body for message in reader.unchecked_messages()]

    def stream_head(self) -> int:
        """Sequence of the last durable message."""
        with SqliteReader.open(self.journal) as reader:
            return reader.stream_head

    def frames(self, device: str) -> int:
        """So many frames of this device the daemon has heard in this life, as its window shows it (each half
        second).
        """
        return read(ask(self.folder / "top", PATIENCE_S)).devices[device].frames_in

    def heard(self) -> int:
        """Sequence of the last message that whoever listens has taken."""
        raise AssertionError("nobody listens to this table")

    def wait_delivered(self) -> None:
        """Wait until whoever listens has everything that is durable now."""
        head = self.stream_head()

        def what() -> str:
            logs = "\n".join(log.read_text()[-3000:] for log in self.folder.glob("*.log"))
            return f"message {head} arrives, {self.heard()} did\n{logs}"

        def look() -> None:
            self.daemon.check()
            time.sleep(LOOK_S)

        until(lambda: self.heard() >= head, what, look)

    def close_down(self) -> int:
        """End the daemon when everything is told; its exit status.

        What it says of a loaded machine while it is waited for, its next life tells.
        """
        status = 0
        while True:
            self.wait_delivered()
            status = status or self.daemon.stop()
            if self.heard() >= self.stream_head():
                return status
            self.daemon.start()


@dataclass
class House(WholeTable):
    """A table that a settlement system of the test's own listens to."""

    settlement: Settlement

    def heard(self) -> int:
        return len(self.settlement.taken)


@dataclass
class BadHouse(WholeTable):
    """A table whose daemon and reference consumer each reach the broker over a bad network."""

    consumer: Consumer
    proxies: dict[str, FaultProxy]
    """Of the daemon, and of the consumer; they outlive the broker."""

    def heard(self) -> int:
        return self.consumer.cursor()


@contextmanager
def table(
    folder: Path,
    broker: Broker,
    shoe: Shoe,
    *given: Given,
    hosts: Sequence[str] | None = None,
    daemon: Callable[[Path, Sequence[str | Path]], Daemon] = Daemon,
    program: Sequence[str | Path] = (PROGRAM,),
) -> Iterator[WholeTable]:
    """A shoe, a keypad and a daemon that is not yet started; everything ends with the context. ``hosts``: the
    brokers that it is told instead of this one.
    """
    driver = "angel-eye" if isinstance(shoe, SimulatedAngelEye) else "bee-tek"
    devices = {"shoe": {"driver": driver, "port": f"{folder}/shoe"}}
    where = {"port": broker.port} if hosts is None else {"hosts": list(hosts)}
    mqtt = {**where, "consumers": [Consumer.NAME], "ack_timeout_s": 1}
    with ExitStack() as stack:
        stack.callback(shoe.stop)
        keypad = stack.enter_context(Keypad(folder / "keypad"))
        file = configured(folder, PANEL, {"mqtt": mqtt, "devices": devices}, *given)
        made = daemon(file, program)
        stack.callback(made.kill)
        yield WholeTable(folder, broker, shoe, keypad, made)


@contextmanager
def house(
    folder: Path,
    shoe: Shoe,
    *given: Given,
    broker: Broker | None = None,
    broker_runs: bool = True,
    login: tuple[str, str] | None = None,
) -> Iterator[House]:
    """A table without its daemon started, and a settlement system at its broker; what it has heard fits the
    schemas at the end.
    """
    with ExitStack() as stack:
        broker = broker or Broker(folder / "broker")
        if broker_runs:
            broker.start()
        stack.callback(broker.stop)
        made = stack.enter_context(table(folder, broker, shoe, *given))
        settlement = Settlement(broker.port, BASE, login=login)
        stack.callback(settlement.stop)
        yield House(**vars(made), settlement=settlement)
        check_bodies(settlement.taken)
        check_retained(settlement.retained)


@contextmanager
def bad_house(
    folder: Path,
    deal: Deal,
    *given: Given,
    again_s: float = 0.1,
    tls: bool = False,
    daemon: Callable[[Path, Sequence[str | Path]], Daemon] = Daemon,
    program: Sequence[str | Path] = (PROGRAM,),
) -> Iterator[BadHouse]:
    """A table at work. A shoe of baccarat says again after ``again_s`` what was not confirmed; others say
    everything once. ``tls``: at a broker as a floor runs it.
    """
    link = folder / "shoe"
    shoe = (
        SimulatedAngelEye(link, tries=1_000_000, answer_timeout_s=again_s)
        if deal.game == "baccarat"
        else SimulatedBeeTek(link)
    )
    with ExitStack() as stack:
        way = over_tls(folder / "broker") if tls else plain(folder / "broker")
        stack.callback(way.broker.stop)
        proxies = {name: FaultProxy(way.broker.port) for name in ("daemon", "consumer")}
        for proxy in proxies.values():
            stack.callback(proxy.stop)
        mqtt = {"port": proxies["daemon"].port, "keepalive_s": 5, **way.daemon}
        observed = {"mqtt": mqtt, "observe": {"socket": f"{folder}/top"}}
        made = table(
            folder, way.broker, shoe, deal.configuration, observed, *given, daemon=daemon, program=program
        )
        parts = vars(stack.enter_context(made))
        consumer = Consumer(folder, proxies["consumer"].port, way.consumer)
        stack.callback(consumer.kill)
        parts["daemon"].start()
        consumer.start()
        yield BadHouse(**parts, consumer=consumer, proxies=proxies)
