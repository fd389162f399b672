"""The dealer's keypad: a serial box that sends a key a line.

The same names serve the buttons of the GPIO panel.
`KEY <badge>` says that the supervisor's key is turned, `NOKEY` that it is not. What may be pressed when,
and that a lost line means `NOKEY`, is the shell's business: here a line is only well formed or not. `CUT`
stands for a shoe that does not see its cut card, `DAY` and `ENDDAY` open and close the table.
"""

from collections.abc import Callable

from drivers.errors import DeviceSettingsError
from drivers.line_protocol import Understood, card, count, free_text, name_of, read_line
from drivers.ports import Driver
from drivers.readings import KeyPressed
from drivers.settings import DriverContext, LineDevice, PanelDevice

MOST_BURNED = 416
"""A whole shoe."""
KEYPAD = {
    "SHOE": (count("cards", least=1),),
    "SEATS": (count("n", least=1, repeated=True),),
    "OPEN": (),
    "CLOSE": (),
    "DECIDED": (),
    "REVEAL": (name_of("hand", optional=True),),
    "SETTLED": (),
    "HOLD": (),
    "BURN": (count("n", least=1, most=MOST_BURNED), free_text("reason", optional=True)),
    "KEY": (name_of("badge"),),
    "NOKEY": (),
    "VOID": (name_of("reason"),),
    "ENTER": (card("card"),),
    "RETURN": (card("card"),),
    "COUNT": (count("cards"),),
    "LEFT": (count("cards"),),
    "EMPTY": (),
    "CLEAR": (name_of("choice"), free_text("note", optional=True)),
    "CUT": (),
    "DEALER": (name_of("badge"),),
    "NODEALER": (),
    "DAY": (name_of("gaming_day", optional=True),),
    "ENDDAY": (),
}
KEY_WORDS = ("KEY", "NOKEY")
"""What a button may never say."""


class KeypadPanel(LineDevice, PanelDevice, frozen=True, kw_only=True, tag="keypad"):
    """A keypad that speaks our line protocol."""

    def driver(self, name: str, context: DriverContext) -> Driver:
        from drivers.line_driver import LineDriver

        return LineDriver(name, self, KEYPAD, KeyPressed, context.times)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return isinstance(read_line(line, KEYPAD), Understood)


def pressing(line: str) -> KeyPressed:
    """What a button says that sends this line. Raises DeviceSettingsError."""
    result = read_line(line.encode("ascii", errors="replace"), KEYPAD)
    if not isinstance(result, Understood):
        raise DeviceSettingsError("lines", f"{line!r} is no line of the keypad: {result.reason}")
    if result.word in KEY_WORDS:
        raise DeviceSettingsError("lines", f"{line!r} is said by the key switch only, never by a button")
    return KeyPressed(result.line, result.word, result.arguments)


DEVICES = (KeypadPanel,)
