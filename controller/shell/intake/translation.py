"""The translation: each reading, keypad line and shuffler line, and the event that it means."""

from __future__ import annotations

from collections.abc import Callable

from controller.round.state import State
from controller.round.turn import game_of
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.reading_words import in_words
from drivers.readings import (
    CardNotRead,
    CardReported,
    CommandAnswered,
    CutCardReported,
    ErrorRaised,
    KeyPressed,
    Reading,
    Redealt,
    ResultGiven,
    ShufflerSaid,
    Unreadable,
)

_DEALER: dict[str, Callable[[tuple[str, ...]], AnyEvent]] = {
    "SHOE": lambda arguments: events.ShoeLoaded(cards=int(arguments[0]), shuffled=True),
    "SEATS": lambda arguments: events.SeatsTaken(seats=tuple(map(int, arguments))),
    "OPEN": lambda arguments: events.BetsOpened(),
    "CLOSE": lambda arguments: events.BetsClosed(),
    "DECIDED": lambda arguments: events.DecisionsClosed(),
    "REVEAL": lambda arguments: events.CardsRevealed(hand=arguments[0] if arguments else None),
    "SETTLED": lambda arguments: events.RoundSettled(),
    "HOLD": lambda arguments: events.HoldRequested(by="dealer"),
    "DEALER": lambda arguments: events.DealerSignedOn(by=arguments[0]),
    "NODEALER": lambda arguments: events.DealerSignedOff(),
    "BURN": lambda arguments: events.CardsBurned(cards=int(arguments[0]), reason=" ".join(arguments[1:])),
}
"""Keys that a dealer may press alone."""

_SUPERVISOR: dict[str, Callable[[tuple[str, ...], str], AnyEvent]] = {
    "VOID": lambda arguments, badge: events.RoundVoided(reason=arguments[0], by=badge),
    "ENTER": lambda arguments, badge: events.CardEntered(card=arguments[0], by=badge),
    "RETURN": lambda arguments, badge: events.CardReturned(card=arguments[0], by=badge),
    "COUNT": lambda arguments, badge: events.ShoeCounted(cards=int(arguments[0]), by=badge),
    "LEFT": lambda arguments, badge: events.ShoeCounted(left=int(arguments[0]), by=badge),
    "EMPTY": lambda arguments, badge: events.ShoeEmptied(by=badge),
    "CUT": lambda arguments, badge: events.CutCardSeen(by=badge),
    "DAY": lambda arguments, badge: events.TableOpened(
        by=badge, gaming_day=arguments[0] if arguments else None
    ),
    "ENDDAY": lambda arguments, badge: events.TableClosed(by=badge),
}
"""Keys that need the supervisor's key turned."""


_UNREAD = ("card not read", "card code error")
_DISORDER = ("overdraw", "reverse run at the exit", "reverse run midway")
"""Alarms of shoes, of any maker: a card passed and is not known; cards moved as they never should."""

DEALER_KEYS = (*_DEALER, "CLEAR")
SUPERVISOR_KEYS = tuple(_SUPERVISOR)


def keypad_event(pressed: KeyPressed, badge: str | None) -> AnyEvent | None:
    """The event of a keypad line; None if the supervisor's key is missing.

    CLEAR goes to the table without a key as well: the house may let a dealer make harmless choices.
    """
    word, arguments = pressed.word, pressed.arguments
    if word in _DEALER:
        return _DEALER[word](arguments)
    if word == "CLEAR":
        return events.HoldCleared(
            choice=arguments[0], by=badge or "dealer", note=" ".join(arguments[1:]) or None
        )
    if word in _SUPERVISOR and badge is not None:
        return _SUPERVISOR[word](arguments, badge)
    return None


def seats_from(state: State | None) -> str | None:
    """Who says which seats play: the panel, or the settlement system; None where nothing is configured."""
    return None if state is None else state.configuration.game.seats_from


