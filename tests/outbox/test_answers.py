"""How long answers take, and what waits for that: what goes out again, and a resend that was granted."""

from __future__ import annotations

import pytest

from controller.outbox.follower import HELLO_S, LONGEST_AGAIN_S
from controller.outbox.grant import MOST_WAITING, PACE
from controller.outbox.outgoing import StreamMessage
from tests.outbox.wire import TIMEOUT_S, Wire, alone, rows

LONG_S = 0.4 * TIMEOUT_S
"""A queue at the broker."""
HOUR_S = 3600.0


def slow(answer_s: float = LONG_S, before_s: float | None = None) -> Wire:
    """The consumer has answered five messages together, so long after they left, and the five before them
    (``before_s``); one more has just left."""
    wire = Wire({"settlement": 0}, new=5)
    wire.schedule.listens("settlement", own=True)
    wire.schedule.hello("settlement", wire.now_s)
    for head, took_s in ((5, answer_s if before_s is None else before_s), (10, answer_s)):
        wire.schedule.extend(head)
        wire.send_and_answer()
        wire.now_s += took_s
        wire.schedule.advance("settlement", head, wire.now_s)
    wire.schedule.extend(11)
    assert wire.send_and_answer() == rows(11)
    return wire


@pytest.mark.parametrize("acknowledged", [1, 7, 10])
def test_what_is_lacked_goes_again_only_after_twice_the_time_of_the_last_answer(acknowledged: int) -> None:
    """However many messages it covered."""
    wire = Wire({"settlement": 0}, new=11)
    wire.schedule.listens("settlement", own=True)
    wire.send_and_answer()
    wire.now_s += LONG_S
    wire.schedule.advance("settlement", acknowledged, wire.now_s)
    wire.now_s += 2 * LONG_S - 1
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == []
    assert wire.schedule.due_s(wire.now_s) == wire.now_s + 1
    wire.now_s += 1
    assert wire.send_and_answer() == alone("settlement", *range(acknowledged + 1, 12))


def test_it_goes_less_and_less_often_while_nothing_is_answered_and_soon_when_something_is() -> None:
    wire = slow(answer_s=HELLO_S / 2)
    for wait_s in (1.0, 2.0, 4.0, 8.0):
        wire.now_s += wait_s - 0.1
        wire.schedule.hello("settlement", wire.now_s)
        assert wire.send_and_answer() == [], wait_s
        wire.now_s += 0.1
        assert wire.send_and_answer() == alone("settlement", 11), wait_s
    wire.now_s += HELLO_S / 2
    wire.schedule.advance("settlement", 11, wire.now_s)
    wire.schedule.extend(12)
    wire.send_and_answer()
    wire.now_s += HELLO_S
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == alone("settlement", 12)


@pytest.mark.parametrize("away_s", [TIMEOUT_S / 2, HOUR_S])
def test_an_absence_is_no_long_answer(away_s: float) -> None:
    wire = slow(answer_s=HELLO_S / 2)
    for _ in range(100):
        wire.now_s += away_s / 100
        wire.send_and_answer()
    wire.now_s += LONGEST_AGAIN_S * (away_s == HOUR_S)
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == alone("settlement", 11)
    wire.now_s += HELLO_S * 0.9
    wire.schedule.advance("settlement", 11, wire.now_s)
    wire.schedule.extend(12)
    wire.send_and_answer()
    wire.now_s += 2 * HELLO_S
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == alone("settlement", 12)


def test_one_that_comes_back_after_long_answers_gets_what_it_lacks_at_once() -> None:
    """What waited for it at the broker is gone with its session; before it is asked nobody knows that."""
    wire = slow(answer_s=5 * TIMEOUT_S)
    wire.now_s += LONGEST_AGAIN_S
    assert wire.send_and_answer() == alone("settlement", 11)
    wire.now_s += HELLO_S
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == alone("settlement", 11)


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("away_s", [2 * TIMEOUT_S - 2, HOUR_S])
def test_one_long_answer_may_be_an_absence_and_nobody_waits_longer_for_it(away_s: float, own: bool) -> None:
    wire = slow(answer_s=away_s, before_s=HELLO_S / 2)
    wire.schedule.listens("settlement", own=own)
    wire.now_s += TIMEOUT_S - 1
    assert wire.send_and_answer() == []
    wire.now_s += 1
    assert wire.send_and_answer() == (alone("settlement", 11) if own else rows(11, historical=True))


