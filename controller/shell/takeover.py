"""A dead unit's identity taken over: what outlives it, and the journal that goes on where it broke off.

Of the dead unit remain what the broker retains (status, display, result, the consumers' acknowledgements) and
perhaps its disk. The newer of the two counts: the broker's display may be ahead of a damaged journal.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.journal.files import PARTS, WriterLock, beside, sync
from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.claim import Sighting
from controller.outbox.envelope import Envelope, first_head, name_of, read_envelope
from controller.outbox.retained import MOST
from controller.settings.model import Configuration
from controller.shell.announcer import Announcer
from controller.shell.batch import Batch, Recorder
from controller.shell.clock import Clock
from controller.shell.identity import software_digest, version
from controller.shell.replay import configured_by
from controller.shell.signing_key import key_place, make_key
from controller.table import Table
from controller.vocabulary.display import RoundTrace, round_trace
from controller.vocabulary.effects import Refuse
from controller.vocabulary.errors import InputError, JournalError, why
from controller.vocabulary.events import AnyEvent, EpochStarted, Orphan, SoftwareStarted
from controller.vocabulary.messages import (
    RoundFinal,
    RoundOpened,
    RoundResult,
    RoundSettledMessage,
    RoundVoid,
)
from controller.vocabulary.values import IN_ROUND


class Remains(msgspec.Struct, frozen=True):
    """What is known of the unit that is replaced."""

    epoch: int
    head: int
    """The last sequence that is known; consumers may hold less."""
    acknowledged: Mapping[str, int]
    """Consumer -> sequence."""
    orphan: Orphan | None = None
    round_known: bool = False
    """Whether somebody knows which round was the last, or that there was none."""


def remains_of(configuration: Configuration, seen: Sighting, old: Path | None) -> Remains | None:
    """What is known of the unit that was this table last, None if nobody knows of any."""
    epochs = set(seen.epochs)
    if old is not None:
        with SqliteReader.open(old) as journal:
            epochs.add(journal.epoch)
    if not epochs:  # only then is what consumers claim all that anybody knows
        epochs = {ack.epoch for name, ack in seen.acks.items() if name in configuration.mqtt.consumers}
    if not epochs:
        return None
    of_broker = _of_broker(configuration, seen, max(epochs))
    if old is None:
        return of_broker
    kept = _of_journal(old)
    if kept.epoch != of_broker.epoch:
        return of_broker if of_broker.epoch > kept.epoch else kept
    names = {*of_broker.acknowledged, *kept.acknowledged}
    acknowledged = {
        name: max(of_broker.acknowledged.get(name, 0), kept.acknowledged.get(name, 0)) for name in names
    }
    # What the broker heard after the journal's end is newer.
    newer = of_broker if of_broker.round_known and of_broker.head > kept.head else kept
    return msgspec.structs.replace(newer, head=max(of_broker.head, kept.head), acknowledged=acknowledged)


def _of_broker(configuration: Configuration, seen: Sighting, epoch: int) -> Remains:
    acknowledged = {name: ack.sequence for name, ack in seen.acks.items() if ack.epoch == epoch}
    heard = seen.status.sequence if seen.status is not None and seen.status.epoch == epoch else 0
    remains = Remains(epoch, max(heard, *acknowledged.values(), 0), acknowledged)
    table = configuration.table
    last = _last_of_broker(seen, f"{table.site}-{table.id}-{epoch}-")
    if last is None:
        return remains
    orphan = None
    if last.round is not None and (last.phase in IN_ROUND or last.phase == "settled"):
        orphan = Orphan(last.round, last.game_number, last.phase == "settled", last.revision, last.id or None)
    return msgspec.structs.replace(remains, orphan=orphan, round_known=True)


def _last_of_broker(seen: Sighting, ours: str) -> RoundTrace | None:
    """The last round of the display, with the id of its result; None where no display of this epoch tells.

    The result goes out before the display, and a unit may die between the two: what it says is the newer.
    """
    shown, ended = round_trace(seen.display), round_trace(seen.result)
    if shown is None or shown.phase is None:
        return None
    if shown.round is not None and not shown.round.startswith(ours):
        return None
    if ended is None or ended.round is None or not ended.round.startswith(ours):
        return shown
    number, ended_number = _number(shown.round), _number(ended.round)
    if ended_number < number:
        return shown
    if ended.kind == "void" or ended_number > number:
        return msgspec.structs.replace(ended, phase=ended.kind)
    return msgspec.structs.replace(shown, id=ended.id)


def _number(round_: str | None) -> int:
    """Of a round in its epoch, by its id; 0: none."""
    number = "" if round_ is None else round_.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _of_journal(path: Path) -> Remains:
    """By its messages, as consumers would have received them, up to the first damaged one."""
    orphan: Orphan | None = None
    head = 0
    with SqliteReader.open(path) as journal:
        epoch, cursors = journal.epoch, journal.cursors()
        try:
            for message in journal.unchecked_messages():
                said = read_envelope(message.body)
                head = message.sequence
                orphan = _after(orphan, said)
        except (JournalError, InputError) as error:
            if head == 0:
                raise JournalError(f"nothing can be read of the old journal {path}: {why(error)}") from error
    return Remains(epoch, head, cursors, orphan, round_known=True)


def _after(orphan: Orphan | None, said: Envelope) -> Orphan | None:
    """The last round, after one more message."""
    name, trace = name_of(said.type_), round_trace(said.data) or RoundTrace()
    if name == RoundOpened.name and said.subject is not None:
        return Orphan(said.subject, trace.game_number)
    if orphan is None or said.subject != orphan.round:
        return orphan
    if name in (RoundVoid.name, RoundFinal.name):
        return None
    if name == RoundResult.name:
        return msgspec.structs.replace(orphan, result=said.id, revision=trace.revision, settled=False)
    if name == RoundSettledMessage.name:
        return msgspec.structs.replace(orphan, settled=True)
    return orphan


def take_over(configuration: Configuration, remains: Remains, *, by: str, note: str | None) -> int:
    """Make the journal of the new epoch, with its first events in it; it appears whole or not at all.

    The epoch is larger than the old one whatever the clock says, every consumer begins at its first message,
    and a new key signs it: who has the old one is not this table any more. Returns that epoch. Raises
    JournalError if there is a journal already or one is being made.
    """
    path = Path(configuration.journal.path)
    lock = WriterLock(path)
    try:
        if path.exists():
            raise JournalError(f"{path} is there already: move it aside, and name it with --old-journal")
        return _made(path, configuration, remains, by, note)
    except OSError as error:
        raise JournalError(f"cannot make the journal {path}: {why(error)}") from error
    finally:
        lock.release()


def _made(path: Path, configuration: Configuration, remains: Remains, by: str, note: str | None) -> int:
    unfinished = beside(path, ".replacing")
    for part in PARTS:
        beside(unfinished, part).unlink(missing_ok=True)
    epoch = next_epoch(remains.epoch)
    signer = make_key(key_place(configuration))
    events: tuple[AnyEvent, ...] = (
        configured_by(configuration),
        SoftwareStarted(version(), software_digest(), 1, public_key=signer.key),
        EpochStarted(
            previous=remains.epoch,
            by=by,
            last_acknowledged=dict(remains.acknowledged),
            orphan=remains.orphan,
            note=note,
        ),
    )
    journal = SqliteJournal.create(unfinished, epoch=epoch)
    journal.seal = signer.seal
    try:
        for name in configuration.mqtt.consumers:
            journal.add_consumer(name)
        recorder = Recorder(Announcer(first_head(epoch)), Clock(), 1, lambda: 0)
        batch = Batch(Table(epoch))
        for event in events:
            if any(isinstance(effect, Refuse) for effect in recorder.record(batch, event, {})):
                raise JournalError(f"the table refuses {type(event).__name__} as one of its first events")
        journal.commit(batch.records, batch.messages, counts=batch.counts)
        journal.checkpoint()
    finally:
        journal.close()
    os.rename(unfinished, path)
    beside(unfinished, ".lock").unlink(missing_ok=True)
    sync(path.parent)
    return epoch


def next_epoch(previous: int) -> int:
    """The milliseconds since 1970, or one more than the last epoch where the clock is behind it."""
    epoch = max(time.time_ns() // 1_000_000, previous + 1)
    if epoch > MOST:
        raise InputError(f"epoch {previous} leaves no larger number: no unit of ours wrote it")
    return epoch
