"""Ctrl-C while parts of the program are imported: it ends at once, quietly, with the usual status.

As an exception it could be lost there: Python ignores, with a traceback, what is raised in its own callbacks.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130


@contextmanager
def ends_at_once() -> Iterator[None]:
    """For imports only: nothing is there yet that somebody would have to put in order."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
