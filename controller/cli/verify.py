"""``verify``: is a journal whole and untouched?"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from controller.cli.journal_file import journal_file
from controller.cli.telling import print_json_line, print_lines
from controller.journal.verify import Verdict, Witness, verify
from controller.shell.place import link
from controller.vocabulary.errors import InputError, JournalError

if TYPE_CHECKING:
    from controller.shell.recomputing import Recomputed
    from controller.shell.signatures import Signatures

_WITNESS = re.compile(r"([1-9]\d{0,17})-([1-9]\d{0,17}):([0-9a-f]{64})")


def run(arguments: argparse.Namespace) -> int:
    """0 if nothing is wrong, 1 with what is, 2 if there is no file to look at."""
    path = journal_file(arguments.journal)
    verdict = verify(path, link=link, witnesses=[witness(text) for text in arguments.witness])
    signatures = None if arguments.chains_only else signed(path, verdict)
    if signatures is not None:
        verdict = msgspec.structs.replace(verdict, findings=[*verdict.findings, *signatures.findings])
    again = None if arguments.chains_only else recomputed(path, verdict)
    if again is not None:
        verdict = msgspec.structs.replace(verdict, findings=[*verdict.findings, *again.findings])
    if arguments.json:
        answer = {"whole": not verdict.findings, "first_bad_record": verdict.first_bad_record}
        counts = {} if again is None else counted(again)
        if signatures is not None:
            counts |= {"keys": signatures.keys, "signed": signatures.signed, "unsigned": signatures.unsigned}
        looked_at = msgspec.structs.asdict(verdict)
        if not verdict.epoch:
            looked_at = {"findings": verdict.findings}
        print_json_line({**answer, **counts, **looked_at})
    else:
        who = [] if signatures is None else signers(signatures)
        print_lines(
            [*page(path, verdict), *who, *([] if again is None else [in_words(again, verdict.records)])]
        )
    return 1 if verdict.findings else 0


def recomputed(path: Path, verdict: Verdict) -> Recomputed | None:
    """The messages made again from the events; None if the file cannot even be opened."""
    from controller.shell.identity import software_digest
    from controller.shell.recomputing import recompute

    if any(found.code in ("file", "structure") for found in verdict.findings):
        return None
    try:
        return recompute(path, software_digest())
    except JournalError:
        return None


def signed(path: Path, verdict: Verdict) -> Signatures | None:
    """Who signed the messages; None if the file cannot even be opened."""
    from controller.shell.signatures import check_signatures

    if any(found.code in ("file", "structure") for found in verdict.findings):
        return None
    try:
        return check_signatures(path)
    except JournalError:
        return None


def signers(found: Signatures) -> list[str]:
    """By which keys, to be compared with what the consumers have pinned."""
    lines = [f"signed by key {key}" for key in found.keys]
    if found.unsigned and not found.keys:
        return ["nobody signed its messages: they were recorded by software that had no key"]
    if found.unsigned:
        lines.append(f"{found.unsigned} messages are not signed: they are older than its first key")
    return lines


def in_words(again: Recomputed, all_records: int) -> str:
    """How much of the record this software could make again, and what came of it."""
    if again.compared == all_records and not again.findings:
        return f"the messages of all {all_records} records are those that this software says to their events"
    said = []
    if again.compared:
        part = "" if again.compared == all_records else f"{again.compared} of "
        came = "some of them have other messages" if again.findings else "their messages are as recorded"
        said.append(f"recomputed: {part}{records(all_records)}; {came}")
    if again.other:
        all_ = "" if again.compared or again.unread else "all "
        was = "was" if again.other == 1 else "were"
        said.append(f"not recomputed: {all_}{records(again.other)}, which {was} written by other software")
    if again.unread is not None:
        said.append(f"nothing from record {again.unread} on was recomputed: this software cannot read it")
    return "; ".join(said)


def records(number: int) -> str:
    """So many of them."""
    return f"{number} record{'' if number == 1 else 's'}"


def counted(again: Recomputed) -> dict[str, object]:
    """The same for programs."""
    unread = {} if again.unread is None else {"unread_from": again.unread}
    return {"recomputed": again.compared, "of_other_software": again.other, **unread}


def page(path: Path, verdict: Verdict) -> list[str]:
    """What was looked at, and each finding."""
    found = [f"  {finding.code}: {finding.text}" for finding in verdict.findings]
    if not verdict.epoch:
        return [f"{path} cannot be checked, it is no journal or not whole:", *found]
    seen = f"epoch {verdict.epoch}, {verdict.records} records, messages to {verdict.stream_head}"
    if not verdict.findings:
        return [f"{path} is whole: {seen}", f"last message {verdict.stream_hash}"]
    first = verdict.first_bad_record
    if first is not None and first > verdict.records:
        seen += f"; record {first} is missing"
    elif first is not None:
        seen += f"; the first bad record is {first}"
    return [f"{path} is not whole: {seen}", *found]


def witness(text: str) -> Witness:
    """The hash that a consumer holds, as the id of its message, a colon, and the hash."""
    match = _WITNESS.fullmatch(text)
    if match is None:
        raise InputError(
            f"--witness {text!r}: expected EPOCH-SEQUENCE:HASH, as 1-57: and 64 hexadecimal digits"
        )
    return Witness(int(match[1]), int(match[2]), match[3])
