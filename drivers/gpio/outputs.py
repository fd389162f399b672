"""What the table shows and moves by pins: traffic light, hold lamp, buzzer, lock of the shoe.

Outputs stay as they were when a process dies, so they begin in the safe state and are put back into it at
the end; the pins stay driven then, since a pin that is let go floats. For a daemon that was killed, whoever
outlives it calls `put_safe`.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from operator import methodcaller
from typing import Any

from msgspec.structs import replace

from drivers.errors import DeviceFault
from drivers.gpio import COLOURS, GpioLights
from drivers.gpio.pins import board_factory, open_output
from drivers.ports import Light, PortState
from drivers.settings import PinFactory

_LOG = logging.getLogger(__name__)
_ON, _OFF = methodcaller("on"), methodcaller("off")


class GpioOutputs:
    """The outputs. Every method may be called from any thread, returns at once and never raises for a
    failing pin.
    """

    def __init__(self, name: str, pins: GpioLights, factory: PinFactory | None = None) -> None:
        self.name = name
        self._pins = pins
        self._factory = factory or board_factory
        self._guard = threading.Lock()
        self._outputs: dict[str, Any] = {}
        self._state = PortState(path=", ".join(f"GPIO{number}" for _, number in pins.named()))

    @property
    def state(self) -> PortState:
        """`bytes_out` counts what was switched, `writes_failed` what could not be."""
        return self._state

    @property
    def has_lock(self) -> bool:
        """Whether the table has a lock of the shoe on a pin."""
        return self._pins.shoe_lock is not None

    def start(self) -> None:
        """Take the pins, in the safe state. What fails is tried again at the next switching."""
        with self._guard:
            self._open()

    def stop(self) -> None:
        """Put everything into the safe state and leave the pins driven."""
        self.safe()

    def release(self) -> None:
        """Give the pins back; they float from now on."""
        with self._guard:
            outputs, self._outputs = self._outputs, {}
            self._state = replace(self._state, connected=False)
        for output in outputs.values():
            output.close()

    def safe(self) -> None:
        """Show the safe state."""
        self._switch((name, self._pins.on_when_safe(name)) for name, _ in self._pins.named())

    def levels(self) -> dict[str, bool]:
        """Which outputs are on, as their pins say when they are read; one that cannot be read is missing."""
        found: dict[str, bool] = {}
        with self._guard:
            for name, output in self._outputs.items():
                try:
                    found[name] = bool(output.value)
                except Exception as problem:  # gpiozero and lgpio raise a dozen unrelated types
                    self._failed(f"{name}: reading failed: {problem}")
        return found

    def light(self, light: Light) -> None:
        """Show one colour of the traffic light, or none. The others go off first: never two at once."""
        dark = [(colour, False) for colour in COLOURS if colour != light]
        self._switch(dark if light == "off" else [*dark, (light, True)])

    def hold_lamp(self, on: bool) -> None:
        """Switch the lamp that calls a supervisor."""
        self._switch([("hold", on)])

    def lock(self) -> None:
        """Let no card out."""
        self._switch([("shoe_lock", True)])

    def unlock(self) -> None:
        """Let cards out again."""
        self._switch([("shoe_lock", False)])

    def buzz(self, on_ms: int, off_ms: int = 0, times: int = 1) -> None:
        """Sound the buzzer so many times, in the background."""

        def sound(buzzer: Any) -> None:
            buzzer.blink(on_time=on_ms / 1000, off_time=off_ms / 1000, n=times, background=True)

        with self._guard:
            self._do("buzzer", sound)

    def _switch(self, wanted: Iterable[tuple[str, bool]]) -> None:
        with self._guard:
            for name, on in wanted:
                self._do(name, _ON if on else _OFF)

    def _do(self, name: str, act: Callable[[Any], None]) -> None:
        """Act on an output, where the table has it. Called under the guard."""
        if name not in dict(self._pins.named()):
            return
        if not self._outputs:
            self._open()
        try:
            if name in self._outputs:
                act(self._outputs[name])
                self._state = replace(self._state, bytes_out=self._state.bytes_out + 1)
                return
        except Exception as problem:  # gpiozero and lgpio raise a dozen unrelated types
            self._failed(f"{name}: switching failed: {problem}")
        self._state = replace(self._state, writes_failed=self._state.writes_failed + 1)

    def _open(self) -> None:
        if self._outputs:
            return
        opened: dict[str, Any] = {}
        try:
            factory = self._factory()
            for name, number in self._pins.named():
                safe = self._pins.on_when_safe(name)
                opened[name] = open_output(number, self._pins.active, safe, factory)
        except DeviceFault as problem:
            for output in opened.values():
                output.close()
            self._failed(str(problem))
            return
        self._outputs = opened
        connections = self._state.connections + 1
        self._state = replace(self._state, connected=True, identity=self._state.path, connections=connections)

    def _failed(self, reason: str) -> None:
        if reason != self._state.last_error:
            _LOG.error("%s: %s", self.name, reason)
        self._state = replace(self._state, last_error=reason)


def put_safe(pins: GpioLights, factory: PinFactory | None = None) -> None:
    """Put the outputs into the safe state and leave them so, for whoever outlives the daemon. Raises the
    first DeviceFault, when every other output is safe: a pin that cannot be had leaves no green light on.

    The caller should end with `os._exit`, so that no library lets the pins go on its way out.
    """
    made, problems = (factory or board_factory)(), []
    for name, number in pins.named():
        try:
            _LEFT_DRIVEN.append(open_output(number, pins.active, pins.on_when_safe(name), made))
        except DeviceFault as problem:
            problems.append(problem)
    if problems:
        raise problems[0]


_LEFT_DRIVEN: list[Any] = []
