"""The dealer's keypad: a serial box that sends a key a line."""

from collections.abc import Callable

from drivers.keypad.wire import KEYPAD
from drivers.line_protocol import Understood, read_line
from drivers.ports import Driver
from drivers.readings import KeyPressed
from drivers.settings import DriverContext, LineDevice, PanelDevice


class KeypadPanel(LineDevice, PanelDevice, frozen=True, kw_only=True, tag="keypad"):
    """A keypad that speaks our line protocol."""

    def driver(self, name: str, context: DriverContext) -> Driver:
        from drivers.line_driver import LineDriver

        return LineDriver(name, self, KEYPAD, KeyPressed, context.times)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return isinstance(read_line(line, KEYPAD), Understood)


DEVICES = (KeypadPanel,)
