"""The memory of a running table stays in memory.

Where a neighbour takes all of it, the kernel first drops pages of programs, since it can read them again. A
table whose every step waits for the disk then stands still, and its watchdog ends it before the neighbour is.
"""

from __future__ import annotations

import resource

CURRENT, FUTURE, ON_FAULT = 1, 2, 4
"""Of sys/mman.h. On fault: what is never touched takes no memory."""


def hold_memory() -> bool:
    """Keep what is in memory there, and what comes; false where the system does not let us.

    Under a limit it is not even tried: beyond it no memory could be had at all.
    """
    import ctypes

    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] != resource.RLIM_INFINITY:
        return False
    try:
        lock = ctypes.CDLL(None).mlockall
    except AttributeError:  # another system than Linux
        return False
    lock.argtypes, lock.restype = [ctypes.c_int], ctypes.c_int
    return not lock(CURRENT | FUTURE | ON_FAULT)
