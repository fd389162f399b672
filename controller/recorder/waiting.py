"""The database keeps the recorder waiting: people are told, and who is to end does.

The recorder's one thread waits in a COMMIT for as long as PostgreSQL does, above all for a synchronous
standby that is gone. It cannot say so then, and does not look whether it is to end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg

from controller.recorder.database import Connection
from controller.recorder.figures import Figures

LOOK_S = 0.5
TOLD_S = 10.0
"""After so long it is told."""
LEAVE_S = 2.0
"""So long it may go on once the recorder is to end."""
CANCEL_S = 5.0


@contextmanager
def watched(
    connection: Connection, figures: Figures, leaving: threading.Event, tell: Callable[[str], None]
) -> Iterator[None]:
    """While a thread works with this connection, and says in ``figures.moved_s`` when it last went on.

    What it waits for is cancelled once it is ``leaving``: a commit that did not wait for its standby is no
    commit to us, and nobody was told of it.
    """
    over = threading.Event()

    def watch() -> None:
        told_s = 0.0
        while not over.wait(LOOK_S):
            waits_s = time.monotonic() - figures.moved_s
            if waits_s >= TOLD_S and told_s != figures.moved_s:
                told_s = figures.moved_s
                tell(WAITS.format(waits_s))
            if leaving.is_set() and waits_s >= LEAVE_S:
                with suppress(psycopg.Error):  # it is tried again
                    connection.cancel_safe(timeout=CANCEL_S)

    figures.moved_s = time.monotonic()
    watcher = threading.Thread(target=watch, name="database-watch", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
        figures.moved_s = 0.0


WAITS = (
    "the database has not answered for {:.0f} s; nothing is recorded or acknowledged meanwhile. If it waits"
    " for a synchronous standby, bring that back, or take it out of synchronous_standby_names"
)
