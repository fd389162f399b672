"""``make terminal-pictures``: what the README shows of the demo in a terminal, drawn by the demo itself."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from controller.cli.demo import story_on
from controller.cli.screen import Screen
from controller.demo.table import DemoTable
from controller.shell.batch import Batch
from controller.vocabulary.messages import RoundResult

FOLDER = Path("docs/pictures")
ROUNDS, SEED, QUICK_S = 24, 11, 0.01


def recorder(height: int) -> Console:
    """A terminal of 96 columns that keeps what is drawn."""
    return Console(
        file=io.StringIO(), record=True, width=96, height=height, force_terminal=True, highlight=False
    )


def draw_table() -> None:
    """The demo table with a result and a shoe that is well under way."""
    console = recorder(26)
    table = DemoTable(
        "baccarat",
        rounds=ROUNDS,
        pace_s=QUICK_S,
        seed=SEED,
        shoe=None,
        panel="keypad",
        shuffler=None,
        odds=None,
        squeeze=False,
        pay_table=None,
        tell=lambda line: None,
    )
    glance = table.players.glance if table.players is not None else str
    title = "dealer-table demo · result board http://127.0.0.1:8070/ · Ctrl-C ends it"
    screen = Screen(title, lambda: table.assembly.publisher.counters, console, glance)
    results = 0

    def look(batch: Batch) -> None:
        nonlocal results
        screen.show(batch.table.state, batch.says)
        results += sum(isinstance(say.message, RoundResult) for say in batch.says)
        if results == ROUNDS:
            results += 1
            console.print(screen.picture())

    try:
        table.run(look)
    finally:
        table.close()
    console.save_svg(str(FOLDER / "demo.svg"), title="make run")


def draw_story() -> None:
    """The story, from its first line to its last."""
    console = recorder(60)
    if story_on(console, QUICK_S):
        raise SystemExit("the story does not come out")
    console.save_svg(str(FOLDER / "story.svg"), title="dealer-table demo --story")


if __name__ == "__main__":
    draw_table()
    draw_story()
