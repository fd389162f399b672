"""The OpenAPI document says what is really answered."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec

from controller.wagering import views
from controller.wagering.openapi import CALLS, Audit, Decided, History, Placed, ShownTable, openapi
from controller.wagering.tables import Database
from tests.cli.program import answered
from tests.wagering.seats import SITE, TABLE, Seats


def test_every_answer_is_what_the_document_says(database: Database) -> None:
    seats = Seats(database, "casino-holdem")
    seats.say("OPEN")
    fits(seats.bet("ada", ("hand1.ante", 100)), Placed)
    seats.say("CLOSE; AS; AD; 2C; 7D; KS; QD; AH; 9C; 4D")
    fits(seats.decide("ada", "hand1", "play"), Decided)
    with database.read() as connection:
        fits(views.tables(connection, [(SITE, TABLE)]), list[ShownTable])
        fits(views.audit(connection), Audit)
    seats.say("DECIDED; 3H; 5S; REVEAL; VOID supervisor")
    with database.read() as connection:
        fits(views.history(connection, "ada"), History)


def fits(said: Any, kind: Any) -> None:
    msgspec.convert(json.loads(msgspec.json.encode(said)), kind)


def test_schema_wagering_prints_the_document() -> None:
    document = json.loads(answered("schema", "wagering"))
    assert document == json.loads(json.dumps(openapi()))
    assert {(path, method) for path, calls in document["paths"].items() for method in calls} == set(CALLS)
    for shape in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(shape)
