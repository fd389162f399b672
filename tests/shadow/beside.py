"""A shadow in the process of the test: the real daemon's parts, stepped until a list is in the record."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from controller.journal.reader import SqliteReader
from controller.settings.loader import load_configuration
from controller.settings.shadow import listening
from controller.shadow.difference import Report
from controller.shadow.following import FollowLine
from controller.shadow.listening import ListFile, read_up_to
from controller.shadow.reporting import compared
from controller.shell.wiring.assembly import assemble
from tests.harness.configuration import configured
from tests.harness.deals import DEALS

SHADOW = """
[shadow]
export = "{folder}/old.jsonl"
shoes = "named"
"""


def file_of(folder: Path, game: str = "baccarat", more: str = "") -> Path:
    """The configuration of a shadow that follows ``old.jsonl``."""
    deal = next(one for one in DEALS if one.game == game)
    return configured(folder, deal.configuration, SHADOW, more)


def followed(config: Path, most: int = 1_000_000) -> Report:
    """Follow up to so many further lines, and compare."""
    configuration = listening(load_configuration(config))
    daemon = assemble(configuration)
    try:
        step_all(daemon.loop)
        assert configuration.shadow is not None
        told = ListFile(Path(str(configuration.shadow.export)), read_up_to(daemon.journal))
        for raw, end in told.lines(most):
            daemon.loop.deliver(FollowLine(raw, end, deals=True, named=configuration.shadow.shoes == "named"))
        step_all(daemon.loop)
    finally:
        daemon.journal.close()
    return report_of(Path(configuration.journal.path))


def step_all(loop: object) -> None:
    """Until nothing waits."""
    while loop.step(0.0):  # type: ignore[attr-defined]
        pass


def report_of(journal: Path) -> Report:
    """The record compared."""
    with SqliteReader.open(journal) as reader:
        return compared(reader, 120)


def kinds_of(report: Report, rounds: Iterable[object]) -> dict[str, list[str]]:
    """Their round -> the kinds of its differences."""
    found: dict[str, list[str]] = {str(one): [] for one in rounds}
    for one in report.differences:
        found.setdefault(str(one.their_round), []).append(one.kind)
    return found
