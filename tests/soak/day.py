"""Hours at a table in minutes: the real table, its journal on the disk, a broker, a consumer and devices on
their cables; only the clock jumps, from one thing that happens to the next.

The table runs by its clocks (opens, closes and settles by itself); a dealer draws, loads shoes, and now and
then a supervisor voids, the broker dies or the consumer is started anew.
"""

from __future__ import annotations

import gc
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from controller.shell.batch import Batch
from controller.shell.clock import Clock
from controller.shell.daemon import Daemon
from controller.vocabulary.events import CardRead
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.keypad.simulator import Keypad
from tests.harness.broker import Broker
from tests.harness.patience import Patience
from tests.harness.process import Consumer, descriptors, resident_mb
from tests.harness.rules_by_hand import new_shoe, play
from tests.harness.whole import PANEL, Whole, must, whole

LOOK_S = 0.002
HOUR_S = 3600
CARD_S = 3.0
"""Between two cards."""
TABLE = """
[round]
open = "auto"
close = "timer"
settle = "auto"
bets_s = 20
review_s = 10
[observe]
socket = "{folder}/top"
[devices.shoe]
driver = "angel-eye"
port = "{folder}/shoe"
"""


class JumpingClock(Clock):
    """The machine's clock and all the time that was jumped over."""

    def __init__(self) -> None:
        self.jumped_ns = 0

    def monotonic_ns(self) -> int:
        return time.monotonic_ns() + self.jumped_ns

    def now(self) -> str:
        jumped = datetime.now(UTC) + timedelta(microseconds=self.jumped_ns / 1e3)
        return jumped.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Hour:
    """The process after an hour; ``card_ms``: median from the draw to the durable event, ``work_ms``: of the
    processor's time in it, which other work on the machine does not change.
    """

    hour: float
    rounds: int
    resident_mb: float
    descriptors: int
    threads: int
    card_ms: float
    work_ms: float

    def row(self) -> str:
        """For people."""
        return (
            f"hour {self.hour:4.1f}  {self.rounds:5d} rounds  {self.resident_mb:6.1f} MB"
            f"  {self.descriptors:3d} descriptors  {self.threads:2d} threads  {self.card_ms:5.2f} ms a card"
            f", {self.work_ms:5.2f} ms of work"
        )


