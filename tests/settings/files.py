"""Configuration files for tests: the contract's example, the smallest one, and changes of the first."""

from __future__ import annotations

import tomllib
from pathlib import Path

import tomlkit

from controller.settings.loader import ConfigurationProblems, load_configuration

CONTRACT = """
[table]
site = "north"
id = "7"
mode = "live"                # [live]; test: own topics, never settlement

[game]
name = "baccarat"            # 2-card-action, two-cards-high, casino-holdem
decks = 8                    # [8]; 1 for one-deck games

[limits]                     # minor units; shown on boards, carried in round.opened and display
currency = "EUR"
table = { min = 500, max = 500000 }
spots = { tie = { min = 500, max = 50000 } }

[round]
open = "button"              # [button]; "auto": opens by itself review_s [5] after settlement
close = "button"             # [button]; "timer"; "first_card"
bets_s = 20                  # [0: no clock]
decision_s = 20              # [0: only the dealer closes the decisions]
settle = "button"            # [button]; "auto": settled as soon as the result stands
warn_s = 5                   # [5] yellow light

[shoe]
kind = "shoe"                # [shoe]; "continuous"

[cards]
map = "plain"                # [plain] the code is the card ("8S")

[mqtt]
host = "127.0.0.1"           # [127.0.0.1]
port = 1883                  # [1883]
consumers = ["settlement"]   # [none]
ack_timeout_s = 30           # [30]

[journal]
path = "/var/lib/dealer-table/7.db"

[devices.shoe]
driver = "angel-eye"         # bee-tek, scanner, camera
port = "/dev/dealer-table/shoe"
baud_rate = 4800

[devices.shuffler]
driver = "line"
port = "/dev/dealer-table/shuffler"

[devices.panel]
driver = "keypad"            # gpio
port = "/dev/dealer-table/keypad"
"""
"""The example of the contract, as it stands there."""

SMALLEST = """
table.site = "north"
table.id = "7"
game.name = "baccarat"
journal.path = "7.db"
devices.shoe = { driver = "bee-tek", port = "/dev/dealer-table/shoe" }
"""


def problems(file: Path, text: str) -> dict[str, str]:
    """The problems of a file by their key; none where it loads."""
    file.write_text(text)
    try:
        load_configuration(file)
    except ConfigurationProblems as error:
        return {problem.key: problem.message for problem in error.problems}
    return {}


def changed(**tables: dict[str, object]) -> str:
    """The contract's example with other values in tables such as ``devices__shoe``; None takes a key out."""
    values = tomllib.loads(CONTRACT)
    for table, keys in tables.items():
        room = values
        for name in table.split("__"):
            room = room.setdefault(name, {})
        for key, value in keys.items():
            if value is None:
                room.pop(key, None)
            else:
                room[key] = value
    return tomlkit.dumps(values)
