"""Who signed the messages of a journal? The chains show what was changed, this who wrote it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice, pairwise
from pathlib import Path

import msgspec

from controller.journal.reader import SqliteReader
from controller.journal.record import Record
from controller.journal.verify import MOST_FINDINGS, Finding
from controller.outbox.envelope import opened, signed
from controller.outbox.signature import is_key, verify
from controller.vocabulary.codec import decode_event
from controller.vocabulary.errors import InputError, JournalError
from controller.vocabulary.events import SoftwareStarted


class Signatures(msgspec.Struct):
    """What came of it."""

    findings: list[Finding]
    keys: list[str]
    """The public halves that the record names, in order."""
    signed: int = 0
    unsigned: int = 0
    """Messages that were recorded before the table had a key."""


def check_signatures(path: Path) -> Signatures:
    """Check a journal file, which may be in use. What is wrong in the chains is ``verify``'s business."""
    with SqliteReader.open(path) as reader:
        found = Signatures([], [])
        with suppress(JournalError):  # the chain breaks there
            found.findings += islice(_walk(reader, found), MOST_FINDINGS)
        return found


def _walk(reader: SqliteReader, seen: Signatures) -> Iterator[Finding]:
    before, kept_from = 0, reader.pruned().sequence
    for record, following in pairwise(chain(reader.records(), [None])):
        if record is None:
            return
        key = _key(record)
        if key is None and following is not None and b'"table_configured"' in record.body:
            key = _key(following)  # a start writes its configuration, and then who it is
        if key is not None and seen.keys[-1:] != [key]:
            seen.keys.append(key)
        for message in reader.messages_with(record, before) if record.stream > kept_from else ():
            if (why := _wrong(message.body, message.seal, seen)) is not None:
                text = f"message {message.sequence}: {why}"
                yield Finding("signature", text, record=record.number, sequence=message.sequence)
        before = record.stream


def _key(record: Record) -> str | None:
    """The key that a start names."""
    if b'"software_started"' not in record.body:
        return None
    try:
        event, _ = decode_event(record.body)
    except InputError:
        return None
    key = event.public_key if isinstance(event, SoftwareStarted) else None
    return key if key is not None and is_key(key) else None


def _wrong(body: bytes, seal: bytes | None, seen: Signatures) -> str | None:
    if seal is None:
        seen.unsigned += 1
        return "nobody signed it, though the table had a key" if seen.keys else None
    if not seen.keys:
        return f"it is signed by key {opened(seal).keyid}, and the record names none"
    doubt = verify(signed(body, seal), seen.keys[-1])
    seen.signed += doubt is None
    return None if doubt is None else doubt.message
