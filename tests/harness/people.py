"""A dealer of any of the four games, and the supervisor, while somebody kills things under their hands.

What they believe is what the screen says (here: the journal), never what they pressed: a key whose answer was
lost has been taken or not, and the stream tells which.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from controller.journal.reader import SqliteReader
from controller.vocabulary.codec import decode_event
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import CardRead, DeviceReported, DeviceRestored, ShoeLoaded, SoftwareStarted
from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.e2e.sabotage import waiting_bytes
from tests.harness.dealer import HELD, LONGEST_STORY, Dealer, Ruling, VoidByRuling
from tests.harness.deals import Deal
from tests.harness.rules_by_hand import Played

SAID = {
    "SHOE": "shoe.started",
    "OPEN": "round.opened",
    "CLOSE": "round.bets_closed",
    "DECIDED": "round.decisions_closed",
    "REVEAL": "round.revealed",
    "SETTLED": "round.settled",
}
"""Key -> the message that says it was taken."""
LOOKS = 30
STEPS = ("round.opened", "round.settled", "round.final", "round.void")


class Story:
    """The journal as far as it has come, read on from where it was read last."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._record = self._sequence = 0
        self.said: Counter[str] = Counter()
        self.last_step = ""
        self.held = False
        self.cards = 0
        """Cards of this shoe that are in the record."""
        self.shoe_connected = False
        """Whether this life of the daemon has the shoe's port open."""

    def read(self) -> None:
        try:
            with SqliteReader.open(self._path) as reader:
                for record in reader.records(self._record):
                    self._record = record.number
                    self._note_event(decode_event(record.body)[0])
                while messages := reader.messages(self._sequence, 500):
                    self._sequence = messages[-1].sequence
                    for message in messages:
                        self._note_name(json.loads(message.body)["type"])
        except JournalError:
            return  # its owner is just being killed, or has not made it yet: it is read again

    def _note_event(self, event: object) -> None:
        if isinstance(event, ShoeLoaded):
            self.cards = 0
        elif isinstance(event, CardRead):
            self.cards += 1
        elif isinstance(event, SoftwareStarted):
            self.shoe_connected = False
        elif isinstance(event, DeviceRestored | DeviceReported) and event.device == "shoe":
            words = event.words if isinstance(event, DeviceReported) else "connected"
            self.shoe_connected |= "connected" in words

    def _note_name(self, kind: str) -> None:
        name = kind.removeprefix("dealertable.").removesuffix(".v1")
        self.said[name] += 1
        if name in STEPS:
            self.last_step = name
        if name in ("table.held", "table.resumed", "round.void"):
            self.held = name == "table.held"


@dataclass
class Dealt:
    """A round as it lies on the felt."""

    line: dict[str, Any] | None = None
    """The cards, when all lie."""
    void: bool = False


@dataclass
class Croupier(Dealer):
    """Deals one of the games on whatever happens."""

    deal: Deal = field(kw_only=True)
    dealt: list[Dealt] = field(default_factory=list)
    story: Story = field(init=False)
    _taken: Counter[str] = field(default_factory=Counter)
    _playing: bool = False
    _unseen: int = 0
    _size: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.story = Story(self.house.journal)

    @property
    def heard_in(self) -> int:
        """The life of the daemon that has last answered a key."""
        return self._synchronised

    def load(self) -> None:
        self.cards = self.deal.shoe()
        self.chance.shuffle(self.cards)
        self._size = len(self.cards)
        self.must("SHOE", str(len(self.cards)))
        self._unseen = 0

    def round(self) -> bool:
        if self.deal.every_round or len(self.cards) < 20:
            self.load()
        self.must("OPEN")
        dealt = Dealt()
        self.dealt.append(dealt)
        self._playing = True
        try:
            self.must("CLOSE")
            dealt.line = self.deal.deal(self.draw, self.key)
            if isinstance(self.house.shoe, SimulatedAngelEye):
                hands = self.deal.made(dealt.line)["hands"]
                self.hand.finished(Played(tuple(hands["player"]), tuple(hands["banker"])))
                self.patiently(self.hand.settled, "the shoe's reports are taken")
            self.key("SETTLED")
        except VoidByRuling:
            dealt.void = True
        finally:
            self._playing = False
        return not dealt.void

    def draw(self, hand: str, number: int) -> str:
        card = self.cards[-1]
        self.patiently(lambda: self.hand.draw(card, hand, number), "the shoe lets a card out")
        return self.cards.pop()

    def key(self, word: str) -> None:
        """Press a key when the screen shows all cards, or shows them no sooner than people look twice."""
        self.patiently(lambda: self.waiting_bytes() == 0, "the shoe's bytes are read")
        for _ in range(LOOKS):
            self.story.read()
            if self.unseen() == self._unseen:
                break
            threading.Event().wait(0.01)
        self.must(word)

    def must(self, *words: str) -> None:
        said = SAID[words[0]]
        for _ in range(LONGEST_STORY):
            answer, again = self.press(*words)
            if answer == "OK":
                break
            if answer.startswith(HELD):
                self.clear()
            self.story.read()
            if self.story.said[said] > self._taken[said]:
                break
            if not (again or answer.startswith(HELD)):
                raise AssertionError(f"{' '.join(words)}: {answer}\n{self.house.daemon.log}")
        else:
            raise AssertionError(f"{' '.join(words)} leads nowhere\n{self.house.daemon.log}")
        self._taken[said] += 1

    def clear(self) -> None:
        self.holds += 1
        for _ in range(LONGEST_STORY):
            ruling = self.rule()
            self.press("KEY", "boss")
            answer, _ = self.press("CLEAR", ruling)
            self.press("NOKEY")
            self.story.read()
            if answer == "OK" or not self.story.held:
                break
        else:
            raise AssertionError(f"the hold cannot be cleared\n{self.house.daemon.log}")
        if self._playing and self.story.last_step == "round.void":
            self._unseen = self.unseen()
            raise VoidByRuling

    def rule(self) -> Ruling:
        """Void, unless the table has counted as many cards out of the shoe as have left it.

        Those that it missed before the last ruling are known.
        """
        if isinstance(self.house.shoe, SimulatedAngelEye):
            return "continue"  # it says again what was not confirmed
        self.house.daemon.until(self.shoe_is_heard, "the shoe is heard")
        self.press("KEY", "boss")  # answered: all that was read before is in the record
        self.story.read()
        if self.story.last_step != "round.opened" or self.unseen() == self._unseen:
            return "continue"
        return "void"

    def drawn(self) -> int:
        """So many cards have left this shoe."""
        return self._size - len(self.cards)

    def unseen(self) -> int:
        """So many cards have left this shoe, and are not in the record."""
        return self.drawn() - self.story.cards

    def shoe_is_heard(self) -> bool:
        """Whether this life of the daemon has the shoe open and has read all it said."""
        self.story.read()
        return self.story.shoe_connected and self.waiting_bytes() == 0

    def waiting_bytes(self) -> int:
        """So many bytes of the shoe wait."""
        return waiting_bytes(self.house.shoe.path)
