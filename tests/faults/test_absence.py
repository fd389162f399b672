"""The broker is gone for 90 rounds, or for longer than the house allows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.loop import judge
from tests.harness.deals import DEALS
from tests.harness.house import BadHouse, bad_house
from tests.harness.people import Croupier
from tests.outbox.sender import Listener
from tests.vectors.by_hand import paid_back, settle

[GAME] = [deal for deal in DEALS if deal.game == "2-card-action"]
ROUNDS = 90
RETURNS = 3
LIMIT_S = 10
"""A round goes into half of it, on any machine."""
BETS = [{"spot": spot, "stake": 100} for spot in ("any_pair", "field", "bonus", "ace_plus", "single_A")]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[BadHouse]:
    with bad_house(tmp_path, GAME) as house:
        yield house


def results(bodies: list[bytes]) -> list[dict[str, Any]]:
    heard = [json.loads(body) for body in bodies]
    return [message["data"] for message in heard if message["type"] == "dealertable.round.result.v1"]


def test_90_rounds_without_a_broker_are_played_and_come_after_it(table: BadHouse) -> None:
    people = Croupier(table, random.Random(90), deal=GAME)
    with Listener(table.broker, "#", comes_back=True) as listener:
        for _ in range(3):
            people.round()
        table.wait_delivered()
        known = table.stream_head()
        table.broker.kill()
        for _ in range(ROUNDS):
            people.round()
        assert people.holds == 0
        backlog = table.stream_head()
        assert backlog > known + 5 * ROUNDS
        last = results(table.messages())[-1]["round"]
        table.consumer.kill()  # so that the backlog is there at each return
        away = len(listener.heard)
        before = []
        for _ in range(RETURNS):
            since = len(listener.heard)
            table.broker.kill()
            table.broker.forget()
            table.broker.start()
            result = listener.wait("result", lambda said: said["round"] == last, since)
            status = listener.wait("status", lambda said: said["state"] == "online", since)
            display = listener.wait(
                "display", lambda said: (said["phase"], said["round"]) == ("settled", last), since
            )
            current_s = max(result.at_s, status.at_s, display.at_s)
            before.append(sum(heard.at_s < current_s for heard in listener.of("events", since)))
            assert status.body is not None
            assert status.body["sequence"] >= backlog
        print(f"current after {before} of {backlog - known} messages that had waited")
        assert max(before) < ROUNDS, "what is true now does not wait for what was"
        table.broker.kill()
        table.broker.start()
        table.consumer.start()
        table.wait_delivered()
        caught_up = table.stream_head()
        people.round()
        table.wait_delivered()
        check_stream(
            listener, away, range(known + 1, backlog + 1), range(caught_up + 1, table.stream_head() + 1)
        )
        assert (table.close_down(), table.consumer.stop()) == (0, 0)
        check_money(table, people)


def check_stream(listener: Listener, since: int, waited: range, new: range) -> None:
    """What waited came in order and marked; what is new is not.

    The listener is nobody's consumer: what goes out before it listens again is not repeated for it. That
    nothing is missing is asked of who is named.
    """
    listener.wait("events", lambda said: said["sequence"] == new[-1], since)
    first: dict[int, dict[str, Any]] = {}
    for said in listener.of("events", since):
        assert said.body is not None
        first.setdefault(said.body["sequence"], said.body)
    assert list(first) == sorted(first)
    heard = first.keys() & set(waited)
    assert heard
    assert all(first[sequence].get("historical") is True for sequence in heard)
    assert [first[sequence].get("historical", False) for sequence in new] == [False] * len(new)


def check_money(table: BadHouse, people: Croupier) -> None:
    """Who pays on what came pays what the cards on the felt make."""
    kept = table.consumer.kept()
    assert kept == table.messages()
    assert judge([json.loads(body) for body in kept], people.dealt, GAME)[2] == []
    paid = [
        sum(paid_back(bet, told["bets"][bet["spot"]], void=None)["returned"] for bet in BETS)
        for told in results(kept)
    ]
    owed = [
        settle({"game": GAME.game, **dealt.line, "bets": BETS})["returned"]
        for dealt in people.dealt
        if dealt.line is not None
    ]
    assert len(paid) == ROUNDS + 4
    assert paid == owed


def said(house: BadHouse) -> list[tuple[str, str]]:
    heard = [json.loads(body) for body in house.messages()]
    return [
        (message["data"]["code"], message["data"]["message"])
        for message in heard
        if message["type"] == "dealertable.alert.raised.v1"
    ]


def test_after_max_unacknowledged_s_the_round_ends_and_no_other_opens(tmp_path: Path) -> None:
    with bad_house(tmp_path, GAME, f"mqtt.max_unacknowledged_s = {LIMIT_S}") as house:
        people = Croupier(house, random.Random(6), deal=GAME)
        people.round()
        house.wait_delivered()
        house.broker.kill()
        people.round()  # half of the limit is said, and stops nothing
        house.daemon.until(lambda: "will open" in str(said(house)), "the early word")
        people.round()
        people.must("OPEN")
        house.daemon.until(lambda: "no round opens" in str(said(house)), "the limit is reached")
        people.must("CLOSE")
        people.draw("first", 1)
        people.draw("second", 1)
        people.key("SETTLED")
        answer = house.keypad.press("OPEN")
        assert answer is not None
        assert answer.startswith("NO a message has waited")
        assert [message for code, message in said(house) if code == "outbox_old"]
        house.broker.start()
        house.wait_delivered()
        house.daemon.until(lambda: house.keypad.press("OPEN") == "OK", "a round opens", 0.1)
