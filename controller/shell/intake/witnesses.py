"""Who else watches the cards that leave the shoe: a beam across its exit, which sees that a card passes and
not which, and a second reader, which must agree with the shoe card by card. Where they disagree with the shoe
the table holds: what the shoe reports is what counts, and the others only contradict.

Pure but for what it remembers: readings and times go in, events come out.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from controller.round.state import State
from controller.shell.intake.pairing import UNREAD, Detection, Pairing, Side
from controller.shell.intake.translation import says_unread
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
    Reading,
    Redealt,
    Unreadable,
)

SHOE, BEAM, SECOND = "shoe", "beam", "second_reader"
"""The places of ``[devices]`` that watch the same card."""


def contradiction(device: str, text: str) -> tuple[AnyEvent, ...]:
    """People have to look at the felt; the text names no card, for it may lie face down."""
    return (events.DeviceFaulted(device, text), events.HoldRequested(by=device))


ALONE: dict[tuple[str, Side], tuple[AnyEvent, ...]] = {
    (BEAM, "shoe"): contradiction(BEAM, "a card was read, and nothing broke the beam"),
    (BEAM, "witness"): (events.CardUnread("the beam was broken, and no card was read"),),
    (SECOND, "shoe"): contradiction(SECOND, "the second reader did not see a card"),
    (SECOND, "witness"): contradiction(SECOND, "only the second reader saw a card"),
}
"""A witness, and the side that alone reported a card. A card without a break is none that left the shoe, or
the beam is blind."""
DISAGREE = contradiction(SECOND, "the two readers do not agree on a card")


class Witnessed(msgspec.Struct, frozen=True):
    """What the witnesses make of a reading."""

    parted: bool = False
    """Another card than the one before, whatever its code: the beam was broken in between."""
    events: tuple[AnyEvent, ...] = ()


class Witnesses(msgspec.Struct):
    """Those that the table has."""

    beam: Pairing | None = None
    second: Pairing | None = None
    _parted: bool = False
    """The beam was broken since the last card: the next one is another card, whatever its code."""

    def heard(self, received: Received, state: State | None) -> Witnessed:
        """A reading of any device that is no repeat."""
        reading, at_ns = received.reading, received.monotonic_ns
        if received.device == BEAM and self.beam is not None:
            if isinstance(reading, BeamBroken):
                self._parted = True
                self.beam.from_witness(Detection(at_ns))
            elif isinstance(reading, DeviceUnreachable):
                self._parted = False
            follow_connection(self.beam, reading, at_ns)
        elif received.device == SECOND and self.second is not None:
            follow_connection(self.second, reading, at_ns)
            passed = passage_of(reading, at_ns)
            if passed is not None:
                return Witnessed(events=compared(passed, self.second.from_witness(passed), state))
        elif received.device == SHOE:
            passed = passage_of(reading, at_ns)
            if passed is not None:
                return self._card(passed, isinstance(reading, CutCardReported), state)
        return Witnessed()

    def due(self, now_ns: int) -> list[tuple[str, AnyEvent]]:
        """Who missed what by now: device and event."""
        found: list[tuple[str, AnyEvent]] = []
        for device, watch in ((BEAM, self.beam), (SECOND, self.second)):
            for side in [] if watch is None else watch.missed(now_ns):
                found += [(device, event) for event in ALONE[device, side]]
        return found

    def deadline_ns(self) -> int | None:
        """When ``due`` may next have something to say."""
        watching = [watch for watch in (self.beam, self.second) if watch is not None]
        return min((due for watch in watching if (due := watch.deadline_ns()) is not None), default=None)

    def _card(self, passed: Detection, cut_card: bool, state: State | None) -> Witnessed:
        parted, self._parted = self._parted, False
        if self.beam is not None:
            self.beam.from_shoe(passed)
        if self.second is None:
            return Witnessed(parted)
        # A cut card carries no code: the second reader may see it or not.
        seen = self.second.from_shoe(replace(passed, sure=passed.sure and not cut_card))
        return Witnessed(parted, compared(passed, seen, state))


def passage_of(reading: Reading, at_ns: int) -> Detection | None:
    """The card that passed the reader that says this, if one did."""
    match reading:
        case CardReported():
            return Detection(at_ns, reading.code, sure=not reading.again)
        case Redealt():
            return Detection(at_ns, reading.code or UNREAD, sure=False)
        case CardNotRead() | CutCardReported():
            return Detection(at_ns)
        case Unreadable(continued=False, may_be_card=True):
            return Detection(at_ns, sure=False)
    return Detection(at_ns, sure=False) if says_unread(reading) else None


def follow_connection(watch: Pairing, reading: Reading, at_ns: int) -> None:
    """A witness that does not answer sees nothing."""
    if isinstance(reading, DeviceReachable):
        watch.connected(at_ns)
    elif isinstance(reading, DeviceUnreachable):
        watch.disconnected()


def compared(passed: Detection, other: Detection | None, state: State | None) -> tuple[AnyEvent, ...]:
    """What the second reader contradicts, where both have reported the card."""
    if other is None or UNREAD in (passed.code, other.code) or same_card(passed.code, other.code, state):
        return ()
    return DISAGREE


def same_card(one: str, other: str, state: State | None) -> bool:
    """Whether two codes mean the same card by the table's code map."""
    if one == other or state is None:
        return one == other
    code_map = state.configuration.code_map
    first, second = decode(code_map, one), decode(code_map, other)
    serials = first.serial == second.serial or None in (first.serial, second.serial)
    return first.card is not None and first.card == second.card and serials