def test_one_that_is_gone_holds_nobody_longer_because_its_answers_took_long() -> None:
    wire = Wire({"gone": 0, "there": 0}, new=5)
    for name in ("gone", "there"):
        wire.schedule.hello(name, wire.now_s)
    for acknowledged in (5, 10):
        wire.schedule.extend(acknowledged)
        wire.send_and_answer()
        wire.schedule.advance("there", acknowledged, wire.now_s)
        wire.now_s += 5 * TIMEOUT_S
        wire.schedule.advance("gone", acknowledged, wire.now_s)
    wire.schedule.disconnect()
    wire.schedule.extend(3000)
    wire.schedule.connect(20)
    began_s, acknowledged = wire.now_s, 10
    while acknowledged < 3000 and wire.now_s < began_s + 3 * TIMEOUT_S:
        wire.send_and_answer()
        acknowledged = wire.schedule.position
        wire.schedule.advance("there", acknowledged, wire.now_s)
        wire.now_s += 0.2
    assert acknowledged == 3000


def test_a_silent_one_is_asked_after_twice_the_time_of_its_answers_and_nothing_goes_twice() -> None:
    wire = slow(answer_s=TIMEOUT_S)
    wire.now_s += 2 * TIMEOUT_S - 1
    assert wire.send_and_answer() == []
    wire.now_s += 1
    assert wire.send_and_answer() == alone("settlement", 11)
    wire.schedule.extend(20)
    assert wire.send_and_answer() == rows(*range(12, 21))
    wire.now_s += 5
    wire.schedule.advance("settlement", 11, wire.now_s)
    assert wire.send_and_answer() == [], "the rest is behind it in the queue"
    wire.now_s += 1
    wire.schedule.advance("settlement", 20, wire.now_s)
    wire.now_s += HOUR_S
    assert wire.send_and_answer() == []


@pytest.mark.parametrize("answer_s", [HELLO_S, 5 * TIMEOUT_S])
def test_one_that_answers_a_question_late_and_lacks_the_rest_gets_it_within_the_timeout(
    answer_s: float,
) -> None:
    wire = slow(answer_s)
    wire.schedule.extend(20)
    wire.send_and_answer()
    wire.now_s += HOUR_S
    assert wire.send_and_answer() == alone("settlement", 11)
    wire.now_s += 5
    wire.schedule.advance("settlement", 11, wire.now_s)
    assert wire.send_and_answer() == []
    wire.now_s += TIMEOUT_S
    assert wire.send_and_answer() == alone("settlement", *range(12, 21))


def test_what_was_asked_for_meanwhile_does_not_go_once_more() -> None:
    wire = slow()
    wire.schedule.hello("settlement", wire.now_s)
    wire.now_s += LONG_S
    wire.schedule.resend("settlement", 11, None)
    assert wire.send_and_answer() == alone("settlement", 11)
    wire.now_s += 2 * LONG_S - 1
    assert wire.send_and_answer() == []


