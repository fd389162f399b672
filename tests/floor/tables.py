"""``python -m tests.floor.tables``: simulated tables in one process, each with the publisher of a real one.

A table forgets a message when the recorder has acknowledged it and a window more, as nothing else would tell
whether what was acknowledged is safe. (What the broker never answered for goes again, to who listens without
a name, also where the recorder has it.) It says so many rounds an hour until it is told to end (SIGTERM),
waits until all of it is acknowledged, and writes where each table's stream ended: ``{"t0001": [messages,
hash]}``.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import json
import random
import select
import signal
import time
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from controller.outbox.broker import BrokerSettings
from controller.outbox.publisher import Publisher
from controller.outbox.retained import Unit
from controller.outbox.session import WINDOW
from tests.floor.material import Entry, Saying, messages_per_round, table_names

TELL_S = 5.0
MOST_TOLD = 20
COUNTED = ("connected", "listening", "connections", "head", "sent", "taken", "acknowledged")
STARTS_A_SECOND = 100
ACK_TIMEOUT_S = 30.0
AWAY_S, LATE_S, IDLE_S = 0.3, 1.0, 3.0
"""A table of which nothing is heard is looked at so often: without a broker, late, idle."""


class Memory:
    """A table's stream as long as it is wanted; the outbox reads it as it reads a journal."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.stream_head = 0
        self.stream_hash = "0" * 64
        self.unwritten = False
        self._kept: deque[Entry] = deque()
        self._cursors: dict[str, int] = {}

    def add(self, entry: Entry) -> None:
        """One more message."""
        self._kept.append(entry)
        self.stream_head, self.stream_hash = entry.sequence, entry.hash

    def messages(self, after: int, limit: int) -> Sequence[Entry]:
        if not self._kept:
            return []
        begin = max(after + 1 - self._kept[0].sequence, 0)
        return [self._kept[place] for place in range(begin, min(begin + limit, len(self._kept)))]

    def cursors(self) -> dict[str, int]:
        return dict(self._cursors)

    def set_cursor(self, consumer: str, sequence: int) -> None:
        self._cursors[consumer] = max(self._cursors.get(consumer, 0), sequence)
        safe = min(self._cursors.values())
        while self._kept and self._kept[0].sequence <= safe - WINDOW:
            self._kept.popleft()

    def add_consumer(self, name: str) -> None:
        self._cursors.setdefault(name, self.stream_head)

    def retire_consumer(self, name: str) -> None:
        self._cursors.pop(name, None)

    def flush(self) -> None:
        """Nothing is kept on a disk."""


class SimulatedTable:
    """One table: what it says, and the publisher that brings it to the broker."""

    def __init__(
        self, name: str, epoch: int, hosts: Sequence[tuple[str, int]], login: dict[str, object]
    ) -> None:
        self.saying = Saying(name, epoch)
        self.stream = Memory(epoch)
        (host, port), *others = hosts
        self.publisher = Publisher(
            topics=self.saying.topics,
            broker=BrokerSettings(
                f"dealer-table-north-{name}",
                host=host,
                port=port,
                others=tuple(others),
                keepalive_s=30,
                **login,  # type: ignore[arg-type]
            ),
            unit=Unit(boot=1, version="floor", digest="0" * 64),
            signer=self.saying.signer,
            consumers=["recorder"],
            ack_timeout_s=ACK_TIMEOUT_S,
            stream=self.stream,
        )
        self.descriptor: int | None = None
        self.events = 0

    def say(self, time_: str) -> None:
        """The next message, and the display after it."""
        self.stream.add(self.saying.next(time_))
        self.publisher.set_retained({self.saying.topics.display: self.saying.display})


