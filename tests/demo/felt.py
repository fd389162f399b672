"""The table without cables: what a dealer of software presses and draws goes to the core and back at once.

Whole shoes are dealt in a second or two, so that their last rounds are seen too.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from controller.demo.devices import TakenIn
from controller.demo.window import Shown, Window
from controller.games.registry import game_class
from controller.round.view import display
from controller.shell.batch import Batch
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.configuration import (
    CoreConfiguration,
    GameSettings,
    RoundSettings,
    TableSettings,
)
from controller.vocabulary.effects import Refuse, Say
from controller.vocabulary.events import AnyEvent, Stamp
from controller.vocabulary.messages import RoundBetsOpened, RoundOdds, RoundOpened
from drivers.keypad.simulator import Keypad
from drivers.simulated_shoe import SimulatedShoe
from tests.scenarios.conversation import event_of

BEATS = 2
"""So often the table says at once that its loop runs: a dealer waits for no more."""


class Felt:
    """A table that hears at once; ``seen`` and ``window`` are how dealers of software see it."""

    def __init__(
        self,
        game: str,
        *,
        odds: str,
        squeeze: bool,
        more: Mapping[str, object],
        hear: Callable[[str, str, Mapping[str, object]], None],
    ) -> None:
        """A table of the demo with such odds; ``more`` of ``[game]`` stands instead of the demo's own;
        ``hear`` is told each message."""
        told = tomllib.loads(game_class(game).demo_settings(odds=odds, squeeze=squeeze))
        settings = msgspec.convert({"name": game, **told, **more}, GameSettings)
        self.configuration = CoreConfiguration(
            TableSettings("demo", "1"), settings, round=RoundSettings(await_book="settlement")
        )
        self.table, self.seen = Table(1), TakenIn()
        self.window = Window(Path("none"), lambda shown: None)
        self._hear = hear
        self.said: Counter[str] = Counter()
        """Name of a message -> how often it was said."""
        self.refused: Counter[str] = Counter()
        self.offered: list[bool] = []
        """Of each betting round that opened at live odds: whether anything was offered then."""
        self._opened = False
        self.tell(events.TableConfigured(core=msgspec.to_builtins(self.configuration)))

    def tell(self, event: AnyEvent) -> str:
        """What the keypad answers to an event; the book of the bets is closed as soon as it is asked for."""
        self.table, effects = self.table.handle(event, Stamp(at="2026-01-31T20:15:00Z", nonce="0" * 32))
        says = [effect for effect in effects if isinstance(effect, Say)]
        for say in says:
            self._note(say)
        self.seen.note(Batch(self.table, says=says, events=[event]))
        state = self.table.state
        assert state is not None
        if state.awaits_book:
            self.tell(events.BookClosed(acknowledged=state.said))
            return "OK"
        with self.window.news:
            self.window.shown = msgspec.json.decode(msgspec.json.encode(display(state)), type=Shown)
            self.window.beats += BEATS
            self.window.news.notify_all()
        refused = [effect for effect in effects if isinstance(effect, Refuse)]
        self.refused += Counter(one.code for one in refused)
        return f"NO {refused[0].why}" if refused else "OK"

    def _note(self, say: Say) -> None:
        message = say.message
        self.said[message.name] += 1
        if isinstance(message, RoundOdds) and self._opened:
            self.offered.append(isinstance(message.offered, dict) and any(message.offered.values()))
        self._opened = isinstance(message, RoundOpened | RoundBetsOpened)
        self._hear(f"1-{say.sequence}", message.name, msgspec.to_builtins(message))


class Keys(Keypad):
    """A keypad without a cable."""

    def __init__(self, felt: Felt) -> None:
        self._felt = felt

    def press(self, *words: str, timeout_s: float | None = None) -> str | None:
        return self._felt.tell(event_of(" ".join(words)))


class OpenShoe(SimulatedShoe):
    """A shoe without a cable, which lets every card out."""

    path = ""

    def __init__(self, felt: Felt) -> None:
        self._felt = felt

    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        self._felt.tell(events.CardRead(code=code))
        return True

    def unread_card(self) -> object:
        raise AssertionError("no dealer does that to a shoe that is in order")

    def unplug(self) -> None:
        raise AssertionError("no dealer does that to a shoe that is in order")

    def replug(self) -> None:
        raise AssertionError("no dealer does that to a shoe that is in order")
