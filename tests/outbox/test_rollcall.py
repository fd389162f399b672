"""The roll of the consumers: who is named and never heard is seen, and who is gone is named."""

from __future__ import annotations

from controller.outbox.notices import ConsumerHeard, ConsumerSilent
from controller.outbox.rollcall import SILENT_S, RollCall
from controller.outbox.schedule import BROKER


def silent(found: list[object]) -> list[str]:
    return [notice.consumer for notice in found if isinstance(notice, ConsumerSilent)]


def test_one_that_was_never_heard_is_said_once_and_taken_back_when_it_comes() -> None:
    roll = RollCall(["settlement", "archive"], ["archive", "settlement"])
    roll.listen(100.0)
    roll.heard("archive", 101.0)
    assert roll.call({"settlement": 0, "archive": 9}, 9, 100.0 + SILENT_S - 1) == []
    [found] = roll.call({"settlement": 0, "archive": 9}, 9, 100.0 + SILENT_S)
    assert isinstance(found, ConsumerSilent)
    assert found.consumer == "settlement"
    assert "9 messages wait" in found.message
    assert roll.call({"settlement": 0, "archive": 9}, 9, 1000.0) == []
    assert roll.heard("settlement", 1001.0) == [ConsumerHeard("settlement")]
    assert roll.heard("settlement", 1002.0) == []


def test_one_that_was_heard_is_silent_only_while_something_waits_for_it() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.listen(0.0)
    roll.heard("settlement", 1.0)
    assert roll.call({"settlement": 5}, 5, 1e6) == []
    assert silent(roll.call({"settlement": 5}, 6, 1e6)) == ["settlement"]


def test_nobody_is_silent_while_we_hear_nobody() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    assert roll.call({"settlement": 0}, 5, 1e6) == []
    roll.listen(1e6)
    roll.deaf()
    assert roll.call({"settlement": 0}, 5, 2e6) == []
    roll.listen(2e6)
    assert silent(roll.call({"settlement": 0}, 5, 2e6 + SILENT_S)) == ["settlement"]


def test_one_that_is_no_longer_named_is_said_at_once() -> None:
    roll = RollCall(["settlement"], ["archive", BROKER, "settlement"])
    [found] = roll.call({"archive": 2, "settlement": 9}, 9, 0.0)
    assert isinstance(found, ConsumerSilent)
    assert found.consumer == "archive"
    assert "--retire" in found.message
    assert roll.call({"archive": 2, "settlement": 9}, 9, 1.0) == []
