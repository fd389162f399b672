"""Nothing public depends on what lies face down (R25): two tables that differ in such cards only look alike.

Two tables are played side by side by somebody who sees only what everybody sees. Each card that lies face
down is another one at the second table. After every event all that is public must be the same: messages and
retained topics but for commitments, refusals, lock, light, clocks and the figures for the floor. A reveal
that turns up a card in which they differ ends the comparison.

A double read is a finding where it would count as a burn, or as a card that everybody sees: no such pair is
dealt here.
"""

from __future__ import annotations

from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from controller.games.game import BURN
from controller.round.secrecy import to_reveal
from controller.round.turn import game_of
from controller.round.view import lock_wanted
from controller.round.watch import house_edges
from controller.shell.lamps import light_wanted
from controller.vocabulary.cards import Card
from tests.round.test_secrecy import without_hashes
from tests.scenarios.conversation import Conversation, Json, events_of, talk

OFF = "shoe.unshuffled=off"
TABLES = (
    f"baccarat squeeze=yes odds=live {OFF}",
    f'baccarat squeeze=yes odds=live betting_rounds=["deal","first"] {OFF}',
    f"baccarat decks=2 squeeze=yes round.settle=auto shoe.min_card_interval_ms=500 {OFF}",
    f"baccarat decks=1 squeeze=yes shoe.burn=one shoe.burn_each_round=1 shoe.least_house_edge=0.01 {OFF}",
    f"baccarat squeeze=yes void=automatic round.close=first_card core.shoe_numbered=no {OFF}",
    f"two-cards-high seats=2 {OFF}",
    f"two-cards-high seats=2 deal=packets round.close=first_card round.settle=auto {OFF}",
    f"casino-holdem {OFF}",
    f'casino-holdem burn_before=["flop","turn","river"] {OFF}',
)
STEPS = {
    "betting": ["CLOSE"],
    "decision": ["DECIDED"],
    "dealing": ["card"],
    "reveal": ["reveal", "reveal hand"],
    "result": ["SETTLED"],
}
"""What a good dealer does next."""
MISHAPS = [
    *(
        "card",
        "reveal",
        "reveal hand",
        "SETTLED",
        "CLOSE",
        "DECIDED",
        "OPEN",
        "HOLD",
        "result",
        "CUT",
        "BURN 1",
    ),
    *("LOST shoe; BACK shoe", "RESTART", "MISSED shoe", "TROUBLE shoe E1", "VOID supervisor"),
    "DECISIONS hand1 play=1",
]
EVENTS = 45
RESULT = 0
"""In place of a draw: the shoe's own result, of which nothing is told before all is turned up."""


