"""Who else watches the cards that leave the shoe: a beam across its exit, a second reader. Where they
disagree with the shoe the table holds.

Pure but for what it remembers: readings and times go in, events come out.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controller.round.state import State
from controller.shell.intake.beam import Beam, BeamFinding
from controller.shell.intake.pairing import Pairing
from controller.shell.intake.second import UNREAD, SecondReader
from controller.shell.intake.unread import says_unread
from controller.shoe.code_map import decode
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.ports import Received
from drivers.readings import (
    BeamBroken,
    CardNotRead,
    CardReported,
    CutCardReported,
    DeviceReachable,
    DeviceUnreachable,
    ErrorRaised,
    Reading,
    Redealt,
    Unreadable,
)

SHOE, BEAM, SECOND = "shoe", "beam", "second_reader"
"""The places of ``[devices]`` that watch the same card."""
BEAM_FINDINGS: dict[BeamFinding, Callable[[], tuple[AnyEvent, ...]]] = {
    "break_without_card": lambda: (events.CardUnread("the beam was broken, and no card was read"),),
    "card_without_break": lambda: contradiction(BEAM, "a card was read, and nothing broke the beam"),
}


class Passage(msgspec.Struct, frozen=True):
    """A card passed the shoe's reader: its code, UNREAD where unknown; ``sure`` unless it may be none."""

    code: str = UNREAD
    sure: bool = True


class Witnessed(msgspec.Struct, frozen=True):
    """What the witnesses make of a reading."""

    parted: bool = False
    """Another card than the one before, whatever its code: the beam was broken in between."""
    events: tuple[AnyEvent, ...] = ()


class Witnesses(msgspec.Struct):
    """Those that the table has."""

    beam: Beam | None = None
    second: SecondReader | None = None

    def heard(self, received: Received, state: State | None) -> Witnessed:
        """A reading of any device that is no repeat."""
        reading, at_ns = received.reading, received.monotonic_ns
        if received.device == BEAM and self.beam is not None:
            if isinstance(reading, BeamBroken):
                self.beam.broken(at_ns)
            follow_connection(self.beam, reading, at_ns)
        elif received.device == SECOND and self.second is not None:
            follow_connection(self.second, reading, at_ns)
            passage = passage_of(reading)
            if passage is not None:
                found = self.second.second(passage.code, at_ns, same_by(state), sure=passage.sure)
                return Witnessed(events=told(found))
        elif received.device == SHOE:
            passage = passage_of(reading)
            if passage is not None:
                return self._card(passage, at_ns, isinstance(reading, CutCardReported), state)
        return Witnessed()

    def due(self, now_ns: int) -> list[tuple[str, AnyEvent]]:
        """Who missed what by now: device and event."""
        found: list[tuple[str, AnyEvent]] = []
        if self.beam is not None:
            for finding in self.beam.due(now_ns):
                found += [(BEAM, event) for event in BEAM_FINDINGS[finding]()]
        if self.second is not None:
            found += [(SECOND, event) for event in told(self.second.due(now_ns))]
        return found

    def deadline_ns(self) -> int | None:
        """When ``due`` may next have something to say."""
        watching = [watch for watch in (self.beam, self.second) if watch is not None]
        return min((due for watch in watching if (due := watch.deadline_ns()) is not None), default=None)

    def _card(self, passage: Passage, at_ns: int, cut_card: bool, state: State | None) -> Witnessed:
        parted = False
        if self.beam is not None:
            parted = self.beam.card(at_ns, sure=passage.sure)
        if self.second is None:
            return Witnessed(parted)
        # A cut card carries no code: the second reader may see it or not.
        sure = passage.sure and not cut_card
        return Witnessed(parted, told(self.second.shoe(passage.code, at_ns, same_by(state), sure=sure)))


def passage_of(reading: Reading) -> Passage | None:
    """Whether a card passed the reader that says this."""
    match reading:
        case CardReported():
            return Passage(reading.code, sure=not reading.again)
        case Redealt():
            return Passage(reading.code or UNREAD, sure=False)
        case CardNotRead() | CutCardReported():
            return Passage()
        case ErrorRaised() if says_unread(reading):
            return Passage(sure=False)
        case Unreadable(continued=False, may_be_card=True):
            return Passage(sure=False)
    return None


def follow_connection(watch: Pairing, reading: Reading, at_ns: int) -> None:
    """A witness that does not answer sees nothing."""
    if isinstance(reading, DeviceReachable):
        watch.connected(at_ns)
    elif isinstance(reading, DeviceUnreachable):
        watch.disconnected()


def same_by(state: State | None) -> Callable[[str, str], bool]:
    """Whether two codes mean the same card by the table's code map."""

    def same(one: str, other: str) -> bool:
        if one == other or state is None:
            return one == other
        code_map = state.configuration.code_map
        first, second = decode(code_map, one), decode(code_map, other)
        serials = first.serial == second.serial or None in (first.serial, second.serial)
        return first.card is not None and first.card == second.card and serials

    return same


def told(found: list[str]) -> tuple[AnyEvent, ...]:
    """What the second reader contradicts, as events."""
    return tuple(event for text in found for event in contradiction(SECOND, text))


def contradiction(device: str, text: str) -> tuple[AnyEvent, ...]:
    """People have to look at the felt; the text names no card, for it may lie face down."""
    return (events.DeviceFaulted(device, text), events.HoldRequested(by=device))
