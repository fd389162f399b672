"""A dealer of software for the demo table: presses real keys and draws real bytes, as a person at the table
would.

It knows the rules (the deal plan of the game) and looks at nothing but the answers of the keypad, the light
and the lock of the shoe. It is *not* responsible for any result.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

from controller.demo.devices import PATIENCE_S, Buttons, DealerGone, DealerHand
from controller.demo.shufflers import Shuffle
from controller.games.game import BURN, Dealt, Game
from controller.vocabulary.cards import Card
from drivers.keypad.simulator import Keypad

LOOK_S = 0.02
PERSON_S = 20
"""What a person gets for bets, as the clock of the table shows it, and for a decision."""
RESULT_STEPS = 9
"""So many steps a result stays: long enough to be read."""
SUPERVISOR = "S1"
WITNESSES_S = 3.0
"""Longer than the beam of the demo may take to contradict a card."""


class Dealer(threading.Thread):
    """Deals ``rounds`` rounds (None: for ever), ``pace_s`` seconds between two steps."""

    def __init__(
        self,
        game: Game,
        keypad: Keypad | Buttons,
        shoe: DealerHand,
        shuffle: Shuffle | None,
        *,
        rounds: int | None,
        pace_s: float,
        seed: int | None,
        ready: Callable[[], None],
        finished: Callable[[], None],
        sits: Callable[[], bool] = lambda: False,
        stages: Callable[[], int | None] = lambda: None,
        unread_every: int = 0,
    ) -> None:
        """``sits``: whether a person sits at the table, who needs more time than players of software;
        ``stages``: in how many betting rounds and decisions those have had their say, None where there are
        none; ``unread_every``: of so many cards the shoe cannot read one (0: it reads all)."""
        super().__init__(name="dealer", daemon=True)
        self._game = game
        self._keypad = keypad
        self._shoe = shoe
        self._shuffle = shuffle
        self._rounds = rounds
        self._pace_s = pace_s
        self._random = random.Random(seed)
        self._cards: list[Card] = []
        self._ready = ready
        self._finished = finished
        self._sits = sits
        self._stages, self._had_their_say = stages, 0
        self._leave = threading.Event()
        self._up = 0
        """So many cards of the deal are turned up, or lie so."""
        self._unread_every, self._drawn = unread_every, 0
        self.dealt_rounds = self.entered = 0
        self.complaint: str | None = None

    def leave(self) -> None:
        """End after the present step."""
        self._leave.set()

    def run(self) -> None:
        """Deal until the rounds are played or somebody sends the dealer away."""
        try:
            if self._leave.is_set():  # sent away before the table has begun, which then never does
                raise DealerGone
            self._ready()
            while self._rounds is None or self.dealt_rounds < self._rounds:
                self._round()
                self.dealt_rounds += 1
        except DealerGone as gone:
            self.complaint = str(gone) or None
        finally:
            self._finished()

    def _round(self) -> None:
        if self._game.shuffled_every_round or len(self._cards) < self._game.cards_needed:
            self._new_shoe()
        if self._press("OPEN") != "OK" and not self._opened_later():
            self._new_shoe()
            self._must("OPEN")
        game = self._seated()
        self._await_players(5)
        self._close()
        dealt: list[Dealt] = []
        self._up = 0
        while (position := game.next_position(dealt)) is not None:
            self._pause()
            index = sum(card.position == position for card in dealt) + 1
            card = self._cards.pop()
            self._draw(card, position, index)
            dealt.append(Dealt(position, card))
            self._reveal(game, dealt)
            if len(dealt) == game.decisions_after():
                self._await_players(2)
                self._must("DECIDED")
            elif self._shoe.bets_open:  # a betting round in which nothing can be offered is passed over
                self._await_players(2)
                self._close()
        self._shoe.finished(game.bead(dealt))
        self._pause(RESULT_STEPS)
        self._must("SETTLED")
        self._pause()

    def _draw(self, card: Card, position: str, index: int) -> None:
        """Draw, and let a supervisor enter what the shoe did not read."""
        self._drawn += 1
        unread = self._unread_every > 0 and position != BURN and self._drawn % self._unread_every == 0
        if self._shoe.draw(card, position, index, unread=unread):
            return
        self._pause()
        for words in (("KEY", SUPERVISOR), ("ENTER", card), ("CLEAR", "enter"), ("NOKEY",)):
            self._must(*words)
        self.entered += 1

    def _close(self) -> None:
        self._must("CLOSE")
        self._shoe.await_book()

    def _opened_later(self) -> bool:
        """Whether a round opens once the beam has had its time to contradict the last card."""
        self._leave.wait(WITNESSES_S)
        return self._press("OPEN") == "OK"

    def _seated(self) -> Game:
        """The game with the seats that play: all in the first round and where a person may bet on any, then
        whoever happens to sit there.

        Buttons have no numbers to press: all play.
        """
        numbers = self._game.seat_numbers
        if not (numbers and self.dealt_rounds and isinstance(self._keypad, Keypad)):
            return self._game
        some = self._random.sample(numbers, self._random.randint(1, len(numbers)))
        playing = numbers if self._sits() else some
        self._must("SEATS", *map(str, playing))
        return self._game.with_seats(playing)

    def _reveal(self, game: Game, dealt: list[Dealt]) -> None:
        """Turn up what lies face down, where the round waits for that: hand by hand, with a button all."""
        waits = game.due_after_reveal(dealt) or game.next_position(dealt) is None
        if not (waits and game.has_reveal):
            return
        down = dict.fromkeys(
            card.position
            for card in dealt[self._up :]
            if card.position != BURN and game.face_down(card.position)
        )
        for hand in down if isinstance(self._keypad, Keypad) else ("",):
            self._pause()
            self._must("REVEAL", *filter(None, (hand,)))
        self._up = len(dealt)

    def _new_shoe(self) -> None:
        self._cards = list(self._game.deck) * self._game.decks
        self._random.shuffle(self._cards)
        cards = len(self._cards)
        if self._shuffle is None or not self._shuffle(cards, self._game.decks):
            self._must("SHOE", str(cards))

    def _must(self, *words: str) -> None:
        answer = self._press(*words)
        if answer != "OK":
            raise DealerGone(f"the table answered {answer!r} to {' '.join(words)}")

    def _press(self, *words: str) -> str:
        if self._leave.is_set():
            raise DealerGone
        answer = self._keypad.press(*words, timeout_s=PATIENCE_S)
        if answer is None:
            raise DealerGone(f"no answer to {' '.join(words)}")
        return answer

    def _await_players(self, steps: float) -> None:
        """The time for bets or decisions."""
        self._pause(steps)
        if self._sits() and self._leave.wait(max(0, PERSON_S - self._pace_s * steps)):
            raise DealerGone
        ends_s = time.monotonic() + PATIENCE_S
        while (said := self._stages()) is not None:
            if said > self._had_their_say or time.monotonic() > ends_s:
                self._had_their_say = said
                return
            if self._leave.wait(LOOK_S):
                raise DealerGone

    def _pause(self, steps: float = 1.0) -> None:
        if self._leave.wait(self._pace_s * steps):
            raise DealerGone
