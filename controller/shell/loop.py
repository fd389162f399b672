"""The loop: the one thread that owns table, journal and outbox; a test may step it.

The order is the promise: take what waits, let the table judge it, commit events and messages in one
transaction, adopt the new table, and only then let the outbox speak, answer devices and set lamps. What could
not be committed has not happened: it is tried again, unanswered, until the disk takes it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from controller.journal.sqlite import SqliteJournal
from controller.outbox.commands import CommandArrived
from controller.outbox.publisher import Publisher
from controller.round.secrecy import under_key
from controller.round.state import State
from controller.shell.announcer import Announcer, retained_payloads
from controller.shell.answers import answer_of, event_of, refused_here, reply_of
from controller.shell.batch import Batch, Recorder
from controller.shell.books import Books
from controller.shell.clock import Clock
from controller.shell.conditions import Conditions, Moment, Watcher
from controller.shell.inlet import Inlet
from controller.shell.intake import Driver, Intake, Intaken, Received, Source, not_taken_in, stamp_fields
from controller.shell.lamps import Lamps
from controller.shell.observing.lines import log_faults, log_refused, log_said
from controller.shell.observing.logs import where
from controller.shell.observing.snapshot import LoopCounters
from controller.shell.restart import LastReport, encode_snapshot
from controller.shell.sentinel import Heartbeat
from controller.shell.timers import Timers
from controller.table import Table
from controller.vocabulary.display import UnderKey
from controller.vocabulary.effects import Effect, Refuse
from controller.vocabulary.errors import JournalError, MayNotRunError
from controller.vocabulary.events import Event
from controller.vocabulary.messages import RoundFinal, RoundVoid

log = logging.getLogger(__name__)

MOST_AT_ONCE = 512
"""Items that one transaction takes; more wait for the next."""
START_S = 10.0
"""So soon after a start no round of this life is running that would have to be played to its end."""
AWAY_S, AWAY_WITH_CARDS_S = 0.05, 0.01
"""So long ports may stay unread while we work, without and with cards to come: what they say may be stamped
so late, and readings of two devices within that time swap order. A port's own thread looks as often."""
RETRY_S = 0.5
"""Pause before a failed commit is tried again."""


class Course(Protocol):
    """Steps that belong together: each follows from the table as the one before left it, and all of them are
    one transaction.
    """

    def next(self, state: State | None) -> tuple[Event, Mapping[str, object]] | None:
        """The next event and the fields of its stamp; None: that was all. Never raises."""

    def done(self) -> None:
        """All of it is durable."""


Item = Received | CommandArrived | Event | Course | None
"""What a device says, a command, an event of the shell itself, a course of them; None only wakes the loop."""


