"""``demo``: a whole table at work in the terminal, with no hardware and no configuration."""

from __future__ import annotations

import argparse
import signal
import threading
import time
from typing import TYPE_CHECKING

from msgspec import to_builtins
from rich.console import Console
from rich.text import Text

from controller.board.names import game_name
from controller.cli.address import qr_code, seen_from_outside
from controller.cli.phrases import describe_outcome, describe_say, house_wins, odds_text
from controller.cli.screen import Screen
from controller.cli.telling import FAILED, complain, print_or_end, shows
from controller.demo.players import NAMES as PLAYERS
from controller.demo.table import DemoTable
from controller.games.paytable import load_pay_table
from controller.games.registry import all_games
from controller.interrupted import ends_at_once
from controller.outbox.envelope import message_id
from controller.round.state import State
from controller.round.terms import spot_names
from controller.vocabulary.display import ShownOdds
from controller.vocabulary.effects import Say
from controller.vocabulary.errors import DealerTableError
from controller.vocabulary.messages import RoundOdds, RoundResult
from controller.vocabulary.shown import counted

if TYPE_CHECKING:
    from controller.cli.demo_seat import DemoSeats

LOOPBACK = "127.0.0.1"
PAID = {"live": "live odds", "additional": "live odds for the additional bets", "fixed": "fixed odds"}
ROOM_FOR_BOTH = 112
"""Columns of a terminal on which a QR code stands beside the table."""
NOT_IN_THE_STORY = ("game", "rounds", "seed", "shoe", "cards", "unread", "shuffler", "odds", "squeeze",
                    "pay_table", "players", "seat", "keep")  # fmt: skip


class Printout:
    """The demo where there is no terminal: a line for each thing that happens.

    The table and the players speak at the same time: a line is not broken up by another one.
    """

    def __init__(self, game: str) -> None:
        self._game = game
        self._guard = threading.Lock()
        self._odds: ShownOdds | None = None

    def tell(self, line: str) -> None:
        """Print a line."""
        with self._guard:
            print_or_end(line)

    def show(self, state: State | None, says: list[Say]) -> None:
        """What was said, and the odds where they are others than before."""
        for say in says:
            line = describe_say(say)
            message = say.message
            if isinstance(message, RoundResult):
                line = f"{message.round}: {describe_outcome(self._game, to_builtins(message))}"
                line += "" if state is None else house_wins(state.configuration, message.bets)
            if isinstance(message, RoundOdds) and state is not None:
                offer = message_id(state.epoch, say.sequence)
                names = spot_names(state.configuration)
                told = odds_text({"id": offer, **to_builtins(message)}, names)
                line = told.replace("prices:", f"prices (offer {offer}):", 1)
            if line:
                self.tell(line)
        odds = state.round.odds if state is not None and state.round is not None else None
        if state is not None and odds is not None and odds.id is None and odds != self._odds:
            self.tell(odds_text(to_builtins(odds), spot_names(state.configuration)))
            self._odds = odds


def run(arguments: argparse.Namespace) -> int:
    """Deal until Ctrl-C, or ``--rounds`` rounds and a summary; leaves no process behind."""
    if arguments.bench:
        with ends_at_once():
            from controller.cli.bench import run as bench

        return bench(arguments)
    if arguments.port or arguments.table or arguments.consumer:
        return complain("--port, --table and --consumer are for --bench: say it as well")
    if arguments.story:
        given = [name for name in NOT_IN_THE_STORY if getattr(arguments, name) not in (None, False)]
        given += ["panel"] * (arguments.panel != "keypad") + ["host"] * (arguments.host != LOOPBACK)
        if given:
            option = given[0].replace("_", "-")
            return complain(f"--story plays a table of its own: leave --{option} out")
        return story_on(Console(highlight=False), arguments.pace_s)
    console = Console()
    began = time.monotonic()
    try:
        game = arguments.game or game_of(arguments.pay_table)
        printout = Printout(game)
        guests = seats(arguments.players, arguments.seed) if arguments.seat or arguments.players else None
        table = DemoTable(
            game,
            rounds=arguments.rounds,
            pace_s=arguments.pace_s,
            seed=arguments.seed,
            shoe=arguments.shoe,
            panel=arguments.panel,
            shuffler=arguments.shuffler,
            odds=arguments.odds,
            squeeze=arguments.squeeze,
            pay_table=arguments.pay_table,
            tell=(lambda line: None) if console.is_terminal else printout.tell,
            guests=guests,
            host=arguments.host,
            keep=arguments.keep,
            plain=arguments.cards == "plain",
            unread_every=arguments.unread,
        )
    except DealerTableError as error:
        return complain(error.message)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: table.leave())
    try:
        if console.is_terminal:
            address = seen_from_outside(table.board.board.address)
            beside = qr_code(address) if arguments.host != LOOPBACK else ""
            beside = beside if shows(beside) else ""
            title = f"dealer-table demo · result board {address} · Ctrl-C ends it"
            note = notes(table, guests, arguments)
            if beside and console.width < ROOM_FOR_BOTH:
                print(beside)
                note += f"\nQR code: scroll up, or make the terminal {ROOM_FOR_BOTH} columns wide"
            bets = table.players.glance if table.players is not None else str
            if guests is not None and guests.players is not None:
                bets = guests.players.glance
            counters = lambda: table.assembly.publisher.counters  # noqa: E731
            with Screen(title, counters, console, bets, beside, note) as screen:
                table.run(lambda batch: screen.show(batch.table.state, batch.says))
        else:
            print(f"result board: {seen_from_outside(table.board.board.address)}", flush=True)
            print(notes(table, guests, arguments), flush=True)
            table.run(lambda batch: printout.show(batch.table.state, batch.says))
        why = table.why() if table.dealer.complaint else []
        table.wait_acknowledged()
        books = None if guests is None else guests.books()
        seconds = time.monotonic() - began
    finally:
        table.close()
    if books is not None:
        print(books[0])
    summarise(table, seconds)  # the end is journaled as well
    if arguments.keep is not None:
        print(f"kept in {arguments.keep}: journal.db, the record, and demo.toml, the configuration")
    if table.dealer.complaint:
        return complain("\n".join([f"the demo's dealer gave up: {table.dealer.complaint}", *why]), FAILED)
    balance = books is None or books[1]
    return 1 if not balance or (table.players is not None and table.players.faults()) else 0


