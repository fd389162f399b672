"""The demo table on a terminal: phase and light, hands with their points, prices or result, roads, what
happened last, counters. It fits on 80 columns and 24 lines.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

from controller.board.names import Names, game_name, place_name, spot_name
from controller.cli.phrases import describe_outcome, odds_text, pretty_card, story_of
from controller.cli.terminal_roads import roads
from controller.games.registry import game_class
from controller.outbox.counters import OutboxCounters
from controller.round.state import State
from controller.round.view import display
from controller.vocabulary.cards import Card
from controller.vocabulary.display import Display
from controller.vocabulary.effects import Say
from controller.vocabulary.shown import counted

_LIGHTS = {"green": "bold white on green4", "yellow": "bold black on yellow", "red": "bold white on red3"}
_WORDS = {
    "idle": "NO ROUND",
    "betting": "PLACE YOUR BETS",
    "dealing": "NO MORE BETS",
    "decision": "PLAY OR FOLD?",
    "reveal": "CARDS FACE DOWN",
    "result": "RESULT",
    "settled": "SETTLED",
}
WIDEST = 100
MOST_EVENTS = 12
_LAST = 6


class Screen:
    """Draws the newest state a few times a second; fed from the loop's thread."""

    def __init__(
        self,
        title: str,
        counters: Callable[[], OutboxCounters],
        console: Console,
        bets: Callable[[], str],
        beside: str = "",
        note: str = "",
    ) -> None:
        """``bets``: how the players of the demo stand, empty if nobody bets; ``beside``: stands next to the
        table where the terminal is wide enough; ``note``: its first line.
        """
        self._title = title
        self._counters = counters
        self._bets = bets
        self._beside = beside
        self._note = note
        self._console = console
        self._guard = threading.Lock()
        self._state: State | None = None
        self._said: deque[Text] = deque(maxlen=MOST_EVENTS)
        self._live = Live(self.picture(), console=console, refresh_per_second=8, get_renderable=self.picture)

    def __enter__(self) -> Screen:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, state: State | None, says: list[Say]) -> None:
        """A new state and what was said on the way to it."""
        with self._guard:
            self._state = state
            names = None if state is None else display(state).names or None
            self._said.extend(line for say in says if (line := story_of(say, names)))

    def picture(self) -> RenderableType:
        """The newest state, drawn."""
        with self._guard:
            state, said = self._state, list(self._said)
        wide = self._console.width
        beside = self._beside.splitlines()
        room = wide - len(beside[0]) - 2 if beside else 0
        width = min(WIDEST, room if room >= 80 else wide)
        if state is None:
            return Panel("starting", title=self._title, width=width)
        shown = display(state)
        names = shown.names or None
        parts: list[RenderableType] = [Text(self._note, "bold cyan")] if self._note else []
        parts += [
            self._headline(shown),
            self._hands(shown),
            self._result(shown, names),
        ]
        if (
            shown.result is None
            and shown.odds
            and (prices := odds_text(msgspec.to_builtins(shown.odds), names))
        ):
            parts.append(Text(prices, "green"))
        if shown.scoreboard:
            parts += ["", roads(shown.scoreboard, width - 4)]
        below = Text(self._figures(shown), "cyan")
        free = self._console.height - 3 - self._lines(Group(*parts, below), width - 4)
        room_for = max(min(free, MOST_EVENTS), 0)
        events = (
            [Text(), *[Text()] * room_for, *said][-room_for:] if room_for else []
        )  # the height stays the same
        panel = Panel(Group(*parts, *events, below), title=self._title, width=width)
        if room < 80:
            return panel
        both = Grid.grid(padding=(0, 1))
        both.add_row(panel, Text("\n".join(beside)))
        return both

    def _lines(self, part: RenderableType, width: int) -> int:
        options = self._console.options.update(width=width)
        return len(list(Segment.split_lines(self._console.render(part, options))))

    def _headline(self, shown: Display) -> Text:
        line = Text()
        again = " AGAIN" if shown.phase == "betting" and shown.cards else ""
        line.append(f" {_WORDS.get(shown.phase, shown.phase)}{again} ", _LIGHTS.get(shown.light, "bold"))
        if shown.countdown_end is not None:
            left = (datetime.fromisoformat(shown.countdown_end) - datetime.now(UTC)).total_seconds()
            line.append(f" {max(left, 0):.0f} s")
        line.append(f"   {game_name(shown.game)}, game {shown.game_number or '-'}", "bold")
        if shown.hold is not None:
            line.append("\n HOLD ", "bold white on red3")
            line.append(f" {shown.hold.meaning}", "bold red")
        if shown.void is not None:
            line.append("\n VOID ", "bold white on red3")
            rule = f", paragraph {shown.void.rule}" if shown.void.rule else ""
            line.append(f" {shown.void.reason.replace('_', ' ')}{rule}: every bet is returned", "bold red")
        return line

    def _hands(self, shown: Display) -> Grid:
        grid = Grid.grid(padding=(0, 2))
        hands: dict[str, list[str | None]] = {}
        for lying in shown.cards:
            hands.setdefault(lying.position, []).append(lying.card)
        game = game_class(shown.game)
        lie = {place: [Card(card) for card in hand if card] for place, hand in hands.items()}
        counts = game.standing({place: hand for place, hand in lie.items() if len(hand) == len(hands[place])})
        for position in dict.fromkeys([*game.always_shown, *hands]):
            cards = Text(" ").join(map(pretty_card, hands.get(position, ())))
            made = counts.get(position) or shown.combinations.get(position, "").replace("_", " ")
            grid.add_row(Text(place_name(position), "bold"), cards, Text(made, "bold yellow"))
        return grid

    def _result(self, shown: Display, names: Names | None) -> Text:
        """The result and what it pays; before there is one, the last ones."""
        line = Text()
        if shown.result is not None:
            told = describe_outcome(shown.game, msgspec.to_builtins(shown.result))
            line.append(f"{told}\n", "bold black on yellow")
            won = [
                spot_name(spot, names) + (f" {one.pays}" if one.pays else "")
                for spot, one in shown.result.bets.items()
                if one.result == "win"
            ]
            line.append(f"wins: {', '.join(won) or 'nothing'}", "bold yellow")
            return line
        last = [describe_outcome(shown.game, msgspec.to_builtins(one)) for one in shown.last_results[-_LAST:]]
        return line.append("last: " + (" | ".join(reversed(last)) or "-"), "dim")

    def _figures(self, shown: Display) -> str:
        figures, bets = self._counters(), self._bets()
        left = shown.shoe.left if shown.shoe is not None else 0
        broker = "connected" if figures.connected else "not there"
        read = "all acknowledged" if not figures.pending else f"{figures.pending} not acknowledged"
        text = f"{counted(left, 'card')} in the shoe · broker {broker} · "
        text += f"{counted(figures.head, 'message')}, {read}"
        return f"{bets}\n{text}" if bets else text
