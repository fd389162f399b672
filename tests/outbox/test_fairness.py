"""Who comes back, whom nobody waits for, and what is asked for again."""

from __future__ import annotations

import json

import pytest

from controller.outbox.follower import HEARD_TWICE_S, HELLO_S, AckVerdict
from controller.outbox.grant import MOST_WAITING, PACE, PACE_S
from controller.outbox.outgoing import StreamMessage
from controller.outbox.stream import READ_AHEAD
from tests.harness.broker import Broker
from tests.outbox.sender import Listener, Sender, ack
from tests.outbox.wire import TIMEOUT_S, Wire, alone, rows


def test_a_consumer_that_says_where_it_stands_gets_at_once_what_went_out_before_it_listened() -> None:
    wire = Wire({"settlement": 0}, new=3)
    wire.send_and_answer()
    wire.now_s += HELLO_S
    assert wire.schedule.judge("settlement", 5, 0) is AckVerdict.REPEATED
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == rows(1, 2, 3, historical=True)
    # Saying it again and again makes no flood of it.
    for _ in range(5):
        wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == []


def test_a_consumer_that_repeats_itself_while_its_message_is_on_the_way_gets_nothing_twice() -> None:
    wire = Wire({"settlement": 0}, new=3)
    wire.send_and_answer()
    wire.schedule.advance("settlement", 1, wire.now_s)
    wire.now_s += HELLO_S / 2
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == []
    wire.schedule.advance("settlement", 3, wire.now_s)
    wire.now_s += 10 * HELLO_S
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == [], "it has everything"


def test_a_consumer_that_is_back_just_after_a_message_has_left_gets_it_within_a_second() -> None:
    wire = Wire({"settlement": 0}, new=3)
    wire.send_and_answer()
    wire.now_s += HELLO_S / 10
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == []
    due_s = wire.schedule.due_s(wire.now_s)
    assert due_s is not None
    assert due_s <= wire.now_s + HELLO_S
    wire.now_s = due_s
    assert wire.send_and_answer() == rows(1, 2, 3, historical=True)
    assert wire.send_and_answer() == []


def test_an_acknowledgement_that_is_heard_on_two_topics_asks_for_nothing() -> None:
    wire = Wire({"settlement": 0}, new=3)
    wire.send_and_answer()
    wire.schedule.advance("settlement", 1, wire.now_s)
    wire.schedule.hello("settlement", wire.now_s + HEARD_TWICE_S / 2)
    wire.now_s += 2 * HELLO_S
    assert wire.send_and_answer() == []


