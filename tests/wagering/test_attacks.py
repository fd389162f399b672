"""Whoever wants more than is his: another table or currency, a past state, a call that is given up."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import Any

import msgspec
import pytest

from controller.consumer.store import Gap, Repeated
from controller.outbox.envelope import StreamHead, canonical_json, envelope, first_head
from controller.vocabulary.errors import ConfigurationError
from controller.wagering import views
from controller.wagering.calls import PlaceBets, answer
from controller.wagering.database import Database
from controller.wagering.desk import Desk
from controller.wagering.stream import BookedStream
from controller.wagering.tables import CALLS, BooksError
from controller.wagering.wallet import address
from tests.harness.keys import SIGNER, by
from tests.harness.patience import PATIENCE_S
from tests.wagering.seats import RICH, SITE, TABLE, Seats

DEALT = "CLOSE; KS; 2C; 9D; 3D"


def ada_bets(seats: Seats, stake: int = 1000) -> None:
    seats.say("OPEN")
    seats.bet("ada", ("player", stake))


def say(head: StreamHead, name: str, subject: str | None, data: object, table: str = TABLE) -> bytes:
    source = f"/dealer-table/{SITE}/{table}"
    at = "2026-01-31T20:15:00Z"
    return envelope(head, source=source, mode="live", name=name, subject=subject, time=at, data=data)


def test_a_new_journal_gives_back_what_the_old_one_left_open(database: Database) -> None:
    """The unit died in a round that nobody names: ``replace --round none``."""
    seats = Seats(database, "baccarat")
    ada_bets(seats)
    seats.stream.accept_epoch(2)
    seats.stream.pin(SIGNER.key)
    started = {"previous": 1, "last_acknowledged": {}, "round": None, "by": "S1", "note": None}
    seats.stream.take([by(SIGNER, say(first_head(2), "epoch.started", None, started))])
    assert seats.balance("ada") == RICH
    assert seats.bet("ada", ("player", 10), round="north-7-1-1") == "bets_closed"
    with database.read() as connection:
        (line,) = [one for one in views.audit(connection)["lines"] if one["what"] == "refund"][1:]
    assert (line["message"], line["round"]) == ("north/7/2-1", "north-7-1-1")
    assert seats.faults() == []


def test_the_void_of_a_round_that_a_dead_unit_left_gives_back_once(database: Database) -> None:
    seats = Seats(database, "baccarat")
    ada_bets(seats)
    seats.stream.accept_epoch(2)
    seats.stream.pin(SIGNER.key)
    head = first_head(2)
    first = say(head, "table.opened", None, {"by": "S1"})
    void = {"round": "north-7-1-1", "reason": "supervisor", "rule": None}
    second = say(head.after(first), "round.void", "north-7-1-1", void)
    seats.stream.take([by(SIGNER, first), by(SIGNER, second)])
    assert seats.balance("ada") == RICH
    (played,) = seats.rounds("ada")
    assert (played["void"]["reason"], played["returned"]) == ("supervisor", 1000)
    assert seats.faults() == []


def test_a_round_that_was_paid_stands_when_the_unit_is_replaced(database: Database) -> None:
    seats = Seats(database, "baccarat")
    ada_bets(seats)
    seats.say(DEALT)
    seats.stream.accept_epoch(2)
    seats.stream.pin(SIGNER.key)
    seats.stream.take([by(SIGNER, say(first_head(2), "table.opened", None, {"by": "S1"}))])
    assert seats.balance("ada") == RICH + 1000
    assert seats.faults() == []


FINALS = [
    (DEALT, 1, ""),
    (DEALT, 2, "is final with revision 2, booked was revision 1"),
    ("CLOSE; KS; 2C", 1, "is final with revision 1, booked was no result"),
]


@pytest.mark.parametrize(("played", "revision", "fault"), FINALS)
def test_a_final_of_another_result_than_was_booked_is_a_fault_that_people_mend(
    database: Database, played: str, revision: int, fault: str
) -> None:
    """What a unit said last died with it: the next one knows it from the disk, and nobody else."""
    seats = Seats(database, "baccarat")
    ada_bets(seats)
    seats.say(played)
    seats.stream.accept_epoch(2)
    seats.stream.pin(SIGNER.key)
    head = first_head(2)
    first = say(head, "table.opened", None, {"by": "S1"})
    final = say(
        head.after(first), "round.final", "north-7-1-1", {"round": "north-7-1-1", "revision": revision}
    )
    seats.stream.take([by(SIGNER, first), by(SIGNER, final)])
    assert seats.faults() == ([f"north-7-1-1 {fault}: pay it by hand"] if fault else [])


@pytest.mark.parametrize("name", ["round.result", "round.void"])
def test_a_message_of_one_table_touches_no_bet_of_another(database: Database, name: str) -> None:
    seats = Seats(database, "baccarat")
    ada_bets(seats)
    other = BookedStream(database, SITE, "8")
    other.begin(1, 0)
    other.pin(SIGNER.key)
    wins = {"player": {"result": "win", "pays": "1000:1"}}
    said = {"round": "north-7-1-1", "bets": wins, "hands": {}, "reason": "supervisor", "rule": None}
    other.take([by(SIGNER, say(first_head(1), name, "north-7-1-1", said, "8"))])
    assert seats.balance("ada") == RICH - 1000
    seats.say(DEALT)
    assert seats.balance("ada") == RICH + 1000
    assert seats.faults() == []


def test_an_account_is_no_purse_for_a_table_that_plays_for_another_currency(database: Database) -> None:
    """1,000 minor units are ten euros and a thousand yen."""
    limits = 'baccarat core.limits={"currency":"%s"}'
    seats = Seats(database, limits % "EUR")
    ada_bets(seats)
    seats.say(f"{DEALT}; SETTLED")
    yen = Seats(database, limits % "JPY", hears=False)
    yen.stream = BookedStream(database, SITE, "8")
    yen.stream.begin(1, 0)
    yen.stream.pin(SIGNER.key)
    yen.say("OPEN")
    # The same conversation as if it came from table 8.
    head, bodies = first_head(1), []
    for message in yen.conversation.stream:
        data = json.loads(json.dumps(message["data"]).replace("north-7-", "north-8-"))
        subject = message.get("subject")
        subject = None if subject is None else str(subject).replace("north-7-", "north-8-")
        name = str(message["type"]).removeprefix("dealertable.").removesuffix(".v1")
        bodies.append(say(head, name, subject, data, "8"))
        head = head.after(bodies[-1])
    yen.stream.take([by(SIGNER, body) for body in bodies])
    bets = [{"spot": "player", "stake": 10}]
    asked = msgspec.convert({"id": "y", "round": "north-8-1-1", "bets": bets}, PlaceBets)
    with database.change() as connection:
        status, body = answer(connection, SITE, "8", "ada", asked)
    assert (status, json.loads(body)["error"]["code"]) == (409, "other_currency")
    with database.read() as connection:
        assert views.audit(connection)["currency"] == "EUR"
    assert seats.balance("ada") == RICH + 1000


def test_a_call_comes_to_nothing_while_the_table_is_not_heard_and_may_come_again(
    database: Database,
) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    bets = [{"spot": "player", "stake": 100}]
    asked = msgspec.convert({"id": "x", "round": seats.felt.round, "bets": bets}, PlaceBets)

    def call(*, heard: bool) -> tuple[int, Any]:
        with database.change() as connection:
            status, body = answer(connection, SITE, TABLE, "ada", asked, heard=heard)
        return status, json.loads(body)

    assert call(heard=False)[1]["error"]["code"] == "unavailable"
    assert seats.balance("ada") == RICH
    taken = call(heard=True)
    assert taken[0] == 201
    assert call(heard=False) == taken  # what was answered is answered again, heard or not


def test_gaps_repetitions_and_a_wrong_order_book_nothing_twice(database: Database) -> None:
    seats = Seats(database, "baccarat")
    ada_bets(seats)
    seats.hears = False
    seats.say(DEALT)
    bodies = seats.bodies
    late = bodies[seats.heard :]
    assert all(isinstance(one, Gap) for one in seats.stream.take(late[1:][::-1]))
    assert seats.balance("ada") == RICH - 1000
    seats.stream.take(late)
    assert all(isinstance(one, Repeated) for one in seats.stream.take(late[::-1]))
    assert seats.balance("ada") == RICH + 1000
    assert seats.faults() == []


def test_rounds_that_opened_at_the_same_time_are_all_told_page_by_page(database: Database) -> None:
    seats = Seats(database, "baccarat")
    for _ in range(5):
        ada_bets(seats, 10)
        seats.say(f"{DEALT}; SETTLED")
    with database.change() as connection:
        connection.exec_driver_sql("UPDATE rounds SET opened_at = '2026-01-31T20:15:00Z'")
    told: list[str] = []
    while True:
        with database.read() as connection:
            page = views.history(connection, "ada", told[-1] if told else None, 2)["rounds"]
        if not page:
            break
        told += [one["round"] for one in page]
    assert told == [f"north-7-1-{number}" for number in (5, 4, 3, 2, 1)]


def test_a_caller_who_leaves_takes_nobody_along(database: Database) -> None:
    """A call that was given up while it waited; those beside it in the same transaction are answered."""
    desk = Desk(database)
    waiting: list[Future[int]] = [desk.ask(lambda _: 1), desk.ask(lambda _: 2), desk.ask(lambda _: 3)]
    waiting[1].cancel()
    desk.start()
    assert [waiting[each].result(PATIENCE_S) for each in (0, 2)] == [1, 3]
    assert desk.ask(lambda _: 4).result(PATIENCE_S) == 4
    desk.stop()
    with pytest.raises(BooksError):
        desk.ask(lambda _: 5)


@pytest.mark.parametrize("stake", ["1e999", "9" * 400, "[" * 900 + "]" * 900, '"\\u0000"', "{}"])
def test_a_stake_that_is_none_is_refused_and_the_refusal_kept(database: Database, stake: str) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    body = f'{{"id":"x","round":"north-7-1-1","bets":[{{"spot":"player","stake":{stake}}}]}}'
    try:
        asked = msgspec.json.decode(body, type=PlaceBets)
    except msgspec.DecodeError:
        return  # no JSON number that anybody reads
    with database.change() as connection:
        status, said = answer(connection, SITE, TABLE, "ada", asked)
        kept = connection.execute(CALLS.select()).one()
    assert (status, json.loads(said)["error"]["code"]) == (422, "bad_stake")
    assert kept.answer == said.decode() == canonical_json(json.loads(said)).decode()


@pytest.mark.parametrize("url", ["wallet.example", "http://", "ftp://a/b", "http://a:port", "http://[::1"])
def test_an_address_that_is_none_is_said_before_anything_begins(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"wallet\.url"):
        address(url)
