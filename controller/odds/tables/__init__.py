"""The tables of the odds: package data built from the rules by ``python -m making.odds``.

Each file is one compressed run of integers; the order of the entries is the business of who reads them.
"""

from __future__ import annotations

import pkgutil
import zlib


def load(name: str) -> bytes:
    """The bytes of one table; FileNotFoundError if the package was installed without its tables."""
    packed = pkgutil.get_data(__name__, f"{name}.bin")
    if packed is None:
        raise FileNotFoundError(f"table {name}.bin is not in the package: install it again")
    return zlib.decompress(packed)
