"""May this unit be the table? Judged by what the broker keeps of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.outbox.claim import Claim, Sighting, judge
from controller.outbox.retained import Ack, Status
from controller.vocabulary.values import IN_ROUND

NEW: dict[str, Any] = {"epoch": 500, "boot": 1, "head": 3, "previous": None, "known": False}
OLD: dict[str, Any] = {"epoch": 500, "boot": 4, "head": 90, "previous": None, "known": True}
HEIR = {"epoch": 500, "boot": 1, "head": 3, "previous": 400, "known": False}


def status(epoch: int, boot: int, sequence: int, state: Any = "lost") -> Status:
    return Status(state, boot, "1.0", "d", "live", epoch, sequence)


@pytest.mark.parametrize(
    ("ours", "told", "acks", "code"),
    [
        pytest.param(NEW, None, {}, None, id="nobody has heard of this table"),
        pytest.param(NEW, status(400, 9, 80), {}, None, id="a new journal: a larger epoch, consumers alarm"),
        pytest.param(
            NEW, status(900, 9, 80), {}, "unknown_past", id="a new journal of a unit whose clock was not set"
        ),
        pytest.param(NEW, None, {"settlement": Ack(400, 80)}, None, id="only a consumer knows the old one"),
        pytest.param(
            NEW, None, {"settlement": Ack(900, 80)}, None, id="only a consumer, of a larger epoch: an alert"
        ),
        pytest.param(
            NEW, status(400, 9, 80), {"settlement": Ack(900, 80)}, None, id="beside an older status as well"
        ),
        pytest.param(OLD, status(500, 3, 90), {"settlement": Ack(500, 90)}, None, id="our own last life"),
        pytest.param(OLD, status(500, 3, 91), {}, "lost_tail", id="the broker has heard more than we hold"),
        pytest.param(
            OLD, status(500, 4, 90), {}, "lost_tail", id="the broker has heard a boot that we do not know"
        ),
        pytest.param(OLD, None, {"settlement": Ack(500, 91)}, None, id="a consumer claims more than we hold"),
        pytest.param(OLD, status(501, 1, 2), {}, "replaced", id="another one was given our place"),
        pytest.param(OLD, None, {"settlement": Ack(501, 1)}, None, id="a consumer speaks of another epoch"),
        pytest.param(OLD, status(400, 9, 80), {}, None, id="a late word of an epoch before ours"),
        pytest.param(
            HEIR, status(400, 9, 80), {"settlement": Ack(400, 80)}, None, id="the one that we replaced"
        ),
        pytest.param(HEIR, status(300, 9, 80), {}, None, id="the one before that one"),
        pytest.param(HEIR, status(501, 1, 2), {}, "replaced", id="and we were replaced in turn"),
    ],
)
def test_what_the_broker_keeps_decides(ours: Any, told: Status | None, acks: Any, code: str | None) -> None:
    denial = judge(Claim(**ours), Sighting(told, acks))
    assert (None if denial is None else denial.code) == code


@pytest.mark.parametrize("ours", [NEW, OLD, HEIR])
def test_who_answers_is_the_table(ours: Any) -> None:
    denial = judge(Claim(**ours), Sighting(status(500, 3, 1, "online"), answered=True))
    assert denial is not None
    assert denial.code == "other_unit"
    assert "(boot 3, epoch 500)" in denial.message


@pytest.mark.parametrize("ours", [OLD, HEIR])
def test_who_was_replaced_is_told_so_though_the_other_answers(ours: Any) -> None:
    denial = judge(Claim(**ours), Sighting(status(501, 1, 2, "online"), answered=True))
    assert denial is not None
    assert (denial.code, "was replaced by epoch 501" in denial.message) == ("replaced", True)


def test_our_own_status_of_this_boot_is_no_lost_tail_once_we_have_spoken() -> None:
    ours = {**OLD, "spoken": True}
    assert judge(Claim(**ours), Sighting(status(500, 4, 90))) is None
    later = judge(Claim(**ours), Sighting(status(500, 5, 90)))
    assert later is not None
    assert later.code == "lost_tail"


@pytest.mark.parametrize(
    ("phase", "code"),
    [
        ("idle", None),
        *((phase, "unknown_past") for phase in sorted(IN_ROUND)),
        ("settled", None),
        ("void", None),
        ("final", None),
    ],
)
def test_a_new_journal_leaves_no_round_without_an_end(phase: str, code: str | None) -> None:
    display = json.dumps({"phase": phase, "round": "north-7-400-3", "more": 1}).encode()
    denial = judge(Claim(**NEW), Sighting(status(400, 9, 80), {}, display))
    assert (None if denial is None else denial.code) == code
    assert denial is None or "round north-7-400-3 has no end yet" in denial.message


def test_a_display_that_cannot_be_read_is_no_running_round() -> None:
    assert judge(Claim(**NEW), Sighting(status(400, 9, 80), {}, b"{")) is None
