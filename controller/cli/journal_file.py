"""The journal that a command is given."""

from __future__ import annotations

from pathlib import Path

from controller.vocabulary.errors import InputError


def journal_file(name: str) -> Path:
    """The file. :class:`InputError` where there is none: then the call is wrong, and no journal."""
    path = Path(name)
    if path.is_dir():
        raise InputError(f"{path} is a folder; name the journal in it")
    if not path.exists():
        raise InputError(f"there is no journal at {path}")
    return path
