"""A floor of a thousand tables at a broker as it comes: nothing of it is missing on the board."""

from __future__ import annotations

import json
import queue
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from controller.board.asking import LOT, Asking
from controller.board.floor import filters_of
from controller.board.hub import Hub
from controller.board.source import Feed
from controller.board.watch import FloorWatch
from controller.outbox.broker import BrokerSettings
from tests.board.played import Publisher
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S

TABLES = [str(number) for number in range(1, 1001)]
ALERTS = ("broker", "disk")
STATUS = b'{"state": "online", "boot": 1, "version": "0", "digest": "0", "epoch": 1, "sequence": 9}'
DISPLAY = json.dumps({"game": "baccarat", "phase": "idle", "filling": "x" * 4000}).encode()


class Heard:
    """A feed and the board's memory, on the thread of the test."""

    def __init__(self, broker: Broker, *tables: str) -> None:
        self.hub = Hub(1)
        self.watch = FloorWatch(self.hub, "a build")
        self.complete = False
        self.came: Counter[str] = Counter()
        """Topics."""
        self._calls: queue.SimpleQueue[tuple[Callable[..., None], tuple[object, ...]]] = queue.SimpleQueue()
        settings = BrokerSettings(client_id="board", host=broker.host, port=broker.port)
        self.feed = Feed(
            settings, filters_of(tables), self.watch, lambda call, *said: self._calls.put((call, said))
        )

    def until(self, there: Callable[[], bool]) -> None:
        """Take in what comes until this is so."""
        while not there():
            call, said = self._calls.get(timeout=PATIENCE_S)
            call(*said)
            self.came[str(said[0]) if said else ""] += 1
            self.complete |= call == self.watch.complete

    def line(self, table: str) -> dict[str, object]:
        """What the floor page has of a table."""
        frame = self.hub.frames([f"floor/north/{table}"])
        line: dict[str, object] = json.loads(frame.partition(b"data: ")[2]) if frame else {}
        return line

    def whole(self, table: str) -> bool:
        line = self.line(table)
        return bool(line.get("known")) and len(line["alerts"]) == len(ALERTS)  # type: ignore[arg-type] # JSON


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """With its default: 1,000 messages are queued for a client, and no more."""
    with Broker(tmp_path_factory.mktemp("broker"), lines=["persistence false"]) as running:
        publisher = Publisher(running.port)
        for table in TABLES:
            base = f"dealer-table/v1/north/{table}"
            publisher.send(f"{base}/status", STATUS)
            publisher.send(f"{base}/display", DISPLAY)
            for alert in ALERTS:
                publisher.send(f"{base}/alerts/{alert}", json.dumps({"id": alert, "code": alert}).encode())
        publisher.retain("dealer-table/v1/south/1/status", b"")  # behind all of it
        publisher.close()
        yield running


@pytest.fixture
def heard(broker: Broker) -> Iterator[Heard]:
    made = Heard(broker)
    made.feed.start()
    yield made
    made.feed.stop()


def test_a_floor_of_a_thousand_tables_is_whole_at_a_broker_with_its_defaults(heard: Heard) -> None:
    heard.until(lambda: heard.complete)
    assert [table for table in TABLES if not heard.whole(table)] == []
    assert heard.watch.alive


def test_what_is_said_later_is_heard_though_it_was_asked_for_by_name(heard: Heard, broker: Broker) -> None:
    heard.until(lambda: heard.complete)
    publisher = Publisher(broker.port)
    publisher.retain("dealer-table/v1/north/1/display", DISPLAY.replace(b"idle", b"betting"))
    publisher.retain("dealer-table/v1/north/1000/display", DISPLAY.replace(b"idle", b"betting"))
    publisher.close()
    heard.until(lambda: [heard.line(table)["phase"] for table in ("1", "1000")] == ["betting"] * 2)


def test_a_table_that_shows_nothing_yet_is_heard_by_its_name_from_then_on(broker: Broker) -> None:
    publisher, base = Publisher(broker.port), "dealer-table/v1/east/7"
    publisher.retain(f"{base}/status", STATUS)
    made = Heard(broker, "east/7")
    made.feed.start()
    # It is retained, so it comes with each subscription: the second is the one for what was not shown.
    made.until(lambda: made.came[f"{base}/status"] == 2)
    for told in range(20):  # more than the answers that the feed waits for meanwhile
        publisher.retain(f"{base}/display", DISPLAY.replace(b"idle", b"phase%d" % told))
        made.until(lambda: b'"phase%d"' % told in made.hub.frames(["floor/east/7"]))  # noqa: B023 # called here
    made.feed.stop()
    publisher.close()


def names(tables: int, *kinds: str) -> list[str]:
    return [f"dealer-table/v1/north/{table}/{kind}" for table in range(tables) for kind in kinds]


def asked(asking: Asking, ask: Callable[[], tuple[str, ...]]) -> list[tuple[str, ...]]:
    """All parts until none is left."""
    return list(iter(ask, ()))


def test_who_is_there_is_asked_first_then_what_they_show_then_each_of_many_by_name() -> None:
    asking = Asking(filters_of([]))
    first, then = asking.next(), asking.next()
    assert {name.rpartition("/")[2] for name in first} == {"status"}
    assert sorted([*first, *then]) == sorted(filters_of([]))
    for topic in names(2 * LOT + 1, "status"):
        asking.heard(topic)
    lots = asked(asking, asking.next)
    assert [len(lot) for lot in lots] == [5 * LOT, 5 * LOT, 5]
    assert {name for lot in lots for name in lot} == set(
        names(2 * LOT + 1, "status", "display", "result", "chat", "alerts/+")
    )


@pytest.mark.parametrize(("tables", "filters"), [(LOT, []), (1, ["north/7"])])
def test_few_tables_are_not_asked_for_twice(tables: int, filters: list[str]) -> None:
    asking = Asking(filters_of(filters))
    for topic in names(tables, "status", "display"):
        asking.heard(topic)
    parts = asked(asking, asking.next)
    assert sorted(name for part in parts for name in part) == sorted(filters_of(filters))
    assert asking.late() == ()


def test_a_table_that_says_how_it_is_and_shows_nothing_is_asked_once_more() -> None:
    asking = Asking(filters_of(["north/+"]))
    asked(asking, asking.next)
    for topic in (*names(3, "status"), *names(2, "display"), "dealer-table/v1/north/9/test/display"):
        asking.heard(topic)
    late = asking.late()
    assert {name.rpartition("/")[0] for name in late if name.endswith(("status", "display"))} == {
        "dealer-table/v1/north/2",
        "dealer-table/v1/north/9/test",
    }
    assert asking.late() == ()
