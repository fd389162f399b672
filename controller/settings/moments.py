"""When a changed setting of a table takes effect. A file is read at the start of the daemon, so nothing does
before a restart; what the core plays by then waits until the next round opens, or the next shoe is loaded.
"""

from __future__ import annotations

from typing import Literal

Moment = Literal["restart", "round", "shoe", "person"]

WORDS: dict[Moment, str] = {
    "restart": "with the restart",
    "round": "when the next round opens after the restart",
    "shoe": "when the next shoe is loaded after the restart",
    "person": "only with somebody at the table: it becomes another table, record or key",
}

MOMENTS: dict[str, Moment] = {
    "table": "round",
    "table.site": "person",
    "table.id": "person",
    "table.mode": "restart",
    "game": "round",
    "game.name": "shoe",
    "game.decks": "shoe",
    "limits": "round",
    "badges": "round",
    "round": "round",
    "shoe": "round",
    "shoe.burn": "shoe",
    "cards": "round",
    "mqtt": "restart",
    "journal": "restart",
    "journal.path": "person",
    "signing": "restart",
    "signing.key_file": "person",
    "identity": "restart",
    "observe": "restart",
    "shadow": "restart",
    "devices": "restart",
}
"""Key path -> when; the longest that a key begins with counts. Every table of the file stands here."""


def moment_of(key: str) -> Moment:
    """When the setting of a key path takes effect; KeyError where the file has no such table."""
    while key not in MOMENTS and "." in key:
        key = key.rpartition(".")[0]
    return MOMENTS[key]
