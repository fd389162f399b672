"""``check-config``: is a configuration right, and what in it is worth a look?"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path

from controller.cli.telling import COUNTED, WRONG_CALL, columns, complain, patience, print_json, print_lines
from controller.settings.judging import judged_configuration
from controller.settings.loader import ConfigurationProblems
from controller.settings.model import Configuration, Problem
from controller.settings.resolve import read_toml
from controller.vocabulary.codec import digest
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.limits import Limits

OTHERS = (
    (("site", "tables"), "the inventory of a floor", "inventory {}"),
    (("sites", "database"), "the configuration of a recorder", "record --config {} --status"),
    (("tables", "database"), "the configuration of a wagering service", "wagering --config {}"),
)
"""Keys of a file that is another one, what it is, and which command reads it."""


def run(arguments: argparse.Namespace) -> int:
    """0 if the file is right (warnings or not), 2 with all that is wrong in it."""
    try:
        if is_board(arguments.file):
            return _board(arguments)
        if (other := another_file(arguments.file)) is not None:
            raise ConfigurationError(f"{arguments.file}: {other}")
        with patience(COUNTED):
            configuration = judged_configuration(arguments.file)
    except ConfigurationError as error:
        return wrong_file(error, as_json=arguments.json)
    table = _table(configuration)
    names = {"digest": digest(configuration.canonical()), "table": table}
    return _right(arguments, table, configuration.warnings, names)


def wrong_file(error: ConfigurationError, *, as_json: bool) -> int:
    """Say all that is wrong in a file, for people or for programs; returns the exit status."""
    if not as_json:
        return complain(error.message)
    found = error.problems if isinstance(error, ConfigurationProblems) else (Problem("", error.message),)
    print_json({"valid": False, "problems": found, "warnings": []})
    return WRONG_CALL


def _right(
    arguments: argparse.Namespace,
    told: Mapping[str, object],
    warnings: Iterable[object],
    names: Mapping[str, object],
) -> int:
    """Say that the file is right, and what stands in it: ``told`` to people, ``names`` to programs."""
    if arguments.json:
        print_json({"valid": True, "problems": [], "warnings": warnings, **names})
        return 0
    rows = [(name.replace("_", " "), value) for name, value in told.items()]
    print_lines([f"{arguments.file} is right", *columns(rows)])
    for warning in warnings:
        complain(f"warning: {warning}")
    return 0


def is_board(path: str) -> bool:
    """Whether this is the file of a result board, and not of a table."""
    values = read_toml(Path(path), "the configuration")
    return "board" in values and "table" not in values


def another_file(path: str) -> str | None:
    """What this is, and which command reads it, where it is no table's file."""
    values = read_toml(Path(path), "the configuration")
    if "table" in values or "devices" in values:
        return None
    if isinstance(game := values.get("game"), str):
        how = f"`dealer-table par --game {game} --pay-table {path}` judges it"
        return f"this is a pay table, which a table names as game.pay_table; {how}"
    if {"exact", "pattern"} & values.keys():
        return "this is a code map, which a table names as cards.map; check the file of that table"
    for keys, what, call in OTHERS:
        if values.keys() >= set(keys):
            return f"this is {what}; `dealer-table {call.format(path)}` reads it"
    return None


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
    return _right(arguments, told, word_gaps(words), {"board": told})


def _table(configuration: Configuration) -> dict[str, object]:
    """What this table will be, in short."""
    game, devices = configuration.game, configuration.devices
    decks = f", {game.decks} deck{'s' * (game.decks > 1)}" if game.decks is not None else ""
    layout = f", layout {game.layout}" if game.layout is not None else ""
    drivers = [f"{name} ({device.__struct_config__.tag!s})" for name, device in devices.named().items()]
    return {
        "table": f"{configuration.table.site}/{configuration.table.id} ({configuration.table.mode})",
        "game": f"{game.name}{layout}{decks}",
        "odds": game.odds,
        "pay_table": f"{configuration.pay_table.id}, digest {configuration.pay_table.digest[:12]}",
        "own_spots": ", ".join(configuration.pay_table.spots) or "none",
        "limits": limits_words(configuration.limits),
        "cards": f"{Path(configuration.cards.map).name} ({configuration.code_map.kind})",
        "devices": ", ".join(drivers),
        "broker": configuration.mqtt.where,
        "consumers": ", ".join(configuration.mqtt.consumers) or "none",
        "journal": configuration.journal.path,
    }


def limits_words(limits: Limits | None) -> str:
    """What may be staked on a spot, as the file counts it."""
    if limits is None:
        return "none"
    named = {"each spot": limits.table} if limits.table is not None else {}
    told = [f"{spot} {limit.min} to {limit.max}" for spot, limit in (named | limits.spots).items()]
    return f"{', '.join(told) or 'none'} (minor units of {limits.currency})"
