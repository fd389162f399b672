"""The process that looks: `python -m drivers.camera.eye`, started by the driver and by nobody else.

The libraries that look at pictures are native code and may crash; they are loaded here and nowhere else. An
order comes on standard input, messages go to standard output. The end of standard input is the sign to leave,
so that no eye outlives its driver, however that ended.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from drivers.camera import CameraShoe
from drivers.camera.wire import (
    LOOKS_PER_S,
    Ended,
    Failed,
    Learnt,
    Message,
    Opened,
    Order,
    Spoiled,
    Waiting,
    line_of,
)
from drivers.errors import DeviceFault

if TYPE_CHECKING:  # one of them is loaded, and only in the process that looks
    from drivers.camera.decode import MarkReader
    from drivers.camera.felt.marks import FeltCards
    from drivers.camera.plain.marks import PlainCards

Say = Callable[[Message], None]
_STDIN, _STDOUT, _STDERR = 0, 1, 2
_WAIT_S = 0.005
_SIGN_OF_LIFE_S = 0.5


def main() -> int:
    """Look until told to leave. Exit status 0, or 1 if there is nothing to look at."""
    # A Ctrl-C in the terminal or a stop of the whole service is for the driver, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    out = _own_output()
    order = msgspec.json.decode(sys.stdin.buffer.readline(), type=Order)
    threading.Thread(target=_leave_with_driver, daemon=True).start()

    def say(message: Message) -> None:
        out.write(line_of(message))
        out.flush()

    try:
        _look(order, say)
        return 0
    except DeviceFault as problem:
        reason = str(problem)
    except ImportError as problem:
        reason = f"a library for pictures is missing ({problem}): install opencv-python-headless and numpy"
    say(Failed(reason))
    return 1


def _reader(settings: CameraShoe, felt: bool) -> MarkReader | PlainCards | FeltCards:
    """What reads the cards; only the libraries that it needs are loaded."""
    if settings.library is not None and felt:
        from drivers.camera.felt.marks import FeltCards

        return FeltCards(settings.library)
    if settings.library is not None:
        from drivers.camera.plain.marks import PlainCards

        return PlainCards(settings.library)
    from drivers.camera.decode import MarkReader

    return MarkReader(settings)


def _own_output() -> BinaryIO:
    """Standard output for messages alone: what a native library prints goes to standard error."""
    out = os.fdopen(os.dup(_STDOUT), "wb")
    os.dup2(_STDERR, _STDOUT)
    return out


def _leave_with_driver() -> None:
    while os.read(_STDIN, 4096):
        pass
    os._exit(0)


def _look(order: Order, say: Say) -> None:
    import cv2

    from drivers.camera.csi import CsiCamera
    from drivers.camera.sight import Sight
    from drivers.camera.sources import RecordingOver, StillSpoiled, VideoDevice, open_source
    from drivers.camera.view import View

    cv2.setNumThreads(1)
    settings, times = order.settings, order.times
    reader = _reader(settings, order.felt)
    test_ms = reader.test_ms()
    source = open_source(settings, order.after, order.skip)
    still = order.felt and source.live
    rate = min(LOOKS_PER_S, settings.frames_per_s) if still else settings.frames_per_s
    view = View(rate, times.black_after_s, times.frozen_after_s, order.views)
    sight = Sight(reader, view)
    say(Opened(", ".join(filter(None, (source.identity, reader.identity))), test_ms, source.exposure_held))
    pause_s = 0.0 if source.live or not times.paced else 1 / settings.frames_per_s
    due_s, said_s, look_s = time.monotonic(), 0.0, 0.0
    while True:
        try:
            while isinstance(source, VideoDevice | CsiCamera) and time.monotonic() < look_s:
                source.pass_over()
            taken = source.next()
        except RecordingOver:
            say(Ended())
            return
        except StillSpoiled as problem:
            say(Spoiled(str(problem)))
            continue
        if taken is None:
            if time.monotonic() - said_s > _SIGN_OF_LIFE_S:
                say(Waiting())
                said_s = time.monotonic()
            time.sleep(_WAIT_S)
            continue
        look_s = time.monotonic() + 1 / rate if still else 0.0
        seen, learnt = sight.of(*taken)
        if learnt:
            say(Learnt(view.views))
        say(seen)
        said_s = time.monotonic()
        due_s = max(due_s + pause_s, said_s - pause_s)
        if due_s > said_s:
            time.sleep(due_s - said_s)


if __name__ == "__main__":
    sys.exit(main())
