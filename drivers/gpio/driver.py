"""The dealer's buttons with the supervisor's key switch, and the beam at the shoe's exit."""

from __future__ import annotations

from drivers.gpio import GpioBeam, GpioPanel
from drivers.gpio.debounce import Turned
from drivers.gpio.inputs import InputDriver, InputTimes
from drivers.keypad import pressing
from drivers.readings import BeamBroken, BeamRestored, KeyPressed, Reading
from drivers.settings import PinFactory

KEY_SWITCH = "key_switch"
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

    def began(self, name: str, active: bool) -> Reading | None:
        return self._key(active) if name == KEY_SWITCH else None

    def turned(self, name: str, change: Turned) -> Reading | None:
        if name == KEY_SWITCH:
            return self._key(change.active)
        return self._lines[name] if change.active else None

    def _key(self, turned: bool) -> KeyPressed:
        if turned:
            return KeyPressed(f"KEY {self._badge}", "KEY", (self._badge,))
        return KeyPressed("NOKEY", "NOKEY", ())

    def may_stay_active(self, name: str) -> bool:
        """A key may stay turned for as long as a supervisor needs it."""
        return name == KEY_SWITCH


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
        super().__init__(name, settings, {"beam": settings.pin}, times or BEAM_TIMES, factory)

    def began(self, name: str, active: bool) -> Reading | None:
        return BeamBroken() if active else None

    def turned(self, name: str, change: Turned) -> Reading | None:
        return BeamBroken() if change.active else BeamRestored(change.lasted_ns // 1_000_000)
