"""The demo table on a terminal: phase and light, cards as they come, result, last results, counters."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text

from controller.cli.phrases import describe_outcome, describe_say, house_wins, odds_text, pretty_card
from controller.outbox.counters import OutboxCounters
from controller.round.state import State
from controller.round.view import display
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.display import Display
from controller.vocabulary.effects import Say

_LIGHTS = {"green": "bold white on green4", "yellow": "bold black on yellow", "red": "bold white on red3"}
_WORDS = {
    "idle": "no round",
    "betting": "PLACE YOUR BETS",
    "dealing": "NO MORE BETS",
    "decision": "MAKE YOUR DECISION",
    "reveal": "cards face down",
    "result": "RESULT",
    "settled": "settled",
}
LAST = 8


class Screen:
    """Draws the newest state a few times a second; fed from the loop's thread."""

    def __init__(
        self, title: str, counters: Callable[[], OutboxCounters], console: Console, bets: Callable[[], str]
    ) -> None:
        """``bets``: how the players of the demo stand, empty if nobody bets."""
        self._title = title
        self._counters = counters
        self._bets = bets
        self._console = console
        self._guard = threading.Lock()
        self._state: State | None = None
        self._said: deque[str] = deque(maxlen=LAST)
        self._live = Live(self._draw(), console=console, refresh_per_second=8, get_renderable=self._draw)

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, state: State | None, says: list[Say]) -> None:
        """A new state and what was said on the way to it."""
        with self._guard:
            self._state = state
            self._said.extend(line for say in says if (line := describe_say(say)))

    def _draw(self) -> Panel:
        with self._guard:
            state, said = self._state, list(self._said)
        if state is None:
            return Panel("starting", title=self._title)
        shown = display(state)
        odds = "" if shown.odds is None else f"\n{odds_text(msgspec.to_builtins(shown.odds))}"
        parts: list[RenderableType] = [
            self._headline(shown),
            self._hands(shown),
            Text(odds, style="green"),
            self._results(shown, state.configuration),
            Text("\n".join(said), style="dim"),
            self._figures(shown),
        ]
        return Panel(Group(*parts), title=self._title, width=min(100, self._console.width))

    def _headline(self, shown: Display) -> Text:
        line = Text()
        line.append(f" {_WORDS.get(shown.phase, shown.phase)} ", _LIGHTS[shown.light])
        line.append(f"  game {shown.game_number or '--:--:--'}  round {shown.round or '-'}\n")
        if shown.hold is not None:
            line.append(f"HOLD: {shown.hold.meaning}\n", "bold red")
        return line

    def _hands(self, shown: Display) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        hands: dict[str, list[Text]] = {}
        for lying in shown.cards:
            hands.setdefault(lying.position, []).append(pretty_card(lying.card))
        for position, row in hands.items():
            grid.add_row(Text(position, style="bold"), Text(" ").join(row))
        return grid

    def _results(self, shown: Display, configuration: CoreConfiguration) -> Text:
        line = Text("\n")
        if shown.result is not None:
            line.append(describe_outcome(shown.game, msgspec.to_builtins(shown.result)), "bold")
            line.append(house_wins(configuration, shown.result.bets) + "\n", "bold")
        last = [describe_outcome(shown.game, msgspec.to_builtins(one)) for one in shown.last_results[-LAST:]]
        line.append(f"last: {' | '.join(last)}\n" if last else "")
        return line

    def _figures(self, shown: Display) -> Text:
        figures, bets = self._counters(), self._bets()
        left = shown.shoe.left if shown.shoe is not None else 0
        acknowledged = ", ".join(f"{name} {sequence}" for name, sequence in figures.acknowledged.items())
        broker = "connected" if figures.connected else "no broker"
        sent = f"{figures.head} messages, {figures.sent} sent"
        text = f"{left} cards in the shoe · broker {broker} · {sent} · acknowledged: {acknowledged}"
        return Text(f"{bets}\n{text}" if bets else text, style="cyan")
