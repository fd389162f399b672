"""What the table is told of its players: the seats that have bets, and how many play and fold each hand.

What should be told follows from the books, so after a crash it is told again; a table that has it already is
told the same once more, which changes nothing.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import datetime

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.consumer.consumer import Consumer
from controller.consumer.notices import Answered
from controller.outbox.commands import Decisions, Seats
from controller.wagering.booking import seat_of
from controller.wagering.felt import Felt
from controller.wagering.tables import BETS, DECISIONS

AGAIN_S = 5.0
"""What nobody answered is said again."""
SAY_AGAIN = ("too_often", "late", "expires_too_far_ahead")
"""Answers after which a word is still to be said: it only came too fast, or by a clock that is wrong."""
NOT_OURS = "seats_from_panel"
"""The table's answer where the dealer says which seats play."""


class Word(msgspec.Struct, frozen=True):
    """One thing to tell: about ``hand``, or, without one, the seats."""

    round: str
    hand: str = ""
    seats: tuple[int, ...] = ()
    play: int = 0
    fold: int = 0
    auto: int = 0

    @property
    def name(self) -> str:
        """Of the command."""
        return "decisions" if self.hand else "seats"

    def request(self, request_id: str, expires: datetime) -> Decisions | Seats:
        """The command."""
        if self.hand:
            return Decisions(request_id, expires, self.hand, self.play, self.fold, self.auto, self.round)
        return Seats(request_id, expires, self.seats, self.round)


def has_words(felt: Felt) -> bool:
    """Whether there can be anything that the table should know: of most games there is never."""
    if felt.round is None or felt.phase in ("final", "void"):
        return False
    return any(map(seat_of, felt.spots)) if felt.phase == "betting" else bool(felt.asked)


def words(connection: Connection, felt: Felt) -> list[Word]:
    """All that the table should know now."""
    if felt.round is None or not has_words(felt):
        return []
    if felt.phase == "betting":
        bets = sql.select(BETS.c.spot).where(BETS.c.round == felt.round, BETS.c.state == "open").distinct()
        seats = sorted({seat for (spot,) in connection.execute(bets) if (seat := seat_of(spot))})
        return [Word(felt.round, seats=tuple(seats))] if seats else []
    made = sql.select(DECISIONS).where(DECISIONS.c.round == felt.round, DECISIONS.c.asked == felt.asked)
    counts: Mapping[str, Counter[str]] = defaultdict(Counter)
    for row in connection.execute(made):
        counts[row.hand][row.decision] += 1
    return [Word(felt.round, hand, (), one["play"], one["fold"], one["auto"]) for hand, one in counts.items()]


class Teller:
    """Tells one table what it should know, each word until it is answered."""

    def __init__(self, consumer: Consumer, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._consumer = consumer
        self._clock_s = clock_s
        self._told: dict[str, tuple[Word, str | None, float]] = {}
        """Hand, or nothing for the seats -> the last word, the id under which it waits, and since when."""
        self._panel: str | None = None
        """The round of which the dealer says which seats play: the next one may be another table's to say."""

    def tell(self, now: list[Word]) -> None:
        """Say what is new, and again what nobody has answered for a while."""
        for word in now:
            last, waits, since_s = self._told.get(word.hand, (None, None, 0.0))
            late = waits is not None and self._clock_s() - since_s >= AGAIN_S
            if (word == last and not late) or (self._panel == word.round and not word.hand):
                continue
            request_id = self._consumer.command(word.name, word.request)
            if request_id is not None:
                self._told[word.hand] = word, request_id, self._clock_s()

    @property
    def waiting(self) -> bool:
        """Whether a word is not answered yet."""
        return any(waits is not None for _, waits, _ in self._told.values())

    def hear(self, answer: Answered) -> None:
        """The table has heard a word, or will not hear it: then it is not said again."""
        if answer.code in SAY_AGAIN:
            return
        for hand, (word, waits, since_s) in self._told.items():
            if waits == answer.id:
                self._told[hand] = word, None, since_s
                if answer.code == NOT_OURS:
                    self._panel = word.round