class TestGrant:
    def granted(self) -> Wire:
        wire = Wire({"a": 0, "b": 1000}, head=1000)
        wire.schedule.hello("b", wire.now_s)
        wire.schedule.resend("a", 1, None)
        assert wire.send_and_answer() == alone("a", *range(1, PACE + 1))
        return wire

    def test_goes_as_fast_as_it_is_answered(self) -> None:
        wire = self.granted()
        wire.now_s += TIMEOUT_S - 1
        assert wire.send_and_answer() == []
        wire.schedule.advance("a", 40, wire.now_s)
        assert wire.send_and_answer() == alone("a", *range(PACE + 1, PACE + 41))

    def test_goes_on_slowly_where_nobody_answers(self) -> None:
        """Each time it takes twice as long, and twice as many go, up to what a broker keeps; the next word
        says how many at a time."""
        wire = self.granted()
        wire.schedule.listens("a", own=True)
        told = PACE
        for wait_s, count in ((TIMEOUT_S, 2 * PACE), (2 * TIMEOUT_S, 4 * PACE)):
            due_s = wire.schedule.due_s(wire.now_s)
            assert due_s is not None
            assert due_s <= wire.now_s + wait_s
            wire.now_s += wait_s - 1
            assert not set(wire.send_and_answer()) - set(alone("a", 1))
            wire.now_s += 1
            more = [one for one in wire.send_and_answer() if one not in alone("a", 1)]
            assert more == alone("a", *range(told + 1, told + count + 1))
            told += count
        wire.schedule.advance("a", 500, wire.now_s)
        wire.schedule.advance("a", 700, wire.now_s)
        assert wire.send_and_answer() == alone("a", *range(701, 901))

    def test_nobody_who_answers_nothing_is_told_more_at_a_time_than_a_broker_keeps(self) -> None:
        wire = Wire({"a": 0, "b": 5000}, head=5000)
        wire.schedule.resend("a", 1, None)
        sent = list[int]()
        for _ in range(7):
            sent.append(sum(one.own for one in wire.send_and_answer() if isinstance(one, StreamMessage)))
            wire.now_s += 64 * TIMEOUT_S
        assert max(sent) == MOST_WAITING

    def test_after_a_word_a_silence_counts_anew(self) -> None:
        wire = self.granted()
        wire.schedule.listens("a", own=True)
        wire.now_s += TIMEOUT_S
        wire.send_and_answer()
        wire.now_s += 5
        wire.schedule.advance("a", 3 * PACE, wire.now_s)
        assert wire.send_and_answer() == alone("a", *range(3 * PACE + 1, 6 * PACE + 1))
        wire.now_s += TIMEOUT_S
        assert set(alone("a", *range(6 * PACE + 1, 10 * PACE + 1))) <= set(wire.send_and_answer())

    def test_one_of_what_its_consumer_had_before_is_told_from_its_beginning(self) -> None:
        """Its cursor is in the middle: it was put back from an old copy."""
        wire = Wire({"a": 40, "b": 80}, head=80)
        wire.schedule.resend("a", 1, None)
        wire.send(1)
        wire.schedule.disconnect()
        wire.schedule.hello("a", wire.now_s)
        wire.schedule.connect(20)
        assert wire.send_and_answer() == alone("a", *range(1, 81))

    def test_goes_again_where_its_consumer_says_that_it_did_not_come(self) -> None:
        wire = self.granted()
        wire.now_s += HELLO_S
        wire.schedule.hello("a", wire.now_s)
        assert wire.send_and_answer() == alone("a", *range(1, PACE + 1))

    def test_goes_again_where_our_connection_was_lost_with_it(self) -> None:
        wire = self.granted()
        wire.schedule.advance("a", 30, wire.now_s)
        wire.send_and_answer()
        wire.schedule.disconnect()
        wire.schedule.connect(20)
        assert wire.send_and_answer() == alone("a", *range(31, 131))

    def test_what_ends_one_ends_nothing_else(self) -> None:
        """An echo is a resend of nothing: who asks for it is sent what it lacks all the same."""
        wire = Wire({"a": 0, "b": 1000}, head=1000)
        wire.schedule.listens("a", own=True)
        wire.schedule.hello("b", wire.now_s)
        wire.schedule.hello("a", wire.now_s)
        wire.send_and_answer()
        wire.schedule.resend("a", 1, 0)
        wire.schedule.advance("a", PACE, wire.now_s)
        assert wire.send_and_answer() == alone("a", *range(PACE + 1, 2 * PACE + 1))
