"""The broker is no part of the game: absent, refusing or dead, the table plays on and loses nothing."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.broker import BrokerSettings
from controller.outbox.commands import PER_MINUTE
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import TableConfigured
from drivers.angel_eye.decode import card_bytes
from tests.harness.bench import PLACES, UNNUMBERED, Bench, FullDisk, StoppedClock, configured
from tests.harness.broker import Broker, password_file
from tests.harness.process import until
from tests.harness.settlement import Settlement
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import Listener, ack

BASE = "dealer-table/v1/north/7"


class RunningClock(StoppedClock):
    """Time as it is: a broker keeps its own."""

    def monotonic_ns(self) -> int:
        return time.monotonic_ns()


class Connected:
    """A bench whose publisher is at work on a real broker."""

    def __init__(
        self,
        broker: Broker,
        journal: SqliteJournal | None = None,
        configuration: TableConfigured | None = None,
        **login: object,
    ) -> None:
        settings = BrokerSettings("north-7", port=broker.port, **login)  # type: ignore[arg-type]
        self.bench = Bench(
            journal, configuration=configuration, broker=settings, clock=RunningClock(), ack_timeout_s=1
        )
        self.bench.publisher.start(time.monotonic())

    def until(self, so: Callable[[], bool]) -> None:
        bench = self.bench
        until(so, lambda: (bench.state.conditions, bench.publisher.counters), lambda: bench.loop.step(0.05))

    @property
    def broker_says(self) -> str | None:
        """The table's own word on the broker."""
        condition = self.bench.state.conditions.get("broker")
        return None if condition is None else condition.message

    def delivered(self, settlement: Settlement) -> bool:
        """Everything has been taken and acknowledged."""
        return len(settlement.taken) == self.bench.head() and self.bench.publisher.counters.pending == 0


@contextmanager
def connected(broker: Broker, journal: SqliteJournal | None = None, **login: Any) -> Iterator[Connected]:
    made = Connected(broker, journal, **login)
    yield made
    made.bench.publisher.stop()


@pytest.fixture
def settlement(absent_broker: Broker) -> Iterator[Settlement]:
    heard = Settlement(absent_broker.port, BASE)
    yield heard
    heard.stop()


@pytest.fixture
def disk() -> FullDisk:
    return scratch_journal(FullDisk)


@pytest.fixture
def table(broker: Broker, settlement: Settlement, disk: FullDisk) -> Iterator[Connected]:
    """At work, with a good shoe; the settlement system has all that was said."""
    settlement.wait(lambda: settlement.subscribed > 0, "the subscription")
    with connected(broker, disk) as made:
        made.bench.load()
        made.until(lambda: made.delivered(settlement))
        yield made


def test_absent_at_the_start_it_is_told_later(absent_broker: Broker, settlement: Settlement) -> None:
    with connected(absent_broker) as table:
        table.until(lambda: table.broker_says is not None)
        assert f"nothing answers at 127.0.0.1:{absent_broker.port}" in (table.broker_says or "")
        table.bench.load()
        table.bench.play()
        assert table.bench.state.phase == "settled"
        absent_broker.start()
        table.until(lambda: table.broker_says is None and table.delivered(settlement))
        table.until(lambda: settlement.names()[-1] == "alert.cleared")  # nobody may have listened first
    names = settlement.names()
    assert names[0] == "alert.raised"
    assert names.count("round.result") == 1
    assert settlement.late > 0
    assert settlement.wrong == []