class Day(Whole):
    """One table. The loop runs in a thread of its own; time passes when the dealer lets it."""

    def __init__(
        self, assembly: Daemon, clock: JumpingClock, shoe: SimulatedAngelEye, keypad: Keypad
    ) -> None:
        super().__init__(assembly)
        self.shoe, self.keypad = shoe, keypad
        self._clock = clock
        self._until_ns = 0
        self.cards: list[str] = []
        self.rounds = self.read = 0
        self._drawn = 0
        self.took_ms: list[float] = []
        self.worked_ms: list[float] = []
        self._began_ns = clock.jumped_ns
        self._leave = False

    @property
    def passed_s(self) -> float:
        """Simulated seconds since the beginning."""
        return (self._clock.jumped_ns - self._began_ns) / 1e9

    def took(self, batch: Batch) -> None:
        with self.guard:
            self.read += sum(isinstance(event, CardRead) for event in batch.events)
            self.guard.notify_all()

    def wait_connected(self, *devices: str) -> None:
        drivers = self.assembly.drivers.values()
        self.wait(lambda: all(driver.state.connected for driver in drivers), "the devices are there")

    def live(self) -> None:
        """The life of the table, until it is stopped."""
        try:
            self._step_on()
        finally:
            self.assembly.stop()

    def _step_on(self) -> None:
        """The loop: what happens comes first, then time passes, a second at most at once."""
        self.assembly.start()
        while not self._leave:
            busy = self.assembly.loop.step(LOOK_S)
            self.assembly.look()
            publisher, loop = self.assembly.publisher, self.assembly.loop
            if loop._unwritten is not None:
                continue  # the disk did not take it: minutes would pass before it is tried again a few times
            if (
                busy
                or publisher.counters.pending
                or not publisher.counters.connected
                or publisher._schedule._in_flight
            ):
                continue  # the world outside runs by its own clock: a jump would look like its silence
            left_ns = self._until_ns - self._clock.jumped_ns
            if left_ns > 0:
                self._clock.jumped_ns += min(left_ns, 1_000_000_000)
            else:
                with self.guard:
                    self.guard.notify_all()

    def stop(self) -> None:
        self._leave = True

    def wait(self, so: Callable[[], bool], what: str) -> None:
        """Wait until it is so, without letting time pass."""
        patience = Patience()
        with self.guard:
            while not so():
                if patience.over:
                    raise AssertionError(f"it never is so: {what}; {self.standing()}")
                self.guard.wait(LOOK_S)

    def let_pass(self, seconds: float) -> None:
        """Let so much time pass."""
        self._until_ns = self._clock.jumped_ns + int(seconds * 1e9)
        self.wait(lambda: self._clock.jumped_ns >= self._until_ns, f"{seconds} s pass")

    def pass_until(self, so: Callable[[], bool], what: str, longest_s: int = 120) -> None:
        """Let time pass until it is so."""
        for _ in range(longest_s):
            if so():
                return
            self.let_pass(1.0)
        raise AssertionError(f"not so after {longest_s} s of its time: {what}; {self.standing()}")

    def phase(self) -> str:
        """Of the table."""
        state = self.assembly.loop.table.state
        return "" if state is None else state.phase

    def standing(self) -> str:
        """Phase, hold and clocks of the table, for who looks into a failure."""
        state = self.assembly.loop.table.state
        if state is None:
            return "not configured"
        hold = "" if state.hold is None else f", held for {state.hold.reason}: {state.hold.findings}"
        counters = self.assembly.loop.counters
        return (
            f"{state.phase}{hold}, clocks {state.timers}, lost {state.lost}, {list(state.conditions)},"
            f" alerts {[alert.message for alert in state.alerts]},"
            f" {counters.failed_commits} failed commits {counters.last_error}"
        )

    def round(self, chance: random.Random) -> None:
        """One round, by the clock."""
        if len(self.cards) < 20:
            self.pass_until(
                lambda: self.phase() in ("idle", "settled", "betting"), "the round before is over"
            )
            if self.phase() == "betting":
                must(self.keypad, "KEY boss", "VOID supervisor", "NOKEY")
            self.cards = new_shoe()
            chance.shuffle(self.cards)
            must(self.keypad, f"SHOE {len(self.cards)}")
            must(self.keypad, "OPEN")
        self.pass_until(lambda: self.phase() == "dealing", "bets are closed")
        played = play(self.draw)
        self.shoe.result(played.winner, *played.pairs)
        self.wait(lambda: self.shoe.wait_settled(LOOK_S), "the shoe's reports are taken")
        self.pass_until(lambda: self.phase() != "dealing", "the round is settled")
        self.rounds += 1

    def draw(self, hand: str, number: int) -> str:
        """The next card, as soon as the shoe lets it out."""
        self.let_pass(CARD_S)
        card = self.cards.pop()
        self.wait(lambda: not self.shoe.locked, "the shoe is open")
        self._drawn = self.read + 1
        began, began_work = time.perf_counter(), time.process_time()
        self.shoe.card(card, hand, number)
        self.wait(lambda: self.read >= self._drawn, "the card is durable")
        self.took_ms.append((time.perf_counter() - began) * 1000)
        self.worked_ms.append((time.process_time() - began_work) * 1000)
        return card

    def figures(self) -> Hour:
        """The process now."""
        with self.shoe.guard:  # what the emulator keeps for tests is not the table's
            self.shoe.sent.clear()
            self.shoe.acknowledged.clear()
            self.shoe.commands.clear()
        gc.collect()
        card_ms, work_ms = (median(some) if some else 0.0 for some in (self.took_ms, self.worked_ms))
        self.took_ms.clear()
        self.worked_ms.clear()
        now = self.passed_s / HOUR_S, self.rounds, resident_mb(), descriptors(), threading.active_count()
        return Hour(*now, card_ms, work_ms)


@contextmanager
def day(folder: Path) -> Iterator[tuple[Day, Broker, Callable[[], None]]]:
    """The table at work; the third is what starts the consumer anew."""
    with ExitStack() as stack:
        broker = stack.enter_context(Broker(folder / "broker"))
        shoe = stack.enter_context(SimulatedAngelEye(folder / "shoe"))
        keypad = stack.enter_context(Keypad(folder / "keypad"))
        mqtt = {"port": broker.port, "consumers": [Consumer.NAME]}
        clock = JumpingClock()

        def made(assembly: Daemon) -> Day:
            return Day(assembly, clock, shoe, keypad)

        table = whole(folder, TABLE, PANEL, {"mqtt": mqtt}, life=Day.live, kind=made, clock=clock)
        at_work = stack.enter_context(table)
        consumer = Consumer(folder, broker.port)
        stack.callback(consumer.kill)
        consumer.start()
        yield at_work, broker, consumer.restart
