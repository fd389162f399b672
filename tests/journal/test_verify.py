"""Verification: whatever is changed in a journal is found, and the first bad record is named."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from base64 import b64encode
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.journal.verify import Witness, verify
from controller.vocabulary.errors import JournalError
from tests.journal.disks import change
from tests.journal.long import EPOCH, link, message

RECORDS = 8


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed journal: eight records of twenty bytes, two messages each, a snapshot after the fourth."""
    path = tmp_path_factory.mktemp("whole") / "table.db"
    with SqliteJournal.create(path, epoch=EPOCH) as journal:
        journal.add_consumer("settlement")
        for number in range(1, RECORDS + 1):
            first = message(2 * number - 1, journal.stream_hash)
            second = message(2 * number, hashlib.sha256(first).hexdigest())
            journal.commit(
                [b"record number %06d" % number], [first, second], snapshot=b"s" if number == 4 else None
            )
        journal.set_cursor("settlement", 3)
    return path


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    target = tmp_path / "copy.db"
    shutil.copyfile(whole, target)
    return target


def test_a_whole_journal_has_no_findings_and_is_not_touched(copy: Path) -> None:
    before = copy.read_bytes()
    verdict = verify(copy, link=link)
    assert verdict.findings == []
    assert (verdict.epoch, verdict.records, verdict.stream_head) == (EPOCH, RECORDS, 2 * RECORDS)
    assert copy.read_bytes() == before


def test_a_journal_in_use_is_verified_as_it_stands(tmp_path: Path) -> None:
    with SqliteJournal.create(tmp_path / "table.db", epoch=EPOCH) as journal:
        journal.commit([b"r1"], [message(1, "0" * 64)])
        assert verify(tmp_path / "table.db", link=link).findings == []
        journal.commit([b"r2"])
        assert verify(tmp_path / "table.db", link=link).records == 2


CHANGES = {
    "a record removed and the others moved up": (
        ("DELETE FROM records WHERE number = 5", "UPDATE records SET number = number - 1 WHERE number > 5"),
        5,
    ),
    "the last records removed": (("DELETE FROM records WHERE number > 5",), 6),
    "all records removed": (("DELETE FROM records",), 1),
    "the last message removed": (("DELETE FROM messages WHERE sequence = 16",), 8),
    "a message too many": (("INSERT INTO messages VALUES (17, x'00', 'x', NULL)",), 9),
    "a snapshot": (("UPDATE snapshots SET body = x'00'",), 4),
    "a cursor beyond the end": (("UPDATE cursors SET sequence = 17",), 9),
}
"""Beside what ``test_walk`` does to a journal: how, and at which record it is found."""


@pytest.mark.parametrize(("statements", "first_bad"), CHANGES.values(), ids=CHANGES)
def test_what_is_changed_is_found_at_its_record(
    copy: Path, statements: tuple[str, ...], first_bad: int
) -> None:
    change(copy, *statements)
    verdict = verify(copy, link=link)
    assert verdict.findings
    assert verdict.first_bad_record == first_bad


def test_a_tail_that_was_cut_cleanly_is_found_by_a_witness_only(copy: Path) -> None:
    with SqliteJournal.open(copy) as journal:
        held = journal.messages(15, 1)[0].hash
    change(copy, "DELETE FROM records WHERE number > 6", "DELETE FROM messages WHERE sequence > 12")
    assert verify(copy, link=link).findings == []
    verdict = verify(copy, link=link, witnesses=[Witness(EPOCH, 16, held)])
    assert [found.code for found in verdict.findings] == ["witness"]
    assert verdict.first_bad_record == 7


def test_a_witness_that_holds_the_same_has_nothing_to_say_and_another_one_has(copy: Path) -> None:
    with SqliteJournal.open(copy) as journal:
        held = journal.messages(9, 1)[0].hash
    assert verify(copy, witnesses=[Witness(EPOCH, 10, held)]).findings == []
    assert verify(copy, witnesses=[Witness(EPOCH, 10, "0" * 64)]).first_bad_record == 5
    assert verify(copy, witnesses=[Witness(EPOCH + 1, 10, held)]).findings[0].code == "witness"