def shuffler_event(device: str, said: ShufflerSaid, state: State | None) -> AnyEvent:
    """The event of a shuffler line; what changes nothing is kept as a report."""
    word, arguments = said.word, said.arguments
    mark = arguments[1] if word in ("DONE", "LOADED", "COUNT") and len(arguments) > 1 else None
    if word == "DONE":
        return events.ShuffleCompleted(cards=int(arguments[0]) if arguments else None, set=mark)
    if word == "FAIL":
        return events.ShuffleFailed(reason=arguments[0])
    if word == "LOADED" and state is not None:
        cards = int(arguments[0]) * len(game_of(state.configuration).deck)
        return events.ShoeLoaded(cards=cards, decks=int(arguments[0]), shuffled=True, set=mark)
    if word == "COUNT":
        return events.ShoeCounted(cards=int(arguments[0]), set=mark)
    if word == "COLLECTED":
        return events.CardsCollected(cards=int(arguments[0]))
    if word == "ERROR" and state is not None and state.configuration.shoe.kind == "continuous":
        return events.ShuffleFailed(reason=" ".join(arguments)[:400])
    if word == "ERROR":
        return events.DeviceFaulted(device, " ".join(arguments)[:400])
    return events.DeviceReported(device, said.line[:400])


def reading_events(device: str, reading: Reading, state: State | None) -> tuple[AnyEvent, ...]:
    """The events of a shoe's or a sensor's reading."""
    match reading:
        case CardReported():
            position = position_of(reading.destination, state) if reading.in_game else out_of_game(reading)
            return (events.CardRead(reading.code[:400], position, reading.serial),)
        case CardNotRead():
            return (events.CardUnread(reading.detail[:400]),)
        case Redealt():
            fault = events.DeviceFaulted(device, "the shoe says that the hand is dealt anew")
            hold = events.HoldRequested(by=device)
            if reading.code is None:
                return (fault, hold, events.CardUnread("dealt anew"))
            return (fault, hold, events.CardRead(reading.code, position_of(reading.destination, state)))
        case CutCardReported():
            return (events.CutCardSeen(),)
        case ResultGiven():
            return (events.ResultReported(reading.winner, reading.player_pair, reading.banker_pair),)
        case ErrorRaised():
            return error_events(device, reading, state)
        case CommandAnswered(ok=False):
            return (events.DeviceFaulted(device, in_words(reading)),)
        case _:
            return (events.DeviceReported(device, in_words(reading)[:400]),)


def second_events(device: str, reading: Reading) -> tuple[AnyEvent, ...]:
    """A second reader's reading: for the record only, since the shoe is the one that counts."""
    match reading:
        case ErrorRaised():
            return (events.DeviceFaulted(device, f"error {reading.code}: {reading.text}"[:400]),)
        case Unreadable():
            return (events.DeviceFaulted(device, reading.reason[:400]),)
        case _:
            return (events.DeviceReported(device, in_words(reading)[:400]),)


def error_events(device: str, error: ErrorRaised, state: State | None) -> tuple[AnyEvent, ...]:
    """A device in trouble: always a fault; it may also mean an unread card, or cards in disorder."""
    fault = events.DeviceFaulted(device, f"error {error.code}: {error.text}"[:400])
    if says_unread(error):
        return (fault, events.CardUnread(f"the shoe says: {error.text}"[:400]))
    if error.text.lower() in _DISORDER and state is not None and state.in_round:
        return (fault, events.HoldRequested(by=device))
    return (fault,)


def says_unread(reading: Reading) -> bool:
    """Whether an alarm means that a card passed and is not known."""
    return isinstance(reading, ErrorRaised) and reading.text.lower() in _UNREAD


def position_of(destination: str | None, state: State | None) -> str | None:
    """Where a shoe that knows the game's hands says that the card goes, in the table's terms."""
    if destination is None or state is None:
        return None
    return game_of(state.configuration).shoe_positions.get(destination)


def out_of_game(card: CardReported) -> str:
    """The place of a card that left the shoe outside a game: no hand, so that it never counts without a
    person.
    """
    return card.destination or "outside_game"
