"""What a shoe said a moment ago, where it may say one thing twice: a card that was not read as a card without
a code and as an alarm; a card that was read once more, though it is not the last one.
"""

from __future__ import annotations

from collections import deque

import msgspec

from controller.shell.intake.translation import says_unread
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.ports import Received
from drivers.readings import CardNotRead, CardReported, Reading

REMEMBERED = 8
"""So many cards of a shoe: a hand has fewer."""
SAME_CARD_NS = 1_000_000_000
"""Both ways to say an unread card within this time, and no card in between, are one card."""

_Named = tuple[str, str | None, int | None]


class RecentReadings(msgspec.Struct):
    """Of each shoe; nothing is known of the time before the start."""

    _unread: dict[str, tuple[type[Reading], int]] = msgspec.field(default_factory=dict)
    """How and when a card was last said not to be read."""
    _cards: dict[str, deque[_Named]] = msgspec.field(default_factory=dict)

    def once(self, received: Received, found: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        """The events of a reading, given what was said before it."""
        reading, device = received.reading, received.device
        if isinstance(reading, CardReported):
            self._unread.pop(device, None)  # what comes now is about another one
            return self._card(device, reading, found)
        if (isinstance(reading, CardNotRead) or says_unread(reading)) and self._said_both_ways(received):
            told = tuple(event for event in found if not isinstance(event, events.CardUnread))
            return told or (events.DeviceReported(device, "the unread card once more"),)
        return found

    def forget(self, device: str) -> None:
        """Another unit answers under this name."""
        self._unread.pop(device, None)
        self._cards.pop(device, None)

    def _said_both_ways(self, received: Received) -> bool:
        """Whether this unread card was said just now in the other way."""
        way, at_ns = type(received.reading), received.monotonic_ns
        last_way, last_ns = self._unread.pop(received.device, (way, at_ns))
        if way is not last_way and at_ns - last_ns <= SAME_CARD_NS:
            return True
        self._unread[received.device] = (way, at_ns)
        return False

    def _card(self, device: str, card: CardReported, found: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        """A shoe that says a card again which is not the last: people tell whether it lies there twice."""
        cards = self._cards.setdefault(device, deque(maxlen=REMEMBERED))
        named = (card.code, card.destination, card.index)
        if card.again and (named in cards or not cards):
            fault = events.DeviceFaulted(device, "the shoe says a card once more that is not its last one")
            return (fault, events.HoldRequested(by=device), *found)
        cards.append(named)
        return found
