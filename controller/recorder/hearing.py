"""All tables of a floor over one connection with the broker: what comes is written in batches, and then
acknowledged.

Tables are found by what they say: a stream, or a status. What is missing is asked for table by table, not
from all at once, so that a floor that comes back does not drown who listens.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import partial

import psycopg

from controller.consumer.asking import Traffic
from controller.consumer.following import Following, Letter
from controller.consumer.notices import NewEpoch, NotNamed, Pinned, TableNotice
from controller.consumer.store import Cursor, NotItsOwn, OtherEpoch
from controller.outbox.broker import BrokerSettings
from controller.outbox.denied import REMEDIES
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Puback,
    Report,
    Subscribed,
)
from controller.outbox.retained import Status
from controller.outbox.session import Session
from controller.outbox.topics import ROOT, is_segment, topics_of
from controller.recorder.batch import Batch, Place
from controller.recorder.database import Connection, told
from controller.recorder.figures import Figures
from controller.recorder.findings import finding
from controller.recorder.stream import LARGEST, RecordedStream, accepted_keys, places, recall

LINGER_S = 0.02
"""The first message of a batch waits so long for others."""
MOST_IN_BATCH = 2000
NOTE_S = 1.0
"""Where nothing else is written, so often it is seen whether the database is there, and what tables say of
themselves is written."""
ASK_S = 0.1
QUESTIONS_A_SECOND = 20.0
UNNAMED_S = 60.0
"""A table that does not name us is asked again after so long."""
LOOK_S = 2.0
"""Whether a person has accepted another key of a table that is doubted is looked up this often."""
MOST_TABLES = 20_000
KINDS = ("events", "repeats", "status", "replies")


def mend(why: str) -> str:
    """What is to be done where the broker says that."""
    return REMEDIES.get(why.lower(), "mend its rights")


class FloorHearing:
    """The streams of all tables of some sites. ``step`` does everything."""

    def __init__(
        self,
        *,
        name: str,
        sites: Iterable[str],
        broker: BrokerSettings,
        connection: Connection,
        figures: Figures,
        tell: Callable[[str], None],
    ) -> None:
        """``tell``: a line for people."""
        self._name = name
        self._sites = tuple(sites)
        self._connection = connection
        self._figures = figures
        self._tell = tell
        self._session = Session(broker)
        self._batch = Batch()
        self._since_s: float | None = None
        """When the oldest message of the batch came."""
        self._noted_s = self._asked_s = 0.0
        self._questions = QUESTIONS_A_SECOND
        self._traffic = Traffic()
        self._streams: dict[Place, RecordedStream] = {}
        self._tables: dict[Place, Following] = {}
        self._turn: deque[Place] = deque()
        """Whose turn it is to be asked."""
        self._unnamed: dict[Place, float] = {}
        """Tables that do not know us -> when they are asked again."""
        self._owing: set[Place] = set()
        self._doubted: set[Place] = set()
        """Tables of which something was refused: they may have another key."""
        self._looked_s = 0.0
        self._trusted = accepted_keys(connection, self._sites)
        """The key that each table was last told to believe."""
        self._out: dict[str, Letter] = {}
        """What waits to be published: the newest of each topic."""
        self._in_flight: set[int] = set()
        self._window = 1
        self._down = ""
        self._repeats_denied: bool | None = None
        """Whether the broker lets us hear nothing of what is sent again for us alone; None: it has not
        answered yet."""
        self._denied: set[str] = set()
        for place, (cursor, head) in places(connection, self._sites).items():
            self._follow(place, cursor).head = head

    def step(self, longest_s: float) -> None:
        """Wait for something, at most so long, and do what it asks for. RecordError or psycopg.Error where
        the database fails: then nothing of what was not written is acknowledged, and this hearing is over."""
        now_s = time.monotonic()
        if self._session.attempts.due(now_s):
            self._session.open(now_s)
        self._session.wait(longest_s if self._since_s is None else min(longest_s, LINGER_S))
        now_s = time.monotonic()
        bodies: dict[Place, list[bytes]] = {}
        for report in self._session.serve(now_s):
            if isinstance(report, Arrived):
                self._arrived(report, bodies, now_s)
            else:
                self._handle(report, now_s)
        recall(self._connection, {self._streams[place]: came for place, came in bodies.items()})
        for place, came in bodies.items():
            self._tables[place].receive(came, now_s)
            self._streams[place].recalled = {}
            self._owing.add(place)
            self._figures.came += len(came)
        self._write(now_s)
        self._look_for_keys(now_s)
        if self._session.connected:
            self._ask(now_s)
            self._send()

    def stop(self) -> None:
        """Take leave. What is written is acknowledged; what waited comes again."""
        self._session.leave()

    # What comes

    def _follow(self, place: Place, cursor: Cursor | None = None) -> Following:
        topics = topics_of(*place)
        stream = RecordedStream(self._connection, self._batch, place, topics, cursor)
        table = Following(
            name=self._name,
            topics=topics,
            store=stream,
            see=partial(self._see, place),
            own_epochs=True,  # the record of an epoch takes nothing from another; the alarm is for people
            key=self._trusted.get(place, ""),
            traffic=self._traffic,
        )
        self._streams[place], self._tables[place] = stream, table
        self._turn.append(place)
        self._figures.tables = len(self._tables)
        return table

    def _arrived(self, report: Arrived, bodies: dict[Place, list[bytes]], now_s: float) -> None:
        parts = report.topic.removeprefix(f"{ROOT}/").split("/")
        if len(parts) < 3 or parts[2] not in KINDS or parts[0] not in self._sites or not is_segment(parts[1]):
            return
        place, kind = (parts[0], parts[1]), parts[2]
        table = self._tables.get(place)
        if table is None:
            if kind == "replies" or len(self._tables) >= MOST_TABLES:
                return
            accepted = accepted_keys(self._connection, [place[0]])
            if place in accepted:  # since we began, and before it was first heard
                self._trusted[place] = accepted[place]
            table = self._follow(place)
            table.connected(now_s)
            if self._repeats_denied is not None:
                self._subscribed(table, now_s)
        if report.topic in table.streams:
            bodies.setdefault(place, []).append(report.payload)
            return
        before = table.store.cursor
        table.hear(report, now_s)
        self._owing.add(place)
        if kind == "status" and table.status is not None and _sound(table.status):
            self._batch.seen[place] = table.status, datetime.now(UTC)
            if table.status.state == "online" and not report.retained:
                self._unnamed.pop(place, None)
        cursor = table.store.cursor
        if cursor is not None and (kind == "status" or before is None) and 0 < table.head <= LARGEST:
            self._batch.head(place, cursor, table.head)

    def _subscribed(self, table: Following, now_s: float) -> None:
        table.subscribed(now_s, {table.topics.repeats(self._name)} if self._repeats_denied else ())

    def _see(self, place: Place, notice: TableNotice) -> None:
        if isinstance(notice, NotNamed):
            self._unnamed[place] = time.monotonic() + UNNAMED_S
        if isinstance(notice, NotItsOwn | OtherEpoch):
            self._doubted.add(place)
        elif isinstance(notice, Pinned | NewEpoch):
            self._doubted.discard(place)
        found = finding(notice)
        if found is None:
            return
        # An alarm may quote what nobody signed, and PostgreSQL takes no U+0000 in a text.
        code, message = (text.replace("\0", "\ufffd") for text in found)
        key = (*place, code)
        if self._batch.alarms.get(key) != message:
            self._tell(f"table {'/'.join(place)}: {message}")
        self._batch.alarms[key] = message
        self._figures.alarms += 1

    def _handle(self, report: Report, now_s: float) -> None:
        if isinstance(report, Connected):
            self._tell(f"the broker is there (MQTT {report.protocol})")
            self._down, self._window = "", report.window
            self._figures.connected = True
            topics = (*TOPICS, f"repeats/{self._name}")
            self._session.subscribe([f"{ROOT}/{site}/+/{topic}" for site in self._sites for topic in topics])
        elif isinstance(report, Subscribed):
            for topic, reason in report.denied.items():
                self._tell(f"the broker lets us hear nothing on {topic} ({reason}): {mend(reason)}")
            self._repeats_denied = any(topic.endswith(f"/repeats/{self._name}") for topic in report.denied)
            for table in self._tables.values():
                table.connected(now_s)
                self._subscribed(table, now_s)
            self._owing.update(self._tables)
        elif isinstance(report, Puback):
            self._in_flight.discard(report.mid)
            if report.denied is not None and report.denied not in self._denied:
                self._denied.add(report.denied)
                self._tell(
                    f"the broker does not take what we publish ({report.denied}): {mend(report.denied)}"
                )
        elif isinstance(report, ConnectionRefused | ConnectionLost):
            self._figures.connected, self._repeats_denied = False, None
            for table in self._tables.values():
                table.lost()
            self._out.clear()
            self._in_flight.clear()
            self._denied.clear()
            if report.reason != self._down:
                self._tell(f"no broker: {report.reason}")
            self._down = report.reason

    def _look_for_keys(self, now_s: float) -> None:
        """A person may have accepted another key of a table that is doubted."""
        if not self._doubted or now_s - self._looked_s < LOOK_S:
            return
        self._looked_s = now_s
        accepted = accepted_keys(self._connection, self._sites)
        for place in self._doubted & accepted.keys():
            if accepted[place] != self._trusted.get(place):
                self._trusted[place] = accepted[place]
                self._tables[place].trust(accepted[place])

    # What is written

    def _write(self, now_s: float) -> None:
        batch = self._batch
        if batch.count and self._since_s is None:
            self._since_s = now_s
        due = self._since_s is not None and now_s - self._since_s >= LINGER_S
        quiet = now_s - self._noted_s >= NOTE_S
        if due or batch.count >= MOST_IN_BATCH or (batch and quiet):
            self._commit(now_s)
        elif quiet:  # the right to record ends with the connection, also where nothing is to be written
            self._noted_s = now_s
            with told():
                self._connection.execute("SELECT")

    def _commit(self, now_s: float) -> None:
        batch, began_s = self._batch, time.monotonic()
        with told():
            try:
                batch.write(self._connection, datetime.now(UTC))
                self._written(batch.places())
            except psycopg.DataError:
                self._one_by_one(batch)
        self._figures.wrote(batch.count, time.monotonic() - began_s)
        self._since_s, self._noted_s = None, now_s
        batch.clear()

    def _one_by_one(self, batch: Batch) -> None:
        """A message that the database cannot hold stops its own table and no other."""
        for place in batch.everywhere():
            try:
                batch.alone(place).write(self._connection, datetime.now(UTC))
                self._written([place])
            except psycopg.DataError as error:
                if place in self._streams:
                    self._streams[place].dropped()
                self._owing.discard(place)
                words = f"the database cannot hold a message: {' '.join(str(error).split())}"
                self._tell(f"table {'/'.join(place)}: {words}")
                alarm = Batch()
                alarm.alarms[*place, "unholdable"] = words
                alarm.write(self._connection, datetime.now(UTC))

    def _written(self, places: Iterable[Place]) -> None:
        for place in places:
            if place in self._streams:
                self._streams[place].written()

    # What is sent

    def _ask(self, now_s: float) -> None:
        """What is safe is told; what is missing is asked for, by turns."""
        if self._since_s is None:
            for place in self._owing:
                self._post(self._tables[place].acknowledgement())
            self._owing.clear()
        if now_s - self._asked_s < ASK_S:
            return
        self._questions = min(
            QUESTIONS_A_SECOND, self._questions + (now_s - self._asked_s) * QUESTIONS_A_SECOND
        )
        self._asked_s = now_s
        self._count_missing()
        for _ in range(len(self._turn)):
            if self._questions < 1:
                return
            place = self._turn[0]
            self._turn.rotate(-1)
            table = self._tables[place]
            away = table.status is not None and table.status.state != "online"
            if away or self._unnamed.get(place, 0.0) > now_s:
                continue
            question = table.question(now_s)
            if question is not None:
                self._post(question)
                self._questions -= 1
                self._figures.questions += 1

    def _count_missing(self) -> None:
        behind = [
            table.head - table.store.cursor.sequence
            for table in self._tables.values()
            if table.store.cursor is not None and table.head > table.store.cursor.sequence
        ]
        self._figures.missing, self._figures.behind = sum(behind), len(behind)

    def _post(self, letter: Letter | None) -> None:
        if letter is not None:
            self._out[letter.topic] = letter

    def _send(self) -> None:
        while self._out and len(self._in_flight) < self._window:
            topic = next(iter(self._out))
            letter = self._out.pop(topic)
            mid = self._session.publish(topic, letter.payload, retain=letter.retain)
            if mid is not None:
                self._in_flight.add(mid)


TOPICS = ("events", "status", "replies/+")


def _sound(status: Status) -> bool:
    """Whether the database can hold it; a table says nothing else."""
    texts = status.version + status.digest
    return (
        "\0" not in texts and len(texts) < 400 and all(0 <= n <= LARGEST for n in (status.boot, status.epoch))
    )
