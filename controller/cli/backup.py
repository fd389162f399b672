"""``backup``: a copy of a journal while its table plays, verified before it gets its name."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.journal_file import journal_file
from controller.cli.telling import print_lines
from controller.cli.verify import page
from controller.journal.keeping import back_up
from controller.journal.reader import SqliteReader


def run(arguments: argparse.Namespace) -> int:
    """0 with a whole copy, 1 if the copy shows what is wrong with the journal, 2 if there is none."""
    path, target = journal_file(arguments.journal), Path(arguments.target)
    SqliteReader.open(path).close()  # nothing is copied that is no journal
    verdict = back_up(path, target)
    print_lines(page(target, verdict))
    return 1 if verdict.findings else 0
