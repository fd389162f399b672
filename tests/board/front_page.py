"""``make picture``: the picture of the README, docs/pictures/board.png: baccarat on the result board."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.board.browser import launch
from tests.board.played import Publisher
from tests.board.scenes import SCENES
from tests.board.screenshots import picture
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker, free_port

WIDTH, HEIGHT = 1280, 720


def main(file: Path) -> None:
    """Lay one table, open its page, take the picture."""
    with tempfile.TemporaryDirectory() as scratch:
        broker = Broker(Path(scratch) / "broker")
        broker.start()
        publisher = Publisher(broker.port)
        board = BoardProcess(broker.port, free_port())
        board.start()
        try:
            table = SCENES["result"](Path(scratch), publisher)
            with sync_playwright() as playwright:
                browser = launch(playwright)
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
                picture(page, f"{board.url}/table/{table.path}", file)
                browser.close()
        finally:
            board.stop()
            publisher.close()
            broker.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
