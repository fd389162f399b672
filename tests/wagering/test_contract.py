"""The interface of the contract ("Players"), call by call: statuses, codes, and which of two comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.harness.process import comes
from tests.seat.rooms import Rooms, Table, rooms
from tests.wagering.service import Caller, said

HOLDEM = "casino-holdem"
PATH = f"/tables/north/{HOLDEM}"
ANTE, BONUS = "hand1.ante", "hand1.bonus"
DEALT = "AS AD 2C 7D KS QD AH 9C 4D"

# Each call is wrong in two ways at least: the first that the contract names is told.
REFUSED_WHILE_OPEN = [
    ([("nowhere", 0)], (422, "unknown_spot")),
    ([("hand1.play", 100)], (422, "unknown_spot")),
    ([(ANTE, 0), (BONUS, 1)], (422, "bad_stake")),
    ([(ANTE, "100"), ("nowhere", 100)], (422, "bad_stake")),
    ([(ANTE, 1.5)], (422, "bad_stake")),
    ([(ANTE, 99)], (422, "below_minimum")),
    ([(ANTE, 10_001)], (422, "above_maximum")),
    ([(BONUS, 10_001)], (422, "above_maximum")),
    ([(BONUS, 5_000)], (422, "required_bet_missing")),
    ([(ANTE, 5_000)], (402, "insufficient_balance")),
    ([(ANTE, 400), ("hand2.ante", 400)], (402, "insufficient_balance")),
]
"""Of a player who has 700, at a table that takes 100 to 10,000."""
NO_CALLS: list[Any] = [
    {"round": "r", "bets": [{"spot": ANTE, "stake": 100}]},
    {"id": "", "round": "r", "bets": [{"spot": ANTE, "stake": 100}]},
    {"id": "a b", "round": "r", "bets": [{"spot": ANTE, "stake": 100}]},
    {"id": "x", "bets": [{"spot": ANTE, "stake": 100}]},
    {"id": "x", "round": "r", "bets": []},
    {"id": "x", "round": "r", "bets": [{"spot": ANTE}]},
    {"id": "x", "round": "r", "bets": [{"spot": 5, "stake": 100}]},
    {"id": "x", "round": "r", "bets": [{"spot": ANTE, "stake": 100, "player": "ben"}]},
    {"id": "x", "round": "r", "bets": [{"spot": ANTE, "stake": 100}], "player": "ben"},
    [],
    "bets",
]
"""Bodies that are none; the round is not looked at."""


class Guest:
    """A player at the table of hold'em, who names each call."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller

    def __call__(self, what: str, **body: Any) -> Any:
        """Status and answer, of an error status and code."""
        response = self.caller.http.post(f"{PATH}/{what}", json=body)
        told = said(response)
        return told if isinstance(told, tuple) else (response.status_code, told)

    def bets(self, name: str, round_: str, *bets: tuple[str, Any]) -> Any:
        return self("bets", id=name, round=round_, bets=[{"spot": spot, "stake": one} for spot, one in bets])

    def decide(self, name: str, round_: str, hand: str, decision: str = "play") -> Any:
        return self("decisions", id=name, round=round_, hand=hand, decision=decision)


def test_every_call_of_the_contract(tmp_path: Path, url: str) -> None:
    with rooms(tmp_path, url=url) as floor:
        table = floor.tables[HOLDEM]
        ada, dan = (Guest(floor.service.caller(name)) for name in ("ada", "dan"))
        comes(lambda: ada.bets("early", "north-7-1-1", (ANTE, 100)), (409, "wrong_round"))
        round_ = table.open()
        who_may(floor, round_)
        a_table_says_what_it_takes(floor, round_)
        while_bets_are_open(dan, ada, round_)
        kept = ada.bets("ante", round_, (ANTE, 200), ("hand2.ante", 100))
        assert (kept[0], kept[1]["balance"]) == (201, 999_700)
        assert [(bet["spot"], bet["stake"]) for bet in kept[1]["bets"]] == [(ANTE, 200), ("hand2.ante", 100)]
        in_a_hold(table, ada, round_)
        table.say(f"CLOSE; {DEALT}")
        table.wait("decision")
        decisions(ada, dan, round_)
        table.say("DECIDED; 3H 5S")
        table.say("REVEAL")
        table.wait("result")
        assert ada.decide("late", round_, "hand2") == (409, "decisions_closed")
        table.say("SETTLED")
        the_same_again_after_a_crash(floor, ada, round_, kept)
        what_is_told(floor, round_)


