"""What a visitor of the bench may say: a line each, from a keyboard or a script, carried out one after the
other. A line is done when the table shows what it did.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from controller.board.names import card_name
from controller.demo.bench import Bench, hold_words
from controller.demo.devices import DealerGone, shoe_kinds
from controller.vocabulary.shown import meant
from drivers.registry import tag_of

IDLE_S = 0.2
END = "quit"
FOREIGN = "X9"
"""A code that no card has."""


class Word(NamedTuple):
    """A word of the bench: what it does, in a few words, and how."""

    says: str
    do: Callable[[Words, list[str]], bool]


class Words:
    """Carries out the visitor's lines, and deals by itself in between unless it was told to pause."""

    def __init__(self, bench: Bench, tell: Callable[[str], None]) -> None:
        self.lines: queue.Queue[str] = queue.Queue()
        """Filled by whoever reads them."""
        self._bench, self._dealer, self._tell = bench, bench.dealer, tell
        self._deals, self._quits = True, False

    def run(self, rounds: int | None) -> None:
        """Until the visitor quits, or so many rounds are played and each consumer has all of them.

        DealerGone where the visitor leaves, or the table's program ends.
        """
        while not self._quits:
            over = rounds is not None and len(self._bench.ended) >= rounds
            try:
                line = self.lines.get(
                    timeout=0 if self._deals and not over and self._dealer.step() else IDLE_S
                )
            except queue.Empty:
                if self._dealer.leave.is_set():
                    raise DealerGone from None
                if over and self._bench.all_acknowledged():
                    return
                continue
            if line:
                self._carry_out(line)

    def _carry_out(self, line: str) -> None:
        name, *more = line.split() or [""]
        hold = self._dealer.shown.hold
        choices = () if hold is None else hold.choices
        if name not in WORDS and name not in choices:
            self._tell(_unknown(name, choices))
            done = False
        elif more and name not in MORE:
            self._tell(f"`{name}` stands alone: leave {' '.join(more)!r} out")
            done = False
        elif name in choices:
            done = self._choose(name)
        else:
            done = WORDS[name].do(self, more)
        self._tell(f"{'done' if done else 'not done'}: {line}")

    def _choose(self, choice: str) -> bool:
        """What a supervisor does in a hold."""
        last = self._dealer.last
        entered = [("ENTER", last)] if choice == "enter" else []
        if entered:
            self._tell(f"the supervisor looks at the card and enters {card_name(last)}")
        taken = self._dealer.with_key(*entered, ("CLEAR", choice))
        if taken and choice == "return":
            self._dealer.put_back()
        return taken

    # What the words do; each says whether it could.

    def _until(self, phase: str) -> bool:
        """Deal on until the round is there; False where a hold comes first."""
        while self._dealer.shown.phase != phase:
            if not self._step():
                return False
        return self._dealer.shown.hold is None

    def _step(self) -> bool:
        """One step; False in a hold. Whatever else the table waits for is waited for."""
        if self._dealer.step():
            return True
        if self._dealer.shown.hold is not None:
            self._tell("the table holds: a supervisor chooses first")
            return False
        if not self._dealer.shoe_is_there:
            return False
        self._dealer.wait_beat()
        return True

    def deal(self, more: list[str]) -> bool:
        """So many rounds to their end."""
        if len(more) > 1 or not all(one.isdecimal() and int(one) for one in more):
            self._tell("say `deal`, or `deal N` for N rounds, from 1")
            return False
        wanted = int(more[0]) if more else 1
        before = len(self._bench.ended)
        while len(self._bench.ended) < before + wanted:
            if not self._step():
                return False
        return True

    def void(self, _: list[str]) -> bool:
        """The round that runs, or the last one until the next one opens."""
        return self._dealer.with_key(("VOID", "supervisor"))

    def pause(self, _: list[str]) -> bool:
        """Nothing is dealt any more but at a word."""
        self._deals = False
        return True

    def go(self, _: list[str]) -> bool:
        """Dealing goes on by itself."""
        self._deals = True
        return True

    def hold(self, _: list[str]) -> bool:
        """The dealer asks for a supervisor."""
        if (hold := self._dealer.shown.hold) is not None:
            self._tell(f"the table holds already: say {' or '.join(hold.choices)}")
            return False
        return self._dealer.press("HOLD")

    def misread(self, _: list[str]) -> bool:
        """A card without a reading."""
        return self._until("dealing") and self._dealer.draw(unread=True)

    def foreign(self, _: list[str]) -> bool:
        """A card of another deck."""
        if self._bench.configuration.devices.shoe.names_cards:
            able = [tag_of(one) for one in shoe_kinds() if not one.names_cards]
            self._tell(f"this shoe knows no card but those of a deck: start with --shoe {' or '.join(able)}")
            return False
        return self._until("dealing") and self._dealer.draw(code=FOREIGN)

    def early(self, _: list[str]) -> bool:
        """A card while bets are open."""
        return self._until("betting") and self._dealer.draw()

    def revise(self, more: list[str]) -> bool:
        """The last card of a result goes back; it comes once more, or another one does and counts."""
        if more not in ([], ["other"]):
            self._tell("say `revise` or `revise other`")
            return False
        dealer = self._dealer
        taken = self._until("result") and dealer.press("HOLD")
        if not taken or not dealer.with_key(("RETURN", dealer.last), ("CLEAR", "continue")):
            return False
        dealer.put_back()
        if more and not (dealer.bring_forward() and dealer.draw() and self._choose("continue")):
            return False
        return self._until("result")

    def unplug(self, _: list[str]) -> bool:
        """The shoe is gone, and the table knows it."""
        self._bench.shoe.unplug()
        self._dealer.shoe_is_there = False
        self._bench.wait_devices(False)
        return True

    def plug(self, _: list[str]) -> bool:
        """It is back."""
        self._bench.shoe.replug()
        self._dealer.shoe_is_there = True
        self._bench.wait_devices()
        return True

    def kill(self, _: list[str]) -> bool:
        """kill -9."""
        self._bench.kill()
        return True

    def replace(self, _: list[str]) -> bool:
        """Another unit."""
        return self._bench.replace()

    def broker(self, more: list[str]) -> bool:
        """Off or on."""
        if more not in (["off"], ["on"]):
            self._tell("say `broker off` or `broker on`")
            return False
        self._bench.switch_broker(on=more == ["on"])
        return True

    def wait(self, _: list[str]) -> bool:
        """Until everything is acknowledged."""
        self._bench.wait_acknowledged()
        return True

    def status(self, _: list[str]) -> bool:
        """Who has acknowledged how much, and what the table waits for."""
        self._tell(self._bench.status())
        if (hold := self._dealer.shown.hold) is not None:
            self._tell(hold_words(hold))
        return True

    def help(self, _: list[str]) -> bool:
        """All words."""
        for line in help_lines():
            self._tell(line)
        return True

    def quit(self, _: list[str]) -> bool:
        """The end."""
        self._quits = True
        return True


