"""``consumers``: for whom messages are kept, how far each is, and the retirement of one that is gone."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.badges import supervisor_badge
from controller.cli.telling import FAILED, columns, complain, print_json_line, print_lines
from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.settings.loader import load_configuration
from controller.shell.retirement import retire_consumer
from controller.vocabulary.shown import counted


def run(arguments: argparse.Namespace) -> int:
    """0; with ``--retire`` 1 if the consumer is still named or nobody knows it, 2 for a wrong call."""
    configuration = load_configuration(arguments.config)
    path = Path(configuration.journal.path)
    if arguments.retire is not None:
        badge = supervisor_badge(configuration, arguments.badge, "retire a consumer")
        return retire(path, configuration.mqtt.consumers, arguments.retire, badge)
    with SqliteReader.open(path) as journal:
        cursors, head = journal.cursors(), journal.stream_head
    named = configuration.mqtt.consumers
    found = [
        {
            "consumer": name,
            "acknowledged": cursors.get(name),
            "waiting": head - cursors[name] if name in cursors else None,
            "named": name in named,
        }
        for name in sorted({*named, *cursors})
    ]
    if arguments.json:
        for row in found:
            print_json_line(row)
        return 0
    rows: list[tuple[object, ...]] = [("consumer", "acknowledged", "waiting", "in mqtt.consumers")]
    rows += [
        (row["consumer"], row["acknowledged"], row["waiting"], "yes" if row["named"] else "no")
        for row in found
    ]
    print_lines([*columns(rows, right=(1, 2)), f"the stream ends at {head}"])
    return 0


def retire(path: Path, named: tuple[str, ...], name: str, badge: str) -> int:
    """Nothing is kept for this consumer any more; who said so stands in the record."""
    if name in named:
        return complain(
            f"{name!r} is still in mqtt.consumers: remove it there first, or it would start over", FAILED
        )
    with SqliteJournal.open(path) as journal:
        if name not in journal.cursors():
            return complain(
                f"{name!r} is no consumer of this table; it has {', '.join(journal.cursors()) or 'none'}",
                FAILED,
            )
        waiting = retire_consumer(journal, name, badge)
    print_lines(
        [f"{name} is retired; {counted(waiting, 'message')} that it had not acknowledged will not be kept"]
    )
    return 0
