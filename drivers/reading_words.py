"""Readings in words: what a device said, as the record and a person at the bench read it."""

from __future__ import annotations

from drivers.readings import (
    BeamBroken,
    BeamRestored,
    CardNotRead,
    CardReported,
    CommandAnswered,
    CutCardReported,
    DeviceReachable,
    DeviceUnreachable,
    ErrorCleared,
    ErrorRaised,
    FeltSeen,
    InputFreed,
    InputsRead,
    InputStuck,
    KeyPressed,
    LockStateReported,
    PresetChanged,
    ProcessReported,
    Reading,
    Redealt,
    ResultGiven,
    ShoeStandby,
    ShufflerSaid,
    StartReported,
    Unreadable,
    WarningGiven,
)

_COMMANDS = {"LK 01": "let cards out", "LK 02": "let no card out", "GP 00": "tell the state"}
"""What is asked of a shoe, where people read of it."""


def in_words(reading: Reading) -> str:
    """What the device said; as long as the device made it."""
    match reading:
        case CardReported():
            return _card(reading)
        case CardNotRead(detail=detail):
            return f"a card was not read{_after(detail)}"
        case Redealt(code=code):
            return f"the hand is dealt anew, beginning with {code or 'a card that was not read'}"
        case FeltSeen(cards=cards):
            return f"face up on the felt: {' '.join(cards) or 'no card'}"
        case CutCardReported():
            return "the cut card came out"
        case ResultGiven():
            return _result(reading)
        case StartReported():
            return "the device has started"
        case ShoeStandby():
            return "the shoe is ready and no game is running in it"
        case ErrorRaised():
            stops = ", and the device stops until it is cleared" if reading.in_error_mode else ""
            return f"error {reading.code}: {reading.text}{stops}"
        case ErrorCleared(code=code, text=text):
            return f"error {code} is over: {text}"
        case WarningGiven(code=code, text=text):
            return f"warning {code}: {text}"
        case LockStateReported(locked=locked):
            return "the lock is closed" if locked else "the lock is open"
        case PresetChanged(detail=detail):
            return f"a preset was changed at the device{_after(detail)}"
        case ProcessReported(text=text):
            return f"answer to a query: {text}"
        case CommandAnswered():
            return outcome_of(reading)
        case KeyPressed(line=line) | ShufflerSaid(line=line):
            return line
        case BeamBroken():
            return "the beam is broken"
        case BeamRestored(broken_ms=broken_ms):
            return f"the beam is free again after {broken_ms} ms"
        case InputsRead(active=active):
            return f"active when opened: {', '.join(active) or 'no input'}"
        case InputStuck(name=name):
            return f"the input {name} is stuck"
        case InputFreed(name=name):
            return f"the input {name} is at rest again"
        case Unreadable(reason=reason) | DeviceUnreachable(reason=reason):
            return reason
        case DeviceReachable(identity=identity):
            return f"connected{_after(identity or '')}"


def outcome_of(answer: CommandAnswered) -> str:
    """What became of a command; a narrow screen shows the beginning."""
    meaning = _COMMANDS.get(answer.command)
    command = f"command {answer.command}{_after(meaning or '')}"
    if answer.ok:
        return f"{command}: done"
    return f"no answer to {command}" if answer.code is None else f"{command} refused with {answer.code}"


def _card(card: CardReported) -> str:
    index = "" if card.index is None else f" {card.index}"
    said = [
        f"card {card.code}",
        *([f"for {card.destination.replace('_', ' ')}{index}"] if card.destination is not None else []),
        *(["once more"] if card.again else []),
        *([] if card.in_game else ["outside a game"]),
        *([f"serial {card.serial}"] if card.serial is not None else []),
        *([f"confidence {card.confidence:.2f}"] if card.confidence is not None else []),
    ]
    return ", ".join(said)


def _result(result: ResultGiven) -> str:
    pairs = [
        name for name, is_one in (("player", result.player_pair), ("banker", result.banker_pair)) if is_one
    ]
    won = f"the shoe's result: {result.winner.replace('_', ' ')}"
    return ", ".join([won, *(f"{name} pair" for name in pairs)])


def _after(detail: str) -> str:
    return f": {detail}" if detail else ""