_STYLES = {
    "chapter": ("", "bold white on blue"),
    "why": ("", "italic"),
    "keys": ("keys    ", "yellow"),
    "people": ("people  ", "bold yellow"),
    "table": ("table   ", "bold green"),
}
"""Kind of a line of the story -> what stands before it, and its style."""


def story_on(console: Console, pace_s: float) -> int:
    """The special moments of a table, with a line of explanation each; 1 where one does not come out."""
    with ends_at_once():
        from controller.demo.devices import DealerGone
        from controller.demo.story import Story

    def tell(kind: str, line: str) -> None:
        if kind == "chapter":
            console.print()
        stops = line.startswith(("HOLD", "VOID"))
        sign, style = _STYLES[kind]
        console.print(Text(sign + line, "bold red" if stops else style))

    try:
        told = Story(tell, pace_s=pace_s)
    except DealerTableError as error:
        return complain(error.message)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told.leave())
    try:
        told.play()
    except DealerGone as gone:
        return complain(f"the story breaks off: {gone}", FAILED) if str(gone) else 0
    finally:
        told.close()
    console.print(
        "\nEach of these is tested in the project. Now a whole table: dealer-table demo", style="bold"
    )
    return 0


def notes(table: DemoTable, guests: DemoSeats | None, arguments: argparse.Namespace) -> str:
    """What is dealt and who plays; how to sit down, where there is a seat."""
    players = arguments.players or (0 if table.players is None else len(PLAYERS))
    bet = "bets" if players == 1 else "bet"
    bets = f"{counted(players, 'software player')} {bet}" if players else "no software players"
    played = f"{game_name(table.game.name)}, {PAID[table.odds]}, {bets}"
    return f"{played}\nsit down and play: {guests.link}" if guests is not None and arguments.seat else played


def seats(players: int, seed: int | None) -> DemoSeats:
    """The seats; their service is imported where somebody wants it."""
    with ends_at_once():
        from controller.cli.demo_seat import DemoSeats

    return DemoSeats(players, seed)


def game_of(pay_table: str | None) -> str:
    """The game of a pay table's file; without one, the first that has live odds."""
    if pay_table is not None:
        return load_pay_table(pay_table).game
    return next(name for name, game in all_games().items() if game.live_odds)


def summarise(table: DemoTable, seconds: float) -> None:
    """What was dealt, sent and acknowledged, and what the players made of it."""
    if table.players is not None:
        print(table.players.summary())
    if entered := table.dealer.entered:
        print(f"{counted(entered, 'card')} that the shoe did not read, entered by a supervisor")
    figures = table.assembly.publisher.counters
    acknowledged = ", ".join(f"{name} {sequence}" for name, sequence in figures.acknowledged.items())
    print(
        f"{counted(table.dealer.dealt_rounds, 'round')} in {seconds:.1f} s; "
        f"{counted(table.assembly.loop.counters.events, 'event')} journaled, "
        f"{counted(figures.head, 'message')}, {figures.sent} sent; acknowledged: {acknowledged}"
    )
