"""Real rounds of every game, dealt by somebody who knows the rules: what happens, and what is said to it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from controller.outbox.envelope import first_head
from controller.round.state import State
from controller.round.turn import game_of
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell.announcer import Announcer, Handled
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.cards import Card
from controller.vocabulary.events import AnyEvent, Stamp
from tests.harness.configuration import configured
from tests.harness.keys import SIGNER

EPOCH = 1_700_000_000_000
TABLES = {
    "2-card-action": '[game]\nname = "2-card-action"\nlayout = "C"',
    "two-cards-high": '[game]\nname = "two-cards-high"\nseats = 3',
    "baccarat": '[game]\nname = "baccarat"\nsqueeze = true',
    "baccarat, live odds": '[game]\nname = "baccarat"\nodds = "live"',
    "casino-holdem": '[game]\nname = "casino-holdem"',
}
"""A table that plays it -> its configuration."""
DEVICES = """
journal.path = "7.db"
mqtt.consumers = ["settlement"]
devices.shoe = { driver = "bee-tek", port = "/dev/shoe" }
devices.shuffler = { driver = "line", port = "/dev/shuffler" }
"""
_BEGIN = datetime(2026, 1, 31, 20, tzinfo=UTC)


def configuration_of(folder: Path, table: str) -> Configuration:
    """That of one of ``TABLES``; its file stands in the folder afterwards."""
    return load_configuration(configured(folder, TABLES[table], DEVICES))


class Happened(NamedTuple):
    """An event, and what the table made of it."""

    event: AnyEvent
    stamp: Stamp
    handled: Handled


class Rounds:
    """One table and who deals at it. One second passes from event to event."""

    def __init__(self, configured: events.TableConfigured, digest: str, seed: int = 1) -> None:
        self._chance = random.Random(seed)
        self._table = Table(EPOCH)
        self._announcer = Announcer(first_head(EPOCH))
        self._cards: list[Card] = []
        self._begin = (configured, events.SoftwareStarted("1.0", digest, 1, public_key=SIGNER.key))
        self._number = 0

    def played(self, rounds: int) -> Iterator[Happened]:
        """All that happens until so many rounds are settled and the next one is opened; only once."""
        yield from map(self._happens, self._begin)
        settled = 0
        while True:
            event = self._next()
            settled += isinstance(event, events.RoundSettled)
            if settled == rounds and isinstance(event, events.BetsClosed):
                return
            yield self._happens(event)

    def _happens(self, event: AnyEvent) -> Happened:
        self._number += 1
        time = _BEGIN + timedelta(seconds=self._number)
        stamp = Stamp(
            at=time.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            sequence=self._number,
            boot=1,
            monotonic_ns=self._number * 10**9,
            nonce=self._chance.randbytes(16).hex() if isinstance(event, events.CardRead) else None,
        )
        handled = self._announcer.handle(self._table, event, stamp)
        if handled.failure is not None:
            raise handled.failure
        self._table = handled.table
        return Happened(event, stamp, handled)

    @property
    def _state(self) -> State:
        state = self._table.state
        if state is None or state.hold is not None:
            raise AssertionError(f"the table holds: {state}")
        return state

    def _next(self) -> AnyEvent:
        """What a dealer does now."""
        state = self._state
        game = game_of(state.configuration)
        if state.phase == "betting":
            return events.BetsClosed()
        if state.phase == "dealing" and state.round is not None:
            return events.CardRead(str(self._cards.pop()), game.next_position(state.round.dealt))
        if state.phase == "decision":
            return events.DecisionsClosed()
        if state.phase == "reveal":
            return events.CardsRevealed()
        if state.phase == "result":
            return events.RoundSettled()
        used = state.round is not None and state.round.shoe_id == state.shoes
        if len(self._cards) < game.cards_needed or (game.shuffled_every_round and used):
            self._cards = list(game.deck) * game.decks
            self._chance.shuffle(self._cards)
            return events.ShuffleCompleted(len(self._cards))
        if state.resting:
            return events.ShoeLoaded(len(self._cards), game.decks, True)
        return events.BetsOpened()
