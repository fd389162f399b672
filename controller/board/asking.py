"""What a board asks a broker for, in parts: a broker queues so many messages for a client (mosquitto 1,000 by
itself) and drops what is beyond, so that of a large floor all that is retained does not come at once.

Pure: no clock, no connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from controller.board.floor import KINDS, Key, board_topic
from controller.outbox.topics import ROOT

LOT = 100
"""So many tables are asked for by name at once; each has a handful of retained messages."""


class Asking:
    """What is asked for on one connection: first who is there, then what they show, then, where more tables
    are there than a broker may have been able to queue for, each by name. What comes after is heard by the
    subscriptions of the first two parts.
    """

    def __init__(self, filters: Sequence[str]) -> None:
        self._always = frozenset(filters)
        who = tuple(name for name in filters if name.endswith("/status"))
        shown = tuple(name for name in filters if name not in who)
        wide = any("+" in name.removesuffix("/alerts/+") for name in filters)
        self._parts = deque([who, shown] if wide else [tuple(filters)])
        self._wide = wide
        self._asked = tuple(kind for kind in KINDS if any(name.endswith(f"/{kind}") for name in filters))
        self._kinds: dict[Key, set[str]] = {}
        self._named: set[Key] = set()

    def spare(self, part: Iterable[str]) -> tuple[str, ...]:
        """What of this part is heard without it once it has come: tables by name, beside a pattern. A
        table that was named from the beginning is heard by its name alone."""
        return tuple(name for name in part if name not in self._always)

    def heard(self, topic: str) -> None:
        """A message came."""
        place = board_topic(topic)
        if place is not None:
            self._kinds.setdefault(place.key, set()).add(place.kind)

    def next(self) -> tuple[str, ...]:
        """The part that is asked for after the one before has come; none: all has come."""
        if self._parts:
            return self._parts.popleft()
        if not self._wide or len(self._kinds) <= LOT:
            return ()
        return self._lot(self._kinds)

    def late(self) -> tuple[str, ...]:
        """Tables that say how they are and show nothing, or the other way round: what was dropped of them, or
        never asked for. Each is asked for once."""
        wanted = {"status", "display"}
        return self._lot(key for key, kinds in self._kinds.items() if len(wanted & kinds) == 1)

    def _lot(self, tables: Iterable[Key]) -> tuple[str, ...]:
        lot = [key for key in tables if key not in self._named][:LOT]
        self._named.update(lot)
        return tuple(f"{ROOT}/{key.path}/{kind}" for key in lot for kind in self._asked)
