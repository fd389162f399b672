"""``rescue``: a journal that its table cannot use is set aside, whole, and the next step is named."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path

from controller.cli.telling import FAILED, complain, print_lines
from controller.journal.keeping import ailments, set_aside
from controller.journal.migrations import NoJournalError
from controller.shell.place import link


def run(arguments: argparse.Namespace) -> int:
    """0 if it was set aside, 1 if it is whole and stays, 2 if there is none, or the file is another."""
    path = Path(arguments.journal).absolute()
    rest = [path.with_name(path.name + part) for part in ("-wal", "-journal")]
    if not path.is_file() and not any(part.exists() for part in rest):
        return complain(f"{path}: there is no journal")
    try:
        found = ailments(path, link) if path.is_file() else ["its first part was set aside already"]
    except NoJournalError as error:
        return complain(f"{error.message}; it stays where it is. Name the file at journal.path")
    if not found and not arguments.whole_too:
        return complain(
            f"{path} is whole, so it stays. Why does the table not use it? See `dealer-table doctor` and the"
            " log of the service. To begin a new journal all the same: --whole-too",
            FAILED,
        )
    aside = set_aside(path, datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"))
    print_lines([*(f"  {problem}" for problem in found), f"{path} is set aside, untouched:", f"  {aside}"])
    print_lines(["", *next_steps(path, aside)])
    return 0


def next_steps(path: Path, aside: Path) -> list[str]:
    """What people do now."""
    table = path.stem
    return [
        "What now:",
        f"1. Keep that folder. What is whole in it: dealer-table export {aside}",
        "2. Carry the table on with a new journal, which takes over what the old one, the broker and the",
        "   consumers know, and voids the round that was running; a supervisor decides it:",
        f"   dealer-table replace --config /etc/dealer-table/{table}.toml --badge BADGE \\",
        f"       --old-journal {aside}",
        f"3. systemctl start dealer-table@{table}",
        "   Its stream has a larger epoch: each consumer asks a person before it goes on (--accept-epoch).",
        "",
        "To bring it back instead, before there is a new one and while no table runs:",
        f"   mv -n {aside.parent}/* {path.parent}/",
        "   A new one is set aside first, whole: dealer-table rescue --whole-too " + str(path),
    ]
