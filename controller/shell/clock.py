"""Time for the shell. Order comes from sequence, boot and the monotonic clock; wall time is a label."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

ASK_EVERY_NS = 1_000_000_000
TIME_ERROR = 5
"""The kernel's word for a clock that nobody has synchronised (adjtimex(2))."""


class Clock:
    """The machine's clocks: all that the shell asks of time."""

    _MARK = Path("/run/systemd/timesync/synchronized")

    _asked_ns = -ASK_EVERY_NS
    _synchronised = False
    _label = (-1, "")
    """A second of wall time, and how it is written, up to the milliseconds."""

    def monotonic_ns(self) -> int:
        """Nanoseconds since some moment of this boot; never goes back."""
        return time.monotonic_ns()

    def now(self) -> str:
        """Wall time, UTC, RFC 3339 with milliseconds."""
        second, ms = divmod(time.time_ns() // 1_000_000, 1000)
        known, text = self._label
        if second != known:
            # Every event asks: the calendar is worked out once a second.
            text = f"{datetime.fromtimestamp(second, UTC):%Y-%m-%dT%H:%M:%S}"
            self._label = (second, text)
        return f"{text}.{ms:03}Z"

    def wall(self) -> datetime:
        """Wall time, UTC: to judge how old something is."""
        return datetime.fromtimestamp(time.time(), UTC)

    def synchronised(self) -> bool:
        """Whether the wall clock was set by the network since the boot: systemd-timesyncd's mark, or any
        other daemon's word in the kernel's time status; asked once a second.
        """
        now_ns = time.monotonic_ns()
        if now_ns - self._asked_ns >= ASK_EVERY_NS:
            self._asked_ns = now_ns
            self._synchronised = self._MARK.exists() or _kernel_says_synchronised()
        return self._synchronised


def _kernel_says_synchronised() -> bool:
    """``adjtimex``: where it cannot be asked, nobody vouches."""
    state = _adjtimex()()
    return state is not None and 0 <= state < TIME_ERROR


@cache
def _adjtimex() -> Callable[[], int | None]:
    """Asks the kernel. Made once: each event needs the answer, and ctypes makes classes each time."""
    import ctypes

    buffer = ctypes.create_string_buffer(512)
    try:
        ask = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return lambda: None
    # Said, not left to ctypes: it passes a number as 32 bits, and the kernel would write where that leads to.
    ask.argtypes, ask.restype = [ctypes.c_void_p], ctypes.c_int

    def asked() -> int:
        ctypes.memset(buffer, 0, len(buffer))  # nothing is to be set
        state: int = ask(buffer)
        return state

    return asked
