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

from controller.cli.phrases import describe_outcome, describe_say, odds_words, pretty_card
from controller.outbox.counters import OutboxCounters
from controller.round.state import State
from controller.round.view import display
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
        shown = msgspec.to_builtins(display(state))
        parts: list[RenderableType] = [
            self._headline(shown),
            self._hands(shown),
            self._odds(shown),
            self._results(shown),
            Text("\n".join(said), style="dim"),
        ]
        return Panel(
            Group(*parts, self._figures(shown)), title=self._title, width=min(100, self._console.width)
        )

    def _headline(self, shown: dict[str, object]) -> Text:
        line = Text()
        line.append(f" {_WORDS.get(str(shown['phase']), shown['phase'])} ", _LIGHTS[str(shown["light"])])
        line.append(f"  game {shown['game_number'] or '--:--:--'}  round {shown['round'] or '-'}\n")
        hold = shown["hold"]
        if isinstance(hold, dict):
            line.append(f"HOLD: {hold['meaning']}\n", "bold red")
        return line

    def _hands(self, shown: dict[str, object]) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        hands: dict[str, list[Text]] = {}
        cards = shown["cards"]
        for card in cards if isinstance(cards, list) else []:
            hands.setdefault(card["position"], []).append(pretty_card(card["card"]))
        for position, row in hands.items():
            grid.add_row(Text(position, style="bold"), Text(" ").join(row))
        return grid

    def _odds(self, shown: dict[str, object]) -> Text:
        odds = shown["odds"]
        return Text(f"\n{odds_words(odds)}" if isinstance(odds, dict) else "", style="green")

    def _results(self, shown: dict[str, object]) -> Text:
        line = Text("\n")
        result = shown["result"]
        if isinstance(result, dict):
            line.append(describe_outcome(str(shown["game"]), result) + "\n", "bold")
        last = shown["last_results"]
        words = (
            [describe_outcome(str(shown["game"]), entry) for entry in last if isinstance(entry, dict)]
            if isinstance(last, list)
            else []
        )
        line.append("last: " + " | ".join(words[-LAST:]) + "\n" if words else "")
        return line

    def _figures(self, shown: dict[str, object]) -> Text:
        figures, shoe = self._counters(), shown["shoe"]
        left = shoe["left"] if isinstance(shoe, dict) else 0
        acknowledged = ", ".join(f"{name} {sequence}" for name, sequence in figures.acknowledged.items())
        broker = "connected" if figures.connected else "no broker"
        sent = f"{figures.head} messages, {figures.sent} sent"
        bets = self._bets()
        text = f"{bets}\n" if bets else ""
        text += f"{left} cards in the shoe · broker {broker} · {sent} · acknowledged: {acknowledged}"
        return Text(text, style="cyan")
