"""What a player may do, when, and what becomes of the money: each rule of the contract, in both databases."""

from __future__ import annotations

import msgspec
import pytest
import sqlalchemy as sql

from controller.consumer.store import StoreError, Taken
from controller.wagering.calls import PlaceBets, answer
from controller.wagering.database import Database
from controller.wagering.ledger import AWAY, For, Ledger
from controller.wagering.reports import Word, words
from controller.wagering.stream import BookedStream
from tests.wagering.seats import RICH, SITE, TABLE, Seats

LIMITED = (
    'baccarat core.limits={"currency":"EUR","table":{"min":500,"max":5000},'
    '"spots":{"tie":{"min":100,"max":200}}}'
)
LIVE = 'baccarat odds=live betting_rounds=["deal","first"]'


def test_a_bet_is_paid_by_the_result(database: Database) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    told = seats.bet("ada", ("player", 1000), ("tie", 10))
    assert told["balance"] == RICH - 1010
    assert [bet["spot"] for bet in told["bets"]] == ["player", "tie"]
    assert seats.bet("ben", ("banker", 999))["balance"] == RICH - 999
    seats.say("CLOSE; KS; 2C; 9D; 3D")
    assert seats.balance("ada") == RICH + 1000 - 10
    assert seats.balance("ben") == RICH - 999
    (played,) = seats.rounds("ada")
    assert [(bet["spot"], bet["result"], bet["returned"]) for bet in played["bets"]] == [
        ("player", "win", 2000),
        ("tie", "lose", 0),
    ]
    assert [bet["pays"] for bet in played["bets"]] == ["1:1", None]
    assert (played["pay_table"]["id"], played["rules"]) == ("baccarat-fixed", "baccarat; readings 1")
    assert played["cards"] == {"player": ["KS", "9D"], "banker": ["2C", "3D"]}
    assert {line["message"] for line in played["lines"] if line["what"] == "paid"} == {
        f"north/7/1-{seats.heard}"
    }
    assert seats.faults() == []
    seats.say("SETTLED; VOID supervisor")
    assert [bet["pays"] for bet in seats.rounds("ada")[0]["bets"]] == [None, None]


def test_the_limits_are_for_all_that_a_player_has_on_a_spot(database: Database) -> None:
    seats = Seats(database, LIMITED)
    seats.say("OPEN")
    assert seats.bet("ada", ("player", 499)) == "below_minimum"
    assert seats.bet("ada", ("player", 300), ("player", 300))["balance"] == RICH - 600
    assert seats.bet("ada", ("player", 4401)) == "above_maximum"
    assert seats.bet("ada", ("player", 4400))["balance"] == RICH - 5000
    assert seats.bet("ada", ("tie", 201)) == "above_maximum"
    assert seats.bet("ben", ("player", 5000), ("tie", 99)) == "below_minimum"
    assert seats.balance("ben") == RICH


def test_a_click_is_one_look_at_the_books_and_one_writing_of_each_kind(database: Database) -> None:
    """Bets, ledger lines, accounts, the answer: a thousand seats click in one second."""
    seats = Seats(database, LIMITED)
    seats.say("OPEN")
    seats.bet("ada", ("player", 1000))  # the first one says what the accounts hold
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        seen.append(statement.split()[0])

    with database.change() as connection:
        sql.event.listen(connection, "before_cursor_execute", note)
        bets = [{"spot": "player", "stake": 500}, {"spot": "tie", "stake": 100}]
        asked = {"id": "x", "round": seats.felt.round, "bets": bets}
        status, _ = answer(connection, SITE, TABLE, "ada", msgspec.convert(asked, PlaceBets))
    assert (status, seen) == (201, ["SELECT", *["INSERT"] * 4])
    assert seats.balance("ada") == RICH - 1600
    assert seats.faults() == []


@pytest.mark.parametrize("stake", [0, -5, 1.5, True, "10", None, 2**53])
def test_a_stake_is_whole_minor_units(database: Database, stake: object) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    assert seats.bet("ada", ("player", stake)) == "bad_stake"  # type: ignore[arg-type]