def who_may(floor: Rooms, round_: str) -> None:
    """Who calls is looked at first, then where, then what."""
    nobody, operator, ada = (
        floor.service.caller("nobody", "none"),
        floor.service.caller("operator"),
        floor.service.caller("ada"),
    )
    for path in ("/tables", "/account", "/account/history", "/audit"):
        assert nobody.get(path) == (401, "unauthorized")
    assert nobody.post("bets", {}, "north/none") == (401, "unauthorized")
    assert operator.post("bets", {}, "north/none") == (403, "forbidden")
    assert operator.get("/account") == (403, "forbidden")
    assert ada.get("/audit") == (403, "forbidden")
    for what in ("bets", "bets/undo", "decisions"):
        assert ada.post(what, {}, "north/none") == (404, "unknown_table")
        assert ada.post(what, {}, f"north/{HOLDEM}") == (400, "bad_request")
    for body in NO_CALLS:
        assert said(ada.http.post(f"{PATH}/bets", json=body)) == (400, "bad_request"), body
    raised = {"round": round_, "hand": "hand1", "decision": "raise"}
    assert ada.post("decisions", raised, f"north/{HOLDEM}") == (400, "bad_request")
    assert said(ada.http.post(f"{PATH}/bets", content=b"{")) == (400, "bad_request")
    two_stakes = (
        f'{{"id": "two", "round": "{round_}", "bets": [{{"spot": "{ANTE}", "stake": 200, "stake": 300}}]}}'
    )
    assert said(ada.http.post(f"{PATH}/bets", content=two_stakes.encode())) == (400, "bad_request")


def a_table_says_what_it_takes(floor: Rooms, round_: str) -> None:
    told = next(one for one in floor.service.caller("ada").get("/tables") if one["table"] == HOLDEM)
    names = ("site", "table", "game", "phase", "round")
    assert [told[name] for name in names] == ["north", HOLDEM, HOLDEM, "betting", round_]
    assert told["limits"]["table"] == {"min": 100, "max": 10_000}
    assert told["spots"][ANTE] | {"pays": None} == {
        "pays": None,
        "offer": None,
        "price": None,
        "min": 100,
        "max": 10_000,
    }


def while_bets_are_open(dan: Guest, ada: Guest, round_: str) -> None:
    for number, (bets, code) in enumerate(REFUSED_WHILE_OPEN):
        assert dan.bets(f"r{number}", round_, *bets) == code, bets
        assert dan.bets(f"w{number}", "north-1-1-1", *bets) == (409, "wrong_round")
    assert dan.caller.get("/account") == {"player": "dan", "balance": 700, "open": []}
    assert dan.decide("d", round_, "hand1") == (409, "decisions_closed")
    assert dan.decide("e", "north-1-1-1", "nobody") == (409, "wrong_round")
    assert dan("bets/undo", id="u", round="north-1-1-1") == (409, "wrong_round")
    offered = {"spot": ANTE, "stake": 100, "offer": "1-1"}
    assert dan("bets", id="o", round=round_, bets=[offered]) == (409, "price_changed")
    assert (
        dan.bets("one", round_, (ANTE, 100))[0]
        == dan.bets("two", round_, (ANTE, 100), (BONUS, 100))[0]
        == 201
    )
    status, undone = dan("bets/undo", id="back", round=round_)
    assert (status, [bet["spot"] for bet in undone["bets"]], undone["balance"]) == (200, [ANTE, BONUS], 600)
    assert dan("bets/undo", id="back", round=round_) == (200, undone)
    assert dan("bets/undo", id="one", round=round_) == (409, "id_reused")
    assert dan.bets("three", round_, ("hand2.ante", 500))[1]["balance"] == 100
    assert [bet["spot"] for bet in dan.caller.get("/account")["open"]] == [ANTE, "hand2.ante"]
    assert dan("bets/undo", id="all", round=round_, all=True)[1]["balance"] == 700
    assert dan.bets("four", round_, (ANTE, 300))[1]["balance"] == 400


