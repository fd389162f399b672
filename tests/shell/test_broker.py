"""The broker is no part of the game: absent, refusing or dead, the table plays on and loses nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.broker import BrokerSettings
from controller.vocabulary.errors import JournalError
from drivers.angel_eye.decode import card_bytes
from tests.harness.bench import PLACES, Bench, FullDisk, StoppedClock
from tests.harness.broker import Broker, password_file
from tests.harness.settlement import Settlement
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import Listener, ack

BASE = "dealer-table/v1/north/7"
PATIENCE_S = 60.0


class RunningClock(StoppedClock):
    """Time as it is: a broker keeps its own."""

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()


class Connected:
    """A bench whose publisher is at work on a real broker."""

    def __init__(self, broker: Broker, journal: SqliteJournal | None = None, **login: object) -> None:
        settings = BrokerSettings("north-7", port=broker.port, **login)  # type: ignore[arg-type]
        self.bench = Bench(journal, broker=settings, clock=RunningClock(), ack_timeout_s=1)
        self.bench.publisher.start(time.monotonic())

    def until(self, so: Callable[[], bool]) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not so():
            assert time.monotonic() < end_s, f"{self.bench.state.conditions}, {self.bench.publisher.counters}"
            self.bench.loop.step(0.05)

    @property
    def broker_says(self) -> str | None:
        """The table's own word on the broker."""
        condition = self.bench.state.conditions.get("broker")
        return None if condition is None else condition.message

    def delivered(self, settlement: Settlement) -> bool:
        return len(settlement.taken) == self.bench.head()

    def acknowledged(self) -> bool:
        return self.bench.publisher.counters.pending == 0


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    made = Broker(tmp_path / "broker")
    yield made
    made.stop()


@pytest.fixture
def settlement(broker: Broker) -> Iterator[Settlement]:
    heard = Settlement(broker.port, BASE)
    yield heard
    heard.stop()


def test_absent_at_the_start_it_is_told_later(broker: Broker, settlement: Settlement) -> None:
    table = Connected(broker)
    table.until(lambda: table.broker_says is not None)
    assert f"no broker at 127.0.0.1:{broker.port}" in (table.broker_says or "")
    table.bench.load()
    table.bench.play()
    assert table.bench.state.phase == "settled"
    broker.start()
    table.until(lambda: table.broker_says is None and table.delivered(settlement) and table.acknowledged())
    names = settlement.names()
    assert names[0] == "alert.raised"
    assert names[-1] == "alert.cleared"
    assert names.count("round.result") == 1
    assert settlement.late > 0
    assert settlement.wrong == []
    table.bench.publisher.stop()


def test_a_message_has_left_before_devices_are_answered_and_locks_are_set(broker: Broker) -> None:
    broker.start()
    table = Connected(broker)
    bench = table.bench
    table.until(lambda: bench.publisher.counters.listening)
    left: list[bool] = []

    def note(*_: object) -> None:
        left.append(bench.publisher._schedule.position == bench.journal.stream_head > 0)

    bench.panel.acknowledge = bench.shoe.acknowledge = note  # type: ignore[method-assign]
    bench.shoe.lock = bench.shoe.unlock = note  # type: ignore[method-assign]
    for line in ("SHOE 416", "OPEN", "CLOSE"):
        bench.type(line)
        bench.step()
    for code, hand in (("8S", "player"), ("5C", "banker")):
        bench.hear(bench.frame(b"D" + card_bytes(code, PLACES[hand], 1)))
    assert len(left) >= 6
    assert all(left)
    bench.publisher.stop()


def test_where_consumers_stand_is_kept_while_the_table_works(
    broker: Broker, settlement: Settlement, tmp_path: Path
) -> None:
    broker.start()
    with SqliteJournal.create(tmp_path / "table.db", epoch=5) as journal:
        table = Connected(broker, journal)
        table.bench.load()
        with SqliteReader.open(journal.path) as kept:
            table.until(lambda: kept.cursors() == {"settlement": journal.stream_head})
        table.bench.publisher.stop()


def test_what_a_dead_one_had_taken_is_told_again(broker: Broker, settlement: Settlement) -> None:
    broker.start()
    settlement.wait(lambda: settlement.subscribed > 0, "the subscription")
    table = Connected(broker)
    table.bench.load()
    table.bench.play()
    table.until(lambda: table.delivered(settlement) and table.acknowledged())
    broker.kill()
    table.until(lambda: table.broker_says is not None)
    table.bench.play()
    broker.forget()
    broker.start()
    table.until(lambda: table.broker_says is None and table.delivered(settlement) and table.acknowledged())
    assert settlement.names().count("round.result") == 2
    assert settlement.wrong == []
    assert settlement.display["phase"] == "settled"
    table.bench.publisher.stop()


def test_a_refused_login_is_said_in_words_and_play_goes_on(tmp_path: Path) -> None:
    users = password_file(tmp_path / "users", {"table": "right"})
    secret = tmp_path / "password"
    secret.write_text("wrong\n")
    broker = Broker(tmp_path / "broker", lines=[f"password_file {users}"], anonymous=False)
    broker.start()
    table = Connected(broker, username="table", password_file=secret)
    table.until(lambda: table.broker_says is not None)
    assert table.broker_says == "no broker: Not authorized"
    table.bench.load()
    table.bench.play()
    assert table.bench.state.phase == "settled"
    assert "wrong" not in str(table.bench.said())
    table.bench.publisher.stop()
    # Somebody mends the password; the next life tells everything.
    secret.write_text("right\n")
    settings = BrokerSettings("north-7", port=broker.port, username="table", password_file=secret)
    again = table.bench.again(broker=settings)
    again.publisher.start(time.monotonic())
    table.bench = again
    table.until(lambda: table.broker_says is None and again.publisher.counters.taken >= again.head())
    again.publisher.stop()
    broker.stop()