def test_what_the_layout_and_the_purse_do_not_cover_is_refused(database: Database) -> None:
    seats = Seats(database, "casino-holdem")
    seats.say("OPEN")
    assert seats.bet("ada", ("hand1.play", 100)) == seats.bet("ada", ("tie", 100)) == "unknown_spot"
    assert seats.bet("ada", ("hand1.bonus", 100)) == "required_bet_missing"
    assert seats.bet("ada", ("hand1.ante", 100), ("hand1.bonus", 100))["balance"] == RICH - 200
    assert seats.bet("ada", ("hand2.ante", RICH)) == "insufficient_balance"
    assert seats.balance("ada") == RICH - 200


def test_the_round_is_looked_at_first_and_then_whether_bets_are_open(database: Database) -> None:
    seats = Seats(database, "baccarat")
    assert seats.bet("ada", ("player", 100), round="north-7-1-1") == "wrong_round"
    seats.say("OPEN")
    assert seats.bet("ada", ("nothing", 0), round="north-7-1-9") == "wrong_round"
    for _ in "ab":  # PostgreSQL takes no such text
        assert seats.bet("ada", ("nothing", 0), id="nul", round="\0") == "wrong_round"
    assert seats.bet("ada", ("\0", 1)) == "unknown_spot"
    seats.say("HOLD")
    assert seats.bet("ada", ("player", 100)) == seats.undo("ada") == "table_held"
    seats.say("CLEAR continue")
    assert seats.bet("ada", ("player", 100))["balance"] == RICH - 100
    seats.say("CLOSE")
    assert seats.bet("ada", ("player", 100)) == seats.undo("ada") == "bets_closed"


@pytest.mark.parametrize(
    ("happens", "after"),
    [
        ("8S; CLEAR accept", "bets_closed"),
        ("8S; CLEAR return", "bets_closed"),
        ("HOLD; 8S; CLEAR continue", "table_held"),
        ("8S; CLEAR burn", None),
    ],
)
def test_between_a_hold_and_what_follows_nobody_bets_on_a_card_that_was_seen(
    database: Database, happens: str, after: str | None
) -> None:
    """Who asks again and again hits every gap between two messages."""
    seats = Seats(database, "baccarat", hears=False)
    seats.conversation.say("OPEN")
    seats.hear()
    assert "balance" in seats.bet("ada", ("player", 100))
    before = seats.heard
    seats.conversation.say(happens)
    told = []
    for number, body in enumerate(seats.bodies[before:], before + 1):
        assert isinstance(seats.stream.take([body])[0], Taken)
        seats.heard = number
        told.append(seats.bet("ada", ("player", 100)))
    refused = [one for one in told if isinstance(one, str)]
    assert set(refused) == {"table_held", after} - {None}
    assert told[: len(refused)] == refused, "none was taken before it was refused"
    assert (len(told) > len(refused)) is (after is None)


def test_the_same_id_gets_the_same_answer_and_no_other_call_has_it(database: Database) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    first = seats.bet("ada", ("player", 100), id="x")
    assert seats.bet("ada", ("player", 100), id="x") == first
    assert seats.bet("ada", ("player", 101), id="x") == seats.undo("ada", id="x") == "id_reused"
    assert seats.bet("ben", ("player", 101), id="x")["balance"] == RICH - 101
    assert seats.bet("ada", ("player", RICH), id="y") == "insufficient_balance"
    seats.say("CLOSE; KS; 2C; 9D; 3D")
    assert seats.bet("ada", ("player", 100), id="x", round="north-7-1-1") == first
    assert seats.bet("ada", ("player", RICH), id="y", round="north-7-1-1") == "insufficient_balance"
    assert seats.balance("ada") == RICH + 100


def test_undo_gives_back_call_by_call_or_all(database: Database) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    seats.bet("ada", ("player", 100), ("tie", 5))
    seats.bet("ada", ("player", 200))
    assert seats.undo("ada")["balance"] == RICH - 105
    assert [bet["spot"] for bet in seats.undo("ada")["bets"]] == ["player", "tie"]
    assert seats.undo("ada") == {"bets": [], "balance": RICH}
    seats.bet("ada", ("player", 100))
    seats.bet("ada", ("banker", 100))
    assert seats.undo("ada", all=True)["balance"] == RICH
    seats.say("CLOSE; KS; 2C; 9D; 3D")
    assert seats.balance("ada") == RICH
    assert seats.faults() == []