def test_without_who_knows_the_envelope_the_public_chain_is_left_alone(copy: Path) -> None:
    body = message(10, "f" * 64)
    digest = hashlib.sha256(body).hexdigest()
    change(copy, f"UPDATE messages SET body = x'{body.hex()}', hash = '{digest}' WHERE sequence = 10")
    assert verify(copy).findings == []
    assert {found.code for found in verify(copy, link=link).findings} == {"public_chain"}


def test_pruned_messages_are_no_gap_but_their_successor_must_follow(copy: Path) -> None:
    with SqliteJournal.open(copy) as journal:
        journal.set_cursor("settlement", 16)
        journal.commit([b"r9"], snapshot=b"s9")
        assert journal.prune(1 << 60) == 16
        journal.commit([b"r10"], [message(17, journal.stream_hash)])
    assert verify(copy, link=link).findings == []
    change(copy, f"UPDATE meta SET value = '{'0' * 64}' WHERE name = 'pruned_hash'")
    assert verify(copy, link=link).findings[0].code == "public_chain"


@pytest.mark.parametrize("content", [b"", b"x", b"SQLite format 3\0" + b"\0" * 200, b"\xff" * 5000])
def test_a_file_that_is_no_journal_is_a_finding(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd.db").write_bytes(content)
    assert [found.code for found in verify(tmp_path / "odd.db").findings] == ["file"]


def test_a_journal_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    assert [found.code for found in verify(tmp_path / "absent.db").findings] == ["file"]
    assert not (tmp_path / "absent.db").exists()


def flipped(source: bytes, place: int, bit: int) -> bytes:
    return source[:place] + bytes([source[place] ^ (1 << bit)]) + source[place + 1 :]


def test_every_single_bit_of_a_record_is_guarded(whole: Path, tmp_path: Path) -> None:
    """All bits of the cell of record 5, as it lies on the disk: lengths, number, types, time, body and hash.

    One of the 536 says nothing: the number stands in the key, the type of its placeholder is not read.
    """
    content = whole.read_bytes()
    body = b"record number 000005"
    assert content.count(body) == 1
    start, end = content.index(body) - 15, content.index(body) + len(body) + 32
    path = tmp_path / "flipped.db"
    unnoticed = []
    for place in range(start, end):
        for bit in range(8):
            path.write_bytes(flipped(content, place, bit))
            if not verify(path, link=link).findings:
                assert contents(path) == contents(whole)
                unnoticed.append((place - start, bit))
    assert len(unnoticed) == 1


@pytest.mark.parametrize(("table", "number"), [("records", 3), ("messages", 6)])
def test_text_is_no_bytes_though_it_be_the_same_in_base64(copy: Path, table: str, number: int) -> None:
    """A table that refuses no other type is what somebody else made."""
    key = "number" if table == "records" else "sequence"
    with closing(sqlite3.connect(copy)) as connection, connection:
        body = connection.execute(f"SELECT body FROM {table} WHERE {key} = ?", (number,)).fetchone()[0]
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = ?", (table,)
        )
    change(copy, (f"UPDATE {table} SET body = ? WHERE {key} = ?", (b64encode(body).decode(), number)))
    found = verify(copy, link=link).findings
    assert [finding.code for finding in found][:1] == ["structure"]
    assert f"{number} is damaged" in found[0].text
    with pytest.raises(JournalError, match=f"{number} is damaged"), SqliteReader.open(copy) as reader:
        list(reader.records() if table == "records" else reader.unchecked_messages())


@given(place=st.integers(0, 1 << 20), bit=st.integers(0, 7))
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_bit_in_the_file_makes_verify_raise_or_loses_a_record_unseen(
    whole: Path, tmp_path: Path, place: int, bit: int
) -> None:
    content = whole.read_bytes()
    path = tmp_path / "flipped.db"
    path.write_bytes(flipped(content, place % len(content), bit))
    verdict = verify(path, link=link)
    if not verdict.findings:
        assert contents(path) == contents(whole), "a change that nobody sees must be no change"


def contents(path: Path) -> tuple[list[object], list[object]]:
    with SqliteJournal.open(path) as journal:
        return list(journal.records()), list(journal.messages(0, 1000))