def test_a_broker_that_is_lost_and_found_stands_in_the_log(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    """72 seconds without one were a single line once."""
    caplog.set_level(logging.INFO)
    with connected(broker) as table:
        table.until(lambda: table.bench.publisher.counters.connected)
        for life in (1, 2):
            broker.kill()
            table.until(lambda: table.broker_says is not None)
            broker.start()
            table.until(lambda life=life: table.bench.publisher.counters.connections > life)
            table.until(lambda: table.broker_says is None)
    told = [line for line in caplog.messages if "broker" in line]
    found = [line for line in told if line.startswith("the broker let us in, MQTT 5")]
    assert len(found) == 3
    assert len([line for line in told if "no broker" in line]) >= 2, "and again where the reason is another"


def test_a_message_has_left_before_devices_are_answered_and_locks_are_set(table: Connected) -> None:
    bench = table.bench
    left: list[bool] = []

    def note(*_: object) -> None:
        left.append(bench.publisher._schedule.position == bench.journal.stream_head > 0)

    bench.panel.acknowledge = bench.shoe.acknowledge = note  # type: ignore[assignment,method-assign]
    bench.shoe.lock = bench.shoe.unlock = note  # type: ignore[method-assign]
    for line in ("OPEN", "CLOSE"):
        bench.type(line)
        bench.step()
    for code, hand in (("8S", "player"), ("5C", "banker")):
        bench.hear(bench.frame(b"D" + card_bytes(code, PLACES[hand], 1)))
    bench.type("HOLD")
    bench.step()
    assert len(left) >= 6
    assert all(left)


def test_where_consumers_stand_is_kept_while_the_table_works(table: Connected) -> None:
    table.bench.play()
    with SqliteReader.open(table.bench.journal.path) as kept:
        table.until(lambda: kept.cursors() == {"settlement": table.bench.head()})


def test_what_a_dead_one_had_taken_is_told_again(
    broker: Broker, settlement: Settlement, table: Connected
) -> None:
    table.bench.play()
    table.until(lambda: table.delivered(settlement))
    broker.kill()
    table.until(lambda: table.broker_says is not None)
    table.bench.play()
    broker.forget()
    broker.start()
    table.until(lambda: table.broker_says is None and table.delivered(settlement))
    assert settlement.names().count("round.result") == 2
    assert settlement.wrong == []
    assert settlement.display["phase"] == "settled"


def test_a_refused_login_is_said_in_words_and_play_goes_on(tmp_path: Path) -> None:
    users = password_file(tmp_path / "users", {"table": "right"})
    secret = tmp_path / "password"
    secret.write_text("wrong\n")
    broker = Broker(tmp_path / "broker", lines=[f"password_file {users}"], anonymous=False)
    broker.start()
    with connected(broker, username="table", password_file=secret) as table:
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
        again = table.bench = table.bench.again(broker=settings)
        again.publisher.start(time.monotonic())
        table.until(lambda: table.broker_says is None and again.publisher.counters.taken >= again.head())
    broker.stop()


def test_a_refused_acknowledgement_is_an_alert_until_a_good_one_comes(
    settlement: Settlement, table: Connected
) -> None:
    settlement.say("acks/settlement", b'{"epoch": 5, "sequence": 1000}')
    table.until(lambda: "ack-settlement" in table.bench.state.conditions)
    told = table.bench.state.conditions["ack-settlement"]
    assert "the stream does not reach there" in told.message
    assert "dealer-table replace" in told.message
    assert not told.blocks_opening, "a wrong word stops no table"
    table.until(lambda: "ack-settlement" not in table.bench.state.conditions)
    table.until(lambda: table.delivered(settlement))
    assert settlement.names()[-1] == "alert.cleared"


def test_a_consumer_that_holds_what_the_journal_has_lost_stops_the_next_opening(broker: Broker) -> None:
    with Listener(broker) as consumer:
        consumer.say("acks/settlement", b'{"epoch": 5, "sequence": 1000}', retain=True)
        with connected(broker) as table:
            table.until(lambda: "ack-settlement" in table.bench.state.conditions)
            told = table.bench.state.conditions["ack-settlement"]
            assert told.blocks_opening, "the journal may have lost its end"
            consumer.say("acks/settlement", b'{"epoch": 5, "sequence": 1}', retain=True)
            table.until(lambda: "ack-settlement" not in table.bench.state.conditions)


def test_a_consumer_that_holds_another_message_stops_the_next_opening_until_it_holds_ours(
    broker: Broker,
) -> None:
    with connected(broker) as table, Listener(broker) as consumer:
        table.bench.load()
        table.bench.play()
        head = table.bench.head()
        table.until(lambda: table.bench.publisher.counters.listening)
        consumer.say("acks/settlement", ack(5, head, hash="0" * 64), retain=True)
        table.until(lambda: "witness-settlement" in table.bench.state.conditions)
        assert (table.bench.key("OPEN") or "").startswith("NO consumer settlement holds another message")
        ours = table.bench.journal.messages(head - 1, 1)[0].hash
        consumer.say("acks/settlement", ack(5, head, hash=ours), retain=True)
        table.until(lambda: "witness-settlement" not in table.bench.state.conditions)
        assert table.bench.key("OPEN") == "OK"


def test_a_journal_that_cannot_be_read_stops_the_next_opening_and_not_the_daemon(
    settlement: Settlement, table: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise JournalError("cannot read the journal: disk I/O error")

    with monkeypatch.context() as patched:
        patched.setattr(table.bench.journal, "messages", broken)
        table.bench.play()
        table.until(lambda: "journal" in table.bench.state.conditions)
        assert (table.bench.key("OPEN") or "").startswith("NO what is to be sent cannot be read")
    table.until(lambda: "journal" not in table.bench.state.conditions)
    table.until(lambda: table.delivered(settlement))
    assert settlement.wrong == []
    assert table.bench.key("OPEN") == "OK"


def ask(settlement: Settlement, expires: datetime, **more: str) -> None:
    """The numbers of the decisions, as a command."""
    numbers = {"id": "a", "expires": expires.isoformat(), "hand": "hand1", "play": 1, "fold": 1, **more}
    settlement.say("commands/decisions", json.dumps(numbers).encode())


def test_numbers_for_another_round_are_refused(settlement: Settlement, table: Connected) -> None:
    table.bench.open()
    ask(settlement, datetime.now(UTC) + timedelta(seconds=60), round="north-7-5-99")
    table.until(lambda: "replies/a" in settlement.retained)
    assert json.loads(settlement.retained["replies/a"])["error"]["code"] == "other_round"


def test_a_flood_of_numbers_fills_no_record(settlement: Settlement, table: Connected) -> None:
    """Who may say them wrote 10 kB a second into the journal of any table once."""
    table.bench.open()
    table.until(lambda: table.bench.publisher.counters.listening and table.delivered(settlement))
    journal = table.bench.journal
    before = journal.record_head
    for number in range(10 * PER_MINUTE["decisions"]):
        ask(settlement, datetime.now(UTC) + timedelta(seconds=60), id=f"flood-{number}")
    settlement.say("acks/nobody", ack(5, 1))  # behind all of it
    table.until(lambda: "ack-nobody" in table.bench.state.conditions)
    assert sum(len(record.body) for record in journal.unchecked_records(before, 10_000)) < 2000


def answered(settlement: Settlement, table: Connected, reply: str, *seats: int) -> Any:
    """The answer to the command ``seats``: true, or the code of the refusal."""
    expires = datetime.now(UTC) + timedelta(seconds=60)
    command = {"id": reply, "expires": expires.isoformat(), "seats": seats}
    table.until(lambda: table.bench.publisher.counters.listening)  # nobody keeps a command for who does not
    settlement.say("commands/seats", json.dumps(command).encode())
    table.until(lambda: f"replies/{reply}" in settlement.retained)
    told = json.loads(settlement.retained[f"replies/{reply}"])
    return told["ok"] or told["error"]["code"]


def test_the_panel_says_which_seats_play(settlement: Settlement, table: Connected) -> None:
    table.bench.open()
    assert answered(settlement, table, "s", 1) == "seats_from_panel"


def test_the_settlement_system_says_which_seats_play_where_the_house_has_it_so(
    settlement: Settlement, broker: Broker
) -> None:
    game = {"name": "two-cards-high", "seats": 5, "seats_from": "wagering"}
    with connected(broker, configuration=configured(game=game, devices=UNNUMBERED)) as table:
        bench = table.bench
        assert [bench.key("SHOE 40"), bench.key("OPEN")] == ["OK", "OK"]
        assert bench.key("SEATS 1") == "NO the settlement system says which seats play"
        assert answered(settlement, table, "a", 5, 2) is True
        assert answered(settlement, table, "b") == "bad_seats"
        assert answered(settlement, table, "c", 6) == "bad_seats"
        assert bench.key("CLOSE") == "OK"
        assert answered(settlement, table, "d", 1) == "seats_late"
        assert bench.state.seats_dealt == (2, 5)


def test_a_command_that_expired_while_the_disk_took_nothing_is_refused(
    settlement: Settlement, table: Connected, disk: FullDisk
) -> None:
    disk.full = True
    table.bench.type("OPEN")
    expires = datetime.now(UTC) + timedelta(seconds=1)
    ask(settlement, expires)
    table.until(lambda: datetime.now(UTC) > expires)
    assert "replies/a" not in settlement.retained
    disk.full = False
    table.until(lambda: "replies/a" in settlement.retained)
    assert json.loads(settlement.retained["replies/a"])["error"]["code"] == "late"
