"""What a shoe said a moment ago, where it may say one thing twice: a card that was not read as a card without
a code and as an alarm; a card that was read once more, though it is not the last one.
"""

from __future__ import annotations

from collections import deque

import msgspec

from controller.shell.intake.unread import UnreadOnce, Way, says_unread
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.ports import Received
from drivers.readings import CardNotRead, CardReported, ErrorRaised

REMEMBERED = 8
"""So many cards of a shoe: a hand has fewer."""

_Named = tuple[str, str | None, int | None]


class RecentReadings(msgspec.Struct):
    """Of each shoe; nothing is known of the time before the start."""

    _unread: UnreadOnce = msgspec.field(default_factory=UnreadOnce)
    _cards: dict[str, deque[_Named]] = msgspec.field(default_factory=dict)

    def once(self, received: Received, found: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        """The events of a reading, given what was said before it."""
        reading, device = received.reading, received.device
        if isinstance(reading, CardReported):
            self._unread.card(device)
            return self._card(device, reading, found)
        if isinstance(reading, CardNotRead) or (isinstance(reading, ErrorRaised) and says_unread(reading)):
            way: Way = "card" if isinstance(reading, CardNotRead) else "alarm"
            if not self._unread.is_new(device, way, received.monotonic_ns):
                told = tuple(event for event in found if not isinstance(event, events.CardUnread))
                return told or (events.DeviceReported(device, "the unread card once more"),)
        return found

    def _card(self, device: str, card: CardReported, found: tuple[AnyEvent, ...]) -> tuple[AnyEvent, ...]:
        """A shoe that says a card again which is not the last: people tell whether it lies there twice."""
        cards = self._cards.setdefault(device, deque(maxlen=REMEMBERED))
        named = (card.code, card.destination, card.index)
        if card.again and (named in cards or not cards):
            fault = events.DeviceFaulted(device, "the shoe says a card once more that is not its last one")
            return (fault, events.HoldRequested(by=device), *found)
        cards.append(named)
        return found
