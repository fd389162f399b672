"""Walks through a table: everything that can happen, in any order, and sometimes what is right."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from controller.round.turn import dealt, game_of
from controller.settings.loader import load_configuration
from controller.shell.replay import Printed, Replay, configured_by
from controller.vocabulary import events
from controller.vocabulary.cards import Card
from controller.vocabulary.events import AnyEvent, Stamp
from controller.vocabulary.irregularities import VOID_REASONS
from tests.harness.configuration import configured

CHOICES = ("continue", "stand", "accept", "return", "burn", "next_round", "enter", "void")

_DEVICES = """
round = { bets_s = 20, decision_s = 20 }
journal.path = "table.db"
devices.shoe = { driver = "angel-eye", port = "/dev/dealer-table/shoe" }
devices.shuffler = { driver = "line", port = "/dev/dealer-table/shuffler" }
"""
_NO_LOCK = 'devices.shoe = { driver = "bee-tek", port = "/dev/dealer-table/shoe" }'

TABLES = {
    "2-card-action": 'game = { name = "2-card-action", layout = "C" }',
    "2-card-action-held": f"""
        game = {{ name = "2-card-action", layout = "A", void = "supervisor" }}
        round = {{ close = "first_card", settle = "auto" }}
        {_NO_LOCK}
    """,
    "two-cards-high": 'game = { name = "two-cards-high", seats = 3 }',
    "baccarat": 'shoe.burn = "count"\ntable.session = "signed"',
    "baccarat-squeeze": "game.squeeze = true\nshoe.burn_each_round = 1",
    "baccarat-live": 'game = { odds = "live", betting_rounds = ["deal", "first", "four"] }',
    "baccarat-continuous": 'shoe.kind = "continuous"',
    "casino-holdem": f'game.name = "casino-holdem"\n{_NO_LOCK}',
}


class Walk:
    """One table that is walked through; ``seed`` chooses the way."""

    def __init__(self, folder: Path, table: str, seed: int) -> None:
        file = configured(folder, _DEVICES, TABLES[table])
        self.replay = Replay(1)
        self._random = random.Random(seed)
        self._sequence = 0
        self._first = list(self._step(configured_by(load_configuration(file))))
        self._cards: list[Card] = []

    def walk(self, steps: int) -> Iterator[Printed]:
        """All that is said on the way."""
        yield from self._first
        yield from self._step(events.SoftwareStarted("0.1.0", "0" * 64, 1))
        for _ in range(steps):
            event = self._right() if self._random.random() < 0.8 else self._anything()
            yield from self._step(event)

    def _step(self, event: AnyEvent) -> Iterator[Printed]:
        self._sequence += 1
        minute, second = divmod(self._sequence, 60)
        hour, minute = divmod(minute, 60)
        at = f"2026-01-31T{hour:02}:{minute:02}:{second:02}Z"
        return self.replay.step(event, Stamp(at=at, sequence=self._sequence))

    def _right(self) -> AnyEvent:
        """What a good dealer and a good supervisor do next."""
        state = self.replay.table.state
        if state is None:
            raise LookupError("not configured")
        game = game_of(state.configuration)
        if state.hold is not None:
            if state.hold.reason == "card_unread" and state.hold.entered is None:
                return events.CardEntered(str(self._card()), "B12")
            return events.HoldCleared(self._random.choice(CHOICES), "B12", "seen")
        if state.configuration.table.session == "signed" and not state.opened:
            return events.TableOpened("B12", "2026-01-31")
        match state.phase:
            case "betting":
                return events.BetsClosed()
            case "dealing":
                position = game.next_position(dealt(state.round)) if state.round else None
                return events.CardRead(str(self._card()), position if self._random.random() < 0.2 else None)
            case "decision":
                return events.DecisionsClosed()
            case "reveal":
                return events.CardsRevealed()
            case "result":
                return events.RoundSettled()
        shoe = state.shoe
        if shoe is not None and (shoe.burns_pending or shoe.burn_count_pending):
            return events.CardRead(str(self._card()))
        spent = shoe is None or shoe.unusable is not None or shoe.rounds_left == 0
        again = game.shuffled_every_round and state.round is not None and state.round.shoe_id == state.shoes
        if spent or again or shoe is None or shoe.left < game.cards_needed:
            self._cards = list(game.deck) * game.decks
            self._random.shuffle(self._cards)
            return events.ShoeLoaded(len(self._cards), game.decks, True, "red")
        return events.BetsOpened()

    def _card(self) -> Card:
        return self._cards.pop() if self._cards else Card("AS")

    def _anything(self) -> AnyEvent:
        """Anything, at any time."""
        draw = self._random
        cards = draw.choice(("AS", "TH", "9D", "KC"))
        number = draw.choice((0, 1, 39, 52, 415, 416, 417))
        every: tuple[AnyEvent, ...] = (
            events.CardRead(cards),
            events.CardRead("??"),
            events.CardRead(cards, draw.choice(("player", "banker", "burn", "first"))),
            events.CardUnread(),
            events.CardsBurned(draw.randint(1, 3), "dealer relief"),
            events.CardsCollected(number),
            events.CutCardSeen(),
            events.ShoeEmptied("B12"),
            events.ShoeCounted(cards=number, by="B12"),
            events.ShoeCounted(left=number),
            events.ShoeLoaded(number, None, draw.random() < 0.8, draw.choice((None, "red", "blue"))),
            events.ShuffleCompleted(number, draw.choice((None, "red", "blue"))),
            events.ShuffleFailed("jam"),
            events.TableOpened("B12"),
            events.TableClosed("B12"),
            events.DealerSignedOn("D7"),
            events.BetsOpened(),
            events.BetsClosed(),
            events.DecisionsClosed(),
            events.CardsRevealed(),
            events.DecisionsReported("hand1", 3, 2, 1),
            events.RoundSettled(),
            events.ResultReported("banker", False, False),
            events.HoldRequested("dealer"),
            events.CardEntered(cards, "B12"),
            events.CardReturned(cards, "B12"),
            events.RoundVoided(draw.choice(tuple(VOID_REASONS)), "B12"),
            events.HoldCleared(draw.choice(CHOICES), "B12"),
            events.DeviceLost("shoe", "unplugged"),
            events.DeviceRestored("shoe", "Angel Eye"),
            events.DeviceLost("shuffler"),
            events.DeviceRestored("shuffler"),
            events.TimerElapsed(draw.choice(("bets", "warn", "decisions", "review"))),
            events.ReportsMissed("shoe", 3, 5),
            events.DeviceFaulted("shoe", "noise"),
            events.ConditionChanged("disk_short", draw.random() < 0.5, "12 MB are free", True),
            events.SoftwareStarted("0.1.0", "0" * 64, 2),
        )
        return draw.choice(every)
