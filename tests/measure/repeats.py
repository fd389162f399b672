"""``python -m tests.measure.repeats``: how fast a recorder compares what comes again with what it has.

A real PostgreSQL on loopback holds a table's stream. All of it comes again: in batches of 256, as many as a
connection is read at once, and one by one, as a consumer that asks the database for each of them. Then the
same of 256 tables, a message of each at once: asked for together, and table by table. Prints messages a
second; PostgreSQL, signatures and comparison included.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from controller.consumer.store import Repeated
from controller.outbox.session import MOST_READS
from controller.outbox.topics import topics_of
from controller.recorder.batch import Batch
from controller.recorder.database import Connection, connect, migrate
from controller.recorder.settings import DatabaseKeys
from controller.recorder.stream import RecordedStream, recall
from tests.harness.keys import SIGNER, by
from tests.harness.postgres import Postgres
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import write

EPOCH = 5
TABLES = 256


def compared_a_second(stream: RecordedStream, bodies: Sequence[bytes], at_once: int) -> float:
    """All of them again, so many at once."""
    began_s = time.perf_counter()
    for first in range(0, len(bodies), at_once):
        outcomes = stream.take(bodies[first : first + at_once])
        if not all(isinstance(outcome, Repeated) for outcome in outcomes):
            raise AssertionError("what came again is not what is recorded")
    return len(bodies) / (time.perf_counter() - began_s)


def of_many_a_second(
    connection: Connection, streams: Mapping[RecordedStream, Sequence[bytes]], *, together: bool
) -> float:
    """All of them again, one of each table at once."""
    began_s = time.perf_counter()
    turns = [*zip(*streams.values(), strict=True)]
    for bodies in turns:
        came = {stream: [body] for stream, body in zip(streams, bodies, strict=True)}
        if together:
            recall(connection, came)
        for stream, again in came.items():
            if not isinstance(stream.take(again)[0], Repeated):
                raise AssertionError("what came again is not what is recorded")
    return len(turns) * len(streams) / (time.perf_counter() - began_s)


def recorded(connection: Connection, name: str, count: int) -> tuple[RecordedStream, list[bytes]]:
    """A table whose stream is in the database, and what it said."""
    journal, topics = scratch_journal(epoch=EPOCH), topics_of("north", name)
    write(journal, count, source=topics.source)
    bodies = [by(SIGNER, entry.body) for entry in journal.messages(0, count)]
    batch = Batch()
    stream = RecordedStream(connection, batch, ("north", name), topics, None)
    stream.begin(EPOCH, 0)
    stream.pin(SIGNER.key)
    stream.take(bodies)
    batch.write(connection, datetime.now(UTC))
    stream.written()
    return stream, bodies


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure.repeats", description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000, help="[20000]")
    count = parser.parse_args().messages
    server = Postgres()
    try:
        with connect(DatabaseKeys(url=server.database()), "measure") as connection:
            migrate(connection)
            stream, bodies = recorded(connection, "7", count)
            for at_once in (1, MOST_READS):
                rate = compared_a_second(stream, bodies, at_once)
                print(f"{count} messages again, {at_once:3} at once: {rate:,.0f} a second")
            streams = dict(recorded(connection, f"t{number}", count // TABLES) for number in range(TABLES))
            for together in (False, True):
                rate = of_many_a_second(connection, streams, together=together)
                asked = "together" if together else "table by table"
                print(f"of {TABLES} tables, one of each at once, asked {asked}: {rate:,.0f} a second")
    finally:
        server.close()


if __name__ == "__main__":
    main()
