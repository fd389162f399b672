"""One service keeps the books; another one is a standby, and takes nothing from the first."""

from __future__ import annotations

import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from controller.wagering.database import Database
from controller.wagering.ledger import Ledger, accounts
from controller.wagering.tables import BooksError, BooksTaken
from tests.harness.broker import Broker, free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program, until
from tests.wagering.service import Service
from tests.wagering.test_service import evening

TAKEN = "another service keeps the books of this database"


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.wagering.database.TURN_S", 1)
    monkeypatch.setattr("controller.wagering.database.AGAIN_S", 1)


def put(database: Database, player: str) -> None:
    with database.change() as connection:
        ledger = Ledger(connection)
        ledger.open(player, 100)
        ledger.write()


def cut_off(url: str) -> None:
    """The server ends every connection with the books, as a firewall or a restart does."""
    ended = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"{ended} WHERE datname = current_database() AND pid <> pg_backend_pid()")


@pytest.mark.usefixtures("_short")
def test_the_second_to_open_the_books_waits_until_the_first_has_closed_them(url: str) -> None:
    with closing(Database(url)) as first:
        with pytest.raises(BooksTaken, match=TAKEN):
            Database(url)
        put(first, "ada")
    with closing(Database(url)) as second, second.read() as connection:
        assert accounts(connection)["ada"] == 100


@pytest.mark.usefixtures("_short")
@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_who_lost_the_connection_writes_nothing_once_another_keeps_the_books(url: str) -> None:
    with closing(Database(url)) as first:
        cut_off(url)
        put(first, "ada")  # nobody took them meanwhile
        cut_off(url)
        told: list[bool] = []
        first.taken = lambda: told.append(True)
        with closing(Database(url)) as second:
            with pytest.raises(BooksTaken):
                put(first, "ben")
            assert told == [True]
            with second.read() as connection:
                assert "ben" not in accounts(connection)


@pytest.mark.usefixtures("_short")
def test_the_lock_is_of_the_books_and_not_of_their_name(tmp_path: Path) -> None:
    (tmp_path / "other.db").symlink_to(tmp_path / "books.db")
    with closing(Database(f"sqlite:///{tmp_path}/books.db")), pytest.raises(BooksTaken):
        Database(f"sqlite:///{tmp_path}/other.db")


def test_a_strangers_tool_writes_nothing_between_what_a_change_reads_and_writes(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path}/books.db")) as database, database.change():
        tool = sqlite3.connect(tmp_path / "books.db", timeout=0)
        with closing(tool), pytest.raises(sqlite3.OperationalError, match="locked"):
            tool.execute("BEGIN IMMEDIATE")


@pytest.mark.parametrize(
    ("kept", "why"), [("lock", "it is a file of another kind"), ("folder", "its folder is missing")]
)
def test_a_lock_that_cannot_be_held_is_named(tmp_path: Path, kept: str, why: str) -> None:
    (tmp_path / "books.db.lock").write_bytes(b"this is a letter and no database" * 8)
    books = tmp_path / ("books.db" if kept == "lock" else "missing/books.db")
    with pytest.raises(BooksError) as refused:
        Database(f"sqlite:///{books}")
    assert refused.value.message.startswith(f"cannot lock the books: {books}.lock: {why}")


def test_who_may_only_read_the_lock_does_not_share_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An administrator started the service once: the file is root's."""
    reached = sqlite3.connect
    reached(tmp_path / "books.db.lock").execute("PRAGMA user_version = 1").connection.close()

    def reads(file: str, **how: Any) -> sqlite3.Connection:
        return reached(f"file:{file}?mode=ro", uri=True, **how)

    monkeypatch.setattr("controller.wagering.database.sqlite3.connect", reads)
    with pytest.raises(BooksError, match="attempt to write a readonly database"):
        Database(f"sqlite:///{tmp_path}/books.db")


def test_a_second_service_ends_with_words_and_nobody_who_sits_at_the_first_has_left(
    tmp_path: Path, broker: Broker, url: str
) -> None:
    with evening(tmp_path, broker, url) as (_, dealer, service):
        ada = service.caller("ada")
        seat = service.sit("ada")

        def betting() -> None:
            round_ = ada.wait_open(None)
            seat.wait(lambda last: last["felt"]["round"] == round_)
            ada.bet(round_, ("player", 100))
            other = tmp_path / "other.toml"
            own = service_file(tmp_path).read_text()
            other.write_text(own.replace(str(service.port), str(free_port())))
            words: list[str | Path] = [PROGRAM, "wagering", "--config", other]
            said = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S)
            assert (said.returncode, TAKEN in said.stderr) == (1, True)
            assert [bet["stake"] for bet in ada.get("/account")["open"]] == [100]

        dealer.betting = betting
        dealer.round()
        until(lambda: not service.caller("operator").get("/audit")["open"], "it is settled")


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_service_whose_books_another_one_keeps_now_ends(tmp_path: Path, broker: Broker, url: str) -> None:
    with Service(tmp_path, broker.port, url) as first:
        other = tmp_path / "other.toml"
        other.write_text(service_file(tmp_path).read_text().replace(str(first.port), str(free_port())))
        first.freeze()
        cut_off(url)
        with Program([PROGRAM, "wagering", "--config", other], tmp_path / "other.log") as second:
            second.wait_printed("seats: http")
            first.thaw()
            assert first.wait() == 1
            assert TAKEN in first.log


def service_file(folder: Path) -> Path:
    return folder / "wagering.toml"
