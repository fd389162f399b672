"""Which consumers are heard, and which are not: what is kept for somebody who never comes must be seen.

Pure: times are passed in. A consumer that was heard and for which nothing waits may be silent for ever.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from controller.outbox.notices import ConsumerHeard, ConsumerSilent, Notice
from controller.outbox.schedule import BROKER

SILENT_S = 60.0


class RollCall:
    """Calls the roll of the consumers that messages are kept for."""

    def __init__(self, named: Iterable[str], kept_for: Iterable[str]) -> None:
        """``named`` in the configuration; ``kept_for``: those that the journal has a cursor for."""
        self._named = frozenset(named)
        self._kept_for = [name for name in kept_for if name != BROKER]
        self._since_s: dict[str, float] = {}
        """Consumer -> since when it has been silent, while we listen."""
        self._unheard = set(self._kept_for)
        """Not heard in this life."""
        self._silent: set[str] = set()
        self._left_over = [name for name in self._kept_for if name not in self._named]

    def listen(self, now_s: float) -> None:
        """From now on consumers can be heard."""
        self._since_s = dict.fromkeys(self._kept_for, now_s)

    def deaf(self) -> None:
        """Nobody can be heard: nobody is silent."""
        self._since_s = {}

    def heard(self, name: str, now_s: float) -> list[Notice]:
        """A consumer spoke."""
        self._unheard.discard(name)
        if name in self._since_s:
            self._since_s[name] = now_s
        if name not in self._silent:
            return []
        self._silent.discard(name)
        return [ConsumerHeard(name)]

    def call(self, cursors: Mapping[str, int], head: int, now_s: float) -> list[Notice]:
        """Who has been silent for too long, each said once."""
        found: list[Notice] = []
        for name in self._left_over:
            text = f"{name!r} is no longer named under mqtt.consumers, but messages are still kept for it"
            found.append(ConsumerSilent(name, f"{text}: name it again, or `dealer-table consumers --retire`"))
        self._silent.update(self._left_over)
        self._left_over = []
        for name, since_s in self._since_s.items():
            waited_for = name in self._unheard or cursors.get(name, head) < head
            if name in self._silent or not waited_for or now_s - since_s < SILENT_S:
                continue
            self._silent.add(name)
            text = f"{name!r} is named under mqtt.consumers and has not been heard for {SILENT_S:.0f} s"
            found.append(
                ConsumerSilent(name, f"{text}: start it; {head - cursors.get(name, head)} messages wait")
            )
        return found
