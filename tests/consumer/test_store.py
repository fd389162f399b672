"""What a consumer keeps: each message once, in order; real files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.consumer.store import (
    Cursor,
    Differs,
    Disagrees,
    Gap,
    MessageStore,
    NotAMessage,
    OtherEpoch,
    Outcome,
    Repeated,
    StoreError,
    Taken,
)
from controller.outbox.envelope import message_hash, read_envelope, sent_late
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import write


def stream(count: int, epoch: int = 5) -> list[bytes]:
    journal = scratch_journal(epoch=epoch)
    write(journal, count)
    return [message.body for message in journal.messages(0, count)]


def kinds(outcomes: list[Outcome]) -> list[type[Outcome]]:
    return [type(outcome) for outcome in outcomes]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[MessageStore]:
    with MessageStore(tmp_path / "kept.db") as made:
        yield made


def test_takes_nothing_before_it_knows_where_to_begin(store: MessageStore) -> None:
    assert store.take(stream(2)) == []
    assert store.cursor is None


def test_keeps_each_message_once_and_in_order(store: MessageStore) -> None:
    bodies = stream(4)
    store.begin(5, 0)
    outcomes = store.take([bodies[0], bodies[0], bodies[2], bodies[1], bodies[2]])
    assert kinds(outcomes) == [Taken, Repeated, Gap, Taken, Taken]
    assert store.take([bodies[1], bodies[3]])[0] == Repeated(5, 2)
    assert list(store.messages(5)) == bodies
    assert list(store.messages(5, after=2)) == bodies[2:]


def test_begins_where_it_is_told_and_only_once(store: MessageStore) -> None:
    bodies = stream(4)
    store.begin(5, 2)
    store.begin(5, 0)
    assert kinds(store.take(bodies)) == [Repeated, Repeated, Taken, Taken]
    assert list(store.messages(5)) == bodies[2:]
    assert store.cursor == Cursor(5, 4, message_hash(bodies[3]))


def test_what_was_sent_late_is_the_same_message(store: MessageStore) -> None:
    bodies = stream(2)
    store.begin(5, 0)
    outcomes = store.take([sent_late(bodies[0]), bodies[0], sent_late(bodies[1])])
    assert kinds(outcomes) == [Taken, Repeated, Taken]
    assert list(store.messages(5)) == bodies


def test_a_gap_says_what_is_expected(store: MessageStore) -> None:
    store.begin(5, 0)
    assert store.take(stream(3)[2:]) == [Gap(expected=1, came=3)]


def test_what_does_not_follow_is_not_taken(store: MessageStore) -> None:
    bodies = stream(2)
    other = scratch_journal()
    write(other, 1, b"x")
    store.begin(5, 0)
    store.take(bodies[:1])
    changed = bodies[1].replace(message_hash(bodies[0]).encode(), b"f" * 64)
    assert store.take([changed]) == [Disagrees(2, "f" * 64, message_hash(bodies[0]))]
    assert kinds(store.take([bodies[1]])) == [Taken]


def test_another_message_under_a_number_that_is_here_is_an_alarm_and_no_repeat(store: MessageStore) -> None:
    """A table that was put back from an old copy, or a record that was changed, says a number anew."""
    bodies = stream(3)
    store.begin(5, 1)
    changed = bodies[1].replace(b'"number":2', b'"number":7')
    expected = Differs(2, message_hash(changed), message_hash(bodies[1]))
    assert store.take([bodies[1], sent_late(changed)])[1] == expected
    assert store.take([changed, sent_late(bodies[1]), bodies[2]]) == [
        expected,
        Repeated(5, 2),
        Taken(read_envelope(bodies[2]), bodies[2]),
    ]
    assert store.take([bodies[0].replace(b'"number":1', b'"number":7')]) == [Repeated(5, 1)], "never held"
    assert list(store.messages(5)) == bodies[1:]


def test_another_epoch_is_an_alarm_until_somebody_accepts_it(store: MessageStore) -> None:
    store.begin(5, 0)
    store.take(stream(2))
    assert store.take(stream(1, epoch=6)) == [OtherEpoch(5, 6)]
    assert store.take(stream(1, epoch=4)) == [OtherEpoch(5, 4)]
    with pytest.raises(StoreError, match="not larger"):
        store.accept_epoch(4)
    store.accept_epoch(6)
    assert kinds(store.take(stream(1, epoch=6))) == [Taken]
    assert len(list(store.messages(5))) == 2


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b'{"data":' + b"[" * 4000])
def test_nonsense_is_not_taken(store: MessageStore, body: bytes) -> None:
    store.begin(5, 0)
    assert kinds(store.take([body])) == [NotAMessage]


def test_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    bodies = stream(3)
    with MessageStore(tmp_path / "kept.db") as store:
        store.begin(5, 0)
        store.take(bodies[:2])
    with MessageStore(tmp_path / "kept.db") as store:
        assert kinds(store.take(bodies)) == [Repeated, Repeated, Taken]


def test_a_file_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "odd.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(StoreError, match=r"odd\.db"):
        MessageStore(tmp_path / "odd.db")
    with pytest.raises(StoreError):
        MessageStore(tmp_path / "absent" / "kept.db")


def test_what_could_not_be_written_has_not_been_received(tmp_path: Path) -> None:
    bodies = stream(2)
    with MessageStore(tmp_path / "kept.db") as store:
        store.begin(5, 0)
        other = sqlite3.connect(tmp_path / "kept.db", isolation_level=None)
        store._connection.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            store.take(bodies)
        other.close()
        assert store.cursor == Cursor(5, 0, "0" * 64)
        assert kinds(store.take(bodies)) == [Taken, Taken]