class TestFairness:
    """No consumer is sent what it has because another one is absent; what is late has a pace."""

    @pytest.mark.parametrize("connections", [1, 5])
    def test_who_is_there_is_sent_nothing_twice_for_one_who_is_not(self, connections: int) -> None:
        wire = Wire({"dead": 0, "alive": 0}, head=0)
        sent: list[int] = []
        for number in range(300):
            wire.schedule.extend(number + 1)
            sent += [one.sequence for one in wire.send_and_answer() if isinstance(one, StreamMessage)]
            wire.schedule.advance("alive", number + 1, wire.now_s)
            wire.now_s += 1.0
            if number % (300 // connections) == 0:
                wire.schedule.disconnect()
                wire.schedule.connect(20)
        assert len(sent) <= 300 + 5, "one question, less and less often"

    def test_of_a_dead_one_with_a_topic_of_its_own_the_others_hear_nothing_at_all(self) -> None:
        wire = Wire({"dead": 0, "alive": 0}, head=0)
        wire.schedule.listens("dead", own=True)
        for number in range(300):
            wire.schedule.extend(number + 1)
            for one in wire.send_and_answer():
                assert isinstance(one, StreamMessage)
                assert one.to == "dead" or one.sequence == number + 1
            wire.schedule.advance("alive", number + 1, wire.now_s)
            wire.now_s += 1.0

    def test_one_that_comes_back_is_served_alone_while_what_is_said_now_goes_on(self) -> None:
        wire = Wire({"back": 0, "alive": 1000}, head=1000)
        wire.schedule.listens("back", own=True)
        wire.schedule.hello("alive", wire.now_s)
        wire.schedule.hello("back", wire.now_s)
        assert wire.send_and_answer() == alone("back", *range(1, PACE + 1))
        wire.schedule.extend(1001)
        assert wire.send_and_answer() == rows(1001)
        wire.schedule.advance("back", 50, wire.now_s)
        assert wire.send_and_answer() == alone("back", *range(PACE + 1, PACE + 51))

    def test_what_nobody_has_waits_for_who_listens(self) -> None:
        wire = Wire({"settlement": 0}, head=3000, window=10_000)
        assert len(wire.send_and_answer()) == PACE
        wire.schedule.advance("settlement", PACE, wire.now_s)
        assert len(wire.send_and_answer()) == PACE
        for _ in range(20):
            wire.now_s += PACE_S
            wire.send_and_answer()
        assert wire.schedule.position == PACE + MOST_WAITING, "a slow reader's queue does not overflow"
        wire.schedule.advance("settlement", PACE + 450, wire.now_s)
        assert len(wire.send_and_answer()) == PACE

    def test_where_nobody_answers_it_has_a_pace_all_the_same(self) -> None:
        wire = Wire({"settlement": 0}, head=1000, window=10_000)
        for second in range(1, 6):
            wire.send_and_answer()
            assert wire.schedule.position == second * PACE
            assert wire.schedule.due_s(wire.now_s) == wire.now_s + PACE_S
            wire.now_s += PACE_S

    def test_one_that_died_holds_nobody_up(self) -> None:
        wire = Wire({"dies": 0, "alive": 0}, head=2000, window=10_000)
        wire.schedule.hello("dies", wire.now_s)
        for _ in range(1000):
            wire.send_and_answer()
            wire.schedule.advance("alive", wire.schedule.position, wire.now_s)
            wire.now_s += 0.1
        assert wire.schedule.position == 2000


class TestResend:
    def test_is_for_one_alone_and_can_be_repeated_and_stopped(self) -> None:
        wire = Wire({"a": 400, "b": 400}, head=400)
        wire.schedule.resend("a", 301, None)
        first = wire.send_and_answer()
        assert first == alone("a", *range(301, 401))
        wire.now_s += PACE_S
        wire.schedule.resend("a", 1, 3)
        assert wire.send_and_answer() == alone("a", 1, 2, 3)
        wire.schedule.resend("a", 1, None)
        assert len(wire.send()) < 30
        wire.schedule.resend("a", 1, 0)
        assert wire.send_and_answer() == []

    def test_for_all_ends_where_it_was_said_and_the_stream_goes_on(self) -> None:
        wire = Wire({"a": 10}, head=10)
        wire.schedule.resend(None, 2, 4)
        wire.schedule.extend(11)
        assert wire.send_and_answer() == [*rows(2, 3, 4, historical=True), *rows(11, historical=True)]
        wire.schedule.resend(None, 1, None)
        wire.send(2)
        wire.schedule.resend(None, 1, 0)
        assert wire.send_and_answer() == []
        wire.schedule.extend(12)
        assert wire.send_and_answer() == rows(12)

    @pytest.mark.parametrize("own", [False, True])
    def test_for_one_is_told_to_its_end_whatever_it_acknowledges_meanwhile(self, own: bool) -> None:
        wire = Wire({"a": 400, "b": 400}, head=400)
        wire.schedule.hello("a", wire.now_s)
        wire.schedule.resend("a", 1, 300)
        told = wire.send_and_answer()
        for second in range(1, 4):
            wire.now_s += PACE_S
            wire.schedule.extend(400 + second)
            wire.schedule.listens("a", own=own)  # what it says with each acknowledgement
            wire.schedule.advance("a", 400 + second - 1, wire.now_s)
            wire.schedule.hello("a", wire.now_s)
            told += [one for one in wire.send_and_answer() if one not in rows(400 + second)]
        assert told == alone("a", *range(1, 301))

    def test_for_all_is_told_to_its_end_whoever_is_served_meanwhile(self) -> None:
        wire = Wire({"a": 400, "b": 350}, head=400)
        wire.schedule.resend(None, 1, 200)
        told = wire.send_and_answer()
        assert told == rows(*range(1, PACE + 1), historical=True)
        wire.schedule.hello("b", wire.now_s)
        for _ in range(4):
            wire.now_s += PACE_S
            told += wire.send_and_answer()
        assert told[PACE:] == rows(*range(PACE + 1, 201), *range(351, 401), historical=True)

    def test_for_all_takes_nothing_from_who_is_being_served(self) -> None:
        wire = Wire({"a": 300}, head=400, window=10)
        wire.schedule.hello("a", wire.now_s)
        assert wire.send(5) == rows(*range(301, 306), historical=True)
        wire.schedule.resend(None, 10, 12)
        wire.schedule.resend(None, 20, 22)
        told = wire.send_and_answer()
        wire.schedule.resend(None, 1, 0)
        assert told[:3] == rows(20, 21, 22, historical=True)
        assert told[3:] == rows(*range(306, 306 + len(told) - 3), historical=True)
        wire.now_s += PACE_S
        told += wire.send_and_answer()
        assert told[-1] in rows(400, historical=True)

    @pytest.mark.parametrize("name", ["a", None])
    def test_goes_on_where_a_connection_was_lost(self, name: str | None) -> None:
        wire = Wire({"a": 400}, head=400)
        wire.schedule.resend(name, 1, 30)
        assert len(wire.send(20)) == 20
        for mid in range(1, 9):
            wire.schedule.answered(mid, wire.now_s)
        wire.schedule.disconnect()
        wire.schedule.connect(20)
        again = wire.send_and_answer()
        assert again == (alone("a", *range(9, 31)) if name else rows(*range(9, 31), historical=True))

    @pytest.mark.parametrize("name", ["a", None])
    @pytest.mark.parametrize("denied", [False, True])
    def test_one_that_was_told_to_its_end_stays_told(self, name: str | None, denied: bool) -> None:
        """A question of its range for somebody else gets lost long after it."""
        wire = Wire({"a": 100, "silent": 10}, head=100)
        wire.schedule.hello("a", wire.now_s)
        wire.schedule.resend(name, 1, 100)
        assert len(wire.send_and_answer()) == 100
        wire.now_s += 4 * TIMEOUT_S
        assert wire.send() == rows(11, historical=True)
        if denied:
            wire.schedule.answered(wire.mid, wire.now_s, denied=True)
            wire.now_s += TIMEOUT_S
        else:
            wire.schedule.disconnect()
            wire.schedule.connect(20)
        wire.schedule.extend(101)
        assert wire.send_and_answer() == rows(101)

    def test_what_the_broker_denies_of_it_goes_again(self) -> None:
        wire = Wire({"a": 3}, head=3)
        wire.schedule.resend(None, 1, 2)
        assert wire.send(1) == rows(1, historical=True)
        wire.schedule.answered(wire.mid, wire.now_s, denied=True)
        assert wire.send() == []
        wire.now_s += TIMEOUT_S
        assert wire.send_and_answer() == rows(1, 2, historical=True)

    def test_a_topic_that_the_broker_denies_is_used_no_more_on_this_connection(self) -> None:
        wire = Wire({"a": 0}, head=0, new=2)
        wire.send_and_answer()
        wire.schedule.resend("a", 1, None)
        assert wire.send(1) == alone("a", 1)
        wire.schedule.answered(wire.mid, wire.now_s, denied=True)
        wire.schedule.listens("a", own=True)
        assert wire.send_and_answer() == [StreamMessage(n, True, "a", own=False) for n in (1, 2)]


def test_a_question_that_the_broker_denies_sends_nobody_the_whole_stream() -> None:
    wire = Wire({"dead": 0, "alive": 1000}, head=1000)
    wire.schedule.hello("alive", wire.now_s)
    assert wire.send_and_answer() == []
    wire.now_s += TIMEOUT_S
    assert wire.send() == rows(1, historical=True)
    wire.schedule.answered(wire.mid, wire.now_s, denied=True)
    wire.schedule.extend(1001)
    wire.now_s += TIMEOUT_S
    assert wire.send_and_answer() == rows(1001)


def test_who_listens_without_a_name_misses_nothing_that_was_denied_before_a_break() -> None:
    wire = Wire({"a": 0}, window=20, new=8)
    wire.schedule.hello("a", wire.now_s)
    wire.schedule.listens("a", own=True)
    assert wire.send() == rows(*range(1, 9))
    for mid in (1, 2, 3):
        wire.schedule.answered(mid, wire.now_s, denied=mid == 3)
    wire.schedule.disconnect()
    wire.schedule.connect(20)
    told = [one for one in wire.send_and_answer() if isinstance(one, StreamMessage) and one.to is None]
    assert [one.sequence for one in told] == list(range(3, 9))


def test_a_resend_whose_messages_are_pruned_meanwhile_stops_nothing(broker: Broker) -> None:
    said = PACE + 3 * READ_AHEAD
    with (
        Sender(broker, consumers=["archive"]) as sender,
        Listener(broker, "events", "repeats/archive") as listener,
    ):
        sender.connect()
        begun = len(sender.told)
        sender.write(said)
        sender.run_until(lambda: len(listener.on("events")) == said)
        listener.say("acks/archive", ack(5, said))
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        wanted = {"id": "r", "expires": "2026-01-02T03:04:35Z", "sequence": 1, "consumer": "archive"}
        listener.say("commands/resend", json.dumps(wanted).encode())
        sender.run_until(lambda: len(listener.on("repeats/archive")) == PACE)
        sender.journal._newest = []
        sender.journal._connection.execute("DELETE FROM messages WHERE sequence < ?", (said,))
        sender.write()
        for heard in (PACE, said):
            listener.say("acks/archive", ack(5, heard))
        last = said + 1
        sender.run_until(lambda: last in listener.sequences)
        listener.say("acks/archive", ack(5, last))
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        sender.ahead_s += 2 * PACE_S
        for _ in range(20):
            sender.step()
        told = [one for one in sender.told[begun:] if not one.startswith("ack-archive")]
        assert told == [], "it never hung up"
