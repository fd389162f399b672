"""A dealer, and the supervisor who comes when the table holds: people who see felt, shoe and keypad.

The daemon may be killed under their hands at any moment. A key that got no answer is pressed again when the
keypad answers again; a "no" is then read as "you have pressed it already".
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.harness.house import Shoe, WholeTable
from tests.harness.patience import QUIET_S, Patience
from tests.harness.rules_by_hand import Played, new_shoe, play

LOOK_S = 0.05
"""How long somebody waits before looking again whether all is as it was."""
LONGEST_STORY = 100
"""So many holds in a row, one upon the other, are more than any table has."""
HELD = ("NO the table holds", "NO cards are missing")
"""How the answers begin where a supervisor is needed."""

Ruling = Literal["continue", "void"]


class VoidByRuling(Exception):
    """The supervisor has voided the round."""


class Hand:
    """Angel Eye locks, numbers its reports and knows baccarat; Bee-Tek says its line once and forgets it."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe
        self.result = b""
        """What the shoe said of the last round; nothing, where it knows no results."""

    def draw(self, card: str, hand: str, number: int) -> bool:
        """Draw this card; false where the shoe lets none out."""
        return self._shoe.draw(card, hand, number)

    def finished(self, played: Played) -> None:
        """The deal is over; a shoe that knows the game says what it makes of it."""
        self.result = self._shoe.result(played.winner, *played.pairs) or b""

    def settled(self) -> bool:
        """Whether the shoe has nothing to say any more, as far as it can know; waits a little for it."""
        return not isinstance(self._shoe, SimulatedAngelEye) or self._shoe.wait_settled(LOOK_S)

    def wait(self) -> None:
        """Wait a little, less where something happens."""
        with self._shoe.guard:
            self._shoe.guard.wait(LOOK_S)


@dataclass
class Felt:
    """One round as it lies on the table, whatever the table's controller believes."""

    cards: list[tuple[str, str]] = field(default_factory=list)
    """Hand and card, in the order in which they were drawn."""
    played: Played | None = None
    """The round, when all its cards lie."""


@dataclass
class Dealer:
    """Deals baccarat."""

    patience_s: ClassVar[float] = QUIET_S
    """Within this, on a machine with time to spare, whatever was killed works again."""
    house: WholeTable
    chance: random.Random
    cards: list[str] = field(default_factory=list)
    """What is left in the shoe; the last one comes out next."""
    rounds: list[Felt] = field(default_factory=list)
    """Every round that was opened."""
    holds: int = 0
    """How often the supervisor came."""
    hand: Hand = field(init=False)
    _synchronised: int = 0
    _record: int = 0
    """The last record that was looked at."""
    _tries: int = 0

    def __post_init__(self) -> None:
        self.hand = Hand(self.house.shoe)

    def load(self) -> None:
        """A new shoe of eight shuffled decks."""
        self.cards = new_shoe()
        self.chance.shuffle(self.cards)
        self.must("SHOE", str(len(self.cards)))

    def round(self) -> bool:
        """One round, from "Place your bets" to the end of the settlement; false where it was voided."""
        if len(self.cards) < 20:
            self.load()
        self.open()
        return self.finish()

    def open(self) -> None:
        """Bets are open."""
        self.must("OPEN")
        self.rounds.append(Felt())

    def finish(self) -> bool:
        """The rest of the round that is open; false where it was voided."""
        felt = self.rounds[-1]
        try:
            self.must("CLOSE")
            felt.played = play(self.draw)
            self.tell(felt.played)
            self.patiently(self.taken, "the shoe's reports are taken")
            self.must("SETTLED")
        except VoidByRuling:
            return False
        return True

    def draw(self, hand: str, number: int) -> str:
        """Take the next card out of the shoe, as soon as it lets one out."""
        card = self.cards[-1]
        self.patiently(lambda: self.hand.draw(card, hand, number), "the shoe lets a card out")
        self.rounds[-1].cards.append((hand, self.cards.pop()))
        return card

    def tell(self, played: Played) -> None:
        """The shoe says what it makes of the round."""
        self.hand.finished(played)

    def taken(self) -> bool:
        """The shoe has an answer to each of its reports, and the table has its result.

        An answer carries no number: on a loaded machine one to a repetition is taken for one to the next
        report, and who settled then would hear of the result in the next round.
        """
        if not self.hand.settled():
            return False
        result = self.hand.result.hex()
        for record, _, stamp in self.house.records(self._record):
            self._record = record.number
            if stamp.raw == result:
                return True
        return not result

    def rule(self) -> Ruling:
        """What the supervisor decides; here nothing can have been missed."""
        return "continue"

    def patiently(self, done: Callable[[], bool], what: str) -> None:
        """Try until it is done; where the table holds meanwhile, the supervisor comes."""
        patience = Patience(self.patience_s)
        looks = 0
        while not done():
            self.house.daemon.check()
            if patience.over:
                raise AssertionError(f"it never is so: {what}\n{self.house.daemon.log}")
            self.hand.wait()
            looks += 1
            if looks % 4 == 0:
                self.look_for_hold()

    def look_for_hold(self) -> None:
        """Ask with a harmless key: bets are closed already."""
        answer, _ = self.press("CLOSE")
        if answer.startswith(HELD):
            self.clear()

    def must(self, *words: str) -> None:
        """Press a key until the table has done what it says."""
        for _ in range(LONGEST_STORY):
            answer, again = self.press(*words)
            if answer.startswith(HELD):
                self.clear()
            elif answer == "OK" or again:
                return
            else:
                raise AssertionError(f"{' '.join(words)}: {answer}\n{self.house.daemon.log}")
        raise AssertionError(f"{' '.join(words)} leads nowhere:\n{self.house.daemon.log}")

    def clear(self) -> None:
        """The supervisor comes and clears the hold."""
        self.holds += 1
        ruling = self.rule()
        self.press("KEY", "boss")
        self.press("CLEAR", ruling)
        self.press("NOKEY")
        if ruling == "void":
            raise VoidByRuling

    def press(self, *words: str) -> tuple[str, bool]:
        """Press a key until it is answered; the answer, and whether the key may have been taken before."""
        line, again = " ".join(words), False
        patience = Patience(self.patience_s)
        while True:
            self.find_keypad()
            answer = self.ask(line)
            if answer is not None:
                return answer, again
            again = True
            if patience.over:
                raise AssertionError(f"{line} gets no answer\n{self.house.daemon.log}")

    def ask(self, line: str) -> str | None:
        """Press a key once; None where the daemon was killed before it answered."""
        answer = self.house.keypad.ask(line, LOOK_S)
        patience = Patience(self.patience_s)
        while answer is None or answer.startswith("? SYNC"):
            if self.house.daemon.generation != self._synchronised or patience.over:
                return None
            self.house.daemon.check()
            answer = self.house.keypad.answer(LOOK_S)
        return answer

    def find_keypad(self) -> None:
        """After a start: press what is no key until its echo comes back; then no old answer is on the way."""
        patience = Patience(self.patience_s)
        while (generation := self.house.daemon.generation) != self._synchronised:
            self._tries += 1
            if self.house.keypad.ask(f"SYNC {self._tries}", LOOK_S) == f"? SYNC {self._tries}":
                self._synchronised = generation
            self.house.daemon.check()
            if patience.over:
                raise AssertionError(f"the keypad gets no answer\n{self.house.daemon.log}")