def test_a_refused_acknowledgement_is_an_alert_until_a_good_one_comes(
    broker: Broker, settlement: Settlement
) -> None:
    broker.start()
    settlement.wait(lambda: settlement.subscribed > 0, "the subscription")
    table = Connected(broker)
    table.bench.load()
    table.until(lambda: table.delivered(settlement) and table.acknowledged())
    settlement.say("acks/settlement", b'{"epoch": 5, "sequence": 1000}')
    table.until(lambda: "ack-settlement" in table.bench.state.conditions)
    assert "the stream does not reach there" in table.bench.state.conditions["ack-settlement"].message
    assert "dealer-table replace" in table.bench.state.conditions["ack-settlement"].message
    assert not table.bench.state.conditions["ack-settlement"].blocks_opening, "a wrong word stops no table"
    table.until(lambda: "ack-settlement" not in table.bench.state.conditions)
    table.until(lambda: table.delivered(settlement) and table.acknowledged())
    assert settlement.names()[-1] == "alert.cleared"
    table.bench.publisher.stop()


def test_a_consumer_that_holds_what_the_journal_has_lost_stops_the_next_opening(broker: Broker) -> None:
    broker.start()
    with Listener(broker) as consumer:
        consumer.say("acks/settlement", b'{"epoch": 5, "sequence": 1000}', retain=True)
        table = Connected(broker)
        table.until(lambda: "ack-settlement" in table.bench.state.conditions)
        assert table.bench.state.conditions["ack-settlement"].blocks_opening, (
            "the journal may have lost its end"
        )
        consumer.say("acks/settlement", b'{"epoch": 5, "sequence": 1}', retain=True)
        table.until(lambda: "ack-settlement" not in table.bench.state.conditions)
        table.bench.publisher.stop()


def test_a_consumer_that_holds_another_message_stops_the_next_opening_until_it_holds_ours(
    broker: Broker,
) -> None:
    broker.start()
    table = Connected(broker)
    table.bench.load()
    table.bench.play()
    head = table.bench.head()
    with Listener(broker) as consumer:
        table.until(lambda: table.bench.publisher.counters.listening)
        consumer.say("acks/settlement", ack(5, head, hash="0" * 64), retain=True)
        table.until(lambda: "witness-settlement" in table.bench.state.conditions)
        assert (table.bench.key("OPEN") or "").startswith("NO consumer settlement holds another message")
        ours = table.bench.journal.messages(head - 1, 1)[0].hash
        consumer.say("acks/settlement", ack(5, head, hash=ours), retain=True)
        table.until(lambda: "witness-settlement" not in table.bench.state.conditions)
        assert table.bench.key("OPEN") == "OK"
    table.bench.publisher.stop()


def test_a_journal_that_cannot_be_read_stops_the_next_opening_and_not_the_daemon(
    broker: Broker, settlement: Settlement, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.start()
    settlement.wait(lambda: settlement.subscribed > 0, "the subscription")
    table = Connected(broker)
    table.bench.load()
    table.until(lambda: table.delivered(settlement) and table.acknowledged())

    def broken(*_: object) -> None:
        raise JournalError("cannot read the journal: disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(table.bench.journal, "messages", broken)
        table.bench.play()
        table.until(lambda: "journal" in table.bench.state.conditions)
        assert (table.bench.key("OPEN") or "").startswith("NO what is to be sent cannot be read")
    table.until(lambda: "journal" not in table.bench.state.conditions)
    table.until(lambda: table.delivered(settlement) and table.acknowledged())
    assert settlement.wrong == []
    assert table.bench.key("OPEN") == "OK"
    table.bench.publisher.stop()


def test_numbers_for_another_round_are_refused(broker: Broker, settlement: Settlement) -> None:
    broker.start()
    settlement.wait(lambda: settlement.subscribed > 0, "the subscription")
    table = Connected(broker)
    table.bench.load()
    table.bench.open()
    table.until(lambda: table.acknowledged())
    expires = (datetime.now(UTC) + timedelta(seconds=60)).isoformat()
    ask = {"id": "a", "expires": expires, "hand": "hand1", "play": 1, "fold": 1, "round": "north-7-5-99"}
    settlement.say("commands/decisions", json.dumps(ask).encode())
    table.until(lambda: "replies/a" in settlement.retained)
    assert json.loads(settlement.retained["replies/a"])["error"]["code"] == "other_round"
    table.bench.publisher.stop()


def test_a_command_that_expired_while_the_disk_took_nothing_is_refused(
    broker: Broker, settlement: Settlement
) -> None:
    broker.start()
    settlement.wait(lambda: settlement.subscribed > 0, "the subscription")
    journal = scratch_journal(FullDisk)
    table = Connected(broker, journal)
    table.bench.load()
    table.until(lambda: table.acknowledged())
    journal.full = True
    table.bench.type("OPEN")
    expires = datetime.now(UTC) + timedelta(seconds=1)
    ask = {"id": "a", "expires": expires.isoformat(), "hand": "hand1", "play": 1, "fold": 1}
    settlement.say("commands/decisions", json.dumps(ask).encode())
    table.until(lambda: datetime.now(UTC) > expires)
    assert "replies/a" not in settlement.retained
    journal.full = False
    table.until(lambda: "replies/a" in settlement.retained)
    assert json.loads(settlement.retained["replies/a"])["error"]["code"] == "late"
    table.bench.publisher.stop()