class Floor:
    """All tables, and one ``epoll``."""

    def __init__(self, tables: Sequence[SimulatedTable], rounds_per_hour: float, seed: int) -> None:
        self._tables = tables
        self._every_s = 3600 / (rounds_per_hour * messages_per_round())
        self._chance = random.Random(seed)
        self._poll = select.epoll()
        self._by_descriptor: dict[int, int] = {}
        now_s = time.monotonic()
        self._due = [(now_s + number / STARTS_A_SECOND, number) for number in range(len(tables))]
        self._says = [(now_s + self._chance.uniform(0, self._every_s), n) for n in range(len(tables))]
        heapq.heapify(self._says)
        self._started: set[int] = set()
        self.said = self._steps = 0
        self.ending = False

    @property
    def looked(self) -> bool:
        """Now and then: whether all is acknowledged takes a look at every table."""
        return self._steps % 50 == 0

    @property
    def pending(self) -> int:
        """Messages that are not acknowledged."""
        return sum(table.publisher.counters.pending for table in self._tables)

    @property
    def connected(self) -> int:
        return sum(table.publisher.counters.connected for table in self._tables)

    def waiting(self, now_s: float) -> list[dict[str, object]]:
        """Some tables that are not connected, or not acknowledged to the end: where each stands."""
        found: list[dict[str, object]] = []
        for table in self._tables:
            counters = table.publisher.counters
            if (counters.pending or not counters.connected) and len(found) < MOST_TOLD:
                held = table.publisher.conditions(now_s).values()
                found.append(
                    {
                        "table": table.saying.table,
                        "counters": {name: getattr(counters, name) for name in COUNTED},
                        "held": [one.message for one in held if one is not None],
                    }
                )
        return found

    def step(self) -> None:
        """Wait for something, at most a little, and do it."""
        self._steps += 1
        now_s = time.monotonic()
        wait_s = min(self._due[0][0], self._says[0][0] if not self.ending else now_s + 1) - now_s
        came = self._poll.poll(max(wait_s, 0.0))
        ready = {self._by_descriptor[fd] for fd, _ in came if fd in self._by_descriptor}
        now_s = time.monotonic()
        if not self.ending:
            time_ = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
            while self._says[0][0] <= now_s:
                at_s, number = heapq.heappop(self._says)
                heapq.heappush(self._says, (at_s + self._every_s * self._chance.uniform(0.2, 1.8), number))
                self._tables[number].say(time_)
                self.said += 1
                ready.add(number)
        while self._due and self._due[0][0] <= now_s:
            _, number = heapq.heappop(self._due)
            ready.add(number)
            if number not in self._started:
                self._started.add(number)
                self._tables[number].publisher.start(now_s)
            counters = self._tables[number].publisher.counters
            patience_s = AWAY_S if not counters.connected else LATE_S if counters.pending else IDLE_S
            heapq.heappush(self._due, (now_s + patience_s, number))
        for number in ready & self._started:
            table = self._tables[number]
            table.publisher.poll(now_s)
            self._watch(number, table)

    def _watch(self, number: int, table: SimulatedTable) -> None:
        interest = table.publisher.interest()
        descriptor, events = (None, 0) if interest is None else interest
        if (descriptor, events) == (table.descriptor, table.events):
            return
        if table.descriptor is not None and self._by_descriptor.get(table.descriptor) == number:
            with contextlib.suppress(OSError, ValueError):  # it may be closed
                self._poll.unregister(table.descriptor)
            self._by_descriptor.pop(table.descriptor, None)
        if descriptor is not None:
            before = self._by_descriptor.get(descriptor)
            if before not in (None, number):  # that one's was closed, and its number given anew
                self._tables[before].descriptor = None
            try:
                self._poll.register(descriptor, events)
            except FileExistsError:
                self._poll.modify(descriptor, events)
            self._by_descriptor[descriptor] = number
        table.descriptor, table.events = descriptor, events


def arguments() -> argparse.ArgumentParser:
    """Those of both kinds of simulated tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", type=int, required=True)
    parser.add_argument("--rounds", type=float, default=60, help="an hour, of each table")
    parser.add_argument("--hosts", required=True, help="as 127.0.0.1:1883,127.0.0.1:1884")
    parser.add_argument("--epoch", type=int, required=True)
    parser.add_argument("--ends", type=Path, required=True, metavar="FILE", help="where each stream ended")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--username")
    parser.add_argument("--password-file", type=Path)
    return parser


def write_ends(path: Path, ends: dict[str, list[object]]) -> None:
    """As a whole: who finds the file counts."""
    made = path.with_suffix(".new")
    made.write_text(json.dumps(ends))
    made.replace(path)


def hosts_of(text: str) -> list[tuple[str, int]]:
    return [(one.rpartition(":")[0], int(one.rpartition(":")[2])) for one in text.split(",")]


def main() -> None:
    """Until SIGTERM, and then until all is acknowledged."""
    chosen = arguments().parse_args()
    hosts = hosts_of(chosen.hosts)
    login: dict[str, object] = {}
    if chosen.username is not None:
        login = {"username": chosen.username, "password_file": chosen.password_file}
    tables = [
        SimulatedTable(name, chosen.epoch, hosts[number % len(hosts) :] + hosts[: number % len(hosts)], login)
        for number, name in enumerate(table_names(chosen.tables))
    ]
    floor = Floor(tables, chosen.rounds, chosen.seed)
    signal.signal(signal.SIGTERM, lambda *_: setattr(floor, "ending", True))
    told_s = time.monotonic()
    while not (floor.ending and floor.looked and floor.pending == 0):
        floor.step()
        if time.monotonic() - told_s >= TELL_S:
            told_s = time.monotonic()
            line = {"said": floor.said, "pending": floor.pending, "connected": floor.connected}
            print(json.dumps(line), flush=True)
            if floor.ending:
                print(*map(json.dumps, floor.waiting(told_s)), sep="\n", flush=True)
    ends: dict[str, list[object]] = {
        table.saying.table: [table.stream.stream_head, table.stream.stream_hash] for table in tables
    }
    write_ends(chosen.ends, ends)
    for table in tables:
        table.publisher.stop(clean=False)


if __name__ == "__main__":
    main()
