"""Bee-Tek: one line to one reading, and back.

` [Game]<Card:4S> ` a card, ` [Game]<Game> ` a card that was not read, ` [Manual Burn Cards]<Card:..> ` a
burn, ` [GameAlarm]<Alarm:E3 Card Not Read> ` an alarm, `<W0x01>` a warning. A card is rank-suit or
suit-rank, the ten is 10 or T; the reading always says rank-suit. Nothing guards a line against a changed
character: that is the device's limit.
"""

from __future__ import annotations

import re

from drivers.readings import CardNotRead, CardReported, ErrorRaised, Reading, Unreadable, WarningGiven

IN_GAME, BURNING, ALARM = "Game", "Manual Burn Cards", "GameAlarm"
_LINE = re.compile(r"\s*(?:\[(?P<mode>[A-Za-z ]{1,40})\])?\s*<(?P<body>[^<>]{1,80})>\s*")
_RANK, _SUIT = r"(?P<rank>10|[A2-9TJQK])", r"(?P<suit>[SHDC])"
_CARDS = (re.compile(_RANK + _SUIT), re.compile(_SUIT + _RANK))
_ALARM_BODY = re.compile(r"Alarm:(?P<code>\S+)\s*(?P<text>.*)")
_WARNING_BODY = re.compile(r"W(?P<code>0x[0-9A-Fa-f]+)\s*(?P<text>.*)")


def card_line(code: str, burn: bool = False, suit_first: bool = False) -> str:
    """The line for a card such as "TH"."""
    written = code[1] + code[0] if suit_first else code
    return f" [{BURNING if burn else IN_GAME}]<Card:{written}> "


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
