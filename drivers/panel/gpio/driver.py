"""The dealer's buttons with the supervisor's key switch, and the beam at the shoe's exit."""

from __future__ import annotations

from collections.abc import Mapping

from drivers.errors import DeviceSettingsError
from drivers.panel.gpio.debounce import Turned
from drivers.panel.gpio.inputs import InputDriver, InputTimes
from drivers.panel.gpio.pins import InputPin, PinFactory, board_factory
from drivers.panel.keypad.wire import pressing
from drivers.readings import BeamBroken, BeamRestored, KeyPressed, Reading

KEY_SWITCH = "key_switch"


class GpioPanelDriver(InputDriver):
    """Buttons that say the keypad's lines, and a key switch that says `KEY <badge>` and `NOKEY`.

    `buttons` goes from a whole line ("OPEN", "SHOE 416", "CLEAR continue") to its pin. A button speaks when
    it is pressed; one that is held at start says nothing until it is pressed again. The switch speaks at
    start as well. Raises DeviceSettingsError for a line that the keypad has not.
    """

    def __init__(
        self,
        name: str,
        buttons: Mapping[str, InputPin],
        key_switch: InputPin | None = None,
        key_badge: str = "supervisor",
        times: InputTimes | None = None,
        factory: PinFactory = board_factory,
    ) -> None:
        self._lines = {line: pressing(line) for line in buttons}
        self._badge = key_badge
        inputs = dict(buttons) if key_switch is None else {**buttons, KEY_SWITCH: key_switch}
        check_pins(inputs)
        super().__init__(name, inputs, times or InputTimes(), factory)

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
        pin: InputPin,
        times: InputTimes | None = None,
        factory: PinFactory = board_factory,
    ) -> None:
        times = times or InputTimes(stuck_ms=5_000, at_once=True)
        super().__init__(name, {"beam": pin}, times, factory)

    def began(self, name: str, active: bool) -> Reading | None:
        return BeamBroken() if active else None

    def turned(self, name: str, change: Turned) -> Reading | None:
        return BeamBroken() if change.active else BeamRestored(change.lasted_ns // 1_000_000)


def check_pins(inputs: Mapping[str, InputPin]) -> None:
    """Raises DeviceSettingsError where two inputs share a pin."""
    taken: dict[int, str] = {}
    for name, pin in inputs.items():
        other = taken.setdefault(pin.number, name)
        if other != name:
            raise DeviceSettingsError(name, f"GPIO{pin.number} is taken by {other} already")
