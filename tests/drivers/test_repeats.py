"""Repeats and gaps: a repeat is the same bytes again; all else but the next number is doubt."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.angel_eye.decode import card_bytes, says_again
from drivers.angel_eye.wire import report_frame
from drivers.repeats import NumberCycle, ReportLog

CYCLE = NumberCycle(0x31, 0x39)


def log_after(number: int, raw: bytes) -> ReportLog:
    return ReportLog(CYCLE).after(number, raw)


@pytest.mark.parametrize(
    ("last", "new", "judgement"),
    [
        ((0x31, b"a"), (0x32, b"b"), "new"),
        ((0x31, b"a"), (0x32, b"a"), "new"),
        ((0x39, b"a"), (0x31, b"b"), "new"),
        ((0x31, b"a"), (0x31, b"a"), "repeat"),
        ((0x31, b"a"), (0x31, b"b"), "same_number_other_bytes"),
        ((0x31, b"a"), (0x33, b"a"), "gap"),
        ((0x32, b"a"), (0x31, b"b"), "gap"),
        ((0x38, b"a"), (0x31, b"b"), "gap"),
        ((0x39, b"a"), (0x3A, b"b"), "gap"),
        ((0x44, b"a"), (0x31, b"b"), "new"),
    ],
)
def test_judgement(last: tuple[int, bytes], new: tuple[int, bytes], judgement: str) -> None:
    assert log_after(*last).judge(*new) == judgement


def test_the_first_report_ever_is_new() -> None:
    assert ReportLog(CYCLE).judge(0x35, b"a") == "new"


CARD = card_bytes("8S", 0, 1)


@pytest.mark.parametrize(
    ("number", "card", "judgement"),
    [
        (0x31, CARD, "repeat"),
        (0x32, CARD, "repeat"),
        (0x33, CARD, "gap"),
        (0x31, card_bytes("9S", 0, 1), "same_number_other_bytes"),
        (0x32, card_bytes("8S", 0, 2), "new"),
        (0x32, card_bytes("8S", 1, 1), "new"),
    ],
)
def test_a_retransmitted_card_is_a_repeat_under_its_old_or_the_next_number(
    number: int, card: bytes, judgement: str
) -> None:
    log = ReportLog(CYCLE, says_again=says_again).after(0x31, report_frame(0x31, b"D" + CARD))
    assert log.judge(number, report_frame(number, b"R" + card)) == judgement


@given(
    st.lists(
        st.tuples(st.sampled_from(["sent", "lost", "repeated"]), st.binary(min_size=1, max_size=2)),
        max_size=60,
    )
)
def test_no_lost_report_stays_unnoticed_while_fewer_than_a_cycle_are_lost(
    story: list[tuple[str, bytes]],
) -> None:
    log, number, lost = ReportLog(CYCLE), CYCLE.first, 0
    for what, raw in story:
        if what == "lost":
            lost += 1
            number = CYCLE.after(number)
            if lost >= 8:
                return
            continue
        judgement = log.judge(number, raw)
        if log.last is not None:
            assert judgement == ("gap" if lost else "new")
        log, lost = log.after(number, raw), 0
        if what == "repeated":
            assert log.judge(number, raw) == "repeat"
        number = CYCLE.after(number)