class Loop:
    """One table at work. All methods but :meth:`deliver` belong to the one thread that runs the loop."""

    def __init__(
        self,
        *,
        table: Table,
        journal: SqliteJournal,
        announcer: Announcer,
        intake: Intake,
        clock: Clock,
        boot: int,
        drivers: Mapping[str, Driver],
        publisher: Publisher,
        lamps: Lamps,
        watchers: Iterable[Watcher] = (),
        sources: Iterable[Source] = (),
        observer: Callable[[Batch], None] | None = None,
    ) -> None:
        """``watchers``: who else than intake, lamps and outbox knows of conditions. ``sources``: ports that
        this loop reads itself while it waits.
        """
        self.table = table
        self.counters = LoopCounters()
        self.heartbeat = Heartbeat()
        self._journal = journal
        self._recorder = Recorder(announcer, clock, boot, lambda: journal.record_head)
        self._intake = intake
        self._clock = clock
        self._drivers = drivers
        self._publisher = publisher
        self._lamps = lamps
        self._observer = observer
        self._timers = Timers()
        self._books = Books(publisher.acknowledged)
        self._conditions = Conditions(
            (*watchers, intake.look, lamps.look, lambda now: publisher.conditions(now.monotonic_ns / 1e9))
        )
        self._inlet: Inlet[Item] = Inlet(sources, publisher.interest)
        self._unwritten: Batch | None = None
        self._stopping = False
        self._retained: dict[str, bytes] = {}

    @property
    def retained(self) -> Mapping[str, bytes]:
        """Full topic -> payload of what is retained since the last commit; another mapping after each."""
        return self._retained

    @property
    def under_key(self) -> UnderKey | None:
        """What the table's own dealer's page may name now; None without a key that is turned, and while the
        disk takes nothing: a key that was taken out meanwhile waits on the queue."""
        state = self.table.state
        shut = self._unwritten is not None or not self._intake.keys.any_turned
        return None if state is None or shut else under_key(state)

    def deliver(self, item: Item) -> None:
        """Put an item on the queue; from any thread, returns at once."""
        self._inlet.put(item)

    def stop(self) -> None:
        """Let :meth:`run` end after what it is doing; from any thread or a signal handler."""
        self._stopping = True
        self._inlet.put(None)

    def run(self, alive: Callable[[], None] = lambda: None, wait_s: float = 1.0) -> None:
        """Step until :meth:`stop`; ``alive`` is called at every step, at the latest after ``wait_s``.

        MayNotRunError where this unit may not be the table: at once where that comes out at its start, else
        between two rounds.
        """
        settled_s = self._now_s() + START_S
        while not self._stopping and (
            self._publisher.denial is None or (self.table.in_round and self._now_s() > settled_s)
        ):
            self.step(wait_s)
            alive()
        if self._publisher.denial is not None:
            raise MayNotRunError(self._publisher.denial.message)

    def step(self, wait_s: float = 0.0) -> bool:
        """Handle what waits, waiting up to ``wait_s`` for it; whether anything was done."""
        if self._unwritten is not None:
            self._conditions.look(self._moment)  # outputs that failed are tried again all the same
            return self._try_again(self._unwritten, wait_s)
        changed = self._conditions.changed(self._moment)
        closed = self._books.closed(self.table.state)
        self.heartbeat.beat()
        away_s = AWAY_WITH_CARDS_S if self.table.cards_due else AWAY_S
        items = self._inlet.take(
            lambda: 0.0 if changed or closed else self._longest_s(wait_s), MOST_AT_ONCE, away_s
        )
        batch = Batch(self.table)
        for told in closed:  # first: it was so before a card that was taken in now
            self._recorder.record(batch, told, {})
        for item in items:
            self.heartbeat.beat()  # each: a flood that takes its time is no loop that stalls
            self._consider(batch, item)
        self.heartbeat.beat()
        for device, missed in self._intake.due(self._clock.monotonic_ns()):
            self._recorder.record(batch, missed, {"device": device})
        for event in self._timers.due(self._clock.monotonic_ns()):
            self._recorder.record(batch, event, {})
        for change in changed:
            self._recorder.record(batch, change, {})
        if batch.records:
            self._write(batch)
        elif batch.answers:
            self._answer(batch)
        self._speak()
        self._publisher.flush_cursors(self._now_s())
        self.heartbeat.beat()
        return bool(items or batch.records)

    def tell(self, event: Event) -> None:
        """Let the table handle an event of the shell itself (start-up)."""
        self._inlet.put(event)

    @property
    def _moment(self) -> Moment:
        state = self.table.state
        held = {} if state is None else state.conditions
        return Moment(self._clock.monotonic_ns(), held, idle=self.idle)

    def _longest_s(self, wait_s: float) -> float:
        """How long nothing needs to happen, though nothing comes; ``wait_s`` at most."""
        now = self._clock.monotonic_ns()
        now_s = now / 1e9
        limits = [wait_s, self._timers.wait_s(now), self._publisher.due_s(now_s) - now_s]
        watched_s = self._intake.wait_s(now)
        if watched_s is not None:
            limits.append(watched_s)
        return max(0.0, min(limits))

    def _consider(self, batch: Batch, item: Item) -> None:
        if isinstance(item, Received):
            self._consider_reading(batch, item)
        elif isinstance(item, CommandArrived):
            self._consider_command(batch, item)
        elif isinstance(item, Event):
            self._recorder.record(batch, item, {})
        elif item is not None:
            while (step := item.next(batch.table.state)) is not None:
                self._recorder.record(batch, *step)
            batch.answers.append(item.done)

    def _consider_reading(self, batch: Batch, received: Received) -> None:
        intaken = self._taken_in(received, batch.table.state)
        self.counters.readings += 1
        batch.connected |= intaken.connected
        self._lamps.heard(received)
        effects: list[Effect] = []
        for event in intaken.events:
            effects += self._recorder.record(batch, event, stamp_fields(received))
        log_faults(intaken.events)
        log_refused(received.device, (effect for effect in effects if isinstance(effect, Refuse)))
        driver = self._drivers.get(received.device)
        if driver is not None:
            answer = intaken.answer or answer_of(effects)
            batch.answers.append(lambda: driver.acknowledge(received, answer))

    def _taken_in(self, received: Received, state: State | None) -> Intaken:
        """A failure of ours on a device's words costs no reading: it is recorded, and the device is told."""
        try:
            return self._intake.take(received, state)
        except Exception as error:  # whatever fails in there, the bytes must not be lost (design, 6)
            log.error("intake failed on %s: %s", type(received.reading).__name__, where(error))
            return not_taken_in(received, state, where(error))

    @property
    def idle(self) -> bool:
        """Whether nobody waits for us: no cards are to come, and nothing is on the queue."""
        return not self.table.cards_due and self._inlet.empty()

    def _consider_command(self, batch: Batch, arrived: CommandArrived) -> None:
        # Asked again: while the disk takes nothing a command waits, and who sent it has given up meanwhile.
        refusal = self._publisher.subscription.expired(arrived) or refused_here(arrived, batch.table.state)
        if refusal is not None:
            batch.answers.append(lambda: self._publisher.subscription.refuse(refusal))
            return
        command = arrived.command
        event = event_of(command)
        effects = self._recorder.changes_nothing(batch, event)
        if effects is None:
            effects = self._recorder.record(batch, event, {})
        log_refused(arrived.name, (effect for effect in effects if isinstance(effect, Refuse)))
        batch.answers.append(lambda: self._publisher.subscription.reply(reply_of(command.id, effects)))

    def _write(self, batch: Batch) -> None:
        """Durable first; then the batch happens."""
        over = any(isinstance(say.message, RoundFinal | RoundVoid) for say in batch.says)
        state = batch.table.state
        snapshot = self._snapshot(state) if over and state is not None else None
        began_ns = self._clock.monotonic_ns()
        try:
            self._journal.commit(batch.records, batch.messages, counts=batch.counts, snapshot=snapshot)
        except JournalError as error:
            if self._unwritten is None:
                log.error("nothing is acknowledged until this is fixed: %s", error.message)
                self._lamps.halt()
            self._unwritten = batch
            self.counters.failed_commits += 1
            self.counters.last_error = error.message
            return
        committed_ns = self._clock.monotonic_ns()
        again, self._unwritten = self._unwritten is not None, None
        self.table = batch.table
        self._publisher.publish(self._now_s())  # first: people and money wait for it, devices have time
        if state is not None:
            self._retain(state)
        if again:
            log.warning("the journal takes writes again")
        self.heartbeat.beat()  # before the lamps: who watches gives what follows its full time
        self.counters.events += len(batch.records)
        self.counters.messages += len(batch.messages)
        self.counters.commits += 1
        self.counters.commit_s.observe((committed_ns - began_ns) / 1e9)
        self._answer(batch)
        if state is not None:
            self._timers.follow(state.timers, self._clock.monotonic_ns())
            self._lamps.show(state, anew=batch.connected)
        if self._observer is not None:
            self._observer(batch)
        log_said(batch.says)

    def _snapshot(self, state: State) -> bytes:
        reports = {
            device: LastReport(number, raw.hex()) for device, number, raw in self._intake.last_reports()
        }
        return encode_snapshot(state, reports)

    def _retain(self, state: State) -> None:
        """Retained topics follow the messages that they belong to; one that is gone is deleted."""
        now = retained_payloads(state)
        gone = [topic for topic in self._retained if topic not in now]
        self._retained = now
        self._publisher.set_retained({**now, **dict.fromkeys(gone)})

    def _try_again(self, batch: Batch, wait_s: float) -> bool:
        """A batch that the disk did not take: again, and nothing else before it."""
        if self._stopping:
            return False
        threading.Event().wait(min(wait_s, RETRY_S))  # what comes stays on the queue, in order
        self.heartbeat.beat()
        self._write(batch)
        self._speak()
        self.heartbeat.beat()
        return self._unwritten is None

    def _answer(self, batch: Batch) -> None:
        for answer in batch.answers:
            answer()

    def _speak(self) -> None:
        """Publish what may leave, and read what the broker says; a command waits its turn."""
        for command in self._publisher.poll(self._now_s()):
            self._inlet.put(command)

    def _now_s(self) -> float:
        return self._clock.monotonic_ns() / 1e9
