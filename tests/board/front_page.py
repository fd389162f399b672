"""``make picture``: the picture of the README, docs/pictures/board.png: baccarat on the result board."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.board.screenshots import laid, picture

WIDTH, HEIGHT = 1280, 720


def main(file: Path) -> None:
    """Lay one table, open its page, take the picture."""
    with laid("result") as (_, board, floor, browser):
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
        picture(page, f"{board.url}/table/{floor['result'].path}", file)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
