"""One service keeps the books; another one is a standby, and takes nothing from the first."""

from __future__ import annotations

import subprocess
from contextlib import closing, suppress
from pathlib import Path

import httpx
import psycopg
import pytest

from controller.wagering.ledger import Ledger, accounts
from controller.wagering.tables import BooksTaken, Database
from tests.harness.broker import Broker, free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program, until
from tests.wagering.service import Service
from tests.wagering.test_service import evening

BET = {"id": "late", "round": "north-7-1-1", "bets": [{"spot": "player", "stake": 5}]}
TAKEN = "another service keeps the books of this database"


@pytest.fixture
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.wagering.tables.TURN_S", 1)


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
            with suppress(httpx.TransportError):  # it may have ended before it says that it ends
                assert first.caller("ada").http.post("/tables/north/7/bets", json=BET).status_code >= 500
            assert first.wait() == 1
            assert TAKEN in first.log


def service_file(folder: Path) -> Path:
    return folder / "wagering.toml"
