"""Only its owner reads a journal, a copy or a part of one: it holds the nonces of face-down cards."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.files import WriterLock
from controller.journal.keeping import back_up, set_aside
from controller.journal.sqlite import SqliteJournal
from controller.settings.loader import load_configuration
from controller.shell.takeover import Remains, take_over
from tests.harness.configuration import configured

EVERYBODY = 0o022
"""The umask of most shells: what is written without a thought, everybody may read."""


@pytest.fixture(autouse=True)
def careless() -> Iterator[None]:
    before = os.umask(EVERYBODY)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The files below a folder and their modes; there must be some."""
    found = {
        str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert found
    return found


def assert_private(folder: Path) -> None:
    assert {name: oct(mode) for name, mode in modes(folder).items() if mode & 0o177} == {}


def test_a_journal_that_plays_its_log_and_its_lock(tmp_path: Path) -> None:
    with SqliteJournal.create(tmp_path / "7.db", epoch=5) as journal:
        journal.commit([b"record"], [b"message"], snapshot=b"snapshot")
        assert set(modes(tmp_path)) == {"7.db", "7.db-wal", "7.db-shm", "7.db.lock"}
        assert_private(tmp_path)


def test_a_journal_of_before_is_closed_when_it_is_opened(tmp_path: Path) -> None:
    SqliteJournal.create(tmp_path / "7.db", epoch=5).close()
    for path in tmp_path.iterdir():
        path.chmod(0o644)
    with SqliteJournal.open(tmp_path / "7.db") as journal:
        journal.commit([b"record"])
        assert_private(tmp_path)
        assert journal.notes == ()


def test_a_log_that_a_dead_daemon_left_open_to_everybody(tmp_path: Path) -> None:
    with SqliteJournal.create(tmp_path / "7.db", epoch=5) as journal:
        journal.commit([b"record"])
        (tmp_path / "dead").mkdir()
        for part in ("", "-wal", "-shm"):
            (tmp_path / "dead" / f"7.db{part}").write_bytes((tmp_path / f"7.db{part}").read_bytes())
    with SqliteJournal.open(tmp_path / "dead" / "7.db") as again:
        again.commit([b"record"])
        assert_private(tmp_path / "dead")


def test_a_copy_of_a_journal_that_everybody_could_read(tmp_path: Path) -> None:
    path, copies = tmp_path / "7.db", tmp_path / "copies"
    copies.mkdir()
    with SqliteJournal.create(path, epoch=5) as journal:
        journal.commit([b"record"])
        path.chmod(0o644)
        back_up(path, copies / "7.db")
    assert_private(copies)


def test_what_is_set_aside(tmp_path: Path) -> None:
    SqliteJournal.create(tmp_path / "7.db", epoch=5).close()
    (tmp_path / "7.db").chmod(0o644)
    aside = set_aside(tmp_path / "7.db", "20260131T201500Z")
    assert_private(tmp_path)
    for folder in (aside.parent, aside.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_journal_of_a_unit_that_replaces_another(tmp_path: Path) -> None:
    shoe = 'devices.shoe = { driver = "angel-eye", port = "/dev/shoe" }'
    configuration = load_configuration(configured(tmp_path, shoe))
    take_over(configuration, Remains(epoch=3, head=0, acknowledged={}), by="4711", note=None)
    journal = Path(configuration.journal.path)
    found = {name: mode for name, mode in modes(journal.parent).items() if name.startswith(journal.name)}
    assert set(found.values()) == {0o600}


def test_a_file_of_somebody_else_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SqliteJournal.create(tmp_path / "7.db", epoch=5).close()
    (tmp_path / "7.db").chmod(0o644)

    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    monkeypatch.setattr(Path, "chmod", refuse)
    with SqliteJournal.open(tmp_path / "7.db") as journal:
        assert any("cannot be closed to them" in note for note in journal.notes)


def test_the_lock_alone(tmp_path: Path) -> None:
    WriterLock(tmp_path / "7.db").release()
    assert modes(tmp_path) == {"7.db.lock": 0o600}
