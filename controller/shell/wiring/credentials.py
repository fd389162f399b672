"""Where a secret lies while its service does not run: commands of an administrator need it too."""

from __future__ import annotations

import re
from pathlib import Path

STORE = Path("/etc/credstore")
_OF_SERVICE = re.compile(r"/run/credentials/dealer-table@([^/]+)\.service/([^/]+)")


def secret_file(name: str | None, store: Path = STORE) -> Path | None:
    """The file that a key of the configuration names.

    A credential of the service stands under ``/run/credentials`` only while the service runs. Then
    ``replace`` and ``doctor``, run by root, take it from where the service gets it.
    """
    if name is None:
        return None
    path = Path(name)
    match = _OF_SERVICE.fullmatch(name)
    if match is None or path.exists():
        return path
    kept = store / f"dealer-table-{match[1]}.{match[2]}"
    return kept if kept.exists() else path
