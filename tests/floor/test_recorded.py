"""Recorded tables say all that they are to say, and are gone then."""

from __future__ import annotations

import signal
from pathlib import Path

from controller.consumer.consumer import Consumer
from controller.consumer.store import MessageStore
from controller.outbox.broker import BrokerSettings
from controller.outbox.topics import topics_of
from tests.floor.material import SITE, table_names
from tests.floor.process import EPOCH, Tables
from tests.harness.broker import Broker
from tests.harness.process import until

COUNT = 5


def test_recorded_tables_end_when_all_is_acknowledged_and_say_where(broker: Broker, tmp_path: Path) -> None:
    [name] = table_names(1)
    words = ["--tables", "1", "--messages", str(COUNT), "--rounds", "36000"]
    tables = Tables(tmp_path, "tests.floor.recorded", [*words, "--hosts", f"{broker.host}:{broker.port}"])
    try:
        with MessageStore(tmp_path / "kept.db") as store:
            consumer = Consumer(
                name="recorder",
                topics=topics_of(SITE, name),
                broker=BrokerSettings("recorder", host=broker.host, port=broker.port),
                store=store,
                see=lambda _: None,
            )
            tables.wait_ready()

            def taken() -> bool:
                return store.cursor is not None and store.cursor.sequence == COUNT

            until(taken, lambda: (store.cursor, tables.last), lambda: consumer.step(0.05))
            running = tables._process
            running.send_signal(signal.SIGTERM)
            until(lambda: running.poll() is not None, lambda: tables.last, lambda: consumer.step(0.05))
            assert running.returncode == 0
            ends = tables.drain()
            consumer.stop()
            assert store.cursor is not None
            assert store.cursor.epoch == EPOCH
            assert ends == {name: (COUNT, store.cursor.hash)}
    finally:
        tables.kill()
