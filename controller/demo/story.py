"""The special moments of a table in a minute: what spoils a round, and what the table does then.

The table runs as a program of its own, as at a casino; its devices, its broker and its settlement desk are
here, so that anything can be taken away from it. Its game is the first whose rules say by paragraph what
voids a round.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

from controller.board.names import card_name, game_name, place_name
from controller.demo.beside import SettlementDesk
from controller.demo.broker import LoopbackBroker
from controller.demo.devices import PATIENCE_S, DealerGone
from controller.demo.folders import temporary
from controller.demo.leftovers import Leftovers
from controller.demo.table import CONSUMER, demo_configuration
from controller.demo.table_program import TableProgram
from controller.games.registry import all_games
from controller.journal.keeping import back_up
from controller.journal.reader import SqliteReader
from controller.journal.verify import verify
from controller.shell.place import link
from drivers.keypad.simulator import Keypad
from drivers.registry import device
from drivers.settings import ShoeDevice

SHOE = "scanner"
Data = Mapping[str, object]
Tell = Callable[[str, str], None]
"""Told what kind of line it is (``chapter``, ``why``, ``keys``, ``people``, ``table``), and the line."""


class Story:
    """Plays it once; :meth:`leave` ends it early, :meth:`close` always ends it."""

    def __init__(self, tell: Tell, *, pace_s: float) -> None:
        self._tell, self._pace_s = tell, pace_s
        self._leave = threading.Event()
        self._heard: list[tuple[str, str, Data]] = []
        self._guard = threading.Condition()
        self._seen = 0
        """So many messages of the stream were looked at."""
        self._parts = ExitStack()
        folder = Path(self._parts.enter_context(temporary("story")))
        self._folder = folder
        self._left = self._parts.enter_context(Leftovers(folder))
        self._game = next(game for game in all_games().values() if game.paragraphs)
        shoe = device("shoe", SHOE)
        if shoe is None or not issubclass(shoe, ShoeDevice):
            raise DealerGone(f"there is no shoe {SHOE}")
        self._shoe = shoe.simulator(folder / "shoe")
        self._parts.callback(self._shoe.stop)
        self._keypad = self._parts.enter_context(Keypad(folder / "keypad"))
        self._broker = self._new_broker()
        self._parts.callback(lambda: self._broker.stop())
        configuration = demo_configuration(
            folder,
            self._game.name,
            self._broker.port,
            "fixed",
            (SHOE, "keypad", None),
            consumers=(CONSUMER,),
            book=None,
        )
        self._journal = Path(configuration.journal.path)
        self._desk = SettlementDesk(
            CONSUMER, configuration.table, folder / "desk.db", self._broker.port, self._hear
        )
        self._parts.callback(self._desk.stop)
        self._program = self._parts.enter_context(TableProgram(folder / "demo.toml", self._left.watch))

    def close(self) -> None:
        """End every part and leave nothing behind."""
        self._leave.set()
        self._parts.close()

    def leave(self) -> None:
        """End after the present step; from a signal handler."""
        self._leave.set()

    def play(self) -> None:
        """All chapters. DealerGone, with why, where the table does not do what it should."""
        cards = self._shoe_cards
        self._tell(
            "why",
            f"The game is {game_name(self._game.name)}. The dealer's keys: SHOE {cards} says that a shuffled"
            f" shoe of {cards} cards is loaded, OPEN and CLOSE begin and end the bets, SETTLED ends a round."
            " KEY with a badge turns the supervisor's key, NOKEY turns it back; with it ENTER names a card,"
            " and CLEAR ends a hold with a choice.",
        )
        self._desk.start()
        self._program.start()
        self._ready()
        for chapter in (
            self._a_round,
            self._a_misread_card,
            self._a_void,
            self._a_kill,
            self._a_broker_that_goes,
            self._a_changed_record,
        ):
            chapter()
            self._pause(3)

    # The chapters.

    def _a_round(self) -> None:
        self._chapter("A round, as it should be", "Every card is on disk before anybody hears of it.")
        self._new_shoe()
        self._bets()
        self._draw("9H")
        self._draw("7D", last=True)
        self._press("SETTLED")

    def _a_misread_card(self) -> None:
        self._chapter(
            "A card that the shoe could not read",
            "No guess: the table holds, and says what a supervisor may do. The round is saved.",
        )
        self._bets()
        self._shoe.unread_card()
        self._hold()
        self._people("a supervisor turns the key, looks at the card and enters it")
        self._press("KEY S1", "ENTER QS", "CLEAR enter", "NOKEY")
        self._card()
        self._draw("KD", last=True)
        self._press("SETTLED")

    def _a_void(self) -> None:
        self._chapter(
            "A card that does not belong to this shoe",
            "The rules decide, not people: the round is void by its paragraph, and the shoe is out of play.",
        )
        self._bets()
        self._draw("5C")
        self._people("a card of another deck has come into the shoe, which reads its code: X9")
        self._shoe.draw("X9")
        void = self._next("round.void")
        why = (
            f"{_plain(void['reason'])}, paragraph {void['rule']} of the rules of {game_name(self._game.name)}"
        )
        self._say(f"VOID, {why}: every bet is returned")
        self._new_shoe()

    def _a_kill(self) -> None:
        self._chapter(
            "kill -9 in the middle of a round",
            "The table reads its journal and is where it was; this shoe numbers no cards, so it asks people.",
        )
        self._bets()
        self._draw("8S")
        began_s = time.monotonic()
        self._program.kill()
        self._people("kill -9, and started again")
        self._program.start()
        self._ready()
        self._hold()
        lie = ", ".join(map(card_name, self._program.cards()))
        self._say(f"back after {time.monotonic() - began_s:.1f} s, and these cards lie: {lie}")
        self._people("people compare the felt with the screen, and a supervisor goes on")
        self._press("KEY S1", "CLEAR continue", "NOKEY")
        self._draw("8H", last=True)
        self._press("SETTLED")

    def _a_broker_that_goes(self) -> None:
        self._chapter(
            "The network is gone, and comes back",
            "The table deals on and keeps every message until it is acknowledged; then it is not sent again.",
        )
        self._wait(self._acknowledged, "the desk acknowledges everything")
        known = self._seen = len(self._heard)
        repeated = self._desk.repeated
        self._broker.stop()
        self._people("the broker is switched off")
        self._bets()
        for card in ("2D", "JC"):
            self._shoe.draw(card)
            self._pause()
        self._press("SETTLED")
        self._people("the broker is switched on")
        self._broker = self._new_broker(self._broker.port)
        self._next("round.settled")
        self._wait(self._acknowledged, "the desk acknowledges everything")
        ids = [int(message.rpartition("-")[2]) for message, _, _ in self._heard]
        if ids != list(range(1, len(ids) + 1)):
            raise DealerGone(f"messages are missing or out of order: {', '.join(map(str, ids))}")
        self._say(
            f"{len(ids) - known} messages arrive, in order, none missing; of the {known} acknowledged before,"
            f" {self._desk.repeated - repeated or 'none'} twice"
        )

    def _a_changed_record(self) -> None:
        self._chapter(
            "Somebody changes a card in the record",
            "Each record has the hash of the one before it: `dealer-table verify` names what was changed.",
        )
        copy = self._folder / "copy.db"
        back_up(self._journal, copy)
        self._say(f"the record as it is: {'whole' if not verify(copy, link=link).findings else 'not whole'}")
        with closing(sqlite3.connect(copy)) as connection, connection:
            connection.execute(
                "UPDATE records SET body = CAST(replace(CAST(body AS TEXT), '9H', '9S') AS BLOB)"
                " WHERE number = (SELECT min(number) FROM records WHERE CAST(body AS TEXT) LIKE '%\"9H\"%')"
            )
        self._people(f"in a copy, {card_name('9H')} becomes {card_name('9S')}")
        self._say(verify(copy, link=link).findings[0].text)

    # What they are made of.

    def _new_broker(self, port: int | None = None) -> LoopbackBroker:
        broker = LoopbackBroker(self._folder, port)
        self._left.watch(broker.pid)
        return broker

    def _chapter(self, title: str, why: str) -> None:
        self._tell("chapter", title)
        self._tell("why", why)
        self._pause(4)

    def _people(self, what: str) -> None:
        self._tell("people", what)
        self._pause(3)

    def _say(self, what: str) -> None:
        self._tell("table", what)
        self._pause(2)

    def _bets(self) -> None:
        self._press("OPEN", "CLOSE")

    def _new_shoe(self) -> None:
        self._press(f"SHOE {self._shoe_cards}")

    @property
    def _shoe_cards(self) -> int:
        return len(self._game.deck) * self._game.default_decks

    def _draw(self, card: str, *, last: bool = False) -> None:
        """The card is heard; with the last one of a round comes the result."""
        self._shoe.draw(card)
        self._card()
        outcome = self._next("round.result")["outcome"] if last else None
        if isinstance(outcome, Mapping):
            self._say(f"result: {self._game.in_words(outcome)}")

    def _card(self) -> None:
        data = self._next("round.card")
        self._say(f"{place_name(str(data['position']))}: {card_name(str(data['card']))}")

    def _hold(self) -> None:
        held = self._next("table.held")
        choices = held["choices"] if isinstance(held["choices"], list) else []
        self._say(f"HOLD, {_plain(held['reason'])}: a supervisor may {' or '.join(map(_plain, choices))}")

    def _ready(self) -> None:
        """The table takes keys: one that means nothing now is refused, and no more."""
        self._wait(lambda: self._keypad.press("NOKEY", timeout_s=0.5) is not None, "the table answers")

    def _press(self, *keys: str) -> None:
        """Keys one after the other, each as the line that the keypad sends."""
        self._tell("keys", ", ".join(keys))
        for key in keys:
            answer = self._keypad.press(key, timeout_s=PATIENCE_S)
            if answer != "OK":
                raise DealerGone(f"the table answered {answer or 'nothing'} to {key}\n{self._program.log}")
            self._pause(0.5 if len(keys) == 1 else 1)

    def _acknowledged(self) -> bool:
        with SqliteReader.open(self._journal) as journal:
            return journal.cursors().get(CONSUMER) == journal.stream_head == len(self._heard)

    def _hear(self, message: str, name: str, data: Data) -> None:
        with self._guard:
            self._heard.append((message, name, data))
            self._guard.notify_all()

    def _next(self, name: str) -> Data:
        """The next message of this name that was not looked at yet."""
        self._wait(lambda: any(one[1] == name for one in self._heard[self._seen :]), name)
        place = next(at for at, one in enumerate(self._heard) if at >= self._seen and one[1] == name)
        self._seen = place + 1
        return self._heard[place][2]

    def _wait(self, so: Callable[[], bool], what: str) -> None:
        until = time.monotonic() + PATIENCE_S * 3
        while not so():
            if self._leave.is_set():
                raise DealerGone
            if time.monotonic() > until:
                raise DealerGone(f"not so after {PATIENCE_S * 3:.0f} s: {what}\n{self._program.log}")
            with self._guard:
                self._guard.wait(0.05)

    def _pause(self, steps: float = 1.0) -> None:
        if self._leave.wait(self._pace_s * steps):
            raise DealerGone


def _plain(code: object) -> str:
    return str(code).replace("_", " ")
