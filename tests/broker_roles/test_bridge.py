"""A table whose own broker is bridged to the floor's: the shipped configuration, two mosquittos."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.broker_roles.roles import SHIPPED, TABLE_USER, Floor, secret_of
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer
from tests.harness.house import BadHouse, table
from tests.harness.keys import as_hashed
from tests.harness.process import Consumer, until
from tests.harness.ways import consumer_at


def bridge_lines(floor: Floor, folder: Path) -> list[str]:
    """The shipped file with the floor of this test in it, and without the listener that the harness has."""
    text = (SHIPPED / "bridge.conf").read_text().replace("SITE/TABLE", TABLE_USER)
    certificate = floor.certificate()
    for was, now in (
        ("broker.floor.example:8883", f"127.0.0.1:{floor.broker.port}"),
        ("PASSWORD", secret_of(TABLE_USER)),
        ("/etc/mosquitto/certs/ca.crt", f"{folder}/floor/ca.crt"),
        ("/etc/mosquitto/certs/table.crt", str(certificate)),
        ("/etc/mosquitto/certs/table.key", str(certificate)),
    ):
        assert was in text
        text = text.replace(was, now)
    own = re.compile(r"(listener|allow_anonymous|set_tcp_nodelay|persistence) ")
    return [line for line in text.splitlines() if line and not line.startswith("#") and not own.match(line)]


@pytest.fixture
def house(tmp_path: Path) -> Iterator[BadHouse]:
    """The daemon at the broker of its unit, the reference consumer at that of the floor."""
    with ExitStack() as stack:
        floor = Floor(tmp_path / "floor")
        stack.callback(floor.stop)
        unit = stack.enter_context(Broker(tmp_path / "unit", lines=bridge_lines(floor, tmp_path)))
        shoe = SimulatedAngelEye(tmp_path / "shoe", tries=1_000_000)
        parts = vars(stack.enter_context(table(tmp_path, unit, shoe)))
        consumer = Consumer(tmp_path, floor.broker.port, consumer_at(floor))
        stack.callback(consumer.kill)
        consumer.start()
        parts["daemon"].start()
        yield BadHouse(**(parts | {"broker": floor.broker}), consumer=consumer, proxies={})


def test_what_a_table_says_reaches_the_floor_and_what_is_said_to_it_comes_back(house: BadHouse) -> None:
    dealer = Dealer(house, random.Random(7))
    dealer.load()
    assert dealer.round()
    head = house.stream_head()

    def acknowledged() -> bool:
        with SqliteReader.open(house.journal) as journal:
            return journal.cursors()["settlement"] >= head

    until(acknowledged, "the consumer's acknowledgement comes over the bridge")
    kept = house.consumer.kept()
    assert kept == [as_hashed(body) for body in house.messages()][: len(kept)]
    assert len(kept) >= head


def test_a_table_plays_on_while_the_floor_is_away_and_nothing_is_lost(house: BadHouse) -> None:
    dealer = Dealer(house, random.Random(7))
    dealer.load()
    assert dealer.round()
    house.wait_delivered()
    house.broker.stop()
    assert dealer.round()
    assert dealer.round()
    assert house.stream_head() > house.heard()
    house.broker.start()
    house.wait_delivered()
    told = house.consumer.told()
    assert told == sorted(set(told)) == list(range(1, house.stream_head() + 1))
