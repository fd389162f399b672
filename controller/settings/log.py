"""How a program writes its log: the same key for the daemon of a table, recorder, seats and board."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Literal

import msgspec

LogForm = Literal["auto", "text", "json"]


class LogKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[observe]``."""

    log: LogForm = "auto"
    """How lines are written: "auto" with fields to journald where the service manager says so, else text."""
