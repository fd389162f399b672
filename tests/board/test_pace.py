"""Hands an hour of a table on the floor, from the game numbers of its last rounds."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Page, expect

from controller.board.pace import hands_an_hour
from tests.board.scenes import laid


def rounds(*numbers: str) -> list[msgspec.Raw]:
    """``12:00:30`` stands, ``12:00:30 void`` does not."""
    told = [number.split() for number in numbers]
    parts = [
        {"game_number": number, **({"void": {"reason": None}} if void else {})} for number, *void in told
    ]
    return [msgspec.Raw(json.dumps(one).encode()) for one in parts]


PACES = [
    ((), None),
    (("12:00:00", "12:01:00", "12:02:00"), None),
    (("12:00:00", "12:01:00", "12:02:00", "12:03:00"), 60),
    (("12:00:00", "12:00:30", "12:01:00", "12:01:30"), 120),
    (("23:58:30", "23:59:30", "00:00:30", "00:01:30"), 60),
    # A void takes its time and is no hand.
    (("12:00:00", "12:01:00", "12:02:00 void", "12:03:00", "12:04:00"), 45),
    # The newest is void: the one before it is over.
    (("12:00:00", "12:01:00", "12:02:00", "12:03:00", "12:04:00 void"), 60),
    # What began more than an hour before the newest is of another part of the day.
    (("09:00:00", "12:00:00", "12:01:00", "12:02:00", "12:03:00"), 60),
    (("12:00:00",) * 4, None),
]
"""Game numbers, oldest first -> hands an hour."""


@pytest.mark.parametrize(("numbers", "pace"), PACES)
def test_a_pace_is_read_off_the_game_numbers(numbers: tuple[str, ...], pace: int | None) -> None:
    assert hands_an_hour(rounds(*numbers)) == pace


def test_what_is_no_round_is_left_out() -> None:
    odd = [msgspec.Raw(one) for one in (b"7", b"{}", b'{"game_number": "soon"}')]
    assert hands_an_hour([*odd, *rounds("12:00:00", "12:01:00"), *odd, *rounds("12:02:00", "12:03:00")]) == 60


def test_a_card_of_the_floor_says_how_fast_its_table_deals(page: Page, tmp_path: Path) -> None:
    with laid(tmp_path, "third_card", "squeeze") as floor:
        page.goto(floor.board.url)
        paces = {
            scene: page.locator(f"[data-table='{table.path}'] .card-pace")
            for scene, table in floor.tables.items()
        }
        expect(paces["third_card"]).to_have_text("73 hands/h")
        expect(paces["squeeze"]).to_have_count(0)
        page.goto(f"{floor.board.url}/?lang=zh-TW")
        expect(paces["third_card"]).to_have_text("每小時 73 局")
