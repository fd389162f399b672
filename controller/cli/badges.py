"""``--badge``: who decides what no key at the table says."""

from __future__ import annotations

from controller.settings.model import Configuration
from controller.vocabulary.errors import InputError

LONGEST = 100


def supervisor_badge(configuration: Configuration, badge: str | None, what: str) -> str:
    """The badge of a supervisor of this table; InputError says ``what`` it is needed for."""
    said, listed = (badge or "").strip(), configuration.badges.supervisors
    if not said or said.lower() == "dealer" or len(said) > LONGEST:
        raise InputError(f"--badge: a supervisor's badge is needed to {what}")
    if listed is not None and said not in listed:
        raise InputError(f"--badge: {said!r} is not among badges.supervisors of {configuration.file}")
    return said
