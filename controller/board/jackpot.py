"""A house's jackpot, from a file that the house's own system writes; checked before it is shown.

The file may lie on a disk that does not answer: it is read aside, and nobody waits for it.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec

from controller.vocabulary.errors import ConfigurationError, read_json, why
from controller.vocabulary.outside import unmarked

STALE_S = 600.0
"""A file that nobody has written for so long says nothing: better none than an amount of yesterday."""
READ_EVERY_S = 1.0
UNREAD_S = 10.0
"""What could not be read again for so long is not shown any more."""
WANTED = 'expected {"name": a text, "amount": minor units, "currency": as EUR}'
_LOG = logging.getLogger(__name__)


class Jackpot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    amount: Annotated[int, msgspec.Meta(ge=0, le=10**15)]
    """Minor units."""
    currency: Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}$(?!\n)", description="as EUR")]


def jackpot_now(file: Path) -> Jackpot | None:
    """What the file says; None where there is none, it is none of ours or older than :data:`STALE_S`."""
    try:
        stale = abs(time.time() - file.stat().st_mtime) > STALE_S  # a clock may have been set back
        return None if stale else read_json(unmarked(file.read_bytes()), Jackpot)
    except OSError:
        return None


class JackpotFile:
    """The file, read again and again by a thread of its own, which may hang in that for ever."""

    def __init__(self, file: Path, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._file, self._clock_s = file, clock_s
        self._read: tuple[Jackpot | None, float] = None, clock_s()
        """What it said, and when that reading began."""
        self._stop = threading.Event()

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._run, name="jackpot", daemon=True).start()

    def stop(self) -> None:
        """Read no more; does not wait for it."""
        self._stop.set()

    def shown(self) -> Jackpot | None:
        """What the file says, as long as it can be read."""
        told, at_s = self._read
        return told if self._clock_s() - at_s < UNREAD_S else None

    def _run(self) -> None:
        while not self._stop.is_set():
            began_s, told = self._clock_s(), None
            try:
                told = jackpot_now(self._file)
            except Exception:  # whatever it is: no amount is shown, and the file is read again
                _LOG.exception("the jackpot cannot be read")
            self._read = told, began_s
            self._stop.wait(READ_EVERY_S)


def check_jackpot(name: str | None) -> None:
    """:class:`ConfigurationError` where a file is there and is none of ours; one may come later."""
    if name is None or not Path(name).exists():
        return
    try:
        told = read_json(unmarked(Path(name).read_bytes()), Jackpot)
    except OSError as error:
        raise ConfigurationError(f"board.jackpot: {name}: {why(error)}") from error
    if told is None:
        raise ConfigurationError(f"board.jackpot: {name}: {WANTED}")
