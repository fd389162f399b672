"""What bars an opening, each by itself: a hold may stand before it."""

from __future__ import annotations

import pytest

from controller.round.opening import shoe_obstacle
from tests.scenarios.conversation import talk


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("baccarat shoe.kind=continuous", "SHOE 416; SHUFFLE-FAILED jam"),
        ("baccarat", "SHUFFLE-FAILED jam; SHOE 416"),
        ("two-cards-high seats=1", "SHUFFLED 40; SHUFFLE-FAILED jam; SHOE 40"),
    ],
)
def test_a_shoe_whose_shuffle_is_in_doubt_opens_no_round_though_nothing_held(table: str, told: str) -> None:
    refused = shoe_obstacle(talk(table, told).state)
    assert refused is not None
    assert refused.code == "not_shuffled"
