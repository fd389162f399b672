"""The far ends of the demo table's cables: shoes, panel and pins of software, and hands that work them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from controller.games.game import Game
from controller.shell.batch import Batch
from controller.vocabulary import events
from controller.vocabulary.cards import Card
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.messages import RoundBetsClosed, RoundBetsOpened, RoundOpened
from controller.vocabulary.scoreboard import Bead
from controller.vocabulary.shown import meant
from drivers.keypad.simulator import Keypad
from drivers.registry import device, devices, tag_of
from drivers.settings import ShoeDevice
from drivers.simulated_shoe import SimulatedShoe

if TYPE_CHECKING:  # a table with a keypad pays for no pins
    from drivers.gpio.simulator import SimulatedBoard

PATIENCE_S = 60.0
"""Longer than a busy machine takes; who waits so long is told why in vain."""
BUTTONS = {"OPEN": 5, "CLOSE": 6, "DECIDED": 11, "REVEAL": 13, "SETTLED": 19, "HOLD": 26}
SHOE_BUTTON, BEAM = 4, 24
STEPS: Mapping[str, type[events.AnyEvent]] = {
    "SHOE": events.ShoeLoaded,
    "OPEN": events.BetsOpened,
    "CLOSE": events.BetsClosed,
    "DECIDED": events.DecisionsClosed,
    "REVEAL": events.CardsRevealed,
    "SETTLED": events.RoundSettled,
    "HOLD": events.HoldRequested,
}
"""What a button makes happen: a finger looks for just that, for a shuffler may load at the same time."""

_KEYPAD = """
[devices.panel]
driver = "keypad"
port = "{folder}/keypad"
"""
_PINS = """
[devices.panel]
driver = "gpio"
key_switch = 25
buttons = {{ open = 5, close = 6, decided = 11, reveal = 13, settled = 19, hold = 26 }}
lines = {{ "SHOE {cards}" = 4, "CLEAR continue" = 17, "CLEAR void" = 27 }}

[devices.beam]
driver = "gpio"
pin = 24
card_within_ms = 2000

[devices.lights]
driver = "gpio"
red = 16
yellow = 20
green = 21
hold = 12
buzzer = 7
shoe_lock = 8
"""
SHUFFLERS = {
    "line": """
[devices.shuffler]
driver = "line"
port = "{folder}/shuffler"
""",
    "gpio": """
[devices.shuffler]
driver = "gpio"
running = 22
ready = 23
door = 18
jam = 10
count = 9
""",
}
"""By the driver's name."""


def devices_text(
    folder: Path, shoe: str, panel: str, cards: int, shuffler: str | None, shoe_keys: str = ""
) -> str:
    """``[devices.*]`` of the demo table; ``cards``: how many a shoe holds, ``shoe_keys``: what its simulator
    needs more; all others are drivers.
    """
    text = (
        f'[devices.shoe]\ndriver = "{shoe}"\n{shoe_kind(shoe).address_key!s} = "{folder}/shoe"\n{shoe_keys}'
    )
    text += (_PINS if panel == "gpio" else _KEYPAD).format(folder=folder, cards=cards)
    return text + (SHUFFLERS[shuffler].format(folder=folder) if shuffler else "")


class DealerGone(Exception):
    """The table does not answer any more, or the demo ends."""


@dataclass(slots=True)
class TakenIn:
    """What the table has taken in, for a dealer who looks at it before going on; fed by the loop's thread."""

    guard: threading.Condition = field(default_factory=threading.Condition)
    cards: int = 0
    results: int = 0
    connected: int = 0
    steps: Counter[type] = field(default_factory=Counter)
    opened: int = 0
    bets_open: bool = False
    books: int = 0
    beam_free: int = 0
    told: int = 0
    """Sequence of the last message that was shown to whoever looks on."""

    def tell(self, batch: Batch) -> None:
        """What a batch says was shown."""
        with self.guard:
            self.told = max([self.told, *(say.sequence for say in batch.says)])
            self.guard.notify_all()

    def wait_told(self, sequence: int) -> None:
        """Wait until a message was shown; not for ever, for one that came again was shown long ago."""
        with self.guard:
            self.guard.wait_for(lambda: self.told >= sequence, PATIENCE_S)

    def note(self, batch: Batch) -> None:
        """Count what a batch holds."""
        with self.guard:
            for event in batch.events:
                self.cards += isinstance(event, events.CardRead)
                self.results += isinstance(event, events.ResultReported)
                self.books += isinstance(event, events.BookClosed)
                self.steps[type(event)] += 1
                if isinstance(event, events.DeviceReported):
                    self.connected += "connected" in event.words
                    self.beam_free += event.words.startswith("the beam is free")
            for say in batch.says:
                self.opened += isinstance(say.message, RoundOpened)
                if isinstance(say.message, RoundOpened | RoundBetsOpened | RoundBetsClosed):
                    self.bets_open = not isinstance(say.message, RoundBetsClosed)
            self.guard.notify_all()

    def wait(self, reached: Callable[[], bool]) -> None:
        """Wait until the table has seen it; DealerGone where that takes too long."""
        with self.guard:
            if not self.guard.wait_for(reached, PATIENCE_S):
                raise DealerGone("the table did not see the card")


