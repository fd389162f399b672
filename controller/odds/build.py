"""Builds the tables of the odds from the rules: ``python -m controller.odds.build [folder]``.

The tables are package data, so this is run by people who changed a rule or an order, and by the test that
rebuilds and compares. It writes nothing else and says nothing when it is done.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path

from controller.odds.build_baccarat import baccarat_tables
from controller.odds.build_seven import seven_table


def build() -> dict[str, bytes]:
    """The content of every table by name, not compressed."""
    return {**baccarat_tables(), "seven": seven_table()}


def main(folder: Path) -> None:
    """Write every table, compressed, into ``folder``."""
    for name, content in build().items():
        (folder / f"{name}.bin").write_bytes(zlib.compress(content, 9))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "tables")
