"""``rescue``: a bad journal is set aside whole, a good one stays, and nothing is ever deleted."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from controller.__main__ import main
from controller.journal import keeping
from controller.journal.files import WriterLock
from controller.journal.sqlite import SqliteJournal
from controller.vocabulary.errors import JournalError
from tests.cli.program import Told, refused

RECORD = b'{"n": 1}'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "7.db"
    written = SqliteJournal.create(path, epoch=1)
    written.commit([RECORD], [])
    written.close()
    return path


def damage(path: Path) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE records SET body = CAST('{}' AS BLOB) WHERE number = 1")
    connection.close()


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".lock" and path.is_file()
    }


def only_folder(folder: Path) -> Path:
    (found,) = (folder / "aside").iterdir()
    return found


def test_a_bad_journal_is_set_aside_to_the_byte_and_a_new_one_can_begin(path: Path, told: Told) -> None:
    damage(path)
    path.with_name("7.db-wal").write_bytes(b"a log that belongs to it")
    before = contents(path.parent)
    said = told("rescue", path).out
    kept = only_folder(path.parent)
    assert contents(kept) == before
    assert contents(path.parent) == {}
    assert str(kept / "7.db") in said
    assert "dealer-table replace" in said
    SqliteJournal.create(path, epoch=2).close()


def test_a_second_rescue_in_the_same_second_takes_another_folder(path: Path) -> None:
    for epoch in (2, 3):
        keeping.set_aside(path, "20260131T201500Z")
        SqliteJournal.create(path, epoch=epoch).close()
    names = sorted(folder.name for folder in (path.parent / "aside").iterdir())
    assert names == ["7.db.20260131T201500Z", "7.db.20260131T201500Z.2"]


def test_a_whole_journal_stays_unless_that_is_wanted(path: Path, told: Told) -> None:
    assert "is whole, so it stays" in told("rescue", path, status=1).err
    assert path.exists()
    told("rescue", path, "--whole-too")
    assert not path.exists()


def test_a_journal_that_a_table_writes_stays(path: Path, told: Told) -> None:
    damage(path)
    lock = WriterLock(path)
    assert "one table has one controller" in told("rescue", path, status=1).err
    lock.release()
    assert path.exists()


def test_what_is_no_journal_is_status_2(tmp_path: Path) -> None:
    assert main(["rescue", str(tmp_path / "7.db")]) == 2


@pytest.mark.parametrize("more", [(), ("--whole-too",)])
def test_a_configuration_or_the_database_of_another_program_stays(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    """Of the seats' books, which run, some pages stand in the log only."""
    configuration, books = tmp_path / "7.toml", tmp_path / "books.db"
    configuration.write_text("[table]\nsite = 'Köln'\n")
    with closing(sqlite3.connect(books)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("CREATE TABLE ledger (line TEXT)")
        before = contents(tmp_path)
        for path, what in ((configuration, "it is text"), (books, "is a database, but no journal")):
            refusal = refused("rescue", str(path), *more)
            assert what in refusal
            assert "it stays where it is. Name the file at journal.path" in refusal
        assert contents(tmp_path) == before


@pytest.mark.parametrize("left", [b"", bytes(4096), b"\xff\xfe" * 2048])
def test_what_may_be_left_of_a_journal_is_set_aside(path: Path, told: Told, left: bytes) -> None:
    path.write_bytes(left)
    told("rescue", path)
    assert contents(only_folder(path.parent)) == {"7.db": left}


def test_what_was_set_aside_comes_back_as_it_is_said(path: Path, told: Told) -> None:
    damage(path)
    before = contents(path.parent)
    (line,) = [line for line in told("rescue", path).out.splitlines() if line.startswith("   mv ")]
    subprocess.run(line, shell=True, check=True)
    assert contents(path.parent) == before


def test_bringing_it_back_writes_over_no_newer_journal(path: Path, told: Told) -> None:
    damage(path)
    (line,) = [line for line in told("rescue", path).out.splitlines() if line.startswith("   mv ")]
    path.write_bytes(b"newer")
    subprocess.run(line, shell=True, check=False)
    assert path.read_bytes() == b"newer"


def test_a_journal_whose_head_was_written_over_by_text_is_set_aside(path: Path, told: Told) -> None:
    """A block of a log that was written to the wrong place."""
    with path.open("r+b") as file:
        file.write((b"a line of a log\n" * 256)[:4096])
    path.with_name(path.name + ".lock").touch()
    assert "is set aside" in told("rescue", path).out


def test_a_disk_that_refuses_leaves_every_file_under_its_name(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(path)
    before = contents(path.parent)

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(JournalError, match="move it by hand"):
        keeping.set_aside(path, "20260131T201500Z")
    assert contents(path.parent) == before


def test_a_rescue_that_the_power_cut_short_is_carried_on(path: Path) -> None:
    """The journal went first: a log without its journal keeps a table from beginning on it."""
    log = path.with_name("7.db-wal")
    log.write_bytes(b"its log")
    path.rename(path.with_name("kept"))
    with pytest.raises(JournalError, match="lost its journal"):
        SqliteJournal.create(path, epoch=2)
    assert main(["rescue", str(path)]) == 0
    assert contents(only_folder(path.parent)) == {"7.db-wal": b"its log"}
    SqliteJournal.create(path, epoch=2).close()
