"""A whole table of one process: configured, wired to simulated devices, its loop at work in a thread.

There is no broker: the table deals without one. A test waits for what the table did, never for time.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from controller.round.state import State
from controller.settings.loader import load_configuration
from controller.shell.batch import Batch
from controller.shell.clock import Clock
from controller.shell.daemon import Daemon
from controller.shell.wiring.assembly import assemble
from controller.table import Table
from controller.vocabulary.codec import canonical
from controller.vocabulary.effects import Say
from controller.vocabulary.events import AnyEvent, CardRead, DeviceReported, DeviceRestored
from drivers.line_simulator import SimulatedLineDevice
from drivers.simulated_shoe import SimulatedShoe
from tests.harness.configuration import PANEL, Given, configured
from tests.harness.patience import PATIENCE_S, patiently
from tests.schema.shapes import check_journal

__all__ = ["PANEL", "Whole", "must", "whole"]

EventT = TypeVar("EventT", bound=AnyEvent)
WholeT = TypeVar("WholeT", bound="Whole")


@dataclass
class Whole:
    """The table at work, and what it has said and done so far."""

    assembly: Daemon
    guard: threading.Condition = field(default_factory=threading.Condition)
    events: list[AnyEvent] = field(default_factory=list)
    says: list[Say] = field(default_factory=list)
    told: Table | None = None
    """The table as of the last batch in ``events`` and ``says``: they come a moment after its state."""

    @property
    def state(self) -> State:
        """As it stands now."""
        state = self.assembly.loop.table.state
        if state is None:
            raise AssertionError("the table is not configured")
        return state

    def took(self, batch: Batch) -> None:
        """From the loop's thread."""
        with self.guard:
            self.events += batch.events
            self.says += batch.says
            self.told = batch.table
            self.guard.notify_all()

    def stop(self) -> None:
        """Let the loop end."""
        self.assembly.loop.stop()

    def wait(self, so: Callable[[], bool], what: str) -> None:
        """Wait until something is so."""
        with self.guard:
            if not patiently(lambda look_s: self.guard.wait_for(lambda: self._all_told() and so(), look_s)):
                last = "\n".join(map(repr, self.events[2:][-12:]))
                raise AssertionError(f"it never is so: {what}\n{last}")

    def _all_told(self) -> bool:
        return self.told is self.assembly.loop.table

    def wait_event(self, kind: type[EventT], times: int = 1) -> EventT:
        """Wait for the n-th event of a kind."""
        self.wait(lambda: len(self.of(kind)) >= times, f"{times} x {kind.__name__}")
        return self.of(kind)[times - 1]

    def wait_hold(self, reason: str) -> None:
        """Wait until the table holds for this reason."""
        self.wait(
            lambda: self.state.hold is not None and self.state.hold.reason == reason, f"holds: {reason}"
        )

    def wait_said(self, name: str, times: int = 1) -> dict[str, Any]:
        """Wait for the n-th message of a name; its data."""
        self.wait(lambda: len(self.said(name)) >= times, f"{times} x {name}")
        return self.said(name)[times - 1]

    def deal(self, shoe: SimulatedShoe, *cards: str) -> None:
        """Draw each card, as "8S" or "8S player 1", and see it arrive."""
        for card in cards:
            code, hand, number = [*card.split(), "", "1"][:3]
            before = len(self.of(CardRead))
            assert shoe.draw(code, hand, int(number), PATIENCE_S)  # the last command may not have come yet
            assert self.wait_event(CardRead, before + 1).code == code

    def of(self, kind: type[EventT]) -> list[EventT]:
        """The events of a kind that made the table what it is."""
        self._wait_told()
        return [event for event in self.events if isinstance(event, kind)]

    def said(self, name: str) -> list[dict[str, Any]]:
        """What the messages of a name carried, of the table as it is."""
        self._wait_told()
        return [json.loads(canonical(say.message)) for say in self.says if say.message.name == name]

    def _wait_told(self) -> None:
        with self.guard:
            if not patiently(lambda look_s: self.guard.wait_for(self._all_told, look_s)):
                raise AssertionError("the last commit was told to nobody")

    def wait_connected(self, *devices: str) -> None:
        """Wait until each device has answered for the first time."""

        def connected() -> set[str]:
            first = {event.device for event in self.of(DeviceReported) if "connected" in event.words}
            return first | {event.device for event in self.of(DeviceRestored)}

        self.wait(lambda: set(devices) <= connected(), f"{devices} are connected")


def deal_on(table: Whole) -> None:
    """The life of a table, until it is stopped."""
    try:
        table.assembly.start()
        table.assembly.loop.run(table.assembly.look, 0.05)
    finally:
        table.assembly.stop()


@contextmanager
def whole(
    folder: Path,
    *given: Given,
    game: str = "baccarat",
    settings: str = "",
    table: str = "",
    pins: Callable[[], Any] | None = None,
    life: Callable[[Any], object] = deal_on,
    kind: Callable[[Daemon], WholeT] = Whole,  # type: ignore[assignment]  # a type variable has no default
    clock: Clock | None = None,
) -> Iterator[WholeT]:
    """A table with this configuration, its loop at work in a thread of its own, which leads its ``life``.

    A life ends with a stop of the table, once: what is stopped has closed its journal.
    """
    named = f'[table]\n{table}\n[game]\nname = "{game}"\n{settings}'
    loaded = load_configuration(configured(folder, named, *given))
    made: queue.SimpleQueue[WholeT | Exception] = queue.SimpleQueue()

    def live() -> None:
        """The journal belongs to the thread that opens it: the table lives in one from beginning to end."""
        seen: list[WholeT] = []
        try:
            assembly = assemble(loaded, clock=clock, observer=lambda batch: seen[0].took(batch), pins=pins)
        except Exception as error:
            made.put(error)
            return
        seen.append(kind(assembly))
        made.put(seen[0])
        life(seen[0])

    thread = threading.Thread(target=live, name="table")
    thread.start()
    found = made.get(timeout=PATIENCE_S)
    if isinstance(found, Exception):
        raise found
    try:
        found.wait_connected(*found.assembly.drivers)
        yield found
    finally:
        found.stop()
        thread.join(PATIENCE_S)
    check_journal(folder / "journal.db")


def must(keypad: SimulatedLineDevice, *lines: str) -> None:
    """Press keys, or say lines, that the table must take."""
    for line in lines:
        answer = keypad.ask(line, PATIENCE_S)
        if answer != "OK":
            raise AssertionError(f"the table answered {answer!r} to {line}")
