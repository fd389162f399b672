"""``replace``: take over the identity of a table whose unit is dead, or whose journal is lost."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from controller.cli.badges import supervisor_badge
from controller.cli.telling import FAILED, complain, print_lines
from controller.outbox.topics import topics_of
from controller.settings.loader import load_configuration
from controller.shell.takeover import Remains, remains_of, take_over
from controller.shell.wiring.assembly import table_broker
from controller.shell.wiring.look import look
from controller.vocabulary.events import Orphan
from controller.vocabulary.shown import counted

NO_ROUND = "none"


def run(arguments: argparse.Namespace) -> int:
    """0 when the new journal stands; 1 if the old unit lives or too little is known; 2 for a wrong call.

    Asks the broker what it keeps of the table, makes the new journal with ``epoch.started`` and the void of
    the round that was running, and ends. ``dealer-table run`` goes on from there.
    """
    configuration = load_configuration(arguments.config)
    badge = supervisor_badge(configuration, arguments.badge, "replace a unit")
    old = None if arguments.old_journal is None else Path(arguments.old_journal)
    path = Path(configuration.journal.path)
    if path.exists():
        return complain(
            f"{path} is there: this unit has a journal. Start the table with it; one that is damaged or old"
            " is moved aside and named with --old-journal"
        )
    table = configuration.table
    topics = topics_of(table.site, table.id, table.mode)
    seen = look(topics, table_broker(configuration), configuration.mqtt.consumers)
    if seen.answered:
        return complain("the old unit lives and answers: switch it off first; nothing was changed", FAILED)
    for reason in seen.unasked:
        complain(f"a broker that may know more of this table is not asked: {reason}")
    remains = remains_of(configuration, seen, old)
    if remains is None:
        return complain(
            "nobody knows an earlier unit of this table: there is nothing to replace, start it with `run`",
            FAILED,
        )
    remains = with_word(remains, arguments.round)
    if not remains.round_known:
        return complain(
            "nobody knows whether a round was running: look at the board and name it with --round,"
            f" or say --round {NO_ROUND}",
            FAILED,
        )
    epoch = take_over(configuration, remains, by=badge, note=arguments.note)
    print_lines(told(remains, epoch, path, configuration.mqtt.consumers))
    return 0


def with_word(remains: Remains, word: str | None) -> Remains:
    """What a person says of the last round outdoes what was found."""
    if word is None:
        return remains
    found = remains.orphan
    if word == NO_ROUND:
        found = None
    elif found is None or found.round != word:
        found = Orphan(word)
    return msgspec.structs.replace(remains, orphan=found, round_known=True)


def told(remains: Remains, epoch: int, path: Path, named: Iterable[str] = ()) -> Iterator[str]:
    """What was found, what was done, what comes next."""
    yield f"epoch {remains.epoch} ended at message {remains.head}, as far as is known; epoch {epoch} goes on"
    for name in sorted({*named} - set(remains.acknowledged)):
        yield f"  {name}: the broker gives no acknowledgement of it; ask there what it holds"
    for name, sequence in sorted(remains.acknowledged.items()):
        short = remains.head - sequence
        more = f"; {counted(short, 'message')} may have reached nobody" if short > 0 else ""
        yield f"  {name} has everything up to {sequence}{more}"
    orphan = remains.orphan
    if orphan is None:
        yield "no round was running"
    elif orphan.settled:
        yield f"round {orphan.round} was settled: it stands, and is final"
    else:
        taken = f", its result {orphan.result} is taken back" if orphan.result else ""
        yield f"round {orphan.round} is void{taken}: give all stakes back"
    yield f"{path} is ready: start the table, load a counted and shuffled shoe,"
    yield "and let each consumer accept the epoch"
