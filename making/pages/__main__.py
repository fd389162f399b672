"""``python -m making.pages``: draw every page anew; ``--check`` names those that are out of date."""

from __future__ import annotations

import sys

from making.pages.all import out_of_date, write


def main() -> int:
    """0; with ``--check`` 1 if a page is out of date."""
    if "--check" in sys.argv[1:]:
        late = out_of_date()
        for path in late:
            print(f"{path} is out of date: make docs")
        return 1 if late else 0
    for path in write():
        print(f"drawn anew: {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
