"""A thousand bets in the last second: each is taken whole before the close, or refused."""

from __future__ import annotations

import json

import msgspec

from controller.wagering.calls import PlaceBets, answer
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from tests.wagering.seats import RICH, SITE, TABLE, Seats

PLAYERS = 400


def test_no_bet_is_lost_or_half_taken_when_bets_close_among_them(database: Database) -> None:
    names = [f"p{number}" for number in range(PLAYERS)]
    seats = Seats(database, "baccarat", *names)
    seats.say("OPEN")
    said = {"id": "x", "round": seats.felt.round, "bets": [{"spot": "player", "stake": 100}]}
    asked = msgspec.convert(said, PlaceBets)
    desk = Desk(database)
    desk.start()
    waiting = [desk.ask(lambda one, name=name: answer(one, SITE, TABLE, name, asked)) for name in names]
    waiting[0].result()
    seats.say("CLOSE")
    told = [future.result() for future in waiting]
    desk.stop()
    taken = [name for name, (status, _) in zip(names, told, strict=True) if status == 201]
    refused = {json.loads(body)["error"]["code"] for status, body in told if status != 201}
    assert 0 < len(taken) < PLAYERS  # the close waits for one transaction, not for all that were asked
    assert refused == {"bets_closed"}
    seats.say("KS; 2C; 9D; 3D")
    assert {seats.balance(name) for name in taken} == {RICH + 100}
    assert {seats.balance(name) for name in names if name not in taken} == {RICH}
    assert seats.faults() == []