def in_a_hold(table: Table, ada: Guest, round_: str) -> None:
    table.say("HOLD")
    comes(lambda: table.shown()["held"], True)
    assert ada.bets("h1", round_, ("nowhere", 0)) == (409, "table_held")
    assert ada("bets/undo", id="h2", round=round_) == (409, "table_held")
    assert ada.bets("h3", "north-1-1-1", (ANTE, 100)) == (409, "wrong_round")
    table.say("CLEAR continue")
    comes(lambda: table.shown()["held"], False)


def decisions(ada: Guest, dan: Guest, round_: str) -> None:
    assert ada.bets("closed", round_, ("nowhere", 0)) == (409, "bets_closed")
    assert ada("bets/undo", id="closed-2", round=round_) == (409, "bets_closed")
    assert ada.bets("closed-3", "north-1-1-1", (ANTE, 100)) == (409, "wrong_round")
    assert ada.decide("d1", "north-1-1-1", "dealer") == (409, "wrong_round")
    assert ada.decide("d2", round_, "dealer") == (422, "unknown_decision")
    assert dan.decide("d3", round_, "hand2") == (422, "required_bet_missing")
    assert dan.decide("d4", round_, "hand1") == (402, "insufficient_balance")
    assert dan.decide("d5", round_, "hand1", "fold")[1]["balance"] == 400
    status, played = ada.decide("play", round_, "hand1")
    assert (status, played["balance"]) == (201, 999_300)
    assert [(bet["spot"], bet["stake"]) for bet in played["bets"]] == [("hand1.play", 400)]
    assert ada.decide("play", round_, "hand1") == (201, played)
    assert ada.decide("d6", round_, "hand1", "fold") == (409, "already_decided")


def the_same_again_after_a_crash(floor: Rooms, ada: Guest, round_: str, kept: Any) -> None:
    """Answers and refusals, whatever the round is by now."""
    floor.service.restart()
    assert ada.bets("ante", round_, (ANTE, 200), ("hand2.ante", 100)) == kept
    assert ada.bets("ante", round_, (ANTE, 200)) == (409, "id_reused")
    assert ada.bets("closed", round_, ("nowhere", 0)) == (409, "bets_closed")
    assert ada.decide("d6", round_, "hand1", "fold") == (409, "already_decided")
    assert ada.decide("play", round_, "hand1")[1]["balance"] == 999_300


def what_is_told(floor: Rooms, round_: str) -> None:
    """Hand 1 wins with three aces against a dealer who does not qualify, hand 2 was folded by the clock."""
    history = floor.service.caller("ada").get("/account/history")["rounds"]
    [played] = history
    assert (played["round"], played["staked"], played["returned"]) == (round_, 700, 800)
    assert [(bet["spot"], bet["stake"], bet["result"], bet["returned"]) for bet in played["bets"]] == [
        (ANTE, 200, "win", 400),
        ("hand2.ante", 100, "lose", 0),
        ("hand1.play", 400, "push", 400),
    ]
    assert played["cards"]["dealer"] == ["KS", "QD"]
    assert played["cards"]["board"] == ["AH", "9C", "4D", "3H", "5S"]
    assert played["decisions"] == {"hand1": "play", "hand2": "auto"}
    audit = floor.service.caller("operator").get("/audit")
    assert (audit["sum"], audit["faults"], audit["open"]) == (0, [], [])
    assert (audit["accounts"]["ada"], audit["accounts"]["dan"]) == (1_000_100, 400)
    assert sum(line["amount"] for line in audit["lines"]) == 0
    assert [
        line for line in audit["lines"] if line["what"] != "opening" and not (line["message"] and line["bet"])
    ] == []


@pytest.mark.parametrize("query", ["most=x", "before=%00", "most=-1"])
def test_a_query_that_is_none_is_a_bad_request(tmp_path: Path, query: str) -> None:
    with rooms(tmp_path) as floor:
        assert floor.service.caller("ada").get(f"/account/history?{query}") == (400, "bad_request")
