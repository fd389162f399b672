"""The demo table: simulated devices that speak real bytes on pseudo-terminals, a real broker, a real
consumer.

Everything between the bytes and the acknowledgement is the program as it runs at a table; only the far ends
of the cables are of software.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from controller.demo.board import BoardBeside
from controller.demo.broker import LoopbackBroker
from controller.demo.dealer import PATIENCE_S, Dealer
from controller.demo.desk import SettlementDesk
from controller.demo.devices import TakenIn, devices_text, far_ends, usual_shoe
from controller.demo.players import Players
from controller.games.game import Game
from controller.games.registry import game_class
from controller.round.turn import game_of
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell.batch import Batch
from controller.shell.daemon import Daemon
from controller.shell.wiring.assembly import assemble
from controller.vocabulary.errors import ConfigurationError
from drivers.line.simulator import Shuffler

CONSUMER = "settlement"

_CONFIGURATION = """\
# The demo table, as `dealer-table run --config` would read it.
[table]
site = "demo"
id = "1"

[game]
name = "{game}"
{settings}
[round]
bets_s = 20

[mqtt]
port = {port}
consumers = ["{consumer}"]

[journal]
path = "{folder}/journal.db"

{devices}"""


class DemoTable:
    """A whole table. Use as a context; ``observe`` is called from the loop's thread after each commit."""

    def __init__(
        self,
        game: str,
        *,
        rounds: int | None,
        pace_s: float,
        seed: int | None,
        observe: Callable[[Batch], None],
        tell: Callable[[str], None] = lambda line: None,
        shoe: str | None = None,
        panel: str = "keypad",
        odds: str | None = None,
    ) -> None:
        """``shoe``: the name of a driver, None: the game's usual one; ``panel``: one of :data:`PANELS`.

        ``odds``: ``live`` or ``fixed``; None: live where the game can. At live odds players of software bet,
        and ``tell`` is given a line for each bet that is settled, in the settlement's thread.
        """
        kind = game_class(game)
        if odds == "live" and not kind.live_odds:
            raise ConfigurationError(f"{game} has no live odds: leave --odds out")
        odds = odds or ("live" if kind.live_odds else "fixed")
        shoe = shoe or usual_shoe(kind)
        self._seen = TakenIn()
        self._folder = tempfile.TemporaryDirectory(prefix="dealer-table-demo-")
        folder = Path(self._folder.name)
        self._far_ends = far_ends(folder, shoe, panel, kind, self._seen)
        self.broker = LoopbackBroker(folder)
        self.configuration = demo_configuration(folder, game, self.broker.port, shoe, panel, odds)
        self.game: Game = game_of(self.configuration.core())
        self._observe = observe
        shuffler = Shuffler(folder / "shuffler") if self.game.shuffled_every_round else None
        if shuffler is not None:
            self._far_ends.stops.append(shuffler.stop)
        self.assembly: Daemon = assemble(
            self.configuration, observer=self._observed, pins=self._far_ends.pins
        )
        table = self.configuration.table
        self.players = Players(game, seed=seed, tell=tell) if odds == "live" else None
        hear = self.players.hear if self.players is not None else lambda *_: None
        self.desk = SettlementDesk(CONSUMER, table, folder / "settlement.db", self.broker.port, hear)
        self.board = BoardBeside(self.broker.port)
        self.dealer = Dealer(
            self.game,
            self._far_ends.panel,
            self._far_ends.hand,
            shuffler,
            rounds=rounds,
            pace_s=pace_s,
            seed=seed,
            ready=lambda: self._seen.wait(lambda: self._seen.connected >= len(self.assembly.drivers)),
            finished=self.assembly.loop.stop,
        )

    def _observed(self, batch: Batch) -> None:
        self._seen.note(batch)
        self._observe(batch)

    def run(self) -> None:
        """Deal until the rounds are played, or :meth:`leave`."""
        self.desk.start()
        self.board.start()
        self.assembly.start()
        self.dealer.start()
        self.assembly.loop.run()

    def wait_acknowledged(self, seconds: float = 20.0) -> None:
        """Go on until the consumer has acknowledged everything, or for so long."""
        until = time.monotonic() + seconds
        while self.assembly.publisher.counters.pending and time.monotonic() < until:
            self.assembly.loop.step(0.05)

    def leave(self) -> None:
        """End after the dealer's present step, which the table must still answer; from a signal handler."""
        self.dealer.leave()
        if not self.dealer.is_alive():
            self.assembly.loop.stop()

    def close(self) -> None:
        """End every part and leave nothing behind."""
        self.dealer.leave()
        self.dealer.join(PATIENCE_S)
        self.assembly.stop()
        self.board.stop()
        self.desk.stop()
        for stop in self._far_ends.stops:
            stop()
        self.broker.stop()
        self._folder.cleanup()


def demo_configuration(folder: Path, game: str, port: int, shoe: str, panel: str, odds: str) -> Configuration:
    """The configuration file of the demo table, written and read as any other."""
    kind = game_class(game)
    settings = kind.demo_settings(live=odds == "live")
    cards = len(kind.deck) * kind.default_decks
    devices = devices_text(folder, shoe, panel, cards, shuffler=kind.shuffled_every_round)
    path = folder / "demo.toml"
    path.write_text(
        _CONFIGURATION.format(
            game=game, settings=settings, port=port, consumer=CONSUMER, folder=folder, devices=devices
        )
    )
    return load_configuration(path)
