"""A camera over the felt: the cards that lie face up after the result, against those that are out of the shoe
as the table knows it. It only contradicts: a card that it sees and nobody told, or told as another, holds the
table. What it does not see says nothing, and a camera that is lost, dark or blinded holds nothing.

What the round before has left on the felt lies there when the next one begins: it is no card of that round,
and no contradiction. Pure but for what it remembers: readings and states go in, events come out.
"""

from __future__ import annotations

from collections import Counter, deque

import msgspec

from controller.round.state import State
from controller.shell.intake.witnesses import contradiction
from controller.vocabulary.events import AnyEvent, DeviceFaulted
from drivers.readings import DeviceUnreachable, FeltSeen, Reading

FELT = "felt"
"""Its place of ``[devices]``."""
NOT_JUDGED = "the camera over the felt has not seen how this round began, and does not judge it"
LATELY = 8
"""Readings before a round opens that tell what it finds on the felt: of two seconds, so that one which misses
a card forgets none."""

Cards = Counter[str]


class Felt(msgspec.Struct):
    """What one camera over the felt has seen of the running round; nothing is known of the time before the
    start, so that a round which runs then is not judged.
    """

    _lately: deque[Cards] = msgspec.field(default_factory=lambda: deque(maxlen=LATELY))
    _round: str | None = None
    _begun: bool = True
    _left_over: Cards | None = None
    """What lay there when the round began; None: nobody saw it, and the round is not judged."""
    _given_up: bool = False
    """People have been told that it is not judged."""
    _judged: tuple[int, ...] = ()
    """The draws of the cards whose result is judged: one that goes back, or one more, makes another."""
    _seen: Cards = msgspec.field(default_factory=Counter)
    """As many of each card as any reading of that result has shown."""
    _known: Cards = msgspec.field(default_factory=Counter)
    _unknown: int = 0
    """What excused them: a card that goes into a shuffler meanwhile did lie there."""
    _told: Cards = msgspec.field(default_factory=Counter)
    """Contradictions of that result that people have had before them."""

    def heard(self, reading: Reading, state: State | None) -> tuple[AnyEvent, ...]:
        """What the camera says."""
        if isinstance(reading, DeviceUnreachable):
            self._lately.clear()
        if not isinstance(reading, FeltSeen):
            return ()
        seen = Counter(reading.cards)
        if state is not None and state.round is not None:
            self._follow(state)
        self._lately.append(seen)
        if not self._begun:
            self._left_over = most(self._lately)
        if state is None or not is_over(state):
            return ()
        if self._left_over is None:
            told, self._given_up = self._given_up, True
            return () if told else (DeviceFaulted(FELT, NOT_JUDGED),)
        return self._contradicted(state, seen, self._left_over)

    def _follow(self, state: State) -> None:
        """Keep what lay there of late when a round begins: what was gone by then excuses no card of it."""
        round_ = state.round
        if round_ is not None and round_.id != self._round:
            self._round, self._begun, self._judged = round_.id, False, ()
            self._given_up = False
            self._left_over = most(self._lately)
        self._begun = self._begun or has_begun(state)

    def _contradicted(self, state: State, seen: Cards, left_over: Cards) -> tuple[AnyEvent, ...]:
        laid = () if state.round is None else tuple(one.drawn.draw for one in state.round.laid)
        if laid != self._judged:
            self._judged, self._seen, self._told = laid, Counter(), Counter()
            self._known, self._unknown = Counter(), 0
        known, unknown = cards_out(state)
        self._seen |= seen
        self._known |= known
        self._unknown = max(self._unknown, unknown)
        odd = self._seen - (self._known + left_over)
        new = odd - self._told
        if odd.total() <= self._unknown or not new:
            return ()
        self._told = odd
        named = " ".join(sorted(new.elements()))
        return contradiction(FELT, f"the camera over the felt sees {named}, which the shoe did not tell")


def most(readings: deque[Cards]) -> Cards | None:
    """As many of each card as any of the readings shows; None where there is none."""
    found: Cards | None = None
    for reading in readings:
        found = reading if found is None else found | reading
    return found


def has_begun(state: State) -> bool:
    """Whether what lies there may be a card of the round: bets are closed, or one is out, laid or not. The
    shoe may have missed it."""
    round_, shoe = state.round, state.shoe
    if round_ is None:
        return False
    out = shoe is not None and shoe.draws > round_.after
    return state.phase != "betting" or bool(round_.laid or state.loose) or out


def is_over(state: State) -> bool:
    """Whether all cards of the round lie face up, and nobody is asked about them; once it is settled, and the
    time to contradict is over, anything may be laid there."""
    round_, shoe = state.round, state.shoe
    if round_ is None or shoe is None or shoe.id != round_.shoe_id or state.holds:
        return False
    judged = state.phase == "result" or (state.phase == "settled" and state.agreeing)
    return judged and round_.result is not None


def cards_out(state: State) -> tuple[Cards, int]:
    """The cards that may lie on the felt as the table knows them, burned and returned ones too, and how many
    more are out that nobody has named.
    """
    round_, shoe = state.round, state.shoe
    if round_ is None or shoe is None:
        return Counter(), 0
    out = {one.draw: one for one in (*shoe.drawn, *shoe.expected) if one.draw > round_.after}
    out |= {one.draw: one for one in (*state.loose, *round_.extras)}
    out |= {laid.drawn.draw: laid.drawn for laid in round_.laid}
    named = Counter(str(one.card) for one in out.values() if one.card is not None)
    return named, len(out) - named.total()
