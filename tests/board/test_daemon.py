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
from tests.harness.process import until

GAMES = ("baccarat", "2-card-action", "two-cards-high", "casino-holdem")

ROUNDS = 2


@pytest.fixture
def demo(game: str) -> Iterator[subprocess.Popen[str]]:
    """``dealer-table demo`` of each game, quick."""
    command = [sys.executable, "-m", "controller", "demo", f"--game={game}", "--pace-s=0.1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


@pytest.mark.parametrize("game", GAMES)
def test_a_page_shows_the_rounds_that_the_table_played(
    page: Page, demo: subprocess.Popen[str], game: str
) -> None:
    if demo.stdout is None:
        raise RuntimeError("a demo without output")
    address = demo.stdout.readline().removeprefix("result board: ").strip()
    page.goto(f"{address}table/demo/1")
    rows = page.locator(".last li")
    shown: set[str] = set()

    def so_many() -> bool:
        shown.update(rows.evaluate_all("rows => rows.map((row) => row.dataset.round)"))
        return len(shown) >= ROUNDS

    until(so_many, lambda: shown)
    if game == "baccarat":
        expect(page.locator(".last li .mark").nth(ROUNDS - 1)).to_be_attached()
    demo.send_signal(signal.SIGINT)
    said = demo.stdout.read()
    assert demo.wait(PATIENCE_S) == 0, said
    played = set(re.findall(r"^(demo-1-\d+-\d+): ", said, re.MULTILINE))
    assert shown <= played
