"""A shuffler that tells by contacts what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from drivers.gpio import GpioShuffler
from drivers.gpio.debounce import Turned
from drivers.gpio.inputs import InputDriver, InputTimes
from drivers.gpio.shuffle import Shuffling
from drivers.readings import InputsRead, Reading, ShufflerSaid
from drivers.settings import PinFactory

_FIRST = ("count", "door", "jam", "ready", "running")
"""Looked at in this order: the last card and what went wrong are known before the end of a shuffle is."""
_STUCK = {"running": "it runs for longer than a shuffle may take", "count": "the count is stuck"}


class GpioShufflerDriver(InputDriver):
    """Says the lines of the shuffler protocol: `START`, `DONE` with the cards that it counted, or without a
    number where it counts none, `FAIL` and the reason, and `ERROR` for a jam at rest.

    A machine that runs at start has begun a shuffle that nobody saw: it fails at its end.
    """

    def __init__(
        self,
        name: str,
        settings: GpioShuffler,
        factory: PinFactory | None = None,
        times: InputTimes | None = None,
    ) -> None:
        pins = dict(settings.pins())
        inputs = {contact: pins[contact] for contact in _FIRST if contact in pins}
        super().__init__(name, settings, inputs, times or InputTimes(), factory, settings.inverted)
        self._count_settle_ms = settings.count_debounce_ms
        self._longest_ms = settings.longest_s * 1000
        self._shuffling = Shuffling(
            counts=settings.count is not None,
            edge=settings.count_edge,
            ready_within_ns=settings.ready_within_ms * 1_000_000,
        )

    def opened(self, levels: Mapping[str, bool], now_ns: int) -> Iterable[Reading]:
        self._shuffling.begin(levels, now_ns)
        return [InputsRead(tuple(name for name, active in levels.items() if active))]

    def turned(self, name: str, change: Turned) -> Iterable[Reading]:
        return map(_said, self._shuffling.turned(name, change))

    def settle_ms(self, name: str) -> int:
        return self._count_settle_ms if name == "count" else super().settle_ms(name)

    def is_looked_at(self, name: str) -> bool:
        """Pulses are short: their edges may all come when the last of them is over."""
        return name != "count"

    def stuck_ms(self, name: str) -> int:
        """A machine may be ready, and its door open, for ever; it does not shuffle for ever."""
        if name == "running":
            return self._longest_ms
        return super().stuck_ms(name) if name == "count" else 0

    def stuck(self, name: str) -> Iterable[Reading]:
        return map(_said, self._shuffling.stuck(_STUCK[name]))

    def deadline_ns(self) -> int | None:
        return self._shuffling.deadline_ns()

    def pass_time(self, now_ns: int) -> Iterable[Reading]:
        return map(_said, self._shuffling.pass_time(now_ns))

    def tell_lost(self, reason: str, monotonic_ns: int) -> None:
        self._tell(map(_said, self._shuffling.lost()), monotonic_ns)
        super().tell_lost(reason, monotonic_ns)


def _said(line: str) -> ShufflerSaid:
    """A line of the protocol; what follows FAIL is one text, as there."""
    word, _, rest = line.partition(" ")
    arguments = (rest,) if word == "FAIL" else tuple(rest.split(maxsplit=1))
    return ShufflerSaid(line, word, arguments)
