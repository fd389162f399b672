"""``backup``: a copy of a journal while its table plays, verified before it gets its name."""

from __future__ import annotations

import argparse
from pathlib import Path

from controller.cli.telling import complain, print_lines
from controller.cli.verify import page
from controller.journal.keeping import back_up


def run(arguments: argparse.Namespace) -> int:
    """0 with a whole copy, 1 if the copy shows what is wrong with the journal, 2 if there is none."""
    path, target = Path(arguments.journal), Path(arguments.target)
    if not path.is_file():
        return complain(f"{path}: there is no journal")
    verdict = back_up(path, target)
    print_lines(page(target, verdict))
    return 1 if verdict.findings else 0
