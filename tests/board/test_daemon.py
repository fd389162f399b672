"""The whole way: a simulated shoe's bytes, the daemon, a real broker, the board, a page in Chromium."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.harness.patience import PATIENCE_S

GAMES = ("baccarat", "2-card-action", "two-cards-high", "casino-holdem")

ROUNDS = 2


@pytest.fixture(params=GAMES)
def demo(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """``dealer-table demo`` of each game, quick."""
    command = [sys.executable, "-m", "controller", "demo", f"--game={request.param}", "--pace-s=0.1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def test_a_page_shows_the_rounds_that_the_table_played(page: Page, demo: subprocess.Popen[str]) -> None:
    if demo.stdout is None:
        raise RuntimeError("a demo without output")
    address = demo.stdout.readline().removeprefix("result board: ").strip()
    page.goto(f"{address}table/demo/1")
    rows = page.locator(".last li")
    expect(rows.nth(ROUNDS - 1)).to_be_attached()
    shown = {str(row) for row in rows.evaluate_all("rows => rows.map((row) => row.dataset.round)")}
    if page.locator(".game-baccarat").count():
        marks = page.locator(".last li .mark").all_inner_texts()
        assert len(marks) >= ROUNDS
    demo.send_signal(signal.SIGINT)
    said = demo.stdout.read()
    assert demo.wait(PATIENCE_S) == 0, said
    played = set(re.findall(r"^(demo-1-\d+-\d+): ", said, re.MULTILINE))
    assert len(shown) >= ROUNDS
    assert shown <= played
