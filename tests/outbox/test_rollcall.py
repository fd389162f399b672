"""The roll of the consumers: who is named and never heard is seen, and who is gone is named."""

from __future__ import annotations

from controller.outbox.rollcall import SILENT_S, RollCall
from controller.outbox.schedule import BROKER

SETTLEMENT, ARCHIVE = "consumer-settlement", "consumer-archive"


def test_one_that_was_never_heard_is_silent_until_it_comes() -> None:
    roll = RollCall(["settlement", "archive"], ["archive", "settlement"])
    roll.listen(100.0)
    roll.heard("archive", 101.0)
    roll.call({"settlement": 0, "archive": 9}, 9, 100.0 + SILENT_S - 1)
    assert roll.silent == {}
    roll.call({"settlement": 0, "archive": 9}, 9, 100.0 + SILENT_S)
    assert list(roll.silent) == [SETTLEMENT]
    assert "9 messages wait" in roll.silent[SETTLEMENT].message
    roll.call({"settlement": 0, "archive": 12}, 12, 1000.0)
    assert "9 messages wait" in roll.silent[SETTLEMENT].message, "said once"
    roll.heard("settlement", 1001.0)
    assert roll.silent == {}


def test_one_that_was_heard_is_silent_only_while_something_waits_for_it() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.listen(0.0)
    roll.heard("settlement", 1.0)
    roll.call({"settlement": 5}, 5, 1e6)
    assert roll.silent == {}
    roll.call({"settlement": 5}, 6, 1e6)
    assert list(roll.silent) == [SETTLEMENT]


def test_nobody_is_silent_while_we_hear_nobody() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.call({"settlement": 0}, 5, 1e6)
    roll.listen(1e6)
    roll.deaf()
    roll.call({"settlement": 0}, 5, 2e6)
    assert roll.silent == {}
    roll.listen(2e6)
    roll.call({"settlement": 0}, 5, 2e6 + SILENT_S)
    assert list(roll.silent) == [SETTLEMENT]


def test_one_that_is_no_longer_named_is_said_at_once() -> None:
    roll = RollCall(["settlement"], ["archive", BROKER, "settlement"])
    assert list(roll.silent) == [ARCHIVE]
    assert "--retire" in roll.silent[ARCHIVE].message
