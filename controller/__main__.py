"""``dealer-table``: where the program begins. The rest is imported where Ctrl-C ends it quietly already."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from controller.interrupted import INTERRUPTED, ends_at_once


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments (default: those of the process) ask for.

    Returns the exit status: 0 done, 1 some answer was a finding or an error, 2 the call or the configuration
    is wrong.
    """
    try:
        with ends_at_once():
            from controller.cli.entry import answer

        return answer(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
