"""A thousand tables in a browser: trouble first, pages, counts, search, the dealer's page and back."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.board.played import STATUS, Publisher
from tests.board.scenes import SCENES
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker
from tests.harness.process import comes

TABLES = 1000
A_SCREEN = 42
PAGES = 24


class Pit(NamedTuple):
    """A board, who publishes to it, and what a table shows in play and in a hold."""

    board: BoardProcess
    publisher: Publisher
    plays: bytes
    holds: bytes

    def says(self, table: int, kind: str, body: bytes) -> None:
        """A table publishes this."""
        self.publisher.retain(f"dealer-table/v1/north/{table}/{kind}", body)


@pytest.fixture
def pit(tmp_path: Path) -> Iterator[Pit]:
    """A thousand tables in the middle of a deal."""
    with Broker(tmp_path / "broker") as broker:
        publisher = Publisher(broker.port)
        one = SCENES["third_card"](tmp_path / "table", publisher)
        plays = one.retained[f"{one.base}/display"]
        one.tell("hold_requested", by="dealer")
        status = json.dumps({**STATUS, "state": "online", "mode": "live"}).encode()
        for table in range(1, TABLES + 1):
            publisher.send(f"dealer-table/v1/north/{table}/status", status)
            publisher.send(f"dealer-table/v1/north/{table}/display", plays)
        with BoardProcess(tmp_path, f"--mqtt-port={broker.port}", "--table", "north/+") as board:
            yield Pit(board, publisher, plays, one.retained[f"{one.base}/display"])
        publisher.close()


def shown(page: Page) -> list[str]:
    """The tables on the page, in order."""
    paths: list[str] = page.locator("[data-table]").evaluate_all("all => all.map(one => one.dataset.table)")
    return paths


def counts(page: Page) -> dict[str, int]:
    """Filter -> how many tables it would show."""
    read: dict[str, int] = page.locator("[data-filter]").evaluate_all(
        """all => Object.fromEntries(
            all.map(one => [one.dataset.filter, Number(one.querySelector('b').textContent)]))"""
    )
    return read


def test_of_a_thousand_tables_those_in_trouble_come_first_and_a_person_finds_any_other(
    page: Page, pit: Pit
) -> None:
    page.goto(pit.board.url)
    comes(lambda: counts(page).get("all"), TABLES)
    expect(page.locator("[data-table]")).to_have_count(A_SCREEN)
    comes(lambda: shown(page)[:3], ["north/1", "north/2", "north/3"])
    # Trouble on the last pages: the longest wait, then who is silent, then alerts, then the others.
    pit.says(777, "display", pit.holds)
    expect(page.locator("[data-table]").first).to_have_attribute("data-table", "north/777")
    pit.says(500, "display", pit.holds)
    pit.says(998, "status", json.dumps({**STATUS, "state": "lost", "mode": "live"}).encode())
    alert = {"id": "disk", "code": "disk", "message": "the disk is full", "at": "2026-01-31T20:15:00Z"}
    pit.says(640, "alerts/disk", json.dumps(alert).encode())
    first = ["north/777", "north/500", "north/998", "north/640", "north/1"]
    comes(lambda: shown(page)[:5], first)
    comes(
        lambda: counts(page),
        {"all": TABLES, "trouble": 4, "hold": 2, "silent": 1, "alert": 1, "dealing": TABLES - 4, "idle": 0},
    )
    held = page.locator("[data-table='north/777'] .card-words")
    expect(held).to_have_text(re.compile(r"Held for \d+:\d\d"))
    waited = held.inner_text()
    expect(held).not_to_have_text(waited)
    # Pages.
    turn = page.locator(".pages")
    expect(turn).to_contain_text(f"1 of {PAGES}")
    turn.get_by_role("button").last.click()
    expect(turn).to_contain_text(f"2 of {PAGES}")
    comes(lambda: shown(page)[0], f"north/{A_SCREEN - 3}")
    # Search, with the keyboard alone, to a dealer's page and one step back to what was asked for.
    page.locator(".find").fill("north/77")
    comes(
        lambda: shown(page), ["north/777", "north/77", *(f"north/{n}" for n in range(770, 780) if n != 777)]
    )
    page.locator("[data-filter=hold]").click()
    comes(lambda: shown(page), ["north/777"])
    page.locator(".table-card").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/dealer/north/777")
    expect(page.locator("[data-act=hold]")).to_be_visible()
    page.keyboard.press("Escape")
    page.wait_for_url(f"{pit.board.url}/")
    comes(lambda: shown(page), ["north/777"])
    expect(page.locator(".find")).to_have_value("north/77")
    # The hold ends: the table is one of many again.
    page.locator(".find").fill("")
    comes(lambda: shown(page), ["north/777", "north/500"])
    pit.says(777, "display", pit.plays)
    comes(lambda: shown(page), ["north/500"])
    page.locator("[data-filter=all]").click()
    comes(lambda: shown(page)[:3], ["north/500", "north/998", "north/640"])
