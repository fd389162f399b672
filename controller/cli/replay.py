"""``replay``: fold events through the table without hardware, broker or journal file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import BinaryIO

from controller.cli.lines import read_line
from controller.cli.telling import complain, print_json_line, standard_input
from controller.vocabulary.errors import InputError, why
from controller.vocabulary.outside import unmarked

_SQLITE = b"SQLite format 3\x00"
OF_ANOTHER_KIND = 10
"""So many lines without an event at the beginning are no list of events."""


def run(arguments: argparse.Namespace) -> int:
    """Print each message as one line; 1 if a line was wrong or refused, or the journal is damaged, 2 if the
    call or the configuration is wrong."""
    name = arguments.events
    try:
        if name not in (None, "-") and is_journal(Path(name)):
            return replay_journal(Path(name))
        if name in (None, "-"):
            return replay_lines(standard_input(), arguments.config)
        with Path(name).open("rb") as lines:
            return replay_lines(lines, arguments.config)
    except BrokenPipeError:
        raise
    except OSError as error:
        return complain(f"cannot read {name}: {why(error)}")


def is_journal(path: Path) -> bool:
    """Whether the file is a journal and not a list of events."""
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def replay_journal(path: Path) -> int:
    """A journal carries its own configuration, and the messages that its rules made."""
    from controller.journal.reader import SqliteReader
    from controller.shell.identity import software_digest
    from controller.shell.replay import replay_journal as told

    with SqliteReader.open(path) as journal:
        for printed in told(journal, software_digest()):
            print_json_line(printed)
    return 0


def replay_lines(lines: BinaryIO, config: str | None) -> int:
    """Events as JSON lines; a wrong line is said on standard error and left out."""
    from controller.shell.replay import Replay, configured_by, numbered, unknown_keys
    from controller.vocabulary.events import Stamp

    replay = Replay(1)
    if config is not None:
        from controller.settings.loader import load_configuration

        for printed in replay.step(configured_by(load_configuration(config)), Stamp()):
            print_json_line(printed)
    status, begun = 0, False
    for number, said in enumerate(lines, 1):
        line = unmarked(said) if number == 1 else said
        if not line.strip():
            continue
        try:
            event, stamp = numbered(line, number)
            begun = True
            for key in unknown_keys(event, keys_of(line, number)):
                name = str(type(event).__struct_config__.tag)
                complain(f"line {number}: {key!r} is no key of {name}: not used")
            for printed in replay.step(event, stamp):
                print_json_line(printed)
        except InputError as error:
            complain(error.message)
            status = 1
            if not begun and number >= OF_ANOTHER_KIND:
                raise InputError(
                    f"none of the first {number} lines is an event: a file of another kind? `replay` reads"
                    " events, one JSON object a line, or a journal"
                ) from error
            continue
        for refusal in replay.refusals:
            if refusal.code == "not_configured":
                raise InputError(
                    "no configuration: give --config FILE, or begin with a table_configured event"
                )
            complain(f"line {number}: refused, {refusal.why} ({refusal.code})")
            status = 1
    return status


def keys_of(line: bytes, number: int) -> list[str]:
    """The keys of a line; :class:`InputError` names one that stands twice: which of the two would count?"""
    try:
        value = read_line(line)
    except InputError as error:
        raise InputError(f"line {number}: {error.message}", error.code) from error
    return list(value) if isinstance(value, dict) else []
