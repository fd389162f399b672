"""``board``: the result board of a table or a floor."""

from __future__ import annotations

import argparse
import signal

from controller.board.server import Board
from controller.board.settings import BoardSettings, checked, load_board_settings
from controller.shell.observing.logs import open_log


def run(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT; 2 if the configuration is wrong or the address is taken."""
    settings = _settings(arguments)
    open_log(settings.observe.log)
    board = Board(settings)
    print(f"result board: {board.address}", flush=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: board.stop())
    board.run()
    return 0


def _settings(arguments: argparse.Namespace) -> BoardSettings:
    """The file, or the defaults; an option says more than the file."""
    settings = load_board_settings(arguments.config) if arguments.config else BoardSettings()
    given = {key: getattr(arguments, key) for key in ("host", "port", "language", "socket")}
    if arguments.table:
        given["tables"] = tuple(arguments.table)
    broker = {"host": arguments.mqtt_host, "port": arguments.mqtt_port}
    if any(broker.values()):
        broker["hosts"] = ()
    return checked(settings, board=given, mqtt=broker)
