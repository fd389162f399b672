"""What the seats are told is read at once: each player's own bets, and the balances that may have changed."""

from __future__ import annotations

import pytest

from controller.wagering.database import Database
from controller.wagering.reports import has_words
from controller.wagering.seat import frames
from controller.wagering.seat.frames import Look, Purses, look
from tests.wagering import test_calls
from tests.wagering.seats import RICH, SITE, TABLE, Seats

PLACE = SITE, TABLE


def read(seats: Seats, *players: str, others: tuple[str, ...] = (), since: int | None = None) -> Look:
    with seats.database.read() as connection:
        return look(connection, {PLACE: players}, (), Purses(players, others, since))


def test_each_seat_has_its_own_bets_and_no_other(database: Database) -> None:
    seats = Seats(database, "baccarat", "ada", "ben", "cleo")
    seats.say("OPEN")
    seats.bet("ada", ("player", 100))
    seats.bet("ben", ("banker", 200))
    seats.bet("cleo", ("tie", 300))
    table = read(seats, "ada", "ben").tables[PLACE]
    lie = {who: [(bet["spot"], bet["stake"]) for bet in seat.bets] for who, seat in table.seats.items()}
    assert lie == {"ada": [("player", 100)], "ben": [("banker", 200)]}


def test_balances_are_told_of_whoever_acted_and_of_others_whose_money_moved(database: Database) -> None:
    seats = Seats(database, "baccarat", "ada", "ben", "cleo")
    everybody = ("ada", "ben", "cleo")
    first = read(seats, others=everybody)
    assert first.balances == dict.fromkeys(everybody, RICH)
    seats.say("OPEN")
    assert read(seats, others=everybody, since=first.line).balances == {}
    assert read(seats, "cleo", others=everybody, since=first.line).balances == {"cleo": RICH}
    seats.bet("ada", ("player", 100))
    betting = read(seats, others=everybody, since=first.line)
    assert betting.balances == {"ada": RICH - 100}
    seats.say("CLOSE; KS; 2C; 9D; 3D")
    assert read(seats, others=everybody, since=betting.line).balances == {"ada": RICH + 100}


def test_where_money_is_in_a_wallet_of_the_house_all_balances_are_told(url: str) -> None:
    database = Database(url, pays_out=True)
    seats = Seats(database, "baccarat")
    assert set(read(seats, others=("ada", "ben"), since=1_000_000).balances) == {"ada", "ben"}
    database.close()


def test_a_table_that_asks_for_no_report_is_known_as_such(database: Database) -> None:
    seats = Seats(database, "baccarat")
    assert not has_words(seats.felt)
    seats.say("OPEN")
    assert not has_words(seats.felt)


def test_a_table_that_asks_for_decisions_is_told_of_them_until_the_round_is_over(database: Database) -> None:
    seats = Seats(database, "casino-holdem")
    seats.say("OPEN")
    assert not has_words(seats.felt)
    seats.say(test_calls.TestDecisions.FLOP)
    assert has_words(seats.felt)
    seats.say("DECIDED; 3H; 5S; REVEAL")
    assert has_words(seats.felt)
    seats.say("SETTLED; VOID supervisor")
    assert not has_words(seats.felt)


def test_nobody_else_sits_so_the_ledger_is_not_searched(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    seats = Seats(database, "baccarat", "ada")

    def search(*_: object, **__: object) -> None:
        raise AssertionError("nobody asked whose money has moved")

    monkeypatch.setattr(frames, "_MOVED", search)
    assert read(seats, "ada", since=0).balances == {"ada": RICH}
