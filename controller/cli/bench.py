"""``demo --bench``: a table for who writes a consumer, and what happens to it at his word."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from controller.cli.demo import game_of
from controller.cli.telling import FAILED, complain, print_or_end, typed_lines
from controller.demo.bench import Bench
from controller.demo.bench_table import BenchTable, demo_table, own_table
from controller.demo.bench_words import END, Words, help_lines
from controller.demo.beside import BoardBeside
from controller.demo.broker import is_free
from controller.demo.devices import DealerGone
from controller.demo.folders import new_folder, temporary
from controller.demo.leftovers import Leftovers
from controller.outbox.topics import topics_of
from controller.vocabulary.errors import ConfigurationError

PORT = 11883
ELSEWHERE = ("story", "seat", "players", "cards", "shuffler", "unread")
OF_THE_FILE = ("game", "pay_table", "squeeze", "odds")


def run(arguments: argparse.Namespace) -> int:
    """Until ``quit``, Ctrl-C, or until ``--rounds`` rounds are played and acknowledged; leaves no process
    behind. ConfigurationError for what does not go together."""
    check(arguments)
    guard = threading.Lock()

    def tell(line: str) -> None:
        with guard:
            print_or_end(line)

    with ExitStack() as parts:
        folder = (
            Path(parts.enter_context(temporary("bench")))
            if arguments.keep is None
            else new_folder(arguments.keep)
        )
        port = PORT if arguments.port is None else arguments.port
        table = table_of(arguments, folder, port)
        if not is_free(port):
            raise ConfigurationError(f"somebody listens at 127.0.0.1:{port} already: choose another --port")
        bench = Bench(
            table.configuration,
            left=parts.enter_context(Leftovers(folder if arguments.keep is None else None)),
            pace_s=arguments.pace_s,
            seed=arguments.seed,
            tell=tell,
        )
        parts.callback(bench.close)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: bench.leave())
        board = BoardBeside(port, arguments.host)
        parts.callback(board.stop)
        board.start()
        words = Words(bench, tell)
        try:
            bench.start()
            introduce(bench, table, board.board.address, tell)
            threading.Thread(target=listen, args=(words,), daemon=True).start()
            words.run(arguments.rounds)
        except DealerGone as gone:
            return complain(f"the bench ends: {gone}", FAILED) if str(gone) else 0
        finally:
            if arguments.keep is not None:
                tell(f"kept in {folder}: journal.db, the record, and bench.toml, the configuration")
    return 0


def check(arguments: argparse.Namespace) -> None:
    """ConfigurationError for options that a bench has no use for."""
    given = [name for name in ELSEWHERE if getattr(arguments, name)]
    given += ["panel"] if arguments.panel != "keypad" else []
    if given:
        raise ConfigurationError(f"--bench: leave --{given[0]} out")
    twice = [name for name in OF_THE_FILE if getattr(arguments, name)] if arguments.table else []
    if twice:
        raise ConfigurationError(
            f"--table names a file that says it: leave --{twice[0].replace('_', '-')} out"
        )


def table_of(arguments: argparse.Namespace, folder: Path, port: int) -> BenchTable:
    """The table that the options ask for. ConfigurationError where it cannot be."""
    consumers = arguments.consumer or ()
    if arguments.table is not None:
        return own_table(folder, arguments.table, port, shoe=arguments.shoe, consumers=consumers)
    pays = arguments.pay_table
    return demo_table(
        folder,
        arguments.game or game_of(pays),
        port,
        shoe=arguments.shoe,
        consumers=consumers,
        odds=arguments.odds or "fixed",
        squeeze=arguments.squeeze,
        pay_table=pays,
    )


def introduce(bench: Bench, table: BenchTable, board: str, tell: Callable[[str], None]) -> None:
    """Where everything is, who is awaited, and what can be said."""
    configuration = table.configuration
    place, names = configuration.table, configuration.mqtt.consumers
    topics = topics_of(place.site, place.id, place.mode)
    tell(f"broker      {configuration.mqtt.where}, no login")
    tell(f"table       {place.site}/{place.id}, {configuration.game.name}; its stream: {topics.events}")
    tell(f"consumers   {', '.join(names) or 'none'}: yours; messages are kept until they acknowledge them")
    tell(f"public key  {bench.public_key}")
    tell(f"board       {board}")
    tell(f"file        {configuration.file}")
    if table.left_out:
        tell(f"left out    {', '.join(table.left_out)}")
    tell("say a word, and Enter:")
    for line in help_lines():
        tell(line)


def listen(words: Words) -> None:
    """The lines of standard input, until it ends: by Ctrl-D the visitor leaves, a script does not."""
    if sys.stdin is None:
        return
    for raw in typed_lines():
        line = raw.strip()
        words.lines.put(line)
        if line == END:
            return
    if sys.stdin.isatty():
        words.lines.put(END)
