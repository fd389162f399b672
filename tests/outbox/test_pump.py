"""What goes out next: the pump alone, with times passed in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.outbox.pump import BROKER, GO_BACK, HELLO_S, Pump, Reply, Retain, Row, Verdict
from tests.outbox.wire import TIMEOUT_S, Wire, rows


def test_nothing_goes_before_connack() -> None:
    wire = Wire({"settlement": 0}, head=3)
    wire.pump.retain({"display": b"d"})
    assert wire.send() == []
    wire.pump.connect(20)
    assert wire.send_and_land() == [Retain("display", b"d"), *rows(1, 2, 3, historical=True)]


def test_new_messages_go_in_order_and_are_not_historical() -> None:
    wire = Wire({"settlement": 0})
    wire.pump.connect(20)
    wire.pump.grow(2)
    assert wire.send_and_land() == rows(1, 2)
    wire.pump.grow(3)
    assert wire.send_and_land() == rows(3)


def test_no_more_is_on_its_way_than_the_window_takes() -> None:
    wire = Wire({"settlement": 0})
    wire.pump.connect(2)
    wire.pump.grow(5)
    assert wire.send() == rows(1, 2)
    wire.pump.land(1, wire.now_s)
    assert wire.send() == rows(3)


def test_a_connection_resumes_from_the_lowest_cursor() -> None:
    wire = Wire({"settlement": 2, "archive": 4}, head=6)
    wire.pump.connect(20)
    assert wire.send_and_land() == rows(3, 4, 5, 6, historical=True)
    wire.pump.advance("settlement", 5, wire.now_s)
    wire.pump.disconnect()
    wire.pump.connect(20)
    assert wire.send_and_land() == rows(5, 6, historical=True)


def test_what_waits_behind_a_backlog_is_late_as_well() -> None:
    wire = Wire({"settlement": 0}, head=3)
    wire.pump.connect(2)
    assert wire.send() == rows(1, 2, historical=True)
    wire.pump.grow(4)
    wire.pump.land(1, wire.now_s)
    wire.pump.land(2, wire.now_s)
    assert wire.send_and_land() == rows(3, 4, historical=True)
    wire.pump.grow(5)
    assert wire.send_and_land() == rows(5)


class TestAcknowledgements:
    @pytest.mark.parametrize(
        ("consumer", "epoch", "sequence", "verdict"),
        [
            ("settlement", 5, 3, Verdict.MOVES),
            ("settlement", 5, 4, Verdict.MOVES),
            ("settlement", 5, 2, Verdict.REPEATED),
            ("settlement", 5, 1, Verdict.BACKWARDS),
            ("settlement", 5, 5, Verdict.BEYOND_HEAD),
            ("settlement", 4, 3, Verdict.OTHER_EPOCH),
            ("settlement", 6, 3, Verdict.OTHER_EPOCH),
            ("nobody", 5, 3, Verdict.UNKNOWN_CONSUMER),
        ],
    )
    def test_are_judged(self, consumer: str, epoch: int, sequence: int, verdict: Verdict) -> None:
        pump = Pump(epoch=5, cursors={"settlement": 2}, head=4, ack_timeout_s=TIMEOUT_S)
        assert pump.judge(consumer, epoch, sequence) is verdict
        assert pump.cursors == {"settlement": 2}

    def test_nobody_can_speak_for_the_broker(self) -> None:
        pump = Pump(epoch=5, cursors={BROKER: 0}, head=4, ack_timeout_s=TIMEOUT_S)
        assert pump.judge(BROKER, 5, 1) is Verdict.UNKNOWN_CONSUMER

    def test_the_broker_releases_nothing_where_a_consumer_is_named(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(20)
        wire.pump.grow(3)
        wire.send_and_land()
        assert wire.pump.cursors == {"settlement": 0}

    def test_without_consumers_the_broker_releases_what_lies_below_everything_unanswered(self) -> None:
        wire = Wire({BROKER: 0})
        wire.pump.connect(20)
        wire.pump.grow(3)
        wire.send()
        wire.pump.land(2, wire.now_s)
        assert wire.pump.cursors == {BROKER: 0}
        wire.pump.land(1, wire.now_s)
        assert wire.pump.cursors == {BROKER: 2}
        wire.pump.land(3, wire.now_s)
        assert wire.pump.cursors == {BROKER: 3}

    def test_what_was_under_way_when_the_connection_ended_is_not_released(self) -> None:
        wire = Wire({BROKER: 0})
        wire.pump.connect(20)
        wire.pump.grow(3)
        wire.send()
        wire.pump.land(1, wire.now_s)
        wire.pump.disconnect()
        assert wire.pump.cursors == {BROKER: 1}
        wire.pump.connect(20)
        wire.send()
        wire.pump.land(5, wire.now_s)
        wire.pump.connect(20)
        assert wire.pump.cursors == {BROKER: 1}
        assert wire.send_and_land() == rows(2, 3, historical=True)
        assert wire.pump.release() == 3

    def test_what_the_broker_denied_is_not_released_and_goes_again_after_the_timeout(self) -> None:
        wire = Wire({BROKER: 0})
        wire.pump.connect(20)
        wire.pump.grow(2)
        wire.send()
        wire.pump.land(1, wire.now_s, denied=True)
        wire.pump.land(2, wire.now_s)
        assert wire.pump.cursors == {BROKER: 0}
        assert wire.send() == []
        assert wire.pump.due_s(wire.now_s) == wire.now_s + TIMEOUT_S
        wire.now_s += TIMEOUT_S
        assert wire.send_and_land() == rows(1, 2, historical=True)
        assert wire.pump.cursors == {BROKER: 2}


class TestRepeating:
    def test_what_stays_unacknowledged_for_the_timeout_goes_again_in_order(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(20)
        wire.pump.grow(3)
        wire.send_and_land()
        wire.pump.advance("settlement", 1, wire.now_s)
        assert wire.pump.due_s(wire.now_s) == wire.now_s + TIMEOUT_S
        wire.now_s += TIMEOUT_S - 0.001
        assert wire.send() == []
        wire.now_s += 0.001
        wire.pump.grow(4)
        assert wire.send_and_land() == [*rows(2, 3, historical=True), *rows(4)]
        assert wire.send() == []

    def test_a_consumer_that_moves_is_left_in_peace(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(20)
        wire.pump.grow(10)
        wire.send_and_land()
        for sequence in range(1, 11):
            wire.now_s += TIMEOUT_S - 1
            wire.pump.advance("settlement", sequence, wire.now_s)
            assert wire.send() == []
        wire.now_s += TIMEOUT_S * 2
        assert wire.send() == []
        assert wire.pump.due_s(wire.now_s) is None

    def test_a_silent_consumer_far_behind_is_asked_with_one_message_and_served_when_it_answers(self) -> None:
        behind = GO_BACK + 50
        wire = Wire({"dead": 0, "alive": 0})
        wire.pump.connect(20)
        wire.pump.grow(behind)
        wire.send_and_land()
        wire.pump.advance("alive", behind, wire.now_s)
        wire.now_s += TIMEOUT_S
        assert wire.send_and_land() == rows(1, historical=True)
        wire.pump.grow(behind + 1)
        assert wire.send_and_land() == rows(behind + 1)
        wire.pump.advance("alive", behind + 1, wire.now_s)
        wire.now_s += TIMEOUT_S
        assert wire.send_and_land() == rows(1, historical=True)
        wire.pump.advance("dead", 1, wire.now_s)
        assert wire.send_and_land() == rows(*range(2, behind + 2), historical=True)

    def test_who_asks_gets_the_stream_again_from_there(self) -> None:
        wire = Wire({"settlement": 3}, head=3)
        wire.pump.connect(20)
        wire.pump.grow(5)
        wire.send_and_land()
        wire.pump.go_back(2)
        assert wire.send_and_land() == rows(2, 3, 4, 5, historical=True)

    def test_a_broker_that_leaves_something_unanswered_is_worth_nothing(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(20)
        wire.pump.grow(1)
        wire.send()
        assert not wire.pump.stalled(wire.now_s + TIMEOUT_S - 1)
        assert wire.pump.stalled(wire.now_s + TIMEOUT_S)


class TestRetainedState:
    def test_goes_again_after_every_connack_and_before_the_backlog(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.retain({"status": b"s", "display": b"d"})
        for _ in range(3):
            wire.pump.connect(20)
            wire.pump.grow(1)
            assert wire.send_and_land()[:2] == [Retain("status", b"s"), Retain("display", b"d")]
            wire.pump.disconnect()

    def test_goes_when_it_changes_and_only_then(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(20)
        wire.pump.retain({"display": b"1"})
        assert wire.send_and_land() == [Retain("display", b"1")]
        wire.pump.retain({"display": b"1"})
        assert wire.send_and_land() == []
        wire.pump.retain({"display": b"2"})
        assert wire.send_and_land() == [Retain("display", b"2")]

    def test_never_overtakes_the_message_it_belongs_to(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(1)
        wire.pump.grow(2)
        wire.pump.retain({"result": b"r"})
        wire.pump.grow(3)
        assert wire.send_and_land() == [*rows(1, 2), Retain("result", b"r"), *rows(3)]

    def test_only_the_newest_goes(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(1)
        for head in (1, 2, 3):
            wire.pump.grow(head)
            wire.pump.retain({"display": b"%d" % head})
        assert wire.send_and_land() == [*rows(1, 2, 3), Retain("display", b"3")]

    def test_goes_at_once_while_a_backlog_is_sent_and_what_it_overtakes_is_historical(self) -> None:
        wire = Wire({"settlement": 0}, head=5)
        wire.pump.connect(2)
        assert wire.send() == rows(1, 2, historical=True)
        wire.pump.grow(6)
        wire.pump.retain({"display": b"6"})
        wire.pump.land(1, wire.now_s)
        assert wire.send() == [Retain("display", b"6")]
        wire.pump.land(2, wire.now_s)
        assert wire.send_and_land() == rows(3, 4, 5, 6, historical=True)

    def test_what_is_deleted_is_forgotten_when_the_broker_has_it(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.retain({"alerts/1": b"a"})
        wire.pump.connect(20)
        wire.send_and_land()
        wire.pump.retain({"alerts/1": None})
        wire.send()
        wire.pump.disconnect()
        wire.pump.connect(20)
        assert wire.send_and_land() == [Retain("alerts/1", None)]
        wire.pump.disconnect()
        wire.pump.connect(20)
        assert wire.send_and_land() == []

    def test_what_is_raised_again_while_its_deletion_is_on_its_way_stays(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.retain({"alerts/1": None})
        wire.pump.connect(20)
        wire.send()
        wire.pump.retain({"alerts/1": b"again"})
        wire.pump.land(1, wire.now_s)
        assert wire.send_and_land() == [Retain("alerts/1", b"again")]
        assert wire.pump.retained == {"alerts/1": b"again"}

    def test_a_denied_one_goes_again_after_the_timeout_and_stops_nothing_else(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.connect(20)
        wire.pump.retain({"display": b"d"})
        wire.send()
        wire.pump.land(1, wire.now_s, denied=True)
        wire.pump.grow(1)
        assert wire.send_and_land() == rows(1)
        wire.now_s += TIMEOUT_S
        assert Retain("display", b"d") in wire.send_and_land()

    def test_what_somebody_else_wrote_is_put_right(self) -> None:
        wire = Wire({"settlement": 0})
        wire.pump.retain({"status": b"s"})
        wire.pump.connect(20)
        wire.send_and_land()
        wire.pump.retain_again("status")
        wire.pump.retain_again("alerts/9")
        assert wire.send_and_land() == [Retain("status", b"s"), Retain("alerts/9", None)]


def test_a_reply_goes_first_and_ends_with_its_connection() -> None:
    wire = Wire({"settlement": 0}, head=1)
    wire.pump.connect(20)
    wire.pump.reply("replies/a", b"yes")
    assert wire.send_and_land() == [Reply("replies/a", b"yes"), *rows(1, historical=True)]
    wire.pump.reply("replies/b", b"yes")
    wire.pump.disconnect()
    wire.pump.reply("replies/c", b"yes")
    wire.pump.connect(20)
    assert wire.send_and_land() == rows(1, historical=True)


_DOINGS = st.lists(
    st.tuples(
        st.sampled_from(["commit", "send", "land", "arrive", "ack", "cut", "connect", "wait"]),
        st.integers(1, 6),
    ),
    max_size=80,
)


@given(doings=_DOINGS, window=st.integers(1, 8))
@settings(max_examples=300)
def test_every_message_reaches_the_consumer_once_in_order_whatever_breaks(
    doings: list[tuple[str, int]], window: int
) -> None:
    wire = Wire({"settlement": 0})
    on_the_way: list[int] = []
    held = 0
    for doing, amount in [*doings, ("connect", 1), ("settle", 0)]:
        if doing == "commit":
            wire.pump.grow(wire.pump.head + amount)
        elif doing == "send":
            on_the_way += [step.sequence for step in wire.send(amount) if isinstance(step, Row)]
        elif doing == "land":
            for mid in range(max(wire.mid - amount, 0), wire.mid + 1):
                wire.pump.land(mid, wire.now_s)
        elif doing == "arrive":
            for sequence in on_the_way[:amount]:
                held = sequence if sequence == held + 1 else held  # repeats dropped, gaps not taken
            del on_the_way[:amount]
        elif doing == "ack" and wire.pump.judge("settlement", 5, held) is Verdict.MOVES:
            wire.pump.advance("settlement", held, wire.now_s)
        elif doing == "cut":
            wire.pump.disconnect()
            del on_the_way[amount:]
        elif doing == "connect":
            on_the_way.clear()
            wire.pump.connect(window)
        elif doing == "wait":
            wire.now_s += TIMEOUT_S / 2
        elif doing == "settle":
            for step in wire.send_and_land():
                if isinstance(step, Row) and step.sequence == held + 1:
                    held = step.sequence
        assert held <= wire.pump.head
        assert wire.pump.cursors["settlement"] <= held
    assert held == wire.pump.head


def test_a_consumer_that_says_where_it_stands_gets_at_once_what_went_out_before_it_listened() -> None:
    wire = Wire({"settlement": 0}, head=0)
    wire.pump.connect(20)
    wire.pump.grow(3)
    wire.send_and_land()
    wire.now_s += HELLO_S
    assert wire.pump.judge("settlement", 5, 0) is Verdict.REPEATED
    wire.pump.hello("settlement", wire.now_s)
    assert wire.send_and_land() == rows(1, 2, 3, historical=True)
    # Saying it again and again makes no flood of it.
    for _ in range(5):
        wire.pump.hello("settlement", wire.now_s)
    assert wire.send_and_land() == []


def test_a_consumer_that_repeats_itself_while_its_message_is_on_the_way_gets_nothing_twice() -> None:
    wire = Wire({"settlement": 0})
    wire.pump.connect(20)
    wire.pump.grow(3)
    wire.send_and_land()
    wire.pump.advance("settlement", 1, wire.now_s)
    wire.now_s += HELLO_S / 2
    wire.pump.hello("settlement", wire.now_s)
    assert wire.send_and_land() == []
    wire.pump.advance("settlement", 3, wire.now_s)
    wire.now_s += 10 * HELLO_S
    wire.pump.hello("settlement", wire.now_s)
    assert wire.send_and_land() == [], "it has everything"
