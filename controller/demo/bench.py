"""A bench for who writes a consumer: a real table on a broker of a known address, and its faults on demand.

The table is a program of its own and can be killed; its devices and its broker are here. Nobody acknowledges
in the name of a consumer: that is left to the visitor, and the table keeps what waits for it. Nothing here
has a deadline: what must come is waited for until it comes, the visitor leaves, or the table's program ends.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec

from controller.demo.bench_dealer import BADGE, BenchDealer
from controller.demo.broker import LoopbackBroker
from controller.demo.devices import DealerGone, shoe_kind
from controller.demo.leftovers import Leftovers
from controller.demo.shufflers import Shuffle, by_lines
from controller.demo.table_program import TableProgram
from controller.demo.window import Shown, ShownHold, Window
from controller.games.registry import game_class
from controller.journal.reader import SqliteReader
from controller.round.turn import game_of
from controller.settings.model import Configuration
from controller.shell.signing_key import key_place, read_key
from controller.vocabulary.irregularities import KINDS
from controller.vocabulary.shown import counted
from drivers.keypad.simulator import Keypad
from drivers.line_simulator import SimulatedLineDevice
from drivers.registry import tag_of

Tell = Callable[[str], None]


def hold_words(hold: ShownHold) -> str:
    """Why the table holds, and a line for each word that ends it."""
    kind = KINDS[hold.reason]
    ways = [f"  {choice:8} {kind.choices.get(choice, '')}".rstrip() for choice in hold.choices]
    return "\n".join((f"HOLD, {hold.reason} ({kind.meaning}); a supervisor may say:", *ways))


class Bench:
    """One table; end it with :meth:`close`. Methods are for one thread, but for :meth:`leave`."""

    def __init__(
        self,
        configuration: Configuration,
        *,
        left: Leftovers,
        pace_s: float,
        seed: int | None,
        tell: Tell,
    ) -> None:
        """``left`` ends what is begun here where nobody else can; ``tell`` is given a line for whatever
        happens, from several threads.
        """
        self.configuration, self._left, self._tell = configuration, left, tell
        self._folder = Path(configuration.file).parent
        self._broker = self._new_broker()
        self._units = 1
        self._game = game_class(configuration.game.name)
        self._told: dict[str, object] = {}
        self.ended: set[str] = set()
        """Rounds that were settled or void."""
        with ExitStack() as parts:
            parts.callback(lambda: self._broker.stop())
            shoe = shoe_kind(tag_of(type(configuration.devices.shoe))).simulator(self._folder / "shoe")
            parts.callback(shoe.stop)
            self.shoe = shoe
            keypad = parts.enter_context(Keypad(self._folder / "keypad"))
            shuffle: Shuffle | None = None
            if configuration.devices.shuffler is not None:
                shuffle = by_lines(parts.enter_context(SimulatedLineDevice(self._folder / "shuffler")))
            self._program = parts.enter_context(TableProgram(Path(configuration.file), left.watch))
            self.dealer = BenchDealer(
                game_of(configuration.core()),
                keypad,
                shoe,
                shuffle,
                pace_s=pace_s,
                seed=seed,
                badge=next(iter(configuration.badges.supervisors or ()), BADGE),
                clocks=configuration.round,
                tell=tell,
                alive=self._program.check,
            )
            parts.callback(self._look_away)
            self._parts = parts.pop_all()

    def close(self) -> None:
        """End every part and leave nothing behind."""
        self.leave()
        self._parts.close()

    def leave(self) -> None:
        """End whatever is waited for; from any thread and from a signal handler."""
        self.dealer.leave.set()

    # The life of the table.

    def start(self) -> None:
        """Start the table's program and wait until it hears its devices."""
        self._program.start()
        window = Window(self._folder / "board", self._note)
        self.dealer.window = window
        window.start()
        self.dealer.wait(lambda window: window.shown is not None)
        if self.dealer.shoe_is_there:
            self.wait_devices()

    def wait_devices(self, heard: bool = True) -> None:
        """Wait until the table hears all of its devices, or no longer does."""
        while self._program.hears_all() != heard:
            self.dealer.wait_beat()

    def _look_away(self) -> None:
        if self.dealer.window is not None:
            self.dealer.window.stop()
        self.dealer.window = None

    def kill(self) -> None:
        """kill -9, and start it again."""
        self._look_away()
        self._program.kill()
        self._tell("the table's program is killed, and started again")
        self.start()

    def replace(self) -> bool:
        """Another unit takes the place of this one, which is dead: a new journal, epoch and key. False, and
        nothing is done, where there is no broker to ask what it keeps of the table.
        """
        if not self._broker.runs:
            self._tell("a new unit asks the broker what it keeps of the table: `broker on` first")
            return False
        self._tell(self.status())
        self._look_away()
        self._program.kill()
        self._units += 1
        attic = self._folder / f"unit-{self._units - 1}"
        attic.mkdir()
        journal = Path(self.configuration.journal.path)
        for part in self._folder.glob(f"{journal.name}*"):
            shutil.move(part, attic / part.name)
        call = [sys.executable, "-m", "controller", "replace", "--config", self.configuration.file]
        call += ["--badge", self.dealer.badge, "--old-journal", str(attic / journal.name)]
        done = subprocess.run(call, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        for line in (done.stdout + done.stderr).splitlines():
            self._tell(f"replace: {line}")
        if done.returncode:
            raise DealerGone("the new unit has not taken over")
        self.start()
        self._tell(f"the new unit has another public key: {self.public_key}")
        return True

    @property
    def public_key(self) -> str:
        """The public half of the key by which the table signs."""
        signer = read_key(key_place(self.configuration))
        return "" if signer is None else signer.key

    # What happens, in words.

    def _note(self, shown: Shown) -> None:
        """A new display, in the window's thread: say what is news in it."""
        news = {kind: (what, words) for kind, what, words in self._news(shown)}
        for kind, (what, words) in news.items():
            if what != self._told.get(kind):
                self._tell(words)
        self._told = {kind: what for kind, (what, _) in news.items()}
        if shown.round is not None and shown.phase in ("settled", "final", "void"):
            self.ended.add(shown.round)

    def _news(self, shown: Shown) -> Iterator[tuple[str, object, str]]:
        """What may be news: its kind, what tells it from what was before, its words."""
        if shown.hold is not None:
            yield "hold", (shown.hold.round, shown.hold.reason), hold_words(shown.hold)
        number, round_ = shown.game_number, shown.round
        if number is None or round_ is None:
            return
        yield "round", round_, f"round {number}: bets are open"
        if shown.result is not None:
            outcome = self._game.in_words(msgspec.json.decode(shown.result.outcome))
            again = f", revision {shown.revision}" if shown.revision > 1 else ""
            yield "result", (round_, shown.revision), f"round {number}: {outcome}{again}"
        if shown.void is not None:
            yield "void", round_, f"round {number} is VOID: {shown.void.reason}"

    def acknowledged(self) -> tuple[int, int, dict[str, int]]:
        """The epoch, its last message, and up to where each consumer has everything."""
        with SqliteReader.open(Path(self.configuration.journal.path)) as journal:
            epoch, head, cursors = journal.epoch, journal.stream_head, journal.cursors()
        named = self.configuration.mqtt.consumers
        return epoch, head, {name: cursors.get(name, 0) for name in named}

    def status(self) -> str:
        """The same in words."""
        epoch, head, cursors = self.acknowledged()
        words = [f"{name} has acknowledged {cursor} of {head}" for name, cursor in cursors.items()]
        words = words or [f"{counted(head, 'message')}, for no consumer"]
        return f"epoch {epoch}: {', '.join(words)}"

    def all_acknowledged(self) -> bool:
        """Whether each consumer has acknowledged everything."""
        _, head, cursors = self.acknowledged()
        return all(cursor == head for cursor in cursors.values())

    def wait_acknowledged(self) -> None:
        """Wait until it is so."""
        while not self.all_acknowledged():
            self.dealer.wait_beat()

    # Faults that are not of the cards.

    def _new_broker(self) -> LoopbackBroker:
        broker = LoopbackBroker(self._folder, self.configuration.mqtt.port)
        self._left.watch(broker.pid)
        return broker

    def switch_broker(self, *, on: bool) -> None:
        """Switch the broker off, with all that it keeps, or on again."""
        if on and not self._broker.runs:
            self._broker = self._new_broker()
        elif not on:
            self._broker.stop()
        self._tell(f"the broker is {'on' if on else 'off'}")
