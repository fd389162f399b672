"""A copy taken while the owner writes is whole, and goes on as a journal of its own."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from controller.journal.keeping import back_up
from controller.journal.sqlite import SqliteJournal
from controller.vocabulary.errors import JournalError


def test_a_copy_taken_while_the_owner_writes_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    heads: list[int] = []
    written = 0
    with SqliteJournal.create(path, epoch=5) as journal:
        journal.commit([b"r"], [b"m"])
        for number in range(5):
            target = tmp_path / f"copy-{number}.db"
            done = threading.Event()

            def copied(target: Path = target, done: threading.Event = done) -> None:
                verdict = back_up(path, target)
                heads.append(verdict.records if not verdict.findings else -1)
                done.set()

            thread = threading.Thread(target=copied)
            thread.start()
            while not done.is_set():
                journal.commit([b"r" * 1000], [b"m" * 1000])
                written += 1
            thread.join()
        assert written > 0
        assert all(0 < head <= journal.record_head for head in heads)
        assert heads == sorted(heads)
    with SqliteJournal.open(tmp_path / "copy-4.db") as copy:
        assert copy.record_head == heads[-1]
        copy.commit([b"on"], [b"it goes"])
        assert copy._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert sorted(file.name for file in tmp_path.glob("copy-4*")) == ["copy-4.db", "copy-4.db.lock"]


def test_nothing_is_overwritten_and_nothing_half_is_left(tmp_path: Path) -> None:
    (tmp_path / "there").write_bytes(b"precious")
    SqliteJournal.create(tmp_path / "table.db", epoch=5).close()
    with pytest.raises(JournalError, match="there already"):
        back_up(tmp_path / "table.db", tmp_path / "there")
    assert (tmp_path / "there").read_bytes() == b"precious"
    with pytest.raises(JournalError, match="no journal at"):
        back_up(tmp_path / "absent.db", tmp_path / "copy.db")
    with pytest.raises(JournalError, match="cannot copy"):
        back_up(tmp_path / "table.db", tmp_path / "absent" / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_what_is_wrong_is_wrong_in_the_copy_and_said(tmp_path: Path) -> None:
    with SqliteJournal.create(tmp_path / "table.db", epoch=5) as journal:
        journal.commit([b"record 1", b"record 2"])
    path = tmp_path / "table.db"
    path.write_bytes(path.read_bytes().replace(b"record 1", b"RECORD 1"))
    assert back_up(path, tmp_path / "copy.db").first_bad_record == 1
