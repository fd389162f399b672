"""Which unit answers under a device's name, and whether it is the one that the round began with.

The numbers of a report prove that nothing was missed only as long as the same unit gives them, and without
a new start of it in between.
"""

from __future__ import annotations

import msgspec

from controller.games.game import BURN
from controller.round.state import State
from controller.round.turn import game_of
from controller.shell.intake.witnesses import SECOND
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.port_identity import lasts
from drivers.readings import CardReported, DeviceReachable, Reading, ShoeStandby, ShufflerSaid, StartReported

SAYS_WHO_IT_IS = {"SERIAL": "serial", "VERSION": "version"}
"""Words of a shuffler -> the kind of identity."""


def identified(device: str, reading: Reading, state: State | None) -> tuple[AnyEvent, ...]:
    """What a reading tells of which unit this is, where that is news."""
    match reading:
        case DeviceReachable(str() as identity) if lasts(identity):
            kind = "port"
        case ShufflerSaid(word=word, arguments=(identity, *_)) if word in SAYS_WHO_IT_IS:
            kind = SAYS_WHO_IT_IS[word]
        case _:
            return ()
    identity = identity[:400]
    known = {} if state is None else state.units.get(device, {})
    return () if known.get(kind) == identity else (events.DeviceIdentified(device, kind, identity),)


def is_other_unit(device: str, reading: Reading, state: State | None) -> bool:
    """Whether this reading tells that another unit than before answers."""
    if isinstance(reading, DeviceReachable) and reading.replaced:
        return True
    known = {} if state is None else state.units.get(device, {})
    return any(
        isinstance(event, events.DeviceIdentified) and event.kind in known
        for event in identified(device, reading, state)
    )


def in_deal(state: State | None) -> bool:
    """Whether the result is still to come: a shoe that starts now may have let a card of it pass."""
    return state is not None and state.in_round and state.phase != "result"


class HandCounts(msgspec.Struct):
    """A shoe that knows the game counts the cards of each hand. One that is started anew counts from the
    beginning, which tells even where its start report was lost and its next number happens to follow.
    """

    _round: str | None = None
    _last: dict[tuple[str, str], int] = msgspec.field(default_factory=dict)
    """Device and hand -> the number of the last card there, in this round."""
    _counting: set[str] = msgspec.field(default_factory=set)
    """Devices that were seen to count: others give every card the same number."""

    def began_anew(self, device: str, card: CardReported, state: State) -> bool:
        """Whether the shoe counts this hand from the beginning again, though no card went back."""
        round_id = state.round.id if state.in_round and state.round is not None else None
        if round_id != self._round:
            self._round = round_id
            self._last.clear()
        hand = game_of(state.configuration).shoe_positions.get(card.destination or "", BURN)
        if hand == BURN or card.index is None or card.again or not card.in_game or round_id is None:
            return False
        last = self._last.get((device, hand))
        self._last[device, hand] = card.index
        if last is None or (state.shoe is not None and state.shoe.expected):
            return False
        if card.index > last:
            self._counting.add(device)
        return card.index < last or (card.index == last and device in self._counting)

    def started(self, device: str, reading: Reading, state: State | None) -> str | None:
        """Why the shoe must have started anew since its last card, in the middle of a deal; None if it need
        not have.
        """
        if state is None or device == SECOND:
            return None
        if isinstance(reading, CardReported) and self.began_anew(device, reading, state):
            return "the shoe counts the cards of this hand from the beginning again"
        if not in_deal(state):
            return None
        if isinstance(reading, StartReported):
            return "the shoe has started in the middle of the deal"
        if isinstance(reading, ShoeStandby) and state.phase != "reveal" and state.round and state.round.laid:
            return "the shoe stands by in the middle of the deal"
        return None
