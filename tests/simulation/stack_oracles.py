"""What must be so of a table of the whole stack, whatever happened to it; what is not is told as a sentence.

Each is written from what was promised to the outside: what was said, and what was answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from controller.journal.reader import SqliteReader
from controller.journal.verify import verify
from controller.shell.place import link
from controller.shell.restart import fold
from controller.vocabulary.codec import decode_event
from tests.harness.bench import WithoutSnapshot
from tests.simulation.stack_consumer import Settler


class Promises:
    """What a table has told devices and broker: none of it may ever be missing in its journal."""

    def __init__(self) -> None:
        self.answered: Counter[bytes] = Counter()
        """What a device said, to the byte -> how often the table confirmed it."""
        self.published: dict[int, bytes] = {}
        """Sequence -> message, canonical, as it was first on the wire."""

    def publish(self, sequence: int, body: bytes) -> str | None:
        """A message is on the wire; what is wrong with that."""
        before = self.published.setdefault(sequence, body)
        return None if before == body else f"message {sequence} was published twice and differs"

    def kept_by(self, journal: SqliteReader) -> Iterator[str]:
        """Which of them the journal has not."""
        for sequence, body in self.published.items():
            found = journal.messages(sequence - 1, 1)
            if not found or found[0].body != body:
                yield f"message {sequence} was published and is not in the journal"
        held: Counter[bytes] = Counter()
        for record in journal.records():
            raw = decode_event(record.body)[1].raw
            held[bytes.fromhex(raw or "")] += 1
        for said, times in self.answered.items():
            if held[said] < times:
                yield f"{said!r} was confirmed {times} times, the journal has it {held[said]} times"


def said_since(journal: SqliteReader, after: int, said: bytes) -> bool:
    """Whether one of the records above ``after`` holds what a device said."""
    return any(decode_event(one.body)[1].raw == said.hex() for one in journal.unchecked_records(after))


def sound(path: Path, digest: str) -> Iterator[str]:
    """Of a journal that nobody writes just now: chains, and what its folds give."""
    for finding in verify(path, link=link).findings:
        yield f"verify: {finding.text}"
    with SqliteReader.open(path) as reader:
        quick, whole = fold(reader, digest), fold(cast(SqliteReader, WithoutSnapshot(reader)), digest)
        if quick.table.state != whole.table.state:
            yield "a fold from the snapshot differs from a fold of all"
        if fold(reader, digest).table.state != quick.table.state:
            yield "two folds of one journal differ"


def heard_out(settlers: Iterable[Settler], stream: list[bytes]) -> Iterator[str]:
    """Once everybody listens again each consumer has the whole stream, once, in order."""
    for settler in settlers:
        yield from (f"{settler.name}: {text}" for text in settler.wrong)
        if settler.kept != stream:
            yield f"{settler.name} has {len(settler.kept)} messages, the stream has {len(stream)}"
