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
    assert roll.missed == {}
    roll.call({"settlement": 0, "archive": 9}, 9, 100.0 + SILENT_S)
    assert list(roll.missed) == [SETTLEMENT]
    assert "9 messages wait" in roll.missed[SETTLEMENT].message
    roll.call({"settlement": 0, "archive": 12}, 12, 1000.0)
    assert "9 messages wait" in roll.missed[SETTLEMENT].message, "said once"
    roll.heard("settlement", 1001.0)
    assert roll.missed == {}


def test_what_one_left_at_the_broker_is_no_word_of_its_own() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.listen(0.0)
    roll.call({"settlement": 5}, 6, SILENT_S)
    assert list(roll.missed) == [SETTLEMENT]
    roll.deaf()
    roll.listen(SILENT_S + 1)
    roll.heard("settlement", SILENT_S + 1, retained=True)
    roll.call({"settlement": 5}, 6, SILENT_S + 1)
    assert list(roll.missed) == [SETTLEMENT], "the broker came back, not the consumer"
    roll.call({"settlement": 6}, 6, SILENT_S + 1)
    assert roll.missed == {}, "nothing waits for it any more"


def test_one_that_was_heard_is_silent_only_while_something_waits_for_it() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.listen(0.0)
    roll.heard("settlement", 1.0)
    roll.call({"settlement": 5}, 5, 1e6)
    assert roll.missed == {}
    assert not roll.call({"settlement": 5}, 6, 1e6 + SILENT_S - 0.1)
    assert roll.missed == {}, "it may be writing just now what was said after an idle hour"
    assert roll.call({"settlement": 5}, 6, 1e6 + SILENT_S)
    assert list(roll.missed) == [SETTLEMENT]


def test_who_hears_nobody_may_be_deaf_and_asks_once_a_minute() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.listen(0.0)
    said = [(second, roll.call({"settlement": 5}, 6, float(second))) for second in range(130)]
    assert [one for one in said if one[1]] == [(60, "ask ourselves"), (120, "deaf")]
    roll.deaf()
    roll.listen(130.0)
    assert roll.call({"settlement": 5}, 6, 190.0) == "ask ourselves"
    roll.heard_ourselves()
    assert roll.call({"settlement": 5}, 6, 250.0) == "ask ourselves", "they are silent, and we hear"
    roll.heard("settlement", 260.0)
    assert not roll.call({"settlement": 6}, 6, 400.0)


def test_nobody_is_silent_while_we_hear_nobody() -> None:
    roll = RollCall(["settlement"], ["settlement"])
    roll.call({"settlement": 0}, 5, 1e6)
    roll.listen(1e6)
    roll.deaf()
    roll.call({"settlement": 0}, 5, 2e6)
    assert roll.missed == {}
    roll.listen(2e6)
    roll.call({"settlement": 0}, 5, 2e6 + SILENT_S)
    assert list(roll.missed) == [SETTLEMENT]


def test_one_that_is_no_longer_named_is_said_at_once() -> None:
    roll = RollCall(["settlement"], ["archive", BROKER, "settlement"])
    assert list(roll.missed) == [ARCHIVE]
    assert "--retire" in roll.missed[ARCHIVE].message
    roll.listen(0.0)
    roll.heard("archive", 1.0)
    assert list(roll.missed) == [ARCHIVE], "it speaks, and is still not named"
    roll.call({"archive": 0, "settlement": 5}, 5, SILENT_S * 2)
    assert "--retire" in roll.missed[ARCHIVE].message
