"""2 Hand Casino Hold'em, "Game Number": the GMT time of the beginning, never the same twice in a day."""

from __future__ import annotations

import json

import pytest

from controller.shell.replay import numbered
from tests.scenarios.conversation import talk


@pytest.mark.parametrize(
    ("opened", "numbers"),
    [
        ("2026-01-31T20:15:00Z 2026-01-31T20:15:40.9Z", "20:15:00 20:15:40"),
        ("2026-01-31T20:15:00.1Z 2026-01-31T20:15:00.9Z 2026-01-31T20:15:01Z", "20:15:00 20:15:01 20:15:02"),
        ("2026-01-31T20:15:30Z 2026-01-31T20:15:10Z 2026-01-31T20:15:40Z", "20:15:30 20:15:31 20:15:40"),
        ("2026-01-31T23:59:59.2Z 2026-01-31T23:59:59.8Z 2026-02-01T00:00:00Z", "23:59:59 00:00:00 00:00:01"),
        ("2026-01-31T20:15:00Z 2026-02-01T20:15:00Z", "20:15:00 20:15:00"),
        ("2036-01-31T20:15:00Z 2026-01-31T20:16:00Z", "20:15:00 20:16:00"),
    ],
    ids=["two minutes", "one second", "clock set back", "midnight", "next day", "clock was years ahead"],
)
def test_game_numbers_rise_within_a_day(opened: str, numbers: str) -> None:
    conversation = talk("baccarat", "SHOE 416")
    told = []
    for line, at in enumerate(opened.split(), 100):
        event, stamp = numbered(json.dumps({"event": "bets_opened", "at": at}).encode(), line)
        conversation.take(event, stamp)
        told.append(conversation.display["game_number"])
        conversation.say("VOID supervisor")
    assert told == numbers.split()
