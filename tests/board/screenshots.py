"""``make screenshots``: every page in every state and size, as pictures to look at.

python -m tests.board.screenshots FOLDER [PART OF A NAME ...]

``make picture``: the pictures of the README and of the page about the board.

python -m tests.board.screenshots --pictures FOLDER
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.board.boxes import SIZES
from tests.board.browser import launch
from tests.board.played import PlayedTable
from tests.board.scenes import SCENES, Laid, laid
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S

FRONT_PAGE: ViewportSize = {"width": 1280, "height": 720}


@contextmanager
def looked_at(*scenes: str) -> Iterator[tuple[Laid, Browser]]:
    """These scenes, and a browser to look at them."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        laid(Path(scratch), *scenes) as whole,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        yield whole, browser
        browser.close()


def main(folder: Path, wanted: list[str]) -> None:
    """Lay the floor, open each page in each size, write the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    with looked_at(*SCENES) as ((broker, board, floor), browser):
        for size, (width, height) in SIZES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark")
            for name, address in addresses(floor).items():
                if not wanted or any(part in f"{name}-{size}" for part in wanted):
                    picture(page, board.url + address, folder / f"{name}-{size.replace(':', '-')}.png")
            page.close()
        if not wanted or "light" in wanted:
            bright(browser, board, floor, folder)
        if not wanted or "sights" in wanted:
            sights(browser, board, floor, folder)
        if not wanted or "from-right" in wanted:
            from_the_right(browser, folder)
        if not wanted or "no-signal" in wanted:
            no_signal(browser, board, broker, folder)


def addresses(floor: dict[str, PlayedTable]) -> dict[str, str]:
    """Name of a picture -> address."""
    pages = {f"table-{name}": f"/table/{table.path}" for name, table in floor.items()}
    dealers = ("bets_open", "third_card", "extra_card", "unread", "decision", "foreign_card")
    dealers += ("shoe_change", "seven_seats", "squeeze", "squeeze_third", "waits_for_book")
    pages |= {f"dealer-{name}": f"/dealer/{floor[name].path}" for name in dealers}
    chinese = ("result", "live_odds", "layout_c", "showdown", "seven_seats", "void_after_result")
    pages |= {f"chinese-{name}": f"/table/{floor[name].path}?lang=zh" for name in chinese}
    pages["chinese-floor"] = "/?lang=zh"
    pages["chinese-dealer"] = f"/dealer/{floor['extra_card'].path}?lang=zh"
    return {"floor": "/", **pages, "kiosk": f"/kiosk?table={floor['result'].path}"}


BRIGHT = (
    *(f"table-{name}" for name in ("dragon_tails", "live_odds", "layout_c", "showdown", "seven_seats")),
    "floor",
)
"""Also in light colours; and what a screen shows that has lost its signal."""


def picture(page: Page, address: str, file: Path) -> None:
    """Wait until the page shows its table and every card lies still."""
    page.goto(address)
    page.wait_for_selector(".table-card, .board:not(.empty), .act", timeout=1000 * PATIENCE_S)
    page.wait_for_timeout(1200)
    page.screenshot(path=str(file), full_page=min(page.viewport_size.values()) < 500)


def bright(browser: Browser, board: BoardProcess, floor: dict[str, PlayedTable], folder: Path) -> None:
    """In a bright room, in each size."""
    pages = addresses(floor)
    for size, (width, height) in SIZES.items():
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
        for name in (*BRIGHT, "dealer-extra_card"):
            picture(page, board.url + pages[name], folder / f"light-{name}-{size.replace(':', '-')}.png")
        page.close()


SIGHTS = ("achromatopsia", "protanopia", "deuteranopia", "tritanopia")
"""Without colours, and with each kind of colour blindness."""
READ_BY_SHAPE = (
    *(f"table-{name}" for name in ("dragon_tails", "bets_open", "layout_c", "showdown", "seven_seats")),
    "dealer-seven_seats",
    "floor",
)


def sights(browser: Browser, board: BoardProcess, floor: dict[str, PlayedTable], folder: Path) -> None:
    """As people see it who see fewer colours."""
    pages = addresses(floor)
    width, height = SIZES["full-hd"]
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="dark")
    session = page.context.new_cdp_session(page)
    for sight in SIGHTS:
        session.send("Emulation.setEmulatedVisionDeficiency", {"type": sight})
        for name in READ_BY_SHAPE:
            picture(page, board.url + pages[name], folder / f"{sight}-{name}.png")
    page.close()


def from_the_right(browser: Browser, folder: Path) -> None:
    """A language that is written from the right; what has no words yet is English."""
    words = Path(__file__).with_name("words")
    with (
        tempfile.TemporaryDirectory() as scratch,
        laid(Path(scratch), *FROM_THE_RIGHT, board=f"words = '{words}'") as (_, board, floor),
    ):
        page = browser.new_page(viewport=FRONT_PAGE, color_scheme="dark")
        for name, table in floor.items():
            picture(page, f"{board.url}/table/{table.path}?lang=ar", folder / f"right-table-{name}.png")
        dealt = floor[FROM_THE_RIGHT[0]].path
        picture(page, f"{board.url}/dealer/{dealt}?lang=ar", folder / "right-dealer.png")
        picture(page, f"{board.url}/?lang=ar", folder / "right-floor.png")
        page.close()


FROM_THE_RIGHT = ("extra_card", "result", "layout_c", "showdown", "seven_seats")


def no_signal(browser: Browser, board: BoardProcess, broker: Broker, folder: Path) -> None:
    """The board loses its broker, then the pages their board."""
    shown = {}
    for size, (width, height) in SIZES.items():
        shown[size] = browser.new_page(viewport={"width": width, "height": height})
        shown[size].goto(f"{board.url}/table/north/10")
        shown[size].wait_for_selector(".board:not(.empty)")
    broker.kill()
    for size, page in shown.items():
        page.wait_for_selector(".notice.silent")
        page.screenshot(path=str(folder / f"no-broker-{size.replace(':', '-')}.png"))
    board.stop()
    page = shown["full-hd"]
    page.get_by_text("The board's server does not answer").wait_for()
    page.screenshot(path=str(folder / "no-board-full-hd.png"))


PICTURES = {
    "board": "/table/result",
    "2-card-action": "/table/layout_c",
    "two-cards-high": "/table/gaps",
    "casino-holdem": "/table/showdown",
    "bets-open": "/table/bets_open",
    "dealer": "/dealer/extra_card",
    "floor": "/",
}
"""Picture -> page, with the scene in place of its table."""


def pictures(folder: Path) -> None:
    """Lay the tables, open each page, take its picture."""
    scenes = {address.rpartition("/")[2] for address in PICTURES.values()} - {""}
    with looked_at(*scenes, "lost", "unread", "foreign_card") as ((_, board, floor), browser):
        page = browser.new_page(viewport=FRONT_PAGE, color_scheme="dark")
        for name, address in PICTURES.items():
            kind, _, scene = address.rpartition("/")
            table = floor[scene].path if scene else ""
            picture(page, f"{board.url}{kind}/{table}", folder / f"{name}.png")


if __name__ == "__main__":
    if sys.argv[1] == "--pictures":
        pictures(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]), sys.argv[2:])
