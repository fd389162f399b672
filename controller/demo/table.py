"""The demo table: simulated devices that speak real bytes on pseudo-terminals, a real broker, a real
consumer.

Everything between the bytes and the acknowledgement is the program as it runs at a table; only the far ends
of the cables are of software.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Protocol

from controller.demo.beside import BoardBeside, SettlementDesk
from controller.demo.broker import LoopbackBroker
from controller.demo.dealer import PERSON_S, Dealer
from controller.demo.devices import PATIENCE_S, TakenIn, devices_text, far_ends, usual_shoe
from controller.demo.folders import new_folder, temporary
from controller.demo.leftovers import Leftovers
from controller.demo.players import Players
from controller.demo.shufflers import shuffler_of
from controller.games.game import Game
from controller.games.paytable import inline
from controller.games.registry import game_class
from controller.round.turn import game_of
from controller.round.view import display
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell.batch import Batch
from controller.shell.daemon import Daemon
from controller.shell.observing.local_socket import WindowError
from controller.shell.observing.snapshot import EventCounts
from controller.shell.wiring.assembly import assemble
from controller.vocabulary.configuration import TableSettings
from controller.vocabulary.errors import ConfigurationError

CONSUMER = "settlement"
LOOK_S = 0.2
"""How often its windows are looked after while nothing happens."""

_CONFIGURATION = """\
# The demo table, as `dealer-table run --config` would read it.
[table]
site = "demo"
id = "1"

[game]
name = "{game}"
{settings}
[limits]
currency = "EUR"
table = {{ min = 100, max = 10000 }}

[round]
bets_s = {bets_s}
{book}

[mqtt]
port = {port}
consumers = {consumers}

[journal]
path = "{folder}/journal.db"

[observe]
socket = "{folder}/top"
board_socket = "{folder}/board"

