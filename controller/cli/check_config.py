"""``check-config``: is a configuration right, and what in it is worth a look?"""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.telling import WRONG_CALL, columns, complain, print_json, print_lines
from controller.settings.judging import judged_configuration
from controller.settings.loader import ConfigurationProblems
from controller.settings.model import Configuration, Problem
from controller.settings.resolve import read_toml
from controller.vocabulary.codec import digest
from controller.vocabulary.errors import ConfigurationError


def run(arguments: argparse.Namespace) -> int:
    """0 if the file is right (warnings or not), 2 with all that is wrong in it."""
    try:
        if is_board(arguments.file):
            return _board(arguments)
        configuration = judged_configuration(arguments.file)
    except ConfigurationError as error:
        if not arguments.json:
            return complain(error.message)
        found = error.problems if isinstance(error, ConfigurationProblems) else (Problem("", error.message),)
        print_json({"valid": False, "problems": found, "warnings": []})
        return WRONG_CALL
    if arguments.json:
        answer = {"valid": True, "problems": [], "warnings": configuration.warnings}
        print_json(answer | {"digest": digest(configuration.canonical()), "table": _table(configuration)})
        return 0
    print_lines(
        [
            f"{arguments.file} is right",
            *columns([(name.replace("_", " "), value) for name, value in _table(configuration).items()]),
        ]
    )
    for warning in configuration.warnings:
        complain(f"warning: {warning}")
    return 0


def is_board(path: str) -> bool:
    """Whether this is the file of a result board, and not of a table."""
    values = read_toml(Path(path), "the configuration")
    return "board" in values and "table" not in values


def _board(arguments: argparse.Namespace) -> int:
    """The file of a board, with the words and the look that it names."""
    from controller.board.server import judged
    from controller.board.settings import load_board_settings
    from controller.board.web import word_gaps

    settings = load_board_settings(arguments.file)
    words, house = judged(settings)
    keys = settings.board
    told = {
        "board": f"{keys.host}:{keys.port}",
        "languages": ", ".join(sorted(words)),
        "language": " beside ".join(filter(None, (keys.language, keys.beside))),
        "house": (house.name or "no name") if keys.house is not None else "none",
        "house_files": ", ".join(sorted(house.files)) or "none",
        "jackpot": keys.jackpot or "none",
    }
    warnings = word_gaps(words)
    if arguments.json:
        print_json({"valid": True, "problems": [], "warnings": warnings, "board": told})
        return 0
    print_lines(
        [
            f"{arguments.file} is right",
            *columns([(name.replace("_", " "), value) for name, value in told.items()]),
        ]
    )
    for warning in warnings:
        complain(f"warning: {warning}")
    return 0


def _table(configuration: Configuration) -> dict[str, object]:
    """What this table will be, in short."""
    game, devices = configuration.game, configuration.devices
    decks = f", {game.decks} decks" if game.decks is not None else ""
    layout = f", layout {game.layout}" if game.layout is not None else ""
    drivers = [f"{name} ({device.__struct_config__.tag!s})" for name, device in devices.named().items()]
    return {
        "table": f"{configuration.table.site}/{configuration.table.id} ({configuration.table.mode})",
        "game": f"{game.name}{layout}{decks}",
        "pay_table": f"{configuration.pay_table.id}, digest {configuration.pay_table.digest[:12]}",
        "cards": f"{Path(configuration.cards.map).name} ({configuration.code_map.kind})",
        "devices": ", ".join(drivers),
        "broker": configuration.mqtt.where,
        "consumers": ", ".join(configuration.mqtt.consumers) or "none",
        "journal": configuration.journal.path,
    }
