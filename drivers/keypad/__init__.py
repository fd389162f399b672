"""The dealer's keypad: a serial box that sends a key a line."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from drivers.keypad.wire import KEYPAD
from drivers.line_protocol import Understood, read_line
from drivers.settings import DriverContext, LineDevice, PanelDevice

if TYPE_CHECKING:
    from drivers.keypad.driver import KeypadDriver


class KeypadPanel(LineDevice, PanelDevice, frozen=True, kw_only=True, tag="keypad"):
    """A keypad that speaks our line protocol."""

    def driver(self, name: str, context: DriverContext) -> "KeypadDriver":
        from drivers.keypad.driver import KeypadDriver

        return KeypadDriver(name, self)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return isinstance(read_line(line, KEYPAD), Understood)


DEVICES = (KeypadPanel,)