{devices}"""


class Guests(Protocol):
    """Seats for people at the demo table: a consumer of its stream."""

    @property
    def name(self) -> str:
        """Of the consumer."""

    @property
    def plays(self) -> bool:
        """Whether players of software sit there too."""

    def start(self, broker_port: int, table: TableSettings) -> None:
        """Open the seats."""

    def stages(self) -> int | None:
        """In how many betting rounds and decisions players of software have had their say."""

    def sit(self) -> bool:
        """Whether somebody sits there now."""

    def stop(self) -> None:
        """Close them."""


class DemoTable:
    """A whole table; end it with :meth:`close`."""

    def __init__(
        self,
        game: str,
        *,
        rounds: int | None,
        pace_s: float,
        seed: int | None,
        shoe: str | None,
        panel: str,
        shuffler: str | None,
        odds: str | None,
        squeeze: bool,
        pay_table: str | None,
        tell: Callable[[str], None],
        guests: Guests | None = None,
        host: str = "127.0.0.1",
        keep: str | None = None,
        plain: bool = False,
        unread_every: int = 0,
    ) -> None:
        """``shoe``: the name of a driver, None: the game's usual one; ``panel``: ``keypad`` or ``gpio``;
        ``shuffler``: ``line`` or ``gpio``, None: one that speaks lines where each round has its shuffle.

        ``pay_table``: the file of a house's own, None: the published one; ``squeeze``: the cards lie face
        down and are turned up hand by hand.

        ``odds``: the setting of that name; None: live where the game can. At live odds players of software
        bet, and ``tell`` is given a line for each bet that is settled, in the settlement's thread, once
        ``observe`` was told what decided it. ``host``: where the board is served.

        ``guests``: seats for people, who are waited for, and for players of software, who bet there.

        ``keep``: a new folder for configuration and journal, which stay; None: nothing stays. ``plain``: the
        cards carry no code, and a camera reads them as they are printed. ``unread_every``: of so many cards
        the shoe cannot read one, which a supervisor enters; 0: it reads all.
        """
        kind = game_class(game)
        if unread_every and panel != "keypad":
            raise ConfigurationError("buttons enter no card that was not read: leave --unread or --panel out")
        if odds not in (None, "fixed") and not kind.live_odds:
            raise ConfigurationError(f"{game} has no live odds: leave --odds out")
        if squeeze and "squeeze" not in kind.house_settings:
            raise ConfigurationError(f"{game} has no squeeze: leave --squeeze out")
        self.odds = odds = odds or ("live" if kind.live_odds else "fixed")
        shoe = shoe or usual_shoe(kind, plain=plain)
        shuffler = shuffler or ("line" if kind.shuffled_every_round else None)
        with ExitStack() as parts:  # what was begun ends where the rest cannot be
            folder = new_folder(keep) if keep is not None else Path(parts.enter_context(temporary("demo")))
            left = parts.enter_context(Leftovers(folder if keep is None else None))
            self._seen = TakenIn()
            self._counts = EventCounts()
            self._observe: Callable[[Batch], None] = lambda batch: None
            ends = far_ends(
                folder, shoe, panel, kind, self._seen, parts, pins=shuffler == "gpio", plain=plain
            )
            broker = LoopbackBroker(folder)
            parts.callback(broker.stop)
            left.watch(broker.pid)
            self.configuration = demo_configuration(
                folder,
                game,
                broker.port,
                odds,
                (shoe, panel, shuffler),
                pay_table,
                squeeze=squeeze,
                consumers=(CONSUMER,) if guests is None else (CONSUMER, guests.name),
                book=CONSUMER if guests is None else guests.name,
                shoe_keys=ends.shoe_keys,
            )
            self._guests = guests
            self._broker_port = broker.port
            self.game: Game = game_of(self.configuration.core())
            device = self.configuration.devices.shuffler
            shuffle = shuffler_of(device, folder, ends.board, self._seen, parts)
            pins = None if ends.board is None else ends.board.factory
            self.assembly: Daemon = assemble(self.configuration, observer=self._observed, pins=pins)
            self._look: Callable[[], None] = lambda: None
            with suppress(WindowError):  # the path is too long for a socket; it deals without being watched
                self._look = parts.enter_context(closing(self.assembly.windows(self._counts))).look
            table = self.configuration.table
            bet_here = odds != "fixed" and (guests is None or not guests.plays)
            self.players = Players(game, pay_table, seed=seed, tell=tell) if bet_here else None
            players = self.players

            def hear(message: str, name: str, data: Mapping[str, object]) -> None:
                """Nobody is paid before the card that decides it was shown."""
                self._seen.wait_told(int(message.rpartition("-")[2]))
                if players is not None:
                    players.hear(message, name, data)

            self.desk = SettlementDesk(CONSUMER, table, folder / "settlement.db", broker.port, hear)
            self.board = BoardBeside(broker.port, host)
            self.dealer = Dealer(
                self.game,
                ends.panel,
                ends.hand,
                shuffle,
                rounds=rounds,
                pace_s=pace_s,
                seed=seed,
                ready=lambda: self._seen.wait(lambda: self._seen.connected >= len(self.assembly.drivers)),
                finished=self.assembly.loop.stop,
                sits=(lambda: False) if guests is None else guests.sit,
                stages=(lambda: None) if guests is None else guests.stages,
                unread_every=unread_every,
            )
            self._parts = parts.pop_all()

    def _observed(self, batch: Batch) -> None:
        self._seen.note(batch)
        self._counts.note(batch)
        self._observe(batch)
        self._seen.tell(batch)

    def run(self, observe: Callable[[Batch], None]) -> None:
        """Deal until the rounds are played, or :meth:`leave`; ``observe`` is told after each commit."""
        self._observe = observe
        self.desk.start()
        self.board.start()
        if self._guests is not None:
            self._guests.start(self._broker_port, self.configuration.table)
        self.assembly.start()
        self.dealer.start()
        self.assembly.loop.run(self._look, LOOK_S)

    def wait_acknowledged(self, seconds: float = 20.0) -> None:
        """Go on until the consumer has acknowledged everything, or for so long."""
        until = time.monotonic() + seconds
        while self.assembly.publisher.counters.pending and time.monotonic() < until:
            self.assembly.loop.step(0.05)

    def why(self) -> list[str]:
        """What the table knows of why it does not go on: devices that are lost, its hold, its alerts."""
        lost = [driver.state for driver in self.assembly.drivers.values() if not driver.state.connected]
        state = self.assembly.loop.table.state
        shown = None if state is None else display(state)
        held = [] if shown is None or shown.hold is None else [shown.hold.meaning]
        alerts = [] if state is None else [alert.message for alert in state.alerts]
        return [*(port.last_error or f"{port.path}: not connected" for port in lost), *held, *alerts]

    def leave(self) -> None:
        """End after the dealer's present step, which the table must still answer; from a signal handler."""
        self.dealer.leave()
        if not self.dealer.is_alive():
            self.assembly.loop.stop()

    def close(self) -> None:
        """End every part and leave nothing behind."""
        self.dealer.leave()
        if self.dealer.ident is not None:  # it may not have come so far
            self.dealer.join(PATIENCE_S)
        self.assembly.stop()
        if self._guests is not None:
            self._guests.stop()
        self.board.stop()
        self.desk.stop()
        self._parts.close()


def demo_configuration(
    folder: Path,
    game: str,
    port: int,
    odds: str,
    drivers: tuple[str, str, str | None],
    pay_table: str | None = None,
    *,
    squeeze: bool = False,
    consumers: Sequence[str] = (CONSUMER,),
    book: str | None = CONSUMER,
    shoe_keys: str = "",
) -> Configuration:
    """The configuration file of the demo table, written and read as any other.

    ``drivers``: of the shoe, the panel and the shuffler; ``consumers``: who hears every message;
    ``book``: the consumer that must have closed its book before the first card, None: none; ``shoe_keys``:
    what the shoe's simulator needs more.
    """
    kind = game_class(game)
    settings = kind.demo_settings(odds=odds, squeeze=squeeze)
    if pay_table is not None:
        settings += f"pay_table = {inline(str(Path(pay_table).absolute()))}\n"
    cards = len(kind.deck) * kind.default_decks
    shoe, panel, shuffler = drivers
    devices = devices_text(folder, shoe, panel, cards, shuffler, shoe_keys)
    path = folder / "demo.toml"
    path.write_text(
        _CONFIGURATION.format(
            game=game,
            settings=settings,
            bets_s=PERSON_S,
            port=port,
            book="" if book is None else f'await_book = "{book}"',
            consumers=list(consumers),
            folder=folder,
            devices=devices,
        )
    )
    return load_configuration(path)
