"""Keeps the report up to date while the shadow runs, in a thread and with a connection of its own."""

from __future__ import annotations

import logging
import os
import threading
from pathlib import Path

import msgspec

from controller.journal.reader import SqliteReader
from controller.shadow.comparing import Comparison
from controller.shadow.difference import Report
from controller.shadow.page import html_page, shown_words, text_page
from controller.shell.history import entries
from controller.vocabulary.errors import DealerTableError, why

log = logging.getLogger(__name__)

MOST_LOGGED = 20
"""Differences that one look tells the log one by one."""


def compared(journal: SqliteReader, match_s: int) -> Report:
    """The whole record compared."""
    comparison = Comparison(match_s)
    for entry in entries(journal):
        comparison.note(entry)
    return comparison.report()


class Reporter:
    """Reads what has come into the journal since the last look, and writes the report again."""

    def __init__(self, journal: Path, folder: Path, every_s: int, match_s: int) -> None:
        self._journal, self._folder, self._every_s = journal, folder, every_s
        self._comparison = Comparison(match_s)
        self._read = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="report", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, with a last report."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            last = self._stopping.wait(self._every_s if self._read else min(1.0, self._every_s))
            try:
                self._look()
            except (DealerTableError, OSError) as error:
                log.error("the report cannot be written: %s", why(error))
            except Exception:  # whatever it is: the next one may be written
                log.exception("the report cannot be written")
            if last:
                return

    def _look(self) -> None:
        logged = 0
        with SqliteReader.open(self._journal) as journal:
            for entry in entries(journal, self._read):
                for found in self._comparison.note(entry):
                    logged += 1
                    if logged <= MOST_LOGGED:
                        log.warning("%s", shown_words(found))
                self._read = entry.record.number
        if logged > MOST_LOGGED:
            log.warning("%d differences more, see the report", logged - MOST_LOGGED)
        write_report(self._comparison.report(), self._folder)


def write_report(report: Report, folder: Path) -> None:
    """The three forms, each replaced as a whole."""
    forms = {
        "report.txt": "\n".join(text_page(report)) + "\n",
        "report.json": msgspec.json.format(msgspec.json.encode(report)).decode() + "\n",
        "report.html": html_page(report),
    }
    for name, text in forms.items():
        new = folder / f".{name}.new"
        new.write_text(text, encoding="utf-8")
        os.replace(new, folder / name)
