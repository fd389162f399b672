"""What a consumer keeps: each message once, in order; real files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.consumer.store import (
    Cursor,
    Differs,
    Disagrees,
    Gap,
    MessageStore,
    NoKey,
    NotAMessage,
    NotItsOwn,
    OtherEpoch,
    Outcome,
    Repeated,
    StoreError,
    Taken,
)
from controller.outbox.envelope import canonical, envelope, first_head, message_hash, read_envelope, sent_late
from controller.outbox.signature import Signer
from tests.harness.keys import SIGNER, by
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import write


def stream(count: int, epoch: int = 5) -> list[bytes]:
    journal = scratch_journal(epoch=epoch)
    write(journal, count)
    return [by(SIGNER, message.body) for message in journal.messages(0, count)]


def changed(body: bytes, old: bytes, new: bytes) -> bytes:
    """Another message in its place, by the table itself."""
    return by(SIGNER, canonical(body).replace(old, new))


def hash_of(body: bytes) -> str:
    return message_hash(canonical(body))


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
    store.pin(SIGNER.key)
    outcomes = store.take([bodies[0], bodies[0], bodies[2], bodies[1], bodies[2]])
    assert kinds(outcomes) == [Taken, Repeated, Gap, Taken, Taken]
    assert store.take([bodies[1], bodies[3]])[0] == Repeated(5, 2)
    assert list(store.messages(5)) == bodies
    assert list(store.messages(5, after=2)) == bodies[2:]


def test_a_flood_of_repeats_is_compared_with_one_question(store: MessageStore) -> None:
    bodies = stream(200)
    store.begin(5, 0)
    store.pin(SIGNER.key)
    store.take(bodies[:190])
    asked: list[str] = []
    store._connection.set_trace_callback(asked.append)
    outcomes = store.take([*bodies, *bodies])
    assert kinds(outcomes) == [Repeated] * 190 + [Taken] * 10 + [Repeated] * 200
    assert [line for line in asked if line.startswith("SELECT sequence")] == asked[:1]


def test_begins_where_it_is_told_and_only_once(store: MessageStore) -> None:
    bodies = stream(4)
    store.begin(5, 2)
    store.begin(5, 0)
    store.pin(SIGNER.key)
    assert kinds(store.take(bodies)) == [Repeated, Repeated, Taken, Taken]
    assert list(store.messages(5)) == bodies[2:]
    assert store.cursor == Cursor(5, 4, hash_of(bodies[3]), SIGNER.key)


def test_what_was_sent_late_is_the_same_message(store: MessageStore) -> None:
    bodies = stream(2)
    store.begin(5, 0)
    store.pin(SIGNER.key)
    outcomes = store.take([sent_late(bodies[0]), bodies[0], sent_late(bodies[1])])
    assert kinds(outcomes) == [Taken, Repeated, Taken]
    assert list(store.messages(5)) == bodies


def test_a_gap_says_what_is_expected(store: MessageStore) -> None:
    store.begin(5, 0)
    store.pin(SIGNER.key)
    assert store.take(stream(3)[2:]) == [Gap(expected=1, came=3)]


def test_what_does_not_follow_is_not_taken(store: MessageStore) -> None:
    bodies = stream(2)
    other = scratch_journal()
    write(other, 1, b"x")
    store.begin(5, 0)
    store.pin(SIGNER.key)
    store.take(bodies[:1])
    broken = changed(bodies[1], hash_of(bodies[0]).encode(), b"f" * 64)
    assert store.take([broken]) == [Disagrees(2, "f" * 64, hash_of(bodies[0]))]
    assert kinds(store.take([bodies[1]])) == [Taken]


def test_another_message_under_a_number_that_is_here_is_an_alarm_and_no_repeat(store: MessageStore) -> None:
    """A table that was put back from an old copy, or a record that was changed, says a number anew."""
    bodies = stream(3)
    store.begin(5, 1)
    store.pin(SIGNER.key)
    anew = changed(bodies[1], b'"number":2', b'"number":7')
    expected = Differs(2, hash_of(anew), hash_of(bodies[1]))
    assert store.take([bodies[1], sent_late(anew)])[1] == expected
    assert store.take([anew, sent_late(bodies[1]), bodies[2]]) == [
        expected,
        Repeated(5, 2),
        Taken(read_envelope(bodies[2]), canonical(bodies[2]), bodies[2]),
    ]
    assert store.take([changed(bodies[0], b'"number":1', b'"number":7')]) == [Repeated(5, 1)], "never held"
    assert list(store.messages(5)) == bodies[1:]


def test_another_epoch_is_an_alarm_until_somebody_accepts_it(store: MessageStore) -> None:
    store.begin(5, 0)
    store.pin(SIGNER.key)
    store.take(stream(2))
    assert store.take(stream(1, epoch=6)) == [OtherEpoch(5, 6)]
    assert store.take(stream(1, epoch=4)) == [OtherEpoch(5, 4)]
    with pytest.raises(StoreError, match="not larger"):
        store.accept_epoch(4)
    store.accept_epoch(6)
    assert kinds(store.take(stream(1, epoch=6))) == [NoKey]
    store.pin(SIGNER.key)
    assert kinds(store.take(stream(1, epoch=6))) == [Taken]
    assert len(list(store.messages(5))) == 2


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b'{"data":' + b"[" * 4000])
def test_nonsense_is_not_taken(store: MessageStore, body: bytes) -> None:
    store.begin(5, 0)
    store.pin(SIGNER.key)
    assert kinds(store.take([body])) == [NotAMessage]


def test_goes_on_where_it_was_after_a_restart(tmp_path: Path) -> None:
    bodies = stream(3)
    with MessageStore(tmp_path / "kept.db") as store:
        store.begin(5, 0)
        store.pin(SIGNER.key)
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
        store.pin(SIGNER.key)
        other = sqlite3.connect(tmp_path / "kept.db", isolation_level=None)
        store._connection.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match="locked"):
            store.take(bodies)
        other.close()
        assert store.cursor == Cursor(5, 0, "0" * 64, SIGNER.key)
        assert kinds(store.take(bodies)) == [Taken, Taken]


def test_what_the_pinned_key_did_not_sign_is_refused_and_never_taken(store: MessageStore) -> None:
    bodies, thief = stream(3), Signer(bytes(32))
    store.begin(5, 0)
    assert kinds(store.take(bodies)) == [NoKey] * 3, "nobody has said whose messages these should be"
    store.pin(SIGNER.key)
    unsigned = canonical(bodies[0])
    theirs = by(thief, unsigned)
    bent = bodies[0].replace(b'"number":1', b'"number":7')
    outcomes = store.take([unsigned, theirs, bent])
    assert [outcome.code for outcome in outcomes if isinstance(outcome, NotItsOwn)] == [
        "unsigned",
        "other_key",
        "forged",
    ]
    assert kinds(store.take([bodies[0], theirs, bodies[1]])) == [Taken, NotItsOwn, Taken]
    store.pin(thief.key)  # a person accepted it
    assert kinds(store.take([bodies[2], by(thief, canonical(bodies[2]))])) == [NotItsOwn, Taken]


def test_a_first_message_that_brings_its_own_key_changes_no_pinned_one(store: MessageStore) -> None:
    thief = Signer(bytes(32))
    said = {"previous": 4, "last_acknowledged": {}, "round": None, "by": "S1", "note": None}
    about: dict[str, Any] = {"source": "/dealer-table/north/7", "mode": "live", "subject": None}
    about |= {"time": "2026-01-31T20:15:00Z", "data": {**said, "public_key": thief.key}}
    first = envelope(first_head(5), name="epoch.started", **about)
    store.begin(5, 0)
    store.pin(SIGNER.key)
    assert kinds(store.take([by(thief, first)])) == [NotItsOwn]


def test_the_first_message_of_a_new_epoch_introduces_its_key(tmp_path: Path) -> None:
    new, thief = Signer(bytes(31) + b"n"), Signer(bytes(32))
    said = {"previous": 5, "last_acknowledged": {}, "round": None, "by": "S1", "note": None}
    about: dict[str, Any] = {"source": "/dealer-table/north/7", "mode": "live", "subject": None}
    about["time"] = "2026-01-31T20:15:00Z"
    first = envelope(first_head(6), name="epoch.started", data={**said, "public_key": new.key}, **about)
    second = envelope(first_head(6).after(first), name="table.opened", data={"by": "S1"}, **about)
    with MessageStore(tmp_path / "kept.db") as store:
        store.begin(5, 0)
        store.pin(SIGNER.key)
        assert kinds(store.take([by(new, first)])) == [OtherEpoch]
        store.accept_epoch(6)
        assert kinds(store.take([by(thief, first)])) == [NotItsOwn]
        assert kinds(store.take([by(new, first), by(thief, second)])) == [Taken, NotItsOwn]
    with MessageStore(tmp_path / "kept.db") as store:
        assert store.cursor is not None
        assert store.cursor.key == new.key
        assert kinds(store.take([by(new, second)])) == [Taken]


def test_a_file_of_an_earlier_version_goes_on_and_pins_a_key(tmp_path: Path) -> None:
    bodies = stream(2)
    old = sqlite3.connect(tmp_path / "kept.db", isolation_level=None)
    old.executescript(
        "CREATE TABLE messages (epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL,"
        " PRIMARY KEY (epoch, sequence)) STRICT, WITHOUT ROWID;"
        "CREATE TABLE place (only INTEGER PRIMARY KEY CHECK (only = 1), epoch INTEGER NOT NULL,"
        " sequence INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;"
    )
    old.execute("INSERT INTO messages VALUES (5, 1, ?)", (canonical(bodies[0]),))
    old.execute("INSERT INTO place VALUES (1, 5, 1, ?)", (hash_of(bodies[0]),))
    old.close()
    with MessageStore(tmp_path / "kept.db") as store:
        assert kinds(store.take(bodies)) == [NoKey, NoKey]
        store.pin(SIGNER.key)
        assert kinds(store.take(bodies)) == [Repeated, Taken]
