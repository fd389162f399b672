"""A resend for one consumer, from its question to its end: at the pace of whatever it says."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from controller.outbox.grant import PACE
from controller.outbox.outgoing import StreamMessage
from controller.outbox.reports import Arrived
from tests.outbox.crowded import ACK_TIMEOUT_S, EPOCH, STEP_S, CrowdedTable
from tests.outbox.wire import Wire

NAME = "recorder"


class Asking:
    """A table that has said so much, and its consumer, which has acknowledged up to ``acknowledged``."""

    def __init__(self, said: int, acknowledged: int) -> None:
        self.now_s = 1000.0
        self.table = CrowdedTable(0, said, self.wall)
        self.table.stream.stream_head = said
        self.table.schedule.extend(said)
        self.holds = 0
        self.replies: list[dict[str, Any]] = []
        self.acknowledge(acknowledged)
        assert len(self.step()) == said
        self.holds = 0  # what came got lost here

    def wall(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC) + timedelta(seconds=self.now_s)

    def acknowledge(self, sequence: int, *, retained: bool = False) -> None:
        said = {"epoch": EPOCH, "sequence": sequence, "repeats": True}
        self._say(self.table.topics.ack(NAME), said, retained=retained)

    def ask(self, sequence: int, last: int | None = None) -> None:
        expires = (self.wall() + timedelta(seconds=30)).isoformat()
        said = {"id": "a", "expires": expires, "sequence": sequence, "last": last, "consumer": NAME}
        self._say(self.table.topics.command("resend"), said)

    def _say(self, topic: str, said: dict[str, Any], *, retained: bool = False) -> None:
        arrived = Arrived(topic, json.dumps(said).encode(), retained=retained)
        self.table.subscription.handle(arrived, self.now_s)

    def step(self) -> list[int]:
        """What came; what follows on what it holds is taken."""
        came = list[int]()
        for one in self.table.go(self.now_s):
            if one.sequence:
                came.append(one.sequence)
                self.holds += one.sequence == self.holds + 1
            elif one.topic == self.table.topics.reply("a"):
                self.replies.append(json.loads(one.payload))
        self.now_s += STEP_S
        return came

    def run(self, seconds: float, *, every: int = 1, retained: bool = False) -> float:
        """It acknowledges each so many messages; when it had all, at the latest after ``seconds``."""
        began_s, acknowledged = self.now_s, self.holds
        while self.holds < self.table.stream.stream_head and self.now_s < began_s + seconds:
            self.step()
            if self.holds >= acknowledged + every:
                acknowledged = self.holds
                self.acknowledge(acknowledged, retained=retained)
        return self.now_s - began_s


def test_who_was_put_back_from_an_old_copy_gets_all_as_fast_as_it_says_what_it_has() -> None:
    """It has acknowledged more once: no cursor goes back."""
    said = 6 * PACE
    asking = Asking(said, said)
    asking.ask(1)
    assert asking.run(60) < 10
    assert asking.holds == said
    assert asking.table.schedule.cursors == {NAME: said}


def test_what_the_broker_kept_of_it_says_nothing_of_that() -> None:
    asking = Asking(6 * PACE, 6 * PACE)
    asking.ask(1)
    asking.run(ACK_TIMEOUT_S - 1, retained=True)
    assert asking.holds == PACE


@pytest.mark.parametrize(("every", "seconds"), [(2 * PACE, 60), (10 * PACE, 400)])
def test_one_that_acknowledges_rarely_soon_gets_as_many_at_a_time(every: int, seconds: float) -> None:
    said = 50 * PACE
    asking = Asking(said, 0)
    asking.ask(1)
    asking.run(seconds, every=every)
    assert asking.holds == said


@pytest.mark.parametrize("name", ["a", None])
def test_a_resend_ends_where_nothing_is_kept_any_more_and_nobody_lacks_it(name: str | None) -> None:
    wire = Wire({"a": 300, "b": 250}, head=300)
    wire.schedule.hello("a", wire.now_s)
    wire.schedule.resend(name, 100, None)
    told = wire.schedule.next(wire.now_s)
    assert isinstance(told, StreamMessage)
    assert told.sequence == 100
    assert wire.schedule.gives_up(told)
    assert wire.send_and_answer() == []
    wire.schedule.resend(name, 251, None)
    lacked = wire.schedule.next(wire.now_s)
    assert isinstance(lacked, StreamMessage)
    assert lacked.sequence == 251
    assert not wire.schedule.gives_up(lacked), "b has not got it: the journal has lost what it must keep"


def test_an_echo_is_answered_and_changes_nothing() -> None:
    """A resend that is on its way goes on; one with a lower end stops it."""
    said = 4 * PACE
    asking = Asking(said, said)
    asking.ask(1)
    asking.step()
    asking.ask(2, last=1)
    asking.run(60)
    assert asking.holds == said
    assert [(reply["from"], reply["to"]) for reply in asking.replies] == [(1, said), (2, 1)]
    asking.holds = 0
    asking.now_s += 60.0
    asking.ask(1)
    asking.step()
    asking.ask(2, last=0)
    asking.run(2 * ACK_TIMEOUT_S)
    assert asking.holds == PACE


def test_echoes_take_nothing_from_what_may_be_asked_for_and_are_bounded() -> None:
    asking = Asking(PACE, PACE)
    for last in (1, 1, 1, None, None, None):
        asking.ask(2, last=last)
    asking.step()
    assert [reply["ok"] for reply in asking.replies] == [True, True, False] * 2
