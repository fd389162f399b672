"""The keypad's lines. The same names serve the buttons of the GPIO panel.

`KEY <badge>` says that the supervisor's key is turned, `NOKEY` that it is not. What may be pressed when,
and that a lost line means `NOKEY`, is the shell's business: here a line is only well formed or not. `CUT`
stands for a shoe that does not see its cut card, `DAY` and `ENDDAY` open and close the table.
"""

from __future__ import annotations

from drivers.errors import DeviceSettingsError
from drivers.line_protocol import Misunderstood, card, count, free_text, name_of, read_line
from drivers.readings import KeyPressed

KEYPAD = {
    "SHOE": (count("cards", least=1),),
    "OPEN": (),
    "CLOSE": (),
    "DECIDED": (),
    "REVEAL": (),
    "SETTLED": (),
    "HOLD": (),
    "BURN": (count("n", least=1), free_text("reason", optional=True)),
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
    "DAY": (name_of("gaming_day", optional=True),),
    "ENDDAY": (),
}


KEY_WORDS = ("KEY", "NOKEY")
"""What a button may never say."""


def pressing(line: str) -> KeyPressed:
    """What a button says that sends this line. Raises DeviceSettingsError."""
    result = read_line(line.encode("ascii", errors="replace"), KEYPAD)
    if isinstance(result, Misunderstood):
        raise DeviceSettingsError("lines", f"{line!r} is no line of the keypad: {result.reason}")
    if result.word in KEY_WORDS:
        raise DeviceSettingsError("lines", f"{line!r} is said by the key switch only, never by a button")
    return KeyPressed(result.line, result.word, result.arguments)
