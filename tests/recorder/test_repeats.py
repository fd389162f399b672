"""What comes again of many tables is compared with what is recorded, in one question to the database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from controller.consumer.store import Differs, Repeated, Taken
from controller.outbox.topics import topics_of
from controller.recorder.batch import Batch
from controller.recorder.database import migrate
from controller.recorder.stream import RecordedStream, recall
from tests.harness.keys import SIGNER, by
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import write

EPOCH = 5
COUNT = 4


class Asked(psycopg.Connection[tuple[Any, ...]]):
    """Counts what it is asked."""

    times = 0

    def execute(self, *words: Any, **more: Any) -> Any:
        self.times += 1
        return super().execute(*words, **more)


@pytest.fixture
def connection(url: str) -> Iterator[Asked]:
    with Asked.connect(url, autocommit=True) as made:
        migrate(made)
        yield made


def said(name: str) -> list[bytes]:
    """What a table said."""
    journal = scratch_journal(epoch=EPOCH)
    write(journal, COUNT, source=topics_of("north", name).source)
    return [by(SIGNER, entry.body) for entry in journal.messages(0, COUNT)]


def recorded(connection: Asked, names: list[str]) -> dict[str, RecordedStream]:
    """The streams of these tables, and all that they said is in the database."""
    batch, streams = Batch(), dict[str, RecordedStream]()
    for name in names:
        streams[name] = stream = RecordedStream(
            connection, batch, ("north", name), topics_of("north", name), None
        )
        stream.begin(EPOCH, 0)
        stream.pin(SIGNER.key)
        assert [type(one) for one in stream.take(said(name))] == [Taken] * COUNT
    batch.write(connection, datetime.now(UTC))
    for stream in streams.values():
        stream.written()
    return streams


def test_what_comes_again_of_many_tables_is_one_question(connection: Asked) -> None:
    streams = recorded(connection, [*"123456789"])
    before = connection.times
    recall(connection, {stream: said(name)[1:] for name, stream in streams.items()})
    for name, stream in streams.items():
        assert stream.take(said(name)[1:]) == [Repeated(EPOCH, 2), Repeated(EPOCH, 3), Repeated(EPOCH, 4)]
    assert connection.times == before + 1


def test_another_message_under_a_number_is_found_among_what_comes_again(connection: Asked) -> None:
    streams = recorded(connection, ["7", "8"])
    changed = said("8")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE dealer_table.messages SET raw = %s WHERE \"table\" = '8' AND sequence = 2", (b"{}",)
        )
    recall(connection, {streams["7"]: said("7"), streams["8"]: changed})
    assert streams["7"].take(said("7")) == [Repeated(EPOCH, number + 1) for number in range(COUNT)]
    assert [type(one) for one in streams["8"].take(changed)] == [Repeated, Differs, Repeated, Repeated]


def test_what_is_no_message_and_what_is_gone_from_the_record_is_no_error(connection: Asked) -> None:
    """A month that was dropped is compared with nothing, and not asked for once more."""
    streams = recorded(connection, ["7"])
    connection.execute("DELETE FROM dealer_table.messages WHERE sequence = 1")
    before = connection.times
    recall(connection, {streams["7"]: [b"no message", said("7")[0]]})
    assert streams["7"].take(said("7")[:1]) == [Repeated(EPOCH, 1)]
    assert connection.times == before + 1
