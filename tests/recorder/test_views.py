"""What a house asks of the record, answered by the views: told by tables that are talked to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from controller.consumer.store import Cursor, NotItsOwn, Taken
from controller.outbox.envelope import canonical_json
from controller.outbox.signature import Signer
from controller.outbox.topics import topics_of
from controller.recorder.batch import Batch
from controller.recorder.database import (
    Connection,
    RecordError,
    connect,
    forget,
    make_month,
    migrate,
    migrations,
    month_of,
    months,
)
from controller.recorder.settings import DatabaseKeys
from controller.recorder.stream import RecordedStream, places
from tests.harness.keys import SIGNER, by
from tests.harness.process import HOUSE
from tests.scenarios.conversation import Conversation, configuration_of

TABLE = "2-card-action layout=C shoe.unshuffled=off"
PAGE = HOUSE / "docs" / "how-to" / "record-a-floor.md"


class Record:
    """A database with the record of what one table said."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        migrate(connection)
        self.batch = Batch()
        place = ("north", "7")
        self.stream = RecordedStream(connection, self.batch, place, topics_of(*place), None)
        self.stream.begin(1, 0)
        self.stream.pin(SIGNER.key)
        self._heard = 0
        self._told = Conversation(configuration_of(TABLE))

    def say(self, text: str) -> None:
        """The table goes on, and is recorded."""
        self._told.say(text)
        self.take([by(SIGNER, canonical_json(message)) for message in self._told.stream[self._heard :]])
        self._heard = len(self._told.stream)

    def take(self, bodies: list[bytes]) -> None:
        outcomes = self.stream.take(bodies)
        assert all(isinstance(outcome, Taken) for outcome in outcomes), outcomes
        self.write()

    def write(self, now: datetime | None = None) -> None:
        self.batch.write(self.connection, now or datetime.now(UTC))
        self.batch.clear()
        self.stream.written()

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(query).fetchall()


@pytest.fixture
def record(url: str) -> Iterator[Record]:
    with closing(connect(DatabaseKeys(url), "test")) as connection:
        yield Record(connection)


def test_a_result_that_was_replaced_is_no_result(record: Record) -> None:
    record.say("SHOE 416; OPEN; CLOSE; 8S 5C")
    [(first, revision)] = record.ask("SELECT id, revision FROM dealer_table.results")
    assert revision == 1
    record.say("RETURN 5C; 5C; SETTLED; OPEN")
    [(second, revision, outcome)] = record.ask("SELECT id, revision, outcome FROM dealer_table.results")
    assert (revision, outcome["sum"]) == (2, 13)
    assert second != first
    assert record.ask(
        "SELECT state, result, revision FROM dealer_table.rounds ORDER BY opened_at, round"
    ) == [
        ("final", second, 2),
        ("running", None, None),
    ]


def test_a_result_that_was_taken_back_is_no_result(record: Record) -> None:
    record.say("SHOE 416; OPEN; CLOSE; 8S 5C; SETTLED")
    [(result,)] = record.ask("SELECT id FROM dealer_table.results")
    record.say("KEY 4711; VOID supervisor")
    assert record.ask("SELECT id FROM dealer_table.results") == []
    assert record.ask("SELECT reason, retracts, by FROM dealer_table.voids") == [
        ("supervisor", result, "4711")
    ]
    [(state, standing, reason)] = record.ask("SELECT state, result, void_reason FROM dealer_table.rounds")
    assert (state, standing, reason) == ("void", None, "supervisor")
    assert record.ask("SELECT * FROM dealer_table.hands_per_hour") == []


def test_hands_an_hour_are_settled_rounds_by_the_dealer(record: Record) -> None:
    record.say("SHOE 416; DEALER D1; OPEN; CLOSE; 8S 5C; SETTLED; OPEN; CLOSE; 9S 5H; SETTLED")
    record.say("DEALER D2; OPEN; CLOSE; 9H 5D; SETTLED; RETURN 5D; 5D; SETTLED")
    assert record.ask(
        'SELECT site, "table", hour, dealer, game, hands FROM dealer_table.hands_per_hour ORDER BY dealer'
    ) == [
        ("north", "7", datetime(2026, 1, 31, 20, tzinfo=UTC), "D1", "2-card-action", 2),
        ("north", "7", datetime(2026, 1, 31, 20, tzinfo=UTC), "D2", "2-card-action", 1),
    ]


def test_holds_have_their_evidence_and_their_end(record: Record) -> None:
    record.say("SHOE 416; OPEN; CLOSE; 8S; SETTLED")
    [(reason, evidence, ended, choice, is_open)] = record.ask(
        "SELECT reason, evidence, resumed_at, choice, open FROM dealer_table.holds"
    )
    assert (reason, ended, choice, is_open) == ("missing_card", None, None, True)
    assert evidence
    record.say("CLEAR continue")
    assert record.ask("SELECT waited_s, choice, by, open FROM dealer_table.holds") == [
        (0, "continue", "4711", False)
    ]