WORDS: Mapping[str, Word] = {
    "deal": Word("N rounds to their end; a hold stops that", Words.deal),
    "pause": Word("deal nothing more by yourself", Words.pause),
    "go": Word("deal by yourself, round after round (so it begins)", Words.go),
    "hold": Word("the dealer asks for a supervisor", Words.hold),
    "misread": Word("the next card of a round cannot be read", Words.misread),
    "foreign": Word("the next card of a round belongs to no deck", Words.foreign),
    "early": Word("a card comes while bets are open", Words.early),
    "void": Word("a supervisor voids the round, or the last one until the next opens", Words.void),
    "revise": Word(
        "the last card of a result goes back and comes again; `revise other`: another one", Words.revise
    ),
    "unplug": Word("pull the cable of the shoe", Words.unplug),
    "plug": Word("put it in again", Words.plug),
    "kill": Word("kill -9 the table's program, and start it again", Words.kill),
    "replace": Word("another unit takes its place: a new epoch, a new key", Words.replace),
    "broker": Word("`broker off`, `broker on`: with all that it keeps", Words.broker),
    "wait": Word("until each consumer has acknowledged everything", Words.wait),
    "status": Word("who has acknowledged how much, and the hold if there is one", Words.status),
    "help": Word("these words", Words.help),
    END: Word("end the bench; Ctrl-D does it too", Words.quit),
}
"""In a hold its choices are words, too."""
MORE = ("deal", "revise", "broker")
"""Words that say more."""


def _unknown(name: str, choices: Sequence[str]) -> str:
    """What to say instead."""
    may = f"the table holds, and a supervisor may {' or '.join(choices)}; `help` names the other words"
    return meant(name, [*WORDS, *choices], may if choices else "`help` names what can be said")


def help_lines() -> list[str]:
    """The words, a line each."""
    return [f"  {name:8} {word.says}" for name, word in WORDS.items()]