class Pair:
    """Two tables, and what lies on them."""

    def __init__(self, table: str, chance: Random) -> None:
        self.tables = (talk(table), talk(table))
        self.chance = chance
        self.pool: list[Card] = []
        self.last = ("", "")
        self.top: list[tuple[str, str]] = []
        """Cards that went back, the next one out last."""
        self.often = chance.choice((0.1, 0.4, 1.0))
        """How often a card that lies face down is another one at the second table."""
        self.other: set[int] = set()
        """Draws in which the two tables differ."""

    @property
    def table(self) -> Conversation:
        """The first of the two."""
        return self.tables[0]

    @property
    def display(self) -> Json:
        """What everybody sees."""
        return self.table.display

    def say(self, one: str, other: str | None = None) -> None:
        """Tell both tables, and compare all that is public."""
        told = zip(events_of(one), events_of(one if other is None else other), strict=True)
        for events in told:
            heard = [table.tell(event) for table, event in zip(self.tables, events, strict=True)]
            facts = [
                without_hashes(
                    [
                        answer.messages,
                        [[refusal.code, refusal.why] for refusal in answer.refused],
                        table.retained,
                        lock_wanted(table.state),
                        light_wanted(table.state),
                        [[timer.name, timer.ends_at] for timer in table.state.timers],
                        house_edges(table.state),
                    ]
                )
                for table, answer in zip(self.tables, heard, strict=True)
            ]
            assert facts[0] == facts[1], f"after {events}"

    def card(self) -> None:
        """The next card leaves both shoes: another one at the second table where it lies face down."""
        shoe = self.table.state.shoe
        if shoe is None or not (self.top or self.pool):
            return
        differs = self.hides() and self.chance.random() < self.often
        if self.top:
            cards = self.top.pop()
        else:
            first = self.pick(0)
            cards = (first, self.pick(1) if differs else first)
        if cards[0] != cards[1]:
            self.other.add(shoe.draws + 1)
        self.last = cards
        self.say(*cards)

    def pick(self, at: int) -> str:
        """A card of the pool for a table; now and then, where it may be, the same as the one before it."""
        again = self.in_game() and self.chance.random() < 0.3
        some = [card for card in self.pool if (card == self.last[at] if again else card not in self.last)]
        card = self.chance.choice(some or self.pool)
        self.pool.remove(card)
        return card

    def in_game(self) -> bool:
        """Whether the next card goes to a hand, face down, and the one before it was no burn."""
        shoe = self.table.state.shoe
        return self.hides() and shoe is not None and not shoe.burns_pending and shoe.draws not in shoe.burned

    def hides(self) -> bool:
        """Whether the next card lies face down, wherever it goes."""
        state = self.table.state
        game = game_of(state.configuration)
        if state.shoe is None or not self.pool[1:]:
            return False
        if state.shoe.burns_pending:
            return not state.shoe.burn_count_pending
        if not state.in_round or state.phase == "result":
            return False
        if state.phase == "dealing":
            return game.face_down(str(self.display["next"] or BURN))
        return state.phase == "reveal" or all(game.face_down(place) for place in game.places())

    def reveal(self, hand: str | None) -> bool:
        """Turn cards up; False where the two tables differ in one of them."""
        state = self.table.state
        if state.round is not None and state.phase == "reveal" and not state.holds:
            up = to_reveal(state.round, game_of(state.configuration))
            chosen = {laid.drawn.draw for laid in up if hand in (None, laid.position)}
            if len(chosen) == len(up):
                chosen |= {RESULT, *(drawn.draw for drawn in state.round.aside)}
            if chosen & self.other:
                return False
        self.say("REVEAL" if hand is None else f"REVEAL {hand}")
        return True

    def in_hold(self, hold: Json) -> bool:
        """Somebody clears the hold; False where a card in which the tables differ is opened with it: one that
        waits there and is burned or voided."""
        choices = hold["choices"]
        assert isinstance(choices, list)
        choice = self.chance.choice([one for one in choices if one not in ("enter", "next_round")])
        waiting = {card.draw for one in self.table.state.holds for card in one.cards}
        burns = self.table.state.phase == "betting" and self.table.state.configuration.shoe.burn_each_round
        if (choice in ("burn", "void", "stand") or burns) and waiting & self.other:
            return False
        lying = len(self.table.state.shoe.expected) if self.table.state.shoe is not None else 0
        self.say(f"CLEAR {choice}")
        shoe = self.table.state.shoe
        if shoe is not None and choice == "return" and len(shoe.expected) > lying:
            self.top.append(self.last)
        return True

    def go_on(self) -> bool:
        """One more event; False at the end of the comparison."""
        state, hold = self.table.state, self.display["hold"]
        if isinstance(hold, dict):
            return self.in_hold(hold)
        phase, shoe = state.phase, state.shoe
        if self.chance.random() < 0.15:
            step = self.chance.choice(MISHAPS)
        elif shoe is not None and (shoe.burns_pending or shoe.burn_count_pending):
            step = "card"
        elif phase in STEPS:
            step = self.chance.choice(STEPS[phase])
        else:
            may = self.display["may_open"]
            assert isinstance(may, dict)
            step = "OPEN" if may["open"] else "shoe"
        return self.take(step)

    def take(self, step: str) -> bool:
        """Make a step; False at the end of the comparison."""
        game = game_of(self.table.state.configuration)
        if step == "card":
            self.card()
        elif step == "shoe":
            self.pool = list(game.deck) * game.decks
            self.top, self.other, self.last = [], set(), ("", "")
            self.say(f"SHOE {len(self.pool)}")
        elif step.startswith("reveal"):
            hands = [place for place in game.places() if game.face_down(place)]
            return self.reveal(self.chance.choice(hands) if step == "reveal hand" else None)
        elif step == "result":
            winners = ("player", "banker", "tie")
            differs = self.table.state.in_round and game.has_reveal and self.table.state.phase != "result"
            first, second = self.chance.choice(winners), self.chance.choice(winners)
            if differs and first != second:
                self.other.add(RESULT)
            self.say(f"RESULT {first}", f"RESULT {second if differs else first}")
        else:
            self.say(step)
        return True


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=30)
@given(chance=st.randoms(use_true_random=False))
def test_nothing_public_depends_on_what_lies_face_down(table: str, chance: Random) -> None:
    pair = Pair(table, chance)
    for _ in range(EVENTS):
        if not pair.go_on():
            return