def test_shoes_and_alerts(record: Record) -> None:
    record.say("SHOE 416; OPEN; CLOSE; XX")
    assert record.ask("SELECT shoe, cards, expected, shuffled, reason FROM dealer_table.shoes") == [
        (1, 416, 416, True, "foreign_card")
    ]
    assert record.ask("SELECT alert, open, cleared_at FROM dealer_table.alerts WHERE open") == [
        ("shoe", True, None)
    ]
    record.say("SHOE 416")
    assert record.ask("SELECT * FROM dealer_table.alerts WHERE open") == []
    assert record.ask("SELECT shoe, ended_at IS NULL FROM dealer_table.shoes ORDER BY shoe") == [
        (1, False),
        (2, True),
    ]


def test_what_an_epoch_left_open_is_open_no_more(record: Record) -> None:
    record.say("SHOE 416; OPEN; CLOSE; 8S; SETTLED")
    record.stream.accept_epoch(2)
    record.write()
    assert record.ask("SELECT open FROM dealer_table.holds") == [(False,)]
    assert record.ask("SELECT epoch, place FROM dealer_table.tables") == [(2, 0)]


def test_a_head_that_was_not_reached_is_a_gap_and_missing(record: Record) -> None:
    record.say("SHOE 416")
    cursor = record.stream.cursor
    assert cursor is not None
    record.batch.head(("north", "7"), cursor, cursor.sequence + 5)
    record.write()
    assert record.ask("SELECT place, head, missing FROM dealer_table.tables") == [
        (cursor.sequence, cursor.sequence + 5, 5)
    ]
    assert record.ask("SELECT first, last FROM dealer_table.gaps") == [
        (cursor.sequence + 1, cursor.sequence + 5)
    ]


def test_a_text_that_json_of_the_database_has_not_is_kept_as_it_came(record: Record) -> None:
    record.say("SHOE 416; OPEN")
    told = dict(record._told.stream[-1])
    told["data"] = {**told["data"], "note": "a\0b\\u0000"}  # type: ignore[dict-item]
    cursor = record.stream.cursor
    assert cursor is not None
    told |= {"sequence": cursor.sequence + 1, "id": f"1-{cursor.sequence + 1}", "prevhash": cursor.hash}
    body = canonical_json(told)
    record.take([by(SIGNER, body)])
    [(raw, note)] = record.ask(
        "SELECT raw, body #>> '{data,note}' FROM dealer_table.messages ORDER BY sequence DESC LIMIT 1"
    )
    assert (raw, note) == (body, "a\ufffdb\\u0000")


def test_months_have_tables_and_go_when_nobody_wants_them(record: Record) -> None:
    now = datetime.now(UTC)
    record.stream.take([by(SIGNER, canonical_json(one)) for one in record._told.say("SHOE 416").messages])
    record.write(month_of(now) - timedelta(days=40))
    record._heard = len(record._told.stream)
    record.say("OPEN; CLOSE; 8S 5C")
    make_month(record.connection, month_of(now))
    [(before,)] = record.ask("SELECT count(*) FROM dealer_table.messages")
    record.connection.execute("UPDATE dealer_table.messages SET time = %s", (month_of(now),))
    assert forget(record.connection, 2, now) == []
    leapt = now.replace(year=now.year + 10)
    assert forget(record.connection, 2, leapt) == [], "by the tables' clocks it is the same year"
    assert len(months(record.connection)) == 2
    [dropped] = forget(record.connection, 1, now)
    assert dropped.startswith("messages_2")
    [(after,)] = record.ask("SELECT count(*) FROM dealer_table.messages")
    assert after < before
    assert record.ask("SELECT * FROM dealer_table.gaps") == []


def test_each_migration_has_a_number_of_its_own() -> None:
    numbers = [name.partition("_")[0] for name in migrations()]
    assert len(numbers) == len(set(numbers))


def test_what_another_key_signed_is_not_recorded_nor_after_a_restart(record: Record) -> None:
    record.say("SHOE 416")
    place = ("north", "7")
    [(cursor, _)] = places(record.connection, ["north"]).values()
    assert cursor == record.stream.cursor
    again = RecordedStream(record.connection, record.batch, place, topics_of(*place), cursor)
    record._told.say("OPEN")
    bodies = [canonical_json(one) for one in record._told.stream[record._heard :]]
    thief = Signer(bytes(32))
    for refused in (bodies, [by(thief, body) for body in bodies]):
        assert all(isinstance(one, NotItsOwn) for one in again.take(refused))
    assert all(isinstance(one, Taken) for one in again.take([by(SIGNER, body) for body in bodies]))


def test_two_that_write_the_same_stream_are_noticed(record: Record) -> None:
    record.say("SHOE 416")
    place, batch = ("north", "7"), Batch()
    other = RecordedStream(
        record.connection, batch, place, topics_of(*place), Cursor(1, 0, "0" * 64, SIGNER.key)
    )
    other.take([by(SIGNER, canonical_json(one)) for one in record._told.stream])
    with pytest.raises((RecordError, psycopg.errors.UniqueViolation)):
        batch.write(record.connection, datetime.now(UTC))


@pytest.mark.parametrize("query", re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL))
def test_the_question_of_the_page_have_answers(record: Record, query: str) -> None:
    record.say("SHOE 416; DEALER D1; OPEN; CLOSE; 8S 5C; SETTLED; OPEN; CLOSE; XX")
    with record.connection.transaction(force_rollback=True):
        record.connection.execute(query)
