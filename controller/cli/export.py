"""``export``: the record of a table in one file that proves itself, for an auditor with tools of their own.

JSON lines: a header, every record and message with its exact bytes as the last member, ``body``, each round
with what was said of it, and an end with the digest of all lines before it. Where cards of the running round
lie face down it ends before that round.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import BinaryIO

import msgspec

from controller.cli.journal_file import journal_file
from controller.cli.telling import standard_output, writing
from controller.journal.reader import SqliteReader
from controller.outbox.envelope import opened
from controller.outbox.signature import is_key, keyid_of
from controller.shell.history import Entry, PastRound, entries, rounds
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import AnyEvent, SoftwareStarted, TableConfigured

FORMAT = 3
"""Since 3 messages have who signed them; a journal of before may hold some that nobody did."""


def run(arguments: argparse.Namespace) -> int:
    """0; JournalError if the chain of the journal breaks on the way: then the file has no end."""
    since = moment(arguments.since)
    with SqliteReader.open(journal_file(arguments.journal)) as journal, writing():
        out = Lines(standard_output())
        plan = Plan(journal, since)
        out.write(plan.header(arguments.since))
        for round_ in rounds(plan.told(out)):
            if round_.entries[0].record.number >= plan.first:
                out.write(round_line(round_))
        out.end()
    return 0


class Lines:
    """Writes lines and adds up what the last one says of them."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._digest = hashlib.sha256()
        self._counts = {"record": 0, "message": 0, "round": 0, "header": 0}

    def write(self, members: dict[str, object]) -> None:
        """One object, its members in the order in which they stand here."""
        line = msgspec.json.encode(members) + b"\n"
        self._counts[str(members["kind"])] += 1
        self._digest.update(line)
        self._stream.write(line)

    def end(self) -> None:
        """The last line."""
        counts = self._counts
        end = {
            "kind": "end",
            "records": counts["record"],
            "messages": counts["message"],
            "rounds": counts["round"],
            "sha256": self._digest.hexdigest(),
        }
        self._stream.write(msgspec.json.encode(end) + b"\n")
        self._stream.flush()


class Plan:
    """What of a journal goes into the file."""

    def __init__(self, journal: SqliteReader, since: datetime) -> None:
        self._journal = journal
        self.first = journal.record_head + 1
        """Number of the first record."""
        self._behind: int | None = None
        self._software: list[dict[str, object]] = []
        self._configurations: list[dict[str, object]] = []
        self._keys: list[dict[str, object]] = []
        self._begun: dict[str, object] | None = None
        """Where a start began: it writes its configuration, and then who it is."""
        self._source = ""
        self._last = 0
        """What is committed while we write may hide a card: it is left out."""
        newest: PastRound | None = None
        for round_ in rounds(self._looked_through(since)):
            newest = round_
        if newest is not None and newest.hides_cards():
            self._behind = newest.entries[0].record.number

    def _looked_through(self, since: datetime) -> Iterator[Entry]:
        for entry in entries(self._journal):
            self._last = entry.record.number
            if self.first > self._last and datetime.fromisoformat(entry.stamp.at) >= since:
                self.first = self._last
            self._note(entry)
            yield entry

    def _note(self, entry: Entry) -> None:
        event: AnyEvent = entry.event
        since: dict[str, object] = {"from_record": entry.record.number}
        begun, self._begun = self._begun or since, None
        if entry.said:
            self._source = entry.said[0].source
        if isinstance(event, SoftwareStarted):
            add(self._software, {"version": event.version, "digest": event.digest}, begun)
            if event.public_key is not None and is_key(event.public_key):
                add(self._keys, {"keyid": keyid_of(event.public_key), "public_key": event.public_key}, begun)
        elif isinstance(event, TableConfigured):
            self._begun = since
            add(self._configurations, {"digests": dict(event.digests)}, since)

    def header(self, since: str | None) -> dict[str, object]:
        """Where both chains begin, and who wrote what follows."""
        from controller.shell.identity import software_digest, version

        before = self._journal.record(min(self.first - 1, self._journal.record_head))
        start = max(before.stream, self._journal.pruned().sequence)
        return {
            "kind": "header",
            "format": FORMAT,
            "source": self._source,
            "epoch": self._journal.epoch,
            "since": since,
            "first_record": self.first,
            "record_before": before.hash.hex(),
            "first_message": start + 1,
            "message_before": self._journal.mark_at(start).hash,
            "withheld_from_record": self._behind,
            "software": self._software,
            "configurations": self._configurations,
            "keys": self._keys,
            "exported_by": {"version": version(), "digest": software_digest()},
        }

    def told(self, out: Lines) -> Iterator[Entry]:
        """The entries up to what is withheld, each written as it passes."""
        end = self._last if self._behind is None else self._behind - 1
        for entry in entries(self._journal):
            if entry.record.number > end:
                return
            if entry.record.number >= self.first:
                for line in entry_lines(entry):
                    out.write(line)
            yield entry


def add(known: list[dict[str, object]], what: dict[str, object], since: dict[str, object]) -> None:
    """Note what is in force from a record on, where it is not in force already."""
    if not known or any(known[-1][name] != value for name, value in what.items()):
        known.append({**what, **since})


def entry_lines(entry: Entry) -> Iterator[dict[str, object]]:
    """A record and its messages; ``body`` stands last, and holds the bytes that are hashed."""
    record = entry.record
    yield {
        "kind": "record",
        "number": record.number,
        "at_ms": record.at_ms,
        "stream": record.stream,
        "hash": record.hash.hex(),
        "body": msgspec.Raw(record.body),
    }
    for message, body, seal in zip(entry.said, entry.bodies, entry.seals, strict=True):
        who = None if seal is None else opened(seal)
        yield {
            "kind": "message",
            "sequence": message.sequence,
            "record": record.number,
            **({} if who is None else {"keyid": who.keyid, "signature": who.signature}),
            "body": msgspec.Raw(body),
        }


def round_line(round_: PastRound) -> dict[str, object]:
    """A round with all that was said of it."""
    messages = [
        {"id": message.id, "name": name, "at": message.time, "data": message.data}
        for name, message in round_.messages()
    ]
    numbers = [entry.record.number for entry in round_.entries]
    return {
        "kind": "round",
        "round": round_.id,
        "game_number": round_.game_number,
        "opened_at": round_.opened_at,
        "ended": round_.ended,
        "records": [numbers[0], numbers[-1]],
        "messages": messages,
    }


def moment(text: str | None) -> datetime:
    """``--since`` as a time; InputError says how it is written."""
    if text is None:
        return datetime.min.replace(tzinfo=UTC)
    try:
        since = datetime.fromisoformat(text)
    except ValueError as error:
        raise InputError(
            f"--since {text!r}: expected a time as 2026-01-31 or 2026-01-31T20:15:00Z"
        ) from error
    return since if since.tzinfo else since.replace(tzinfo=UTC)
