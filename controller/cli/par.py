"""``par``: return and house edge of every spot of a pay table."""

from __future__ import annotations

import argparse
import re
from fractions import Fraction

import msgspec
from msgspec import UNSET

from controller.cli.telling import COUNTED, columns, complain, patience, print_json, print_lines
from controller.games.paytable import PayTable, load_pay_table
from controller.par import par
from controller.par.answer import PayTableReturn
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError, PayTableError
from controller.vocabulary.outside import unmarked


def run(arguments: argparse.Namespace) -> int:
    """Count and print; 2 if the game, its settings or the pay table are wrong."""
    settings = GameSettings(arguments.game, decks=arguments.decks, layout=arguments.layout)
    chosen = {"seats": arguments.seats, "dealer_qualifies": arguments.dealer_qualifies}
    settings = msgspec.structs.replace(
        settings, **{name: value for name, value in chosen.items() if value is not None}
    )
    try:
        pay_table = None if arguments.pay_table is None else _pay_table(arguments.pay_table)
    except ConfigurationError as error:
        return complain(_as_option(error.message))
    try:
        with patience(COUNTED):
            answer = par(settings, pay_table)
    except PayTableError as error:
        return complain(f"{arguments.pay_table}: {error.message}" if pay_table else error.message)
    except ConfigurationError as error:
        return complain(_as_option(error.message))
    if arguments.json:
        print_json(answer)
    else:
        print_lines(par_table(answer))
    return 0


def _pay_table(given: str) -> PayTable:
    """The table of a file, or of an object as a line of ``score`` has it."""
    content = unmarked(given.encode(errors="surrogateescape"))
    return load_pay_table(content if content.lstrip().startswith(b"{") else given)


def par_table(answer: PayTableReturn) -> list[str]:
    """A line a spot: what comes back of a hundred staked, the rest, and the exact fraction."""
    pay_table = answer.pay_table
    rows = [
        (spot, f"{float(Fraction(one.share)):.4%}", f"{one.house_edge:.4%}", one.share)
        for spot, one in answer.spots.items()
    ]
    notes: dict[str, list[str]] = {}
    for spot, one in answer.spots.items():
        if one.basis is not UNSET:
            notes.setdefault(one.basis, []).append(spot)
    return [
        f"{answer.game}, pay table {pay_table.id}, digest {pay_table.digest[:12]}",
        "",
        *columns([("spot", "return", "house edge", "exactly"), *rows], right=(1, 2)),
        *(f"{', '.join(spots)}: {basis}" for basis, spots in notes.items()),
    ]


def _as_option(message: str) -> str:
    """A message that begins with the key of a configuration, with the option that gives it here."""
    message = re.sub(r"^game\.name\b", "--game", message)
    return re.sub(r"^game\.(\w+)", lambda key: f"--{key[1].replace('_', '-')}", message)