class DealerHand:
    """Draws from any simulated shoe, through the beam at its exit where there is one, and looks at what the
    table has taken in before it goes on.
    """

    def __init__(self, shoe: SimulatedShoe, seen: TakenIn, board: SimulatedBoard | None) -> None:
        self._shoe, self._seen, self._board = shoe, seen, board
        self._drawn = self._read = self._told = self._closes = 0

    @property
    def bets_open(self) -> bool:
        """Whether the light says that bets are taken, after the last card that was seen to arrive."""
        return self._seen.bets_open

    def await_book(self) -> None:
        """Bets are closed: wait until they are where they are kept, too."""
        self._closes += 1
        self._seen.wait(lambda: self._seen.books >= self._closes)

    def draw(self, card: Card, position: str, index: int, *, unread: bool = False) -> bool:
        """Wait for the lock to open, draw, and see the card arrive; False where the shoe did not read it.

        ``unread``: draw one that it cannot read.
        """
        if self._board is not None:
            self._board.press(BEAM)
        if unread:
            self._shoe.unread_card()
        elif not self._shoe.draw(card, position, index, PATIENCE_S):
            raise DealerGone("the shoe stays locked")
        self._drawn += 1
        self._seen.wait(lambda: self._seen.cards + self._seen.steps[events.CardUnread] >= self._drawn)
        if self._board is not None:
            self._board.let_go(BEAM)
            self._seen.wait(lambda: self._seen.beam_free >= self._drawn)
        was_read, self._read = self._seen.cards > self._read, self._seen.cards
        return was_read

    def finished(self, result: Bead | None) -> None:
        """The round is dealt; a shoe that knows results tells its own."""
        if result is not None:
            pairs = (result.player_pair is True, result.banker_pair is True)
            self._told += self._shoe.result(result.winner, *pairs) is not None
            self._seen.wait(lambda: self._seen.results >= self._told)


class Buttons:
    """A panel on pins: it shows no answer, so a finger looks at the table."""

    def __init__(self, board: SimulatedBoard, seen: TakenIn) -> None:
        self._board, self._seen = board, seen

    def press(self, *words: str, timeout_s: float) -> str | None:
        """Press a button; ``OK`` where the table took it, None where it does not answer; DealerGone where
        there is none for it."""
        if words[0] not in STEPS:
            raise DealerGone(f"the table waits for {words[0]}, and its buttons have none for that")
        pin = BUTTONS.get(words[0], SHOE_BUTTON)
        step = STEPS[words[0]]
        steps, opened = self._seen.steps[step], self._seen.opened
        self._board.press(pin)
        try:
            with self._seen.guard:
                if not self._seen.guard.wait_for(lambda: self._seen.steps[step] > steps, timeout_s):
                    return None
        finally:
            self._board.let_go(pin)
        return "OK" if words[0] != "OPEN" or self._seen.opened > opened else "NO"


@dataclass(slots=True)
class FarEnds:
    """What the dealer works at the demo table, and the pins of its board, where it has one."""

    hand: DealerHand
    panel: Keypad | Buttons
    board: SimulatedBoard | None
    shoe_keys: str
    """Of the shoe's configuration, as TOML."""


def far_ends(
    folder: Path,
    shoe: str,
    panel: str,
    game: type[Game],
    seen: TakenIn,
    parts: ExitStack,
    *,
    pins: bool,
    plain: bool = False,
) -> FarEnds:
    """Plug everything in; ``parts`` end it. ``pins``: the table has a board, whatever its panel is;
    ``plain``: the cards carry no code.

    ConfigurationError for a shoe that cannot deal the game.
    """
    kind = shoe_kind(shoe)
    if kind.knows_hands and not game.shoe_positions:
        raise ConfigurationError(
            f"a shoe {shoe} does not know the hands of {game.name}: choose another --shoe"
        )
    if plain and not kind.reads_print:
        raise ConfigurationError(
            f"a shoe {shoe} reads no plain cards: leave --cards out, or say --shoe camera"
        )
    path = folder / "shoe"
    simulated, shoe_keys = (
        kind.plain_simulator(path) if plain else (kind.simulator(path), kind.simulator_keys)
    )
    parts.callback(simulated.stop)
    board = None
    if pins or panel == "gpio":
        from drivers.gpio.simulator import SimulatedBoard

        board = SimulatedBoard()
    if board is not None and panel == "gpio":
        return FarEnds(DealerHand(simulated, seen, board), Buttons(board, seen), board, shoe_keys)
    keypad = parts.enter_context(Keypad(folder / "keypad"))
    return FarEnds(DealerHand(simulated, seen, None), keypad, board, shoe_keys)


def usual_shoe(game: type[Game], *, plain: bool = False) -> str:
    """The shoe that a game is dealt from where nobody chooses one: one that knows its hands, if any does;
    where the cards carry no code, one that reads them as they are.
    """
    kinds = shoe_kinds()
    if plain:
        return tag_of(next(kind for kind in kinds if kind.reads_print))
    return tag_of(next(kind for kind in kinds if kind.knows_hands == bool(game.shoe_positions)))


def shoe_kinds() -> list[type[ShoeDevice]]:
    """The settings of every shoe."""
    return [kind for kind in devices("shoe") if issubclass(kind, ShoeDevice)]


def shoe_kind(driver: str) -> type[ShoeDevice]:
    """The settings of a shoe. ConfigurationError where there is no such driver."""
    kind = device("shoe", driver)
    if kind is None or not issubclass(kind, ShoeDevice):
        known = [tag_of(one) for one in shoe_kinds()]
        hint = meant(driver, known, f"--shoe is one of {', '.join(known)}")
        raise ConfigurationError(f"there is no shoe {driver!r}; {hint}")
    return kind
