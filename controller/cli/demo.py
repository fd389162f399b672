"""``demo``: a whole table at work in the terminal, with no hardware and no configuration."""

from __future__ import annotations

import argparse
import contextlib
import signal
import threading
import time
from typing import TYPE_CHECKING

from msgspec import to_builtins

from controller.cli.telling import complain
from controller.vocabulary.errors import DealerTableError
from controller.vocabulary.messages import RoundOdds, RoundResult

if TYPE_CHECKING:  # `dealer-table score` must not pay for the import of a broker's client
    from controller.demo.table import DemoTable


def run(arguments: argparse.Namespace) -> int:
    """Deal until Ctrl-C, or ``--rounds`` rounds and a summary; leaves no process behind."""
    from rich.console import Console

    from controller.cli.phrases import describe_outcome, describe_say, odds_text
    from controller.cli.screen import Screen
    from controller.demo.table import DemoTable
    from controller.outbox.envelope import message_id
    from controller.shell.batch import Batch

    console = Console()
    began = time.monotonic()
    screens: list[Screen] = []

    shown: list[object] = [None]
    one_line = threading.Lock()

    def say_line(line: str) -> None:
        """The table and the players speak at the same time: a line is not broken up by another one."""
        with one_line:
            print(line, flush=True)

    def observe(batch: Batch) -> None:
        state = batch.table.state
        if screens:
            screens[0].show(state, batch.says)
        elif not console.is_terminal:
            for say in batch.says:
                line = describe_say(say)
                message = say.message
                if isinstance(message, RoundResult):
                    line = f"{message.round}: {describe_outcome(arguments.game, to_builtins(message))}"
                if isinstance(message, RoundOdds) and state is not None:
                    offer = message_id(state.epoch, say.sequence)
                    line = odds_text({"id": offer, **to_builtins(message)})
                if line:
                    say_line(line)
            odds = state.round.odds if state is not None and state.round is not None else None
            if odds is not None and odds.id is None and odds != shown[0]:
                say_line(odds_text(to_builtins(odds)))
                shown[0] = odds

    def tell(line: str) -> None:
        if not console.is_terminal:
            say_line(line)

    try:
        table = DemoTable(
            arguments.game,
            rounds=arguments.rounds,
            pace_s=arguments.pace_s,
            seed=arguments.seed,
            observe=observe,
            tell=tell,
            shoe=arguments.shoe,
            panel=arguments.panel,
            odds=arguments.odds,
        )
    except DealerTableError as error:
        return complain(error.message)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: table.leave())
    try:
        with contextlib.ExitStack() as stack:
            if console.is_terminal:
                title = f"{arguments.game}, result board at {table.board.address} (Ctrl-C ends it)"
                screens.append(
                    stack.enter_context(
                        Screen(
                            title,
                            lambda: table.assembly.publisher.counters,
                            console,
                            bets=table.players.glance if table.players is not None else str,
                        )
                    )
                )
            else:
                print(f"result board: {table.board.address}", flush=True)
            table.run()
        table.wait_acknowledged()
        summarise(table, time.monotonic() - began)
    finally:
        table.close()
    if table.dealer.complaint:
        complain(f"the demo's dealer gave up: {table.dealer.complaint}")
        return 1
    return 1 if table.players is not None and table.players.faults() else 0


def summarise(table: DemoTable, seconds: float) -> None:
    """What was dealt, sent and acknowledged, and what the players made of it."""
    if table.players is not None:
        print(table.players.summary())
    figures = table.assembly.publisher.counters
    acknowledged = ", ".join(f"{name} {sequence}" for name, sequence in figures.acknowledged.items())
    dealt = table.dealer.dealt_rounds
    print(
        f"{dealt} round{'' if dealt == 1 else 's'} in {seconds:.1f} s; "
        f"{table.assembly.loop.counters.events} events journaled, "
        f"{figures.head} messages, {figures.sent} sent; acknowledged: {acknowledged}"
    )
