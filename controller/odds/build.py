"""Builds the tables of the odds from the rules: ``python -m controller.odds.build [folder]``.

The tables are package data, so this is run by people who changed a rule or an order, and by the test that
rebuilds and compares. It writes nothing else and says nothing when it is done.
"""

from __future__ import annotations

import sys
import zlib
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from controller import odds as room


def build() -> dict[str, bytes]:
    """The content of every table by name, not compressed: what the ``build_...`` modules make."""
    names = (module.name for module in iter_modules(room.__path__) if module.name.startswith("build_"))
    content: dict[str, bytes] = {}
    for name in names:
        content |= import_module(f"{room.__name__}.{name}").tables()
    return content


def main(folder: Path) -> None:
    """Write every table, compressed, into ``folder``."""
    for name, content in build().items():
        (folder / f"{name}.bin").write_bytes(zlib.compress(content, 9))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "tables")
