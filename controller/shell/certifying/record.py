"""What the journal says of this unit: whole, signed, and how its starts went."""

from __future__ import annotations

from pathlib import Path

import msgspec

from controller.journal.reader import SqliteReader
from controller.journal.verify import Finding, verify
from controller.shell.certifying import Check
from controller.shell.place import link
from controller.shell.signatures import check_signatures
from controller.vocabulary.codec import decode_event
from controller.vocabulary.errors import InputError, JournalError
from controller.vocabulary.events import SoftwareStarted

PART = "journal"
STEPS = {"round.opened": True, "round.settled": False, "round.void": False, "round.final": False}
"""Message -> whether a round is open after it."""


class _Named(msgspec.Struct):
    type: str


class Starts(msgspec.Struct):
    """How the program began, each time."""

    starts: int = 0
    reboots: int = 0
    """Starts on another boot, by a monotonic clock that had begun anew; a slow start hides one."""
    in_rounds: int = 0
    """Starts that found a round unsettled: a power cut, a kill or a restart. Pruned messages tell nothing."""


def look(path: Path) -> list[Check]:
    """The checks; a table that has no journal yet has nothing to show, which is not well either."""
    if not path.exists():
        return [Check(PART, "whole", "missing", f"{path} is not there: this table has never run")]
    verdict = verify(path, link=link)
    found: list[Finding] = [*verdict.findings]
    if not found:
        found += check_signatures(path).findings
    seen = "; ".join(finding.text for finding in found) or (
        f"{verdict.records} records, messages to {verdict.stream_head}, head {verdict.stream_hash}"
    )
    if found:
        nobody_knows = Check(PART, "power cuts", "missing", "nobody can count them in a damaged record")
        return [Check(PART, "whole", "failed", seen), nobody_knows]
    whole = Check(PART, "whole", "passed", seen)
    try:
        starts = starts_of(path)
    except (JournalError, InputError) as error:  # whole, and of some other program
        return [whole, Check(PART, "power cuts", "failed", error.message)]
    seen = f"{starts.starts} starts, {starts.reboots} of them on another boot, {starts.in_rounds} in a round"
    return [whole, Check(PART, "power cuts", "passed", seen)]


def starts_of(path: Path) -> Starts:
    """Go through a whole record. JournalError where it cannot be read, InputError where it is not ours."""
    counted, last_ns, open_round, told = Starts(), 0, False, 0
    with SqliteReader.open(path) as reader:
        for record in reader.records():
            event, stamp = decode_event(record.body)
            if isinstance(event, SoftwareStarted):
                counted.starts += 1
                counted.reboots += (stamp.monotonic_ns or 0) < last_ns
                counted.in_rounds += open_round
            last_ns = stamp.monotonic_ns or last_ns
            for message in reader.unchecked_messages(told + 1, record.stream):
                name = msgspec.json.decode(message.body, type=_Named).type.removeprefix("dealertable.")
                open_round = STEPS.get(name.removesuffix(".v1"), open_round)
            told = record.stream
    return counted
