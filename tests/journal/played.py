"""Journals of real rounds: every game, dealt by a dealer who knows the rules, as the daemon records them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from controller.journal.sqlite import SqliteJournal
from controller.outbox.envelope import first_head
from controller.round.turn import dealt, game_of
from controller.settings.loader import load_configuration
from controller.shell.announcer import Announcer
from controller.shell.identity import software_digest
from controller.shell.replay import configured_by
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.cards import Card
from controller.vocabulary.codec import encode_event
from controller.vocabulary.events import AnyEvent, Stamp
from tests.harness.configuration import configured

EPOCH = 1_700_000_000_000
GAMES = {
    "2-card-action": 'layout = "C"',
    "two-cards-high": "seats = 3",
    "baccarat": "squeeze = true",
    "casino-holdem": "",
}
CONSUMER = "settlement"
DEVICES = """
journal.path = "7.db"
mqtt.consumers = ["settlement"]
devices.shoe = { driver = "bee-tek", port = "/dev/shoe" }
devices.shuffler = { driver = "line", port = "/dev/shuffler" }
"""


def play(folder: Path, game: str, rounds: int = 2, *, digest: str | None = None, seed: int = 1) -> Path:
    """A closed journal of so many rounds that ends with a message; its consumer has everything."""
    path = configured(folder, f'[game]\nname = "{game}"\n{GAMES[game]}', DEVICES)
    journal = SqliteJournal.create(folder / "7.db", epoch=EPOCH)
    journal.add_consumer(CONSUMER)
    dealer = Dealer(journal, random.Random(seed))
    dealer.happens(configured_by(load_configuration(path)))
    dealer.happens(events.SoftwareStarted("1.0", digest or software_digest(), 1))
    for event in dealer.deal(rounds):
        dealer.happens(event)
    journal.set_cursor(CONSUMER, journal.stream_head)
    journal.close()
    return folder / "7.db"


class Dealer:
    """Does what comes next."""

    def __init__(self, journal: SqliteJournal, chance: random.Random) -> None:
        self._journal = journal
        self._chance = chance
        self._table = Table(EPOCH)
        self._announcer = Announcer(first_head(EPOCH))
        self._cards: list[Card] = []

    def happens(self, event: AnyEvent) -> None:
        """One event, one record, one transaction."""
        number = self._journal.record_head + 1
        at = f"2026-01-31T20:{number // 60:02}:{number % 60:02}.000Z"
        nonce = self._chance.randbytes(16).hex() if isinstance(event, events.CardRead) else None
        stamp = Stamp(at=at, sequence=number, boot=1, monotonic_ns=number * 10**9, nonce=nonce)
        self._table, effects = self._table.handle(event, stamp)
        messages = self._announcer.messages(effects, self._table.state, at)
        self._journal.commit([encode_event(event, stamp)], messages)

    def deal(self, rounds: int) -> Iterator[AnyEvent]:
        """What happens until so many rounds are settled; the next one is opened at the end."""
        settled = 0
        while True:
            state = self._table.state
            if state is None or state.hold is not None:
                raise AssertionError(f"the table holds: {state}")
            game = game_of(state.configuration)
            if state.phase == "betting":
                if settled == rounds:
                    return
                yield events.BetsClosed()
            elif state.phase == "dealing" and state.round is not None:
                yield events.CardRead(str(self._cards.pop()), game.next_position(dealt(state.round)))
            elif state.phase == "decision":
                yield events.DecisionsClosed()
            elif state.phase == "reveal":
                yield events.CardsRevealed()
            elif state.phase == "result":
                settled += 1
                yield events.RoundSettled()
            elif len(self._cards) < game.cards_needed or (
                game.shuffled_every_round and state.round is not None and state.round.shoe_id == state.shoes
            ):
                self._cards = list(game.deck) * game.decks
                self._chance.shuffle(self._cards)
                yield events.ShoeLoaded(len(self._cards), game.decks, True)
            else:
                yield events.BetsOpened()
