"""Bee-Tek card shoe: ASCII lines, no numbers, no check, no answer. One line is one reading.

` [Game]<Card:4S> ` a card, ` [Game]<Game> ` a card that was not read, ` [Manual Burn Cards]<Card:..> ` a
burn, ` [GameAlarm]<Alarm:E3 Card Not Read> ` an alarm, `<W0x01>` a warning. A card is rank-suit or
suit-rank, the ten is 10 or T; the reading always says rank-suit. Nothing guards a line against a changed
character: that is the device's limit.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from drivers.framing import LineFraming
from drivers.ports import Driver
from drivers.readings import CardNotRead, CardReported, ErrorRaised, Reading, Unreadable, WarningGiven
from drivers.settings import DriverContext, LineDevice, ShoeDevice

if TYPE_CHECKING:
    from drivers.bee_tek.simulator import SimulatedBeeTek

_LONGEST_LINE = 120
IN_GAME, BURNING = "Game", "Manual Burn Cards"
_LINE = re.compile(r"\s*(?:\[(?P<mode>[A-Za-z ]{1,40})\])?\s*<(?P<body>[^<>]{1,80})>\s*")
_RANK, _SUIT = r"(?P<rank>10|[A2-9TJQK])", r"(?P<suit>[SHDC])"
_CARDS = (re.compile(_RANK + _SUIT), re.compile(_SUIT + _RANK))
_ALARM_BODY = re.compile(r"Alarm:(?P<code>\S+)\s*(?P<text>.*)")
_WARNING_BODY = re.compile(r"W(?P<code>0x[0-9A-Fa-f]+)\s*(?P<text>.*)")


class BeeTekShoe(LineDevice, ShoeDevice, frozen=True, kw_only=True, tag="bee-tek"):
    """Bee-Tek."""

    names_cards: ClassVar[bool] = True

    def driver(self, name: str, context: DriverContext) -> Driver:
        from drivers.line_driver import LineListener

        framing = LineFraming("lf", _LONGEST_LINE)
        return LineListener(name, self, framing, reading_of, may_be_card=True, times=context.times)

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedBeeTek":
        from drivers.bee_tek.simulator import SimulatedBeeTek

        return SimulatedBeeTek(path)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return not isinstance(reading_of(line), Unreadable)


def card_of(text: str) -> str | None:
    """A card as rank and suit, or None: "10S", "S10", "TS" and "ST" are all "TS"."""
    for pattern in _CARDS:
        found = pattern.fullmatch(text.strip().upper())
        if found:
            return found["rank"].replace("10", "T") + found["suit"]
    return None


def reading_of(line: bytes) -> Reading:
    """The reading that a line is. What makes no sense may have been a card, since nothing numbers them."""
    found = _LINE.fullmatch(line.decode("ascii", errors="replace"))
    if found is None:
        return Unreadable("no line of a Bee-Tek shoe", may_be_card=True)
    mode, body = found["mode"], found["body"].strip()
    if body.startswith("Card:"):
        return _card(mode, body.removeprefix("Card:"))
    if mode is not None and body == mode:
        return CardNotRead(f"the shoe did not read a card ({mode})", in_game=mode in (IN_GAME, BURNING))
    if alarm := _ALARM_BODY.fullmatch(body):
        return ErrorRaised(alarm["code"], alarm["text"].strip())
    if warning := _WARNING_BODY.fullmatch(body):
        return WarningGiven(warning["code"], warning["text"].strip())
    return Unreadable(f"an unknown message <{body}>", may_be_card=True)


def _card(mode: str | None, text: str) -> Reading:
    code, in_game = card_of(text), mode in (IN_GAME, BURNING)
    if code is None:
        return CardNotRead(f"the shoe gives {text!r}, which is no card", in_game)
    destination = "burn" if mode == BURNING else None
    return CardReported(code, destination, None, in_game)


DEVICES = (BeeTekShoe,)
