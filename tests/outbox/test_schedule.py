"""What goes out next: the schedule alone, with times passed in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.outbox.follower import AckVerdict
from controller.outbox.grant import PACE
from controller.outbox.outgoing import ReplyMessage, RetainedMessage, StreamMessage
from controller.outbox.schedule import BROKER, GO_BACK
from tests.outbox.wire import TIMEOUT_S, Wire, rows


def test_nothing_goes_before_connack() -> None:
    wire = Wire({"settlement": 0}, head=3, window=None)
    wire.schedule.retain({"display": b"d"})
    assert wire.send() == []
    wire.schedule.connect(20)
    assert wire.send_and_answer() == [RetainedMessage("display", b"d"), *rows(1, 2, 3, historical=True)]


def test_new_messages_go_in_order_and_are_not_historical() -> None:
    wire = Wire({"settlement": 0}, new=2)
    assert wire.send_and_answer() == rows(1, 2)
    wire.schedule.extend(3)
    assert wire.send_and_answer() == rows(3)


def test_no_more_is_on_its_way_than_the_window_takes() -> None:
    wire = Wire({"settlement": 0}, window=2, new=5)
    assert wire.send() == rows(1, 2)
    wire.schedule.answered(1, wire.now_s)
    assert wire.send() == rows(3)


def test_a_connection_resumes_where_nobody_has_anything_and_goes_back_for_who_is_there() -> None:
    wire = Wire({"settlement": 2, "archive": 4}, head=6)
    assert wire.send_and_answer() == rows(5, 6, historical=True)
    wire.schedule.hello("settlement", wire.now_s)
    assert wire.send_and_answer() == rows(3, 4, 5, 6, historical=True)
    wire.schedule.advance("settlement", 5, wire.now_s)
    wire.schedule.advance("archive", 4, wire.now_s)
    wire.schedule.disconnect()
    wire.schedule.connect(20)
    assert wire.send_and_answer() == rows(5, 6, historical=True)


def test_what_waits_behind_a_backlog_is_late_as_well() -> None:
    wire = Wire({"settlement": 0}, head=3, window=2)
    assert wire.send() == rows(1, 2, historical=True)
    wire.schedule.extend(4)
    wire.schedule.answered(1, wire.now_s)
    wire.schedule.answered(2, wire.now_s)
    assert wire.send_and_answer() == rows(3, 4, historical=True)
    wire.schedule.extend(5)
    assert wire.send_and_answer() == rows(5)


class TestAcknowledgements:
    @pytest.mark.parametrize(
        ("consumer", "epoch", "sequence", "verdict"),
        [
            ("settlement", 5, 3, AckVerdict.MOVES),
            ("settlement", 5, 4, AckVerdict.MOVES),
            ("settlement", 5, 2, AckVerdict.REPEATED),
            ("settlement", 5, 1, AckVerdict.BACKWARDS),
            ("settlement", 5, 5, AckVerdict.BEYOND_HEAD),
            ("settlement", 4, 3, AckVerdict.OTHER_EPOCH),
            ("settlement", 6, 3, AckVerdict.OTHER_EPOCH),
            ("nobody", 5, 3, AckVerdict.UNKNOWN_CONSUMER),
        ],
    )
    def test_are_judged(self, consumer: str, epoch: int, sequence: int, verdict: AckVerdict) -> None:
        schedule = Wire({"settlement": 2}, head=4).schedule
        assert schedule.judge(consumer, epoch, sequence) is verdict
        assert schedule.cursors == {"settlement": 2}

    def test_nobody_can_speak_for_the_broker(self) -> None:
        schedule = Wire({BROKER: 0}, head=4).schedule
        assert schedule.judge(BROKER, 5, 1) is AckVerdict.UNKNOWN_CONSUMER

    def test_the_broker_releases_nothing_where_a_consumer_is_named(self) -> None:
        wire = Wire({"settlement": 0}, new=3)
        wire.send_and_answer()
        assert wire.schedule.cursors == {"settlement": 0}

    def test_without_consumers_the_broker_releases_what_lies_below_everything_unanswered(self) -> None:
        wire = Wire({BROKER: 0}, new=3)
        wire.send()
        wire.schedule.answered(2, wire.now_s)
        assert wire.schedule.cursors == {BROKER: 0}
        wire.schedule.answered(1, wire.now_s)
        assert wire.schedule.cursors == {BROKER: 2}
        wire.schedule.answered(3, wire.now_s)
        assert wire.schedule.cursors == {BROKER: 3}

    def test_what_was_under_way_when_the_connection_ended_is_not_released(self) -> None:
        wire = Wire({BROKER: 0}, new=3)
        wire.send()
        wire.schedule.answered(1, wire.now_s)
        wire.schedule.disconnect()
        assert wire.schedule.cursors == {BROKER: 1}
        wire.schedule.connect(20)
        wire.send()
        wire.schedule.answered(5, wire.now_s)
        wire.schedule.connect(20)
        assert wire.schedule.cursors == {BROKER: 1}
        assert wire.send_and_answer() == rows(2, 3, historical=True)
        assert wire.schedule.release() == 3

    def test_what_the_broker_denied_is_not_released_and_goes_again_after_the_timeout(self) -> None:
        wire = Wire({BROKER: 0}, new=2)
        wire.send()
        wire.schedule.answered(1, wire.now_s, denied=True)
        wire.schedule.answered(2, wire.now_s)
        assert wire.schedule.cursors == {BROKER: 0}
        assert wire.send() == []
        assert wire.schedule.due_s(wire.now_s) == wire.now_s + TIMEOUT_S
        wire.now_s += TIMEOUT_S
        assert wire.send_and_answer() == rows(1, 2, historical=True)
        assert wire.schedule.cursors == {BROKER: 2}


class TestRepeating:
    def test_what_stays_unacknowledged_for_the_timeout_goes_again_in_order(self) -> None:
        wire = Wire({"settlement": 0}, new=3)
        wire.send_and_answer()
        wire.schedule.advance("settlement", 1, wire.now_s)
        assert wire.schedule.due_s(wire.now_s) == wire.now_s + TIMEOUT_S
        wire.now_s += TIMEOUT_S - 0.001
        assert wire.send() == []
        wire.now_s += 0.001
        wire.schedule.extend(4)
        assert wire.send_and_answer() == [*rows(2, 3, historical=True), *rows(4)]
        assert wire.send() == []

    def test_a_consumer_that_moves_is_left_in_peace(self) -> None:
        wire = Wire({"settlement": 0}, new=10)
        wire.send_and_answer()
        for sequence in range(1, 11):
            wire.now_s += TIMEOUT_S - 1
            wire.schedule.advance("settlement", sequence, wire.now_s)
            assert wire.send() == []
        wire.now_s += TIMEOUT_S * 2
        assert wire.send() == []
        assert wire.schedule.due_s(wire.now_s) is None

    def test_a_silent_consumer_far_behind_is_asked_with_one_message_and_served_when_it_answers(self) -> None:
        behind = GO_BACK + 50
        wire = Wire({"dead": 0, "alive": 0}, new=behind)
        wire.send_and_answer()
        wire.schedule.advance("alive", behind, wire.now_s)
        wire.now_s += TIMEOUT_S
        assert wire.send_and_answer() == rows(1, historical=True)
        wire.schedule.extend(behind + 1)
        assert wire.send_and_answer() == rows(behind + 1)
        wire.schedule.advance("alive", behind + 1, wire.now_s)
        wire.now_s += TIMEOUT_S
        assert wire.send_and_answer() == [], "less and less often"
        wire.now_s += TIMEOUT_S
        assert wire.send_and_answer() == rows(1, historical=True)
        wire.schedule.advance("dead", 1, wire.now_s)
        served: list[int] = []
        while sent := [one for one in wire.send_and_answer() if isinstance(one, StreamMessage)]:
            assert {one.to for one in sent} == {"dead"}
            assert len(sent) <= PACE
            served += [one.sequence for one in sent]
            wire.schedule.advance("dead", served[-1], wire.now_s)
            wire.schedule.extend(wire.schedule.head)
        assert served == list(range(2, behind + 2))

    def test_who_asks_gets_the_stream_again_from_there(self) -> None:
        wire = Wire({"settlement": 3}, head=3, new=2)
        wire.send_and_answer()
        wire.schedule.go_back(2)
        assert wire.send_and_answer() == rows(2, 3, 4, 5, historical=True)

    def test_a_broker_that_leaves_something_unanswered_is_worth_nothing(self) -> None:
        wire = Wire({"settlement": 0}, new=1)
        wire.send()
        assert not wire.schedule.stalled(wire.now_s + TIMEOUT_S - 1)
        assert wire.schedule.stalled(wire.now_s + TIMEOUT_S)


class TestRetainedState:
    def test_goes_again_after_every_connack_and_before_the_backlog(self) -> None:
        wire = Wire({"settlement": 0}, window=None)
        wire.schedule.retain({"status": b"s", "display": b"d"})
        for _ in range(3):
            wire.schedule.connect(20)
            wire.schedule.extend(1)
            assert wire.send_and_answer()[:2] == [
                RetainedMessage("status", b"s"),
                RetainedMessage("display", b"d"),
            ]
            wire.schedule.disconnect()

    def test_goes_in_the_order_in_which_it_changed_last_and_so_again_after_a_connack(self) -> None:
        """The result before its display: who finds that display finds its result."""
        wire = Wire({"settlement": 0})
        wire.schedule.retain({"display": b"0"})
        wire.schedule.retain({"result": b"r", "display": b"1"})
        both = [RetainedMessage("result", b"r"), RetainedMessage("display", b"1")]
        assert wire.send_and_answer() == both
        wire.schedule.disconnect()
        wire.schedule.connect(20)
        assert wire.send_and_answer() == both

    def test_goes_when_it_changes_and_only_then(self) -> None:
        wire = Wire({"settlement": 0})
        wire.schedule.retain({"display": b"1"})
        assert wire.send_and_answer() == [RetainedMessage("display", b"1")]
        wire.schedule.retain({"display": b"1"})
        assert wire.send_and_answer() == []
        wire.schedule.retain({"display": b"2"})
        assert wire.send_and_answer() == [RetainedMessage("display", b"2")]

    def test_never_overtakes_the_message_it_belongs_to(self) -> None:
        wire = Wire({"settlement": 0}, window=1, new=2)
        wire.schedule.retain({"result": b"r"})
        wire.schedule.extend(3)
        assert wire.send_and_answer() == [*rows(1, 2), RetainedMessage("result", b"r"), *rows(3)]

    def test_only_the_newest_goes(self) -> None:
        wire = Wire({"settlement": 0}, window=1)
        for head in (1, 2, 3):
            wire.schedule.extend(head)
            wire.schedule.retain({"display": b"%d" % head})
        assert wire.send_and_answer() == [*rows(1, 2, 3), RetainedMessage("display", b"3")]

    def test_goes_at_once_while_a_backlog_is_sent_and_what_it_overtakes_is_historical(self) -> None:
        wire = Wire({"settlement": 0}, head=5, window=2)
        assert wire.send() == rows(1, 2, historical=True)
        wire.schedule.extend(6)
        wire.schedule.retain({"display": b"6"})
        wire.schedule.answered(1, wire.now_s)
        assert wire.send() == [RetainedMessage("display", b"6")]
        wire.schedule.answered(2, wire.now_s)
        assert wire.send_and_answer() == rows(3, 4, 5, 6, historical=True)

    def test_what_is_deleted_is_forgotten_when_the_broker_has_it(self) -> None:
        wire = Wire({"settlement": 0}, window=None)
        wire.schedule.retain({"alerts/1": b"a"})
        wire.schedule.connect(20)
        wire.send_and_answer()
        wire.schedule.retain({"alerts/1": None})
        wire.send()
        wire.schedule.disconnect()
        wire.schedule.connect(20)
        assert wire.send_and_answer() == [RetainedMessage("alerts/1", None)]
        wire.schedule.disconnect()
        wire.schedule.connect(20)
        assert wire.send_and_answer() == []

    def test_what_is_raised_again_while_its_deletion_is_on_its_way_stays(self) -> None:
        wire = Wire({"settlement": 0}, window=None)
        wire.schedule.retain({"alerts/1": None})
        wire.schedule.connect(20)
        wire.send()
        wire.schedule.retain({"alerts/1": b"again"})
        wire.schedule.answered(1, wire.now_s)
        assert wire.send_and_answer() == [RetainedMessage("alerts/1", b"again")]
        assert wire.schedule.retained == {"alerts/1": b"again"}

    def test_what_was_raised_again_and_has_left_stays_when_its_deletion_is_answered(self) -> None:
        wire = Wire({"settlement": 0}, window=None)
        wire.schedule.retain({"alerts/1": None})
        wire.schedule.connect(20)
        wire.send()
        wire.schedule.retain({"alerts/1": b"again"})
        assert wire.send() == [RetainedMessage("alerts/1", b"again")]
        for mid in (1, 2):
            wire.schedule.answered(mid, wire.now_s)
        assert wire.schedule.retained == {"alerts/1": b"again"}

    def test_a_denied_one_goes_again_after_the_timeout_and_stops_nothing_else(self) -> None:
        wire = Wire({"settlement": 0})
        wire.schedule.retain({"display": b"d"})
        wire.send()
        wire.schedule.answered(1, wire.now_s, denied=True)
        wire.schedule.extend(1)
        assert wire.send_and_answer() == rows(1)
        wire.now_s += TIMEOUT_S
        assert RetainedMessage("display", b"d") in wire.send_and_answer()

    def test_what_somebody_else_wrote_is_put_right(self) -> None:
        wire = Wire({"settlement": 0}, window=None)
        wire.schedule.retain({"status": b"s"})
        wire.schedule.connect(20)
        wire.send_and_answer()
        wire.schedule.retain_again("status")
        wire.schedule.retain_again("alerts/9")
        assert wire.send_and_answer() == [RetainedMessage("status", b"s"), RetainedMessage("alerts/9", None)]


def test_a_reply_goes_first_and_ends_with_its_connection() -> None:
    wire = Wire({"settlement": 0}, head=1)
    wire.schedule.reply("replies/a", b"yes")
    assert wire.send_and_answer() == [ReplyMessage("replies/a", b"yes"), *rows(1, historical=True)]
    wire.schedule.reply("replies/b", b"yes")
    wire.schedule.disconnect()
    wire.schedule.reply("replies/c", b"yes")
    wire.schedule.connect(20)
    assert wire.send_and_answer() == rows(1, historical=True)


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
    wire = Wire({"settlement": 0}, window=None)
    on_the_way: list[int] = []
    held = 0
    for doing, amount in [*doings, ("connect", 1), ("settle", 0)]:
        if doing == "commit":
            wire.schedule.extend(wire.schedule.head + amount)
        elif doing == "send":
            on_the_way += [step.sequence for step in wire.send(amount) if isinstance(step, StreamMessage)]
        elif doing == "land":
            for mid in range(max(wire.mid - amount, 0), wire.mid + 1):
                wire.schedule.answered(mid, wire.now_s)
        elif doing == "arrive":
            for sequence in on_the_way[:amount]:
                held = sequence if sequence == held + 1 else held  # repeats dropped, gaps not taken
            del on_the_way[:amount]
        elif doing == "ack" and wire.schedule.judge("settlement", 5, held) is AckVerdict.MOVES:
            wire.schedule.advance("settlement", held, wire.now_s)
        elif doing == "cut":
            wire.schedule.disconnect()
            del on_the_way[amount:]
        elif doing == "connect":
            on_the_way.clear()
            wire.schedule.connect(window)
        elif doing == "wait":
            wire.now_s += TIMEOUT_S / 2
        elif doing == "settle":
            for step in wire.send_and_answer():
                if isinstance(step, StreamMessage) and step.sequence == held + 1:
                    held = step.sequence
        assert held <= wire.schedule.head
        assert wire.schedule.cursors["settlement"] <= held
    assert held == wire.schedule.head
