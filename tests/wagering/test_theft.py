"""Whoever reaches for what is another's: an account, bets, decisions, an answer, money, a hidden card."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from controller.outbox.envelope import canonical_json
from controller.vocabulary.cards import DECK_52
from controller.wagering import views
from controller.wagering.calls import PlaceBets, answer
from controller.wagering.database import Database
from controller.wagering.seat.frames import read_table
from controller.wagering.tables import METADATA
from tests.wagering.seats import RICH, SITE, TABLE, Seats

DEALT = "CLOSE; KS; 2C; 9D; 3D"
HIDDEN_DECK = [rank + suit for rank in "A23456789T" for suit in "SHDC"]
ALWAYS_OTHER = {"at", "hash", "prevhash", "commitment", "signature", "nonce"}
"""Differ from table to table, and tell no card."""


def round_of_two(database: Database) -> Seats:
    """Ada and ben have a bet."""
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    seats.bet("ada", ("player", 1000))
    seats.bet("ben", ("banker", 70))
    return seats


def test_an_account_shows_nothing_of_another(database: Database) -> None:
    seats = round_of_two(database)
    assert [bet["player"] for bet in seats.account("ben")["open"]] == ["ben"]
    with database.read() as connection:
        read = read_table(connection, (SITE, TABLE), ["ben"])
    assert [bet["spot"] for bet in read.seats["ben"].bets] == ["banker"]
    assert list(read.seats) == ["ben"]


def test_a_history_shows_nothing_of_another(database: Database) -> None:
    seats = round_of_two(database)
    seats.say(DEALT)
    (played,) = seats.rounds("ben")
    assert [(bet["spot"], bet["stake"]) for bet in played["bets"]] == [("banker", 70)]
    assert {line["account"] for line in played["lines"]} == {"ben"}
    assert (played["staked"], played["returned"]) == (70, 0)


def test_a_history_shows_no_decision_of_another(database: Database) -> None:
    seats = Seats(database, "casino-holdem")
    seats.say("OPEN")
    for player in ("ada", "ben"):
        seats.bet(player, ("hand1.ante", 100))
    seats.say("CLOSE; AS AD 2C 7D KS QD AH 9C 4D")
    seats.decide("ada", "hand1", "play")
    (played,) = seats.rounds("ben")
    assert played["decisions"] == {}


def test_who_undoes_all_undoes_what_is_his(database: Database) -> None:
    seats = round_of_two(database)
    assert [bet["spot"] for bet in seats.undo("ben", all=True)["bets"]] == ["banker"]
    assert (seats.balance("ada"), seats.balance("ben")) == (RICH - 1000, RICH)
    assert seats.undo("ben", all=True)["bets"] == []
    assert seats.faults() == []


def test_nobody_plays_on_the_ante_of_another(database: Database) -> None:
    seats = Seats(database, "casino-holdem")
    seats.say("OPEN")
    seats.bet("ada", ("hand1.ante", 100))
    seats.say("CLOSE; AS AD 2C 7D KS QD AH 9C 4D")
    assert seats.decide("ben", "hand1", "play") == "required_bet_missing"
    assert seats.decide("ben", "hand1", "fold") == "required_bet_missing"
    assert seats.decide("ada", "hand1", "play")["balance"] == RICH - 300


def test_a_call_again_under_another_name_is_a_call_of_its_own(database: Database) -> None:
    """Whoever overheard a call neither gets its answer nor keeps its sender from asking."""
    seats = round_of_two(database)
    first = seats.bet("ada", ("tie", 5), id="overheard")
    second = seats.bet("ben", ("tie", 5), id="overheard")
    assert (first["balance"], second["balance"]) == (RICH - 1005, RICH - 75)
    assert first["bets"][0]["id"] != second["bets"][0]["id"]
    assert seats.bet("ada", ("tie", 5), id="overheard") == first


@pytest.mark.parametrize("late", ["CLOSE", "CLOSE; KS; 2C", DEALT, f"{DEALT}; SETTLED", "VOID supervisor"])
def test_nobody_bets_on_a_round_that_closed_nor_takes_bets_out_of_it(database: Database, late: str) -> None:
    seats = round_of_two(database)
    seats.say(late)
    before = seats.balance("ada")
    assert seats.bet("ada", ("player", 10)) == seats.undo("ada", all=True) == "bets_closed"
    seats.say("VOID supervisor" if late == "CLOSE" else "OPEN" if "SETTLED" in late else "")
    assert seats.bet("ada", ("player", 10), round="north-7-1-99") == "wrong_round"
    assert seats.balance("ada") >= before
    assert seats.faults() == []


def test_parallel_calls_do_not_overdraw(url: str) -> None:
    """Forty calls at once for a balance that covers ten. The server of PostgreSQL is usually lax: a
    transaction sees the state at its beginning, and may be lost."""
    strict = "SELECT 1"
    if url.startswith("postgresql"):
        strict = "SELECT 1 WHERE current_setting('synchronous_commit') = 'on'"
        name = url.rpartition("/")[2]
        with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
            for lax in ("default_transaction_isolation TO 'repeatable read'", "synchronous_commit TO off"):
                connection.execute(f"ALTER DATABASE {name} SET {lax}")
    with closing(Database(url)) as database:
        seats = Seats(database, "baccarat")
        seats.say("OPEN")
        round_ = seats.felt.round

        def bet(number: int) -> int:
            bets = [{"spot": "player", "stake": RICH // 10}]
            asked = msgspec.convert({"id": f"b{number}", "round": round_, "bets": bets}, PlaceBets)
            with database.change() as connection:
                assert connection.exec_driver_sql(strict).scalar() == 1
                return answer(connection, SITE, TABLE, "ada", asked)[0]

        with ThreadPoolExecutor(8) as hands:
            told = list(hands.map(bet, range(40)))
        assert (told.count(201), told.count(402)) == (10, 30)
        assert seats.balance("ada") == 0
        assert seats.faults() == []


def test_the_service_knows_nothing_of_a_card_that_lies_face_down(tmp_path: Path) -> None:
    """Two tables deal other cards, face down: all that two services hold and answer is the same, so nothing
    in an answer, and no time that it takes, depends on what lies there."""
    held = []
    for name, cards in (("one", HIDDEN_DECK[:20]), ("two", HIDDEN_DECK[20:])):
        with closing(Database(f"sqlite:///{tmp_path / name}.db")) as database:
            seats = Seats(database, "two-cards-high seats=3")
            seats.say("SEATS 1 2 3; OPEN")
            seats.bet("ada", ("seat1.main", 100), ("seat2.main", 50))
            seats.say("CLOSE; " + " ".join(cards))
            held.append(all_that_is_held(database))
            assert b"round.card" in held[-1]
            assert [card for card in DECK_52 if f'"{card}"'.encode() in held[-1]] == []
            seats.say("REVEAL")
            told = all_that_is_held(database)
            assert [card for card in cards if f'"{card}"'.encode() in told] == cards
    assert held[0] == held[1]


def all_that_is_held(database: Database) -> bytes:
    """Every row of the books, messages taken apart, and every answer that anybody may get."""
    rows: dict[str, Any] = {}
    with database.read() as connection:
        for table in METADATA.sorted_tables:
            rows[table.name] = [dict(row._mapping) for row in connection.execute(table.select())]
        place = SITE, TABLE
        read = read_table(connection, place, ["ada", "ben"])
        rows["felt"] = read.felt
        rows["answers"] = [
            views.tables(connection, [place]),
            views.account(connection, "ada"),
            views.history(connection, "ada"),
            views.audit(connection),
            read.seats,
        ]
    return canonical_json(without(taken_apart(msgspec.to_builtins(rows, builtin_types=(bytes,)))))


def taken_apart(held: Any) -> Any:
    """With what stands as JSON in a column."""
    if isinstance(held, dict):
        return {name: taken_apart(value) for name, value in held.items()}
    if isinstance(held, list):
        return [taken_apart(value) for value in held]
    if isinstance(held, bytes) or (isinstance(held, str) and held.startswith("{")):
        return taken_apart(msgspec.json.decode(held))
    return held


def without(held: Any) -> Any:
    """Without :data:`ALWAYS_OTHER`."""
    if isinstance(held, dict):
        return {name: without(value) for name, value in held.items() if name not in ALWAYS_OTHER}
    return [without(value) for value in held] if isinstance(held, list) else held