def test_an_offer_that_was_bought_is_paid_and_no_other_is_sold(database: Database) -> None:
    seats = Seats(database, LIVE)
    seats.say("OPEN")
    first = seats.felt.offer
    assert seats.bet("ada", ("player", 1000)) == "price_changed"
    assert seats.bet("ada", ("player", 1000), offer=True)["bets"][0]["price"] == 1.92
    seats.say("CLOSE; 9S; 2C")
    assert seats.bet("ben", ("tie", 10), offer=True)["balance"] == RICH - 10
    wanted = [{"spot": "player", "stake": 10, "offer": first}]
    assert seats.ask("ben", PlaceBets, bets=wanted) == "price_changed"
    assert seats.undo("ada") == {"bets": [], "balance": RICH - 1000}  # cards lie: what was bought stands
    seats.say("CLOSE; KS; 3C")
    assert seats.balance("ada") == RICH + 920
    assert seats.faults() == []


def test_a_void_gives_back_and_a_result_put_right_pays_anew(database: Database) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    seats.bet("ada", ("player", 1000))
    seats.bet("ben", ("banker", 1000))
    seats.say("CLOSE; 2S; 2D; 3C; 3D; 6H; 5C")
    before = seats.balance("ada"), seats.balance("ben")
    assert before != (RICH - 1000, RICH - 1000)
    seats.say("RETURN 5C; 5C")
    assert (seats.balance("ada"), seats.balance("ben")) == before
    seats.again()
    seats.say("VOID supervisor")
    assert (seats.balance("ada"), seats.balance("ben")) == (RICH, RICH)
    (played,) = seats.rounds("ada")
    assert (played["void"]["reason"], played["returned"]) == ("supervisor", 1000)
    assert seats.faults() == []


def test_another_result_takes_back_what_the_one_before_it_paid(database: Database) -> None:
    seats = Seats(database, "baccarat")
    seats.say("OPEN")
    seats.bet("ada", ("player", 1000))
    seats.bet("ben", ("banker", 1000))
    seats.say("CLOSE; 2S; 2D; 3C; 3D; 6H; 5C")
    assert (seats.balance("ada"), seats.balance("ben")) == (RICH + 1000, RICH - 1000)
    seats.say("RETURN 5C; 4C; CLEAR continue")
    assert (seats.balance("ada"), seats.balance("ben")) == (RICH - 1000, RICH + 950)
    (played,) = seats.rounds("ben")
    assert (played["revision"], played["returned"]) == (2, 1950)
    assert seats.faults() == []


def test_a_stream_is_booked_by_one_service_only(database: Database) -> None:
    seats = Seats(database, "baccarat")
    other = BookedStream(database, SITE, TABLE)
    before = seats.heard
    seats.say("OPEN")
    seats.bet("ada", ("player", 1000))
    seats.say("CLOSE; KS; 2C; 9D; 3D")
    with pytest.raises(StoreError, match="another service"):
        other.take(seats.bodies[before:])
    assert seats.balance("ada") == RICH + 1000
    assert seats.faults() == []


