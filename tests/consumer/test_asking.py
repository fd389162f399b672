"""What a consumer asks for and when: at once on a quiet connection, behind an echo on a busy one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from controller.consumer.asking import (
    ASK_EVERY_S,
    BUSY_A_SECOND,
    ECHO_LOST_S,
    LONG_S,
    MOST_DOUBLINGS,
    SOME_A_SECOND,
    Asking,
    Traffic,
)
from controller.consumer.following import QUIET_S, Following
from controller.consumer.notices import AskedInVain, TableNotice
from controller.consumer.store import MessageStore
from controller.outbox.reports import Arrived
from controller.outbox.retained import Status
from tests.harness.keys import SIGNER, by
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import TOPICS, write

FIRST, SECOND = (5, 3), (5, 8)
"""What is missing."""


def quiet() -> Asking:
    """On a connection of which the table has answered at once."""
    asking = Asking(Traffic())
    asking.due((0, 0), 0.0, surely=True)
    asking.answered(0.1)
    return asking


def crowded() -> Asking:
    """On one of which it has taken a while."""
    asking = Asking(Traffic())
    asking.due((0, 0), -20.0, surely=True)
    asking.answered(-20.0 + LONG_S)
    return asking


class TestAsking:
    def test_all_is_asked_for_at_once_on_a_quiet_connection(self) -> None:
        asking = quiet()
        assert asking.due(FIRST, 10.0) == "all"
        asking.answered(10.1)
        assert asking.due(FIRST, 10.0 + ASK_EVERY_S - 0.1) is None
        assert asking.due(SECOND, 10.2) == "all", "another gap"

    @pytest.mark.parametrize("why", ["much comes", "answers take long"])
    def test_an_echo_is_asked_for_first_on_a_busy_one(self, why: str) -> None:
        traffic = Traffic()
        asking = {"much comes": quiet(), "answers take long": crowded()}.get(why, Asking(traffic))
        coming = {"much comes": BUSY_A_SECOND, "nobody knows yet": SOME_A_SECOND}.get(why, 0)
        asking._traffic.came(coming, 10.0)
        assert asking.due(FIRST, 10.0) == "echo"
        asking._traffic.came(coming, 10.0 + ECHO_LOST_S - 1)
        assert asking.due(FIRST, 10.0 + ECHO_LOST_S - 1) is None
        asking.answered(50.0)
        assert asking.due(FIRST, 50.0) == "all", "it was not among what was on its way"
        assert not asking.in_vain

    def test_all_is_not_asked_for_where_it_came_before_the_echo(self) -> None:
        asking = crowded()
        assert asking.due(FIRST, 10.0) == "echo"
        asking.answered(50.0)
        assert asking.due(SECOND, 50.0) == "echo"

    def test_what_is_asked_for_in_vain_is_asked_for_less_and_less_often(self) -> None:
        asking, asked_s, now_s = quiet(), list[float](), 10.0
        for _ in range(40_000):
            now_s += 0.01
            if asking.due(FIRST, now_s) == "all":
                asked_s.append(now_s)
            asking.answered(now_s + 0.01)
        waits_s = [after - before for before, after in pairwise(asked_s)]
        expected = [ASK_EVERY_S * 2 ** min(n, MOST_DOUBLINGS) for n in range(len(waits_s))]
        assert waits_s == pytest.approx(expected, abs=0.1)
        assert len(waits_s) > MOST_DOUBLINGS

    @pytest.mark.parametrize("asking", [quiet(), crowded()])
    def test_a_new_gap_does_not_wait_for_an_old_one(self, asking: Asking) -> None:
        now_s = 10.0
        for _ in range(100):
            now_s += 10.0
            asking.due(FIRST, now_s)
            asking.answered(now_s + LONG_S / 2)
        assert asking.due(FIRST, now_s + ASK_EVERY_S) is None
        assert asking.due(SECOND, now_s + ASK_EVERY_S) == "all"

    def test_a_new_gap_does_not_wait_long_for_the_echo_of_an_old_one(self) -> None:
        asking = crowded()
        assert asking.due(FIRST, 10.0) == "echo"
        assert asking.due(SECOND, 11.0) is None
        assert asking.due(SECOND, 10.0 + max(ASK_EVERY_S, 2 * LONG_S)) == "echo"

    def test_an_echo_that_gets_lost_is_awaited_for_a_minute(self) -> None:
        asking = crowded()
        asking.due(FIRST, 10.0)
        assert asking.due(FIRST, 10.0 + ECHO_LOST_S) == "all"
        assert not asking.in_vain
        assert asking.due(FIRST, 12.0 + ECHO_LOST_S + ASK_EVERY_S) == "echo"

    def test_a_connection_that_begins_has_asked_nothing(self) -> None:
        asking = crowded()
        for second in range(300):
            asking.due(FIRST, float(second))
        asking.begin()
        asking._traffic.came(SOME_A_SECOND, 300.0)
        assert asking.due(FIRST, 300.0) == "echo"
        asking.answered(300.1)
        assert asking.due(FIRST, 300.1) == "all"

    def test_what_came_long_ago_makes_nothing_busy(self) -> None:
        traffic = Traffic()
        traffic.came(BUSY_A_SECOND, 10.0)
        assert [traffic.a_second(now_s) for now_s in (10.5, 11.5, 13.0)] == [BUSY_A_SECOND, BUSY_A_SECOND, 0]

    def test_where_nothing_comes_all_is_asked_for_at_once_though_nobody_knows_how_long_answers_take(
        self,
    ) -> None:
        asking = Asking(Traffic())
        assert asking.due(FIRST, 10.0) == "all"
        assert asking.due(FIRST, 10.0 + ASK_EVERY_S) == "all", "the answer got lost"

    def test_an_echo_of_a_burst_on_a_quiet_connection_is_given_up_soon(self) -> None:
        """What got lost was no long answer."""
        asking = Asking(Traffic())
        asking._traffic.came(SOME_A_SECOND, 10.0)
        assert asking.due(FIRST, 10.0) == "echo"
        assert asking.due(FIRST, 10.0 + ASK_EVERY_S - 0.1) is None
        assert asking.due(FIRST, 10.0 + ASK_EVERY_S) == "all"
        assert asking.due(FIRST, 10.0 + 2 * ASK_EVERY_S) == "all"


class Missing:
    """A consumer that lacks the third message, and knows of ten."""

    def __init__(self, store: MessageStore) -> None:
        self.seen: list[TableNotice] = []
        self.store = store
        journal = scratch_journal()
        write(journal, 10)
        self.bodies = [by(SIGNER, entry.body) for entry in journal.messages(0, 10)]
        store.begin(5, 0)
        store.pin(SIGNER.key)
        self.following = Following(name="settlement", topics=TOPICS, store=store, see=self.seen.append)
        self.following.connected(0.0)
        self.following.subscribed(0.0)
        self.following.receive(self.bodies[:2], 0.0)
        status = Status("online", 1, "1.0", "d", "live", 5, 10, "", SIGNER.key)
        self.following.hear(Arrived(TOPICS.status, msgspec.json.encode(status), retained=True), 0.0)

    def busy(self, now_s: float) -> None:
        """Much has just come over the connection."""
        self.following._traffic.came(BUSY_A_SECOND, now_s)

    def asked(self, now_s: float) -> dict[str, Any] | None:
        letter = self.following.question(now_s)
        return None if letter is None else json.loads(letter.payload)

    def answer(self, asked: dict[str, Any], now_s: float, **answer: object) -> None:
        payload = json.dumps({"id": asked["id"], "ok": True, **answer}).encode()
        self.following.hear(Arrived(TOPICS.reply(asked["id"]), payload, retained=False), now_s)


@pytest.fixture
def lacks(tmp_path: Path) -> Iterator[Missing]:
    with MessageStore(tmp_path / "kept.db") as store:
        yield Missing(store)


REFUSED = {"ok": False, "error": {"code": "malformed", "message": "unknown field `last`"}}


@pytest.mark.parametrize("answer", [{}, REFUSED])
def test_an_echo_sends_nothing_and_any_answer_to_it_is_one(lacks: Missing, answer: dict[str, Any]) -> None:
    lacks.busy(QUIET_S)
    echo = lacks.asked(QUIET_S)
    assert echo is not None
    assert (echo["sequence"], echo["last"], echo["consumer"]) == (3, 2, "settlement")
    lacks.answer(echo, QUIET_S + 0.1, **answer)
    asked = lacks.asked(QUIET_S + 0.1)
    assert asked is not None
    assert (asked["sequence"], asked.get("last"), asked["consumer"]) == (3, None, "settlement")
    assert not [seen for seen in lacks.seen if isinstance(seen, AskedInVain)]
    lacks.answer(asked, QUIET_S + 0.2, **REFUSED)
    assert [seen.code for seen in lacks.seen if isinstance(seen, AskedInVain)] == ["malformed"]


def test_what_comes_before_the_echo_is_not_asked_for(lacks: Missing) -> None:
    lacks.busy(QUIET_S)
    echo = lacks.asked(QUIET_S)
    assert echo is not None
    lacks.following.receive(lacks.bodies[2:], 60.0)
    lacks.answer(echo, 60.0)
    assert lacks.asked(70.0) is None


def test_what_came_from_behind_the_gap_and_was_dropped_is_asked_for_at_once(lacks: Missing) -> None:
    """It came before what was missing, which has come to its end: it is not on its way."""
    echo = lacks.asked(QUIET_S)
    assert echo is not None
    lacks.answer(echo, QUIET_S + 0.1)
    asked = lacks.asked(QUIET_S + 0.1)
    assert asked is not None
    lacks.answer(asked, QUIET_S + 0.2, epoch=5, **{"from": 3, "to": 6})
    lacks.following._traffic.came(BUSY_A_SECOND, QUIET_S + 0.2)
    lacks.following.receive([lacks.bodies[7], *lacks.bodies[2:5]], QUIET_S + 0.2)
    assert lacks.asked(QUIET_S + 0.2) is None
    lacks.following.receive(lacks.bodies[5:6], QUIET_S + 0.3)
    again = lacks.asked(QUIET_S + 0.3)
    assert again is not None
    assert (again["sequence"], again.get("last")) == (7, None)


def test_what_nobody_hears_is_asked_for_where_all_hear_it_and_on_a_busy_connection_late(
    lacks: Missing,
) -> None:
    """A broker may not let us read what goes to us alone, and not say so."""
    first: dict[bool, int] = {}
    for busy in (False, True):
        lacks.following.connected(0.0)
        lacks.following.subscribed(0.0)
        times, now_s = 0, 10.0
        for _ in range(4000):
            now_s += 0.1
            if busy:
                lacks.busy(now_s)
            asked = lacks.asked(now_s)
            if asked is None:
                continue
            lacks.answer(asked, now_s)
            times += asked.get("last") is None
            if asked.get("last") is None and asked.get("consumer") is None:
                first[busy] = times
                break
    assert first == {False: 2, True: 4}
