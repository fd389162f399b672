"""A dealer of software who looks at the table and does what comes next, as people do: nothing here counts on
what was before, so whatever happens to the table in between, it goes on from what it shows.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

from controller.demo.devices import DealerGone
from controller.demo.shufflers import Shuffle
from controller.demo.window import Shown, Window
from controller.games.game import BURN, Dealt, Game
from controller.games.score import score_deal
from controller.vocabulary.cards import Card
from controller.vocabulary.configuration import RoundSettings
from controller.vocabulary.outcomes import SpotOutcome
from drivers.keypad.simulator import Keypad
from drivers.simulated_shoe import SimulatedShoe

LOOK_S = 0.1
BEATS = 2
"""A table that says so often that its loop runs has shown what a key did, if anything."""
FRESH_SHOE = {"no_shoe", "shoe_finished", "not_shuffled", "wrong_count", "insufficient_cards"}
"""Obstacles to the next round that another shoe ends; so does any that withdrew the shoe."""
BADGE = "S1"


class BenchDealer:
    """Deals from what the table shows; ``window`` is that of its present life."""

    def __init__(
        self,
        game: Game,
        keypad: Keypad,
        shoe: SimulatedShoe,
        shuffle: Shuffle | None,
        *,
        pace_s: float,
        seed: int | None,
        badge: str,
        clocks: RoundSettings,
        tell: Callable[[str], None],
        alive: Callable[[], None],
    ) -> None:
        """``clocks``: what opens a round and closes its bets; ``tell`` is given what a person would say;
        ``alive`` raises where the table's program has ended."""
        self.window: Window | None = None
        self.leave = threading.Event()
        self.shoe_is_there = True
        """Its cable is in."""
        self._game, self._keypad, self._shoe, self._shuffle = game, keypad, shoe, shuffle
        self._pace_s, self._random = pace_s, random.Random(seed)
        self.badge, self._clocks = badge, clocks
        self._tell, self._alive = tell, alive
        self._cards: list[str] = []
        self.last = ""
        """The card that was drawn last, whether anybody could read it or not."""
        self._complaint = ""

    @property
    def shown(self) -> Shown:
        """What the table shows now; waits until it shows anything."""
        self.wait(lambda window: window.shown is not None)
        if self.window is None or self.window.shown is None:
            raise DealerGone
        return self.window.shown

    def wait(self, so: Callable[[Window], bool]) -> None:
        """Wait until it is so; DealerGone where the visitor leaves first."""
        while True:
            if self.leave.is_set() or self.window is None:
                raise DealerGone
            with self.window.news:
                if self.window.news.wait_for(lambda: self.window is not None and so(self.window), LOOK_S):
                    return
            self._alive()

    def wait_beat(self) -> None:
        """Wait until the table's loop has gone on."""
        beats = 0 if self.window is None else self.window.beats
        self.wait(lambda window: window.beats > beats)

    def pause(self, steps: float = 1.0) -> None:
        """The time that a person takes."""
        if self.leave.wait(self._pace_s * steps):
            raise DealerGone

    # One step of the deal.

    def step(self) -> bool:
        """Do what comes next; False, and nothing is done, where the table waits for somebody else."""
        shown = self.shown
        if shown.hold is not None or shown.awaits is not None:
            return False
        if shown.may_open.code == "burn_pending" or (shown.shoe is not None and shown.shoe.burns_pending):
            return self.draw()
        match shown.phase:
            case "betting":
                if self._clocks.close == "timer":
                    return False
                self.pause(3)
                return self.draw() if self._clocks.close == "first_card" else self.press("CLOSE")
            case "dealing":
                return self.draw()
            case "decision":
                return self.press("DECIDED")
            case "reveal":
                return self.press("REVEAL")
            case "result":
                return self.press("SETTLED")
        return self._open(shown)

    def _open(self, shown: Shown) -> bool:
        why = shown.may_open
        if why.open:
            # After a result the clock opens; after a void and at a new shoe somebody must.
            by_itself = self._clocks.open == "auto" and shown.phase == "settled"
            return False if by_itself else self.press("OPEN")
        if why.code == "table_closed":
            return self.with_key(("DAY",))
        if why.code in FRESH_SHOE or (shown.shoe is not None and shown.shoe.unusable is not None):
            return self._new_shoe()
        self._once(f"no round opens: {why.why or why.code or shown.phase}")
        return False

    def _new_shoe(self) -> bool:
        self._cards = [*self._game.deck] * self._game.decks
        self._random.shuffle(self._cards)
        cards = len(self._cards)
        if self._shuffle is not None and self._shuffle(cards, self._game.decks):
            self.wait(lambda window: window.shown is not None and window.shown.may_open.open)
            return True
        return self.press("SHOE", str(cards))

    # Hands.

    def draw(self, *, unread: bool = False, code: str = "") -> bool:
        """The next card leaves the shoe, ``unread`` as one that nobody can read, with ``code`` another one
        than the next; waits until the table has seen it. False where the shoe is locked or gone, or the table
        holds by now.
        """
        self.pause()
        before = self.shown
        if not self.shoe_is_there:
            self._once("the cable of the shoe is out: `plug` it in first")
        if not self.shoe_is_there or before.hold is not None:
            return False
        self.last = code or self._cards.pop()
        place = before.next or BURN
        index = sum(card.position == place for card in before.cards) + 1
        if not self._leaves(place, index, unread=unread):
            self._cards += [] if code else [self.last]
            return False
        seen = _of_cards(before)
        self.wait(lambda window: window.shown is not None and _of_cards(window.shown) != seen)
        return True

    def _leaves(self, place: str, index: int, *, unread: bool) -> bool:
        try:
            if unread:
                self._shoe.unread_card()
            elif not self._shoe.draw(self.last, place, index):
                self._once("the shoe is locked")
                return False
        except ValueError as error:
            self._once(f"this shoe cannot say it: {error}")
            return False
        return True

    def put_back(self) -> None:
        """The card that was drawn last goes back into the shoe, and is the next one out."""
        self._cards.append(self.last)

    def bring_forward(self) -> bool:
        """Another card than that is the next one out, and completes the deal: the one that changes most bets.
        False where no card of the shoe changes any."""
        shown = self.shown
        laid = [Dealt(lies.position, Card(lies.card or "")) for lies in shown.cards]

        def ends(card: str) -> dict[str, SpotOutcome]:
            return score_deal(self._game, [*laid, Dealt(shown.next or BURN, Card(card))]).bets

        before = ends(self.last)
        changes = {
            card: sum(before[spot] != outcome for spot, outcome in ends(card).items())
            for card in dict.fromkeys(self._cards)
        }
        other = max(changes, key=changes.__getitem__)
        if not changes[other]:
            self._tell("no card that is left in the shoe changes the result")
            return False
        self._cards.remove(other)
        self._cards.append(other)
        return True

    def press(self, *words: str, shows: bool = True) -> bool:
        """Press a key and wait until the table shows what it did, if it ``shows``; False where it is
        refused."""
        self.pause()
        before, window = self.shown, self.window
        answer = self._keypad.press(*words, timeout_s=LOOK_S)
        while answer is None:
            if self.leave.is_set() or window is None:
                raise DealerGone
            self._alive()
            answer = self._keypad.answer(LOOK_S)
        if answer != "OK" or window is None:
            self._once(f"the key {' '.join(words)} is refused: {answer.removeprefix('NO ')}")
            return False
        beats = window.beats + (0 if shows else -BEATS)
        self.wait(lambda window: window.shown != before or window.beats >= beats + BEATS)
        self._complaint = ""
        return True

    def with_key(self, *presses: tuple[str, ...]) -> bool:
        """A supervisor turns the key, presses these, and takes it out again; whether all were taken. The
        table shows what the last one did."""
        *before, last = presses
        taken = all(self.press(*words, shows=False) for words in (("KEY", self.badge), *before))
        taken = taken and self.press(*last)
        self.press("NOKEY", shows=False)
        return taken

    def _once(self, complaint: str) -> None:
        """Say it, but not again and again."""
        if complaint != self._complaint:
            self._tell(complaint)
        self._complaint = complaint


def _of_cards(shown: Shown) -> tuple[object, ...]:
    """What changes with every card that leaves the shoe."""
    drawn = None if shown.shoe is None else (shown.shoe.id, shown.shoe.drawn, shown.shoe.unusable)
    return drawn, shown.phase, shown.hold, shown.cards
