"""The dealer's buttons with the supervisor's key switch, and the beam at the shoe's exit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from drivers.gpio import GpioBeam, GpioPanel
from drivers.gpio.debounce import Turned
from drivers.gpio.inputs import InputDriver, InputTimes
from drivers.keypad import pressing
from drivers.readings import BeamBroken, BeamRestored, KeyPressed, Reading
from drivers.settings import PinFactory

KEY_SWITCH = "key_switch"
BEAM = "beam"
BUTTON_TIMES = InputTimes()
BEAM_TIMES = InputTimes(stuck_ms=5_000, at_once=True)
"""A break counts at once; no card stays in the beam for five seconds."""


class GpioPanelDriver(InputDriver):
    """Buttons that say the keypad's lines, and a key switch that says `KEY <badge>` and `NOKEY`.

    A button speaks when it is pressed; one that is held at start says nothing until it is pressed again. The
    switch speaks at start as well.
    """

    def __init__(
        self,
        name: str,
        settings: GpioPanel,
        factory: PinFactory | None = None,
        times: InputTimes = BUTTON_TIMES,
    ) -> None:
        self._lines = {line: pressing(line) for line in settings.pin_of_line()}
        self._badge = settings.key_badge
        key = {} if settings.key_switch is None else {KEY_SWITCH: settings.key_switch}
        super().__init__(name, settings, settings.pin_of_line() | key, times, factory)

    def opened(self, levels: Mapping[str, bool], now_ns: int) -> Iterable[Reading]:
        return [self._key(levels[KEY_SWITCH])] if KEY_SWITCH in levels else []

    def turned(self, name: str, change: Turned) -> Iterable[Reading]:
        if name == KEY_SWITCH:
            return [self._key(change.active)]
        return [self._lines[name]] if change.active else []

    def _key(self, turned: bool) -> KeyPressed:
        if turned:
            return KeyPressed(f"KEY {self._badge}", "KEY", (self._badge,))
        return KeyPressed("NOKEY", "NOKEY", ())

    def stuck_ms(self, name: str) -> int:
        """A key may stay turned for as long as a supervisor needs it."""
        return 0 if name == KEY_SWITCH else super().stuck_ms(name)


class GpioBeamDriver(InputDriver):
    """A light beam at the shoe's exit: `BeamBroken` at the first edge, `BeamRestored` when it is free
    again.

    A beam that is broken at start is said so.
    """

    def __init__(
        self,
        name: str,
        settings: GpioBeam,
        factory: PinFactory | None = None,
        times: InputTimes | None = None,
    ) -> None:
        super().__init__(name, settings, {BEAM: settings.pin}, times or BEAM_TIMES, factory)

    def opened(self, levels: Mapping[str, bool], now_ns: int) -> Iterable[Reading]:
        return [BeamBroken()] if levels[BEAM] else []

    def turned(self, name: str, change: Turned) -> Iterable[Reading]:
        return [BeamBroken() if change.active else BeamRestored(change.lasted_ns // 1_000_000)]
