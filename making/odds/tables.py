"""All tables of the odds. To be run after a change of a rule or an order; a test rebuilds and compares."""

from __future__ import annotations

import zlib
from pathlib import Path

from making.odds import baccarat, seven
from making.targets import HOUSE

FOLDER = HOUSE / "controller" / "odds" / "tables"


def build() -> dict[str, bytes]:
    """The content of every table by name, not compressed."""
    return baccarat.tables() | seven.tables()


def write(folder: Path) -> None:
    """Write every table, compressed, into ``folder``."""
    for name, content in build().items():
        (folder / f"{name}.bin").write_bytes(zlib.compress(content, 9))
