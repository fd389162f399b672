"""How long a card may still be contradicted."""

from __future__ import annotations

import pytest

from controller.round.timers import agree_s
from tests.scenarios.conversation import Conversation, configuration_of


@pytest.mark.parametrize(
    ("settings", "here", "lost"),
    [
        ("core.agree_s=4 core.agree_without_felt_s=0", 4, 0),
        ("core.agree_s=4 core.agree_without_felt_s=3", 4, 3),
        ("core.agree_s=4", 4, 4),  # a record of before the felt was told apart
    ],
)
def test_nobody_waits_for_a_camera_over_the_felt_that_is_lost(settings: str, here: int, lost: int) -> None:
    table = Conversation(configuration_of(f"baccarat {settings}"))
    assert agree_s(table.state) == here
    table.say("LOST felt")
    assert agree_s(table.state) == lost
