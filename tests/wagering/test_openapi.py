"""The OpenAPI document says what is really answered."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec

from controller.wagering import views
from controller.wagering.database import Database
from controller.wagering.openapi import CALLS, Account, Audit, Decided, History, Placed, ShownTable, openapi
from tests.cli.program import answered
from tests.wagering.seats import RICH, SITE, TABLE, Seats


def test_every_answer_is_what_the_document_says(database: Database) -> None:
    seats = Seats(database, "casino-holdem")
    seats.say("OPEN")
    fits(seats.bet("ada", ("hand1.ante", 100)), Placed)
    seats.say("CLOSE; AS; AD; 2C; 7D; KS; QD; AH; 9C; 4D")
    fits(seats.decide("ada", "hand1", "play"), Decided)
    with database.read() as connection:
        fits(views.tables(connection, [(SITE, TABLE)]), list[ShownTable])
        fits(views.audit(connection), Audit)
        account = views.account(connection, "ada")
        fits(account, Account)
    spots = [(bet["spot"], bet["stake"]) for bet in account.pop("open")]
    assert account == {"player": "ada", "balance": RICH - 300}
    assert spots == [("hand1.ante", 100), ("hand1.play", 200)]
    seats.say("DECIDED; 3H; 5S; REVEAL; VOID supervisor")
    with database.read() as connection:
        fits(views.history(connection, "ada"), History)
        assert views.account(connection, "ada") == {"player": "ada", "balance": RICH, "open": []}
        assert views.account(connection, "nobody") == {"player": "nobody", "balance": 0, "open": []}


def fits(said: Any, kind: Any) -> None:
    msgspec.convert(json.loads(msgspec.json.encode(said)), kind)


def test_schema_wagering_prints_the_document() -> None:
    document = json.loads(answered("schema", "wagering"))
    assert document == json.loads(json.dumps(openapi()))
    assert {(path, method) for path, calls in document["paths"].items() for method in calls} == set(CALLS)
    for shape in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(shape)