class TestDecisions:
    """Casino Hold'em, "Make Your Decision"."""

    FLOP = "CLOSE; AS; AD; 2C; 7D; KS; QD; AH; 9C; 4D"

    def test_play_takes_its_stake_at_once_and_who_does_not_decide_is_folded(self, database: Database) -> None:
        seats = Seats(database, "casino-holdem")
        seats.say("OPEN")
        seats.bet("ada", ("hand1.ante", 100), ("hand1.ante", 50), ("hand1.bonus", 10), ("hand2.ante", 100))
        seats.bet("ben", ("hand2.ante", 100))
        assert seats.decide("ada", "hand1", "play") == "decisions_closed"
        seats.say(self.FLOP)
        assert seats.decide("ada", "hand1", "play")["balance"] == RICH - 260 - 300
        assert seats.decide("ada", "hand1", "fold") == "already_decided"
        assert seats.decide("ben", "hand1", "play") == "required_bet_missing"
        assert seats.decide("ben", "dealer", "play") == "unknown_decision"
        assert seats.decide("ben", "hand2", "fold")["bets"] == []
        seats.say("DECIDED")
        assert seats.decide("ada", "hand2", "play") == "decisions_closed"
        seats.say("3H; 5S; REVEAL")
        (played,) = seats.rounds("ada")
        assert played["decisions"] == {"hand1": "play", "hand2": "auto"}
        by_spot = {bet["spot"]: bet["result"] for bet in played["bets"]}
        assert by_spot["hand2.ante"] == "lose"
        assert by_spot["hand1.ante"] == by_spot["hand1.bonus"] == "win"
        assert seats.faults() == []

    def test_play_is_exempt_from_limits_but_not_from_the_balance(self, database: Database) -> None:
        limits = 'core.limits={"currency":"EUR","table":{"min":1,"max":400000}}'
        seats = Seats(database, f"casino-holdem {limits}")
        seats.say("OPEN")
        seats.bet("ada", ("hand1.ante", 400_000))
        seats.bet("ben", ("hand1.ante", 300_000))
        seats.say(self.FLOP)
        assert seats.decide("ada", "hand1", "play") == "insufficient_balance"
        assert seats.decide("ben", "hand1", "play")["balance"] == RICH - 900_000
        assert seats.decide("ada", "hand1", "fold")["balance"] == RICH - 400_000

    def test_who_owes_may_fold_and_not_play(self, database: Database) -> None:
        """What was paid to ada was taken back, and she has spent it."""
        seats = Seats(database, "casino-holdem")
        seats.say("OPEN")
        seats.bet("ada", ("hand1.ante", 100), ("hand2.ante", 100))
        seats.say(self.FLOP)
        with database.change() as connection:
            ledger = Ledger(connection)
            ledger.move("ada", AWAY, RICH, For("debit"))
            ledger.write()
        assert seats.decide("ada", "hand1", "play") == "insufficient_balance"
        assert seats.decide("ada", "hand1", "fold")["balance"] == -200

    def test_decisions_that_open_into_a_hold_take_nothing_before_it_is_over(self, database: Database) -> None:
        """Message by message: the turn was seen before anybody was asked."""
        seats = Seats(database, "casino-holdem")
        seats.say("OPEN")
        seats.bet("ada", ("hand1.ante", 100))
        *before, last = self.FLOP.split()
        seats.say(f"{' '.join(before)}; HOLD; {last} 3H")
        told = len(seats.conversation.stream)
        seats.hears = False
        seats.say("CLEAR continue")
        taken = []
        for one in seats.bodies[told:]:
            seats.stream.take([one])
            taken.append(seats.decide("ada", "hand1", "play"))
        assert set(taken) <= {"table_held", "decisions_closed"}
        assert "table_held" in taken[-2:]
        seats.heard, seats.hears = len(seats.conversation.stream), True
        seats.say("CLEAR burn")
        assert seats.decide("ada", "hand1", "play")["balance"] == RICH - 300

    def test_a_card_that_goes_back_asks_everybody_again(self, database: Database) -> None:
        seats = Seats(database, "casino-holdem")
        seats.say("OPEN")
        seats.bet("ada", ("hand1.ante", 100))
        seats.say(self.FLOP)
        seats.decide("ada", "hand1", "play")
        seats.say("RETURN 4D")
        assert seats.balance("ada") == RICH - 100
        seats.say("4D")
        assert seats.decide("ada", "hand1", "fold")["balance"] == RICH - 100
        seats.say("DECIDED; 3H; 5S; REVEAL")
        assert seats.balance("ada") == RICH - 100
        assert seats.faults() == []


def test_a_seat_without_cards_gets_its_bets_back(database: Database) -> None:
    seats = Seats(database, "two-cards-high")
    seats.say("SEATS 1 3; OPEN")
    seats.bet("ada", ("seat2.main", 100), ("seat3.main", 100))
    seats.say("CLOSE")
    assert seats.balance("ada") == RICH - 100
    assert [bet["spot"] for bet in seats.account("ada")["open"]] == ["seat3.main"]
    assert seats.faults() == []


def test_the_table_is_told_how_many_play_fold_and_were_folded(database: Database) -> None:
    seats = Seats(database, "casino-holdem", "ada", "ben", "cleo")
    seats.say("OPEN")
    for player in ("ada", "ben", "cleo"):
        seats.bet(player, ("hand1.ante", 100))
    seats.say(TestDecisions.FLOP)
    assert told(seats) == []
    seats.decide("ada", "hand1", "play")
    seats.decide("ben", "hand1", "fold")
    assert told(seats) == [Word("north-7-1-1", "hand1", (), 1, 1, 0)]
    seats.say("DECIDED")
    assert told(seats) == [Word("north-7-1-1", "hand1", (), 1, 1, 1)]
    seats.say("3H; 5S; REVEAL; VOID supervisor")
    assert told(seats) == []


def told(seats: Seats) -> list[Word]:
    with seats.database.read() as connection:
        return words(connection, seats.felt)
