"""A stranger who opens and closes pseudo-terminals all the time: what one was called is soon another's name.

``python -m tests.harness.terminals``, beside tests; prints how many it has opened when it is told to end.
"""

from __future__ import annotations

import os
import random
import signal
import time

MOST = 12
"""At a time."""
PAUSE_S = 0.005


def main() -> None:
    """Until Ctrl-C or SIGTERM."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    chance, opened, held = random.Random(), 0, list[tuple[int, int]]()
    try:
        while True:
            if held and (len(held) == MOST or chance.random() < 0.5):
                for end in held.pop(chance.randrange(len(held))):
                    os.close(end)
            else:
                held.append(os.openpty())
                opened += 1
            time.sleep(PAUSE_S)
    except KeyboardInterrupt:
        print(f"opened {opened} terminals")


if __name__ == "__main__":
    main()
