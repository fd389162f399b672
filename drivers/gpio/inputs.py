"""A driver for inputs on pins: edges in, debounced changes out, from one thread.

The library calls from a thread of its own for each edge; that call only stamps and enqueues. Since an edge
can be lost, the levels are read again and again as well.
"""

from __future__ import annotations

import queue
import time
from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from drivers.gpio import GpioDevice
from drivers.gpio.debounce import Debounce, Freed, Stuck, Turned
from drivers.gpio.pins import board_factory, open_input
from drivers.ports import PortState
from drivers.readings import DeviceReachable, InputFreed, InputStuck, Reading
from drivers.serving import ServingDriver
from drivers.settings import PinFactory

_MS = 1_000_000
_LATEST_NS = 10_000_000_000
"""What is later than this comes from another clock than ours."""


@dataclass(frozen=True, slots=True)
class InputTimes:
    """When an input counts. `stuck_ms` 0: never stuck. `look_s`: how often the levels are read without an
    edge.
    """

    stuck_ms: int = 30_000
    at_once: bool = False
    look_s: float = 0.25
    retry_s: float = 2.0


@dataclass(frozen=True, slots=True)
class _Edge:
    name: str
    active: bool
    at_ns: int


class InputDriver(ServingDriver):
    """Inputs by name. Subclasses say what a level at the beginning and a change mean."""

    fault = "reading the pins failed"

    def __init__(
        self,
        name: str,
        settings: GpioDevice,
        inputs: Mapping[str, int],
        times: InputTimes,
        factory: PinFactory | None,
        inverted: Collection[str] = (),
    ) -> None:
        """``inverted``: inputs that are active at the other level."""
        path = ", ".join(f"GPIO{number}" for number in inputs.values())
        super().__init__(name, path, times.retry_s, times.retry_s)
        self._inputs = dict(inputs)
        self._active = settings.active
        self._inverted = frozenset(inverted)
        self._settle_ms = settings.debounce_ms
        self._times = times
        self._factory = factory or board_factory
        self._edges: queue.SimpleQueue[_Edge | None] = queue.SimpleQueue()
        self._state = PortState(path)

    @property
    def state(self) -> PortState:
        """`frames_in` counts changes that counted, `noise_in` edges that did not."""
        return self._state

    def wake(self) -> None:
        self._edges.put(None)

    def opened(self, levels: Mapping[str, bool], now_ns: int) -> Iterable[Reading]:
        """What the inputs say by their levels at the beginning."""
        return ()

    def settle_ms(self, name: str) -> int:
        """How long a level of this input must stand to count."""
        return self._settle_ms

    def stuck_ms(self, name: str) -> int:
        """For how long this input may be active; 0: for ever."""
        return self._times.stuck_ms

    def is_looked_at(self, name: str) -> bool:
        """Whether its level is read as well; not where edges that are told late would no longer fit."""
        return True

    def stuck(self, name: str) -> Iterable[Reading]:
        """What else it means that this input is stuck."""
        return ()

    def deadline_ns(self) -> int | None:
        """When `pass_time` may next have something to say."""
        return None

    def pass_time(self, now_ns: int) -> Iterable[Reading]:
        """What is so because time has passed."""
        return ()

    @abstractmethod
    def turned(self, name: str, change: Turned) -> Iterable[Reading]:
        """What a change means."""

    def serve(self) -> str:
        factory = self._factory()
        opened: dict[str, Any] = {}
        try:
            for name, number in self._inputs.items():
                opened[name] = open_input(number, self._active, factory)
            self._watch(opened)
            return "stopped"
        finally:
            for device in opened.values():
                device.close()

    def _watch(self, opened: Mapping[str, Any]) -> None:
        self._edges = queue.SimpleQueue()
        # gpiozero keeps weak references only, so the handlers live here.
        handlers = [self._listen(name, device) for name, device in opened.items()]
        now = time.monotonic_ns()
        # Read before anybody is told: what is pressed from then on is pressed now.
        levels = {name: self._is_active(name, device) for name, device in opened.items()}
        self._count(connected=True, identity=self._state.path, connections=self._state.connections + 1)
        self._told_lost = False
        self._tell([DeviceReachable(self._state.path, first=self._state.connections == 1)], now)
        inputs = {
            name: Debounce(
                self.settle_ms(name) * _MS, self.stuck_ms(name) * _MS, active, now, self._times.at_once
            )
            for name, active in levels.items()
        }
        self._tell(self.opened(levels, now), now)
        while handlers and not self._stopping.is_set():
            self._step(inputs, opened)

    def _listen(self, name: str, device: Any) -> Callable[[float, int], None]:
        active_level = int((self._active == "high") != (name in self._inverted))
        clock = device.pin_factory

        def changed(ticks: float, level: int) -> None:
            # The library knows when the edge was; this thread may be late, and a pulse is short.
            late_ns = int(clock.ticks_diff(clock.ticks(), ticks) * 1e9)
            at_ns = time.monotonic_ns() - (late_ns if 0 < late_ns < _LATEST_NS else 0)
            self._edges.put(_Edge(name, int(level) == active_level, at_ns))

        device.pin.edges = "both"
        device.pin.when_changed = changed
        return changed

    def _step(self, inputs: Mapping[str, Debounce], opened: Mapping[str, Any]) -> None:
        """Wait for an edge or a deadline, and say what follows."""
        now = time.monotonic_ns()
        deadlines = [self.deadline_ns(), *(each.deadline_ns() for each in inputs.values())]
        due = [deadline for deadline in deadlines if deadline is not None]
        wait_s = min([self._times.look_s, *((deadline - now) / 1e9 for deadline in due)])
        try:
            edge = self._edges.get(timeout=max(0.0, wait_s))
        except queue.Empty:
            edge = None
        if self._stopping.is_set():
            return
        if edge is not None:
            self._settle(edge.name, inputs[edge.name].edge(edge.active, edge.at_ns), edge=True)
            return
        now = time.monotonic_ns()
        for name, debounce in inputs.items():
            looked = self.is_looked_at(name)
            changes = (
                debounce.edge(self._is_active(name, opened[name]), now) if looked else debounce.pass_time(now)
            )
            self._settle(name, changes)
        self._tell(self.pass_time(now), now)

    def _is_active(self, name: str, device: Any) -> bool:
        return bool(device.is_active) != (name in self._inverted)

    def _settle(self, name: str, changes: list[Turned | Stuck | Freed], edge: bool = False) -> None:
        now, counted = time.monotonic_ns(), 0
        for change in changes:
            match change:
                case Turned():
                    counted += 1
                    self._tell(self.turned(name, change), change.at_ns)
                case Stuck():
                    self._tell([InputStuck(name), *self.stuck(name)], now)
                case Freed():
                    self._tell([InputFreed(name)], now)
        state = self._state
        noise = state.noise_in + int(edge) - counted
        self._count(frames_in=state.frames_in + counted, noise_in=max(noise, 0), last_byte_ns=now)

    def note_lost(self, reason: str) -> None:
        losses = self._state.losses + int(self._state.connected)
        self._count(connected=False, last_error=reason, losses=losses)

    def _count(self, **changes: Any) -> None:
        self._state = replace(self._state, **changes)

    def _tell(self, readings: Iterable[Reading], at_ns: int) -> None:
        for reading in readings:
            self._say(reading, b"", at_ns)
