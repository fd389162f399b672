"""What the books forget, what they never forget, and books that an earlier version wrote."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sql
from starlette.requests import Request

from controller.wagering import forgetting
from controller.wagering.database import Database
from controller.wagering.forgetting import forget
from controller.wagering.ledger import Ledger, ask_wallet
from controller.wagering.settings import RetentionKeys, load_wagering_settings
from controller.wagering.slips import Refused
from controller.wagering.tables import BETS, CALLS, LINES, MESSAGES, WALLET
from controller.wagering.web import Callers
from tests.harness.examples import CONFIG
from tests.wagering.seats import RICH, Seats

KEYS = RetentionKeys(calls_days=90, messages_days=400)


def rows(database: Database, table: sql.Table) -> int:
    with database.read() as connection:
        return int(connection.scalar(sql.select(sql.func.count()).select_from(table)) or 0)


def after(days: int) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


def test_old_calls_and_messages_are_forgotten_and_no_bet_and_no_line(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "AT_ONCE", 3)  # several transactions
    seats = Seats(database, "baccarat")
    for _ in range(2):
        seats.say("OPEN")
        seats.bet("ada", ("player", 1000), id=f"c{seats.felt.round}")
        seats.say("CLOSE; KS; 2C; 9D; 3D; SETTLED")
    seats.say("OPEN; CLOSE; KS; 2C; 9D; 3D; SETTLED")  # nobody bets
    lines, played = rows(database, LINES), seats.rounds("ada")
    assert forget(database, KEYS, after(89)) == 0
    assert forget(database, KEYS, after(91)) == 2
    assert rows(database, CALLS) == 0
    assert seats.bet("ada", ("player", 1000), id="cnorth-7-1-1", round="north-7-1-1") == "wrong_round"
    assert forget(database, KEYS, after(401)) == seats.heard - 4 + 1
    assert rows(database, MESSAGES) == 4  # the words on rounds with bets
    assert (rows(database, LINES), seats.rounds("ada")) == (lines, played)
    seats.again()
    seats.say("OPEN; CLOSE")
    assert seats.balance("ada") == RICH + 2000
    assert seats.faults() == []


def test_of_the_wallet_what_is_done_is_forgotten_and_no_number_comes_twice(database: Database) -> None:
    with database.change() as connection:
        for player in ("ada", "ben", "cleo"):
            ask_wallet(connection, "credit", player, 5)
        connection.execute(sql.update(WALLET).where(WALLET.c.player != "ben").values(state="done"))
    assert forget(database, KEYS, after(91)) == 1
    with database.change() as connection:
        ask_wallet(connection, "credit", "dan", 5)
        numbers = connection.scalars(sql.select(WALLET.c.number).order_by(WALLET.c.number)).all()
    assert numbers == [2, 3, 4]


def test_books_of_an_earlier_version_go_on(url: str) -> None:
    """They had no times of calls and messages."""
    database = Database(url)
    with database.change() as connection:
        for table in (CALLS, MESSAGES, WALLET):
            for index in table.indexes:
                if "at" in index.columns:
                    index.drop(connection)
            connection.exec_driver_sql(f"ALTER TABLE {table.name} DROP COLUMN at")
        connection.exec_driver_sql("DROP TABLE currency")
        connection.exec_driver_sql("DROP INDEX bets_of_round")
        connection.exec_driver_sql("CREATE INDEX ix_bets_round ON bets (round)")
        connection.exec_driver_sql("INSERT INTO calls VALUES ('ada', 'x', 'digest', 201, '{}')")
        ledger = Ledger(connection)
        ledger.open("ada", RICH)
        ledger.write()
    database.close()
    again = Database(url)
    seats = Seats(again, "baccarat")
    seats.say("OPEN")
    assert seats.bet("ada", ("player", 1000))["balance"] == RICH - 1000
    assert forget(again, KEYS, after(91)) == 1
    assert rows(again, CALLS) == 1  # nobody knows how old it is
    with again.read() as connection:
        indexes = {index["name"] for index in sql.inspect(connection).get_indexes("bets")}
    assert indexes == {index.name for index in BETS.indexes}
    again.close()
    Database(url).close()


def test_who_calls_too_often_waits_and_nobody_else() -> None:
    now_s = [0.0]
    callers = Callers({"token-of-ada": "ada", "token-of-ben": "ben"}, 60, lambda: now_s[0])

    def call(name: str) -> str:
        headers = [(b"authorization", f"Bearer token-of-{name}".encode())]
        try:
            return callers.player(Request({"type": "http", "headers": headers}))
        except Refused as error:
            return error.code

    assert [call("ada") for _ in range(61)] == ["ada"] * 60 + ["too_many_calls"]
    assert call("ben") == "ben"
    now_s[0] = 1.5
    assert [call("ada"), call("ada")] == ["ada", "too_many_calls"]
    now_s[0] = 1000.0
    assert [call("ada") for _ in range(61)][58:] == ["ada", "ada", "too_many_calls"]
    assert call("thief") == "unauthorized"


def test_the_example_is_right_and_a_line_that_is_off_shows_the_default(tmp_path: Path) -> None:
    text = (CONFIG / "wagering.toml").read_text()
    (tmp_path / "wagering").mkdir()
    for name in ("ada.token", "operator.token"):
        (tmp_path / "wagering" / name).write_text("secret\n")
    off = [line for line in text.splitlines() if line.startswith("# ") and " = " in line]
    defaults = [line for line in off if not line.endswith("# none")]
    on = text
    for line in defaults:
        if "wallet" not in line:
            on = on.replace(line, line[2:])
    for name, said in (("plain.toml", text), ("on.toml", on)):
        (tmp_path / name).write_text(said)
    plain, switched = (load_wagering_settings(tmp_path / name) for name in ("plain.toml", "on.toml"))
    assert plain == switched
    assert on != text
