"""The oracle of the whole stack: what was promised to the outside holds, whatever happened to the machine."""

from __future__ import annotations

from collections.abc import Iterator

from controller.journal.reader import SqliteReader
from controller.shell.identity import software_digest
from tests.simulation.course import Told
from tests.simulation.oracles import Oracle
from tests.simulation.stack_desk import StackDesk
from tests.simulation.stack_oracles import heard_out, sound
from tests.simulation.violation import Violation
from tests.simulation.world import World

MOST_STALE = 6
HEALED_S = 240
"""So long after the last trouble every consumer must have everything."""
QUIET_S = 3
"""So long nothing new is said: a condition that ends with the last acknowledgement is told after it."""


class StackTruth(Oracle):
    """Looks at promises while it lasts, and at everything when all is mended."""

    def __init__(self) -> None:
        self.stale = 0
        """For so many acts what is retained has not been what the table has."""

    def answered(self, world: World, told: Told) -> None:
        desk = world.desk
        assert isinstance(desk, StackDesk)
        wrong = [*desk.wrong, *(text for one in desk.settlers for text in one.wrong)]
        if wrong:
            raise Violation("promise", wrong[0])

    def acted(self, world: World) -> None:
        desk = world.desk
        assert isinstance(desk, StackDesk)
        broker, daemon = desk.floor.broker, desk.table.daemon
        heard = daemon is not None and daemon.publisher.counters.connected and not broker.stalled
        wrong = list(wrongly_retained(desk)) if heard else []
        self.stale = self.stale + 1 if wrong else 0
        if self.stale > MOST_STALE:
            raise Violation("stack", wrong[0])

    def ended(self, world: World) -> None:
        desk = world.desk
        assert isinstance(desk, StackDesk)
        heal(desk)
        for text in after(desk):
            raise Violation("stack", text)


def heal(desk: StackDesk) -> None:
    """Everything works again, everybody listens, and there is time."""
    desk.floor.heal()
    desk.table.disk.dies_in = desk.table.dies_in = desk.floor.broker.cuts_in = None
    for settler in desk.settlers:
        settler.mood = "good"
        settler.come()
    desk.told()
    quiet_s = 0
    for _ in range(HEALED_S):
        desk.floor.pass_s(1.0)
        daemon = desk.table.daemon
        heard = daemon is not None and not daemon.publisher.counters.pending and in_time(desk)
        quiet_s = quiet_s + 1 if heard else 0
        if quiet_s == QUIET_S:
            return


def in_time(desk: StackDesk) -> bool:
    """Whether every consumer is where the table is."""
    return all(len(one.kept) == desk.table.daemon.journal.stream_head for one in desk.settlers)


def after(desk: StackDesk) -> list[str]:
    """What is wrong once all is mended; the table is stopped."""
    table = desk.table
    assert table.daemon is not None
    wrong = [*wrongly_retained(desk)]
    pending = table.daemon.publisher.counters.pending
    if pending:
        wrong.append(f"{pending} messages wait though everybody listens: {table.daemon.publisher.counters}")
    wrong += desk.promises.kept_by(table.daemon.journal)
    table.stop()
    with SqliteReader.open(table.journal) as reader:
        stream = [message.body for message in reader.messages(0, 1 << 40)]
    wrong += heard_out(desk.settlers, stream)
    wrong += sound(table.journal, software_digest())
    return wrong


def wrongly_retained(desk: StackDesk) -> Iterator[str]:
    """What the broker retains and the table does not, or otherwise."""
    assert desk.table.daemon is not None
    known = desk.table.daemon.loop.retained
    retained = desk.floor.broker.retained
    there = {topic for topic in retained if topic.startswith(f"{desk.base}/")}
    for topic in sorted({*there, *known}):
        others = ("/status", "/acks/", "/commands/")
        if retained.get(topic) != known.get(topic) and not any(part in topic for part in others):
            yield f"retained {topic}: {retained.get(topic)!r}, and the table has {known.get(topic)!r}"
