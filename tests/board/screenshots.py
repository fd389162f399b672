"""``make screenshots``: every page in every state, size and language, measured and as pictures to look at.

python -m tests.board.screenshots FOLDER [PART OF A NAME ...]

A picture is FOLDER/LANGUAGE/PAGE-SIZE.png; beside the languages stand the other themes and what people see
who see fewer colours. With parts of names only pictures are taken whose name has one of them
(``simplified/``, ``dealer-``, ``-phone``). Status 1 where anything is cut off or lies on something else.

``make picture``: the pictures of the README and of the page about the board.

python -m tests.board.screenshots --pictures FOLDER
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from tests.board.boxes import SETTLED, SIZES, draw, wrong_boxes
from tests.board.browser import launch, visitor
from tests.board.pages import LANGUAGES, PAGES, READY, THEMES, WORDS, show
from tests.board.scenes import LONG_S, SCENES, Laid, laid

FRONT_PAGE: ViewportSize = {"width": 1280, "height": 720}
SIGHTS = ("achromatopsia", "protanopia", "deuteranopia", "tritanopia")
"""Without colours, and with each kind of colour blindness."""


@contextmanager
def looked_at(*scenes: str, longest: bool = False, bets_s: int = LONG_S) -> Iterator[tuple[Laid, Browser]]:
    """These scenes, and a browser to look at them."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        laid(Path(scratch), *scenes, board=WORDS, longest=longest, bets_s=bets_s) as whole,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright)
        yield whole, browser
        browser.close()


class Album:
    """Where the pictures go, which of them are wanted, and whether anything was wrong in one."""

    def __init__(self, folder: Path, wanted: list[str]) -> None:
        self._folder, self._wanted = folder, wanted
        self.wrong = False

    def wants(self, name: str) -> bool:
        """Whether somebody asked for this picture."""
        return not self._wanted or any(part in name for part in self._wanted)

    def take(self, page: Page, name: str, size: str) -> None:
        """The page in this size, and what its boxes say."""
        for found in wrong_boxes(page, size):
            self.wrong = True
            print(f"{name}: {found}", flush=True)
        draw(page, size)
        file = self._folder / f"{name}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(file), full_page=min(SIZES[size]) < 500)

    def turn(self, floor: Laid, page: Page, look: str, words: str = "", sizes: tuple[str, ...] = ()) -> None:
        """Each page in each of these sizes, or in all."""
        for name in PAGES:
            asked = {size: named(look, name, size) for size in sizes or SIZES}
            asked = {size: picture for size, picture in asked.items() if self.wants(picture)}
            if asked:
                show(page, floor, name, words)
            for size, picture in asked.items():
                self.take(page, picture, size)


def named(look: str, name: str, size: str) -> str:
    """The name of a picture."""
    page = "floor" if name == "/" else name.replace("/", "-") if "/" in name else f"table-{name}"
    return f"{look}/{page}-{size}".replace(":", "-")


def main(folder: Path, wanted: list[str]) -> int:
    """Lay the floor, open each page in each size, write the pictures."""
    album = Album(folder, wanted)
    for language, words in LANGUAGES.items():
        with looked_at(*SCENES) as (floor, browser):  # anew: no clock has run out
            page = still(browser)
            album.turn(floor, page, language, words)
            page.close()
    with looked_at(*SCENES) as (floor, browser):
        page = still(browser)
        for theme in THEMES:
            album.turn(floor, page, theme, f"?theme={theme}", ("full-hd", "phone"))
        session = page.context.new_cdp_session(page)
        for sight in SIGHTS:
            session.send("Emulation.setEmulatedVisionDeficiency", {"type": sight})
            album.turn(floor, page, sight, sizes=("full-hd",))
        page.close()
        no_signal(browser, floor, album)
    with looked_at(*SCENES, longest=True) as (floor, browser):
        page = still(browser)
        album.turn(floor, page, "longest")
        album.turn(floor, page, "longest-both", LANGUAGES["both"])
        page.close()
    return int(album.wrong)


def still(browser: Browser) -> Page:
    """A page on which nothing moves: each picture shows how it ends."""
    return visitor(browser, color_scheme="dark", reduced_motion="reduce")


def no_signal(browser: Browser, floor: Laid, album: Album) -> None:
    """The board loses its broker, then the page its board."""
    lost = {size: named("no-broker", "result", size) for size in SIZES}
    if not any(map(album.wants, (*lost.values(), "no-board"))):
        return
    page = still(browser)
    show(page, floor, "result")
    floor.broker.kill()
    page.wait_for_selector(".notice.silent")
    for size, name in lost.items():
        album.take(page, name, size)
    floor.board.stop()
    page.get_by_text("The board's server does not answer").wait_for()
    album.take(page, "no-board", "full-hd")
    page.close()


PICTURES = {
    "board": "/table/result",
    "board-parts": "/table/result",
    "2-card-action": "/table/layout_c",
    "two-cards-high": "/table/gaps",
    "casino-holdem": "/table/showdown",
    "bets-open": "/table/bets_open",
    "dealer": "/dealer/extra_card",
    "floor": "/",
}
"""Picture -> page, with the scene in place of its table."""
IN_PICTURES = (
    *("lost", "unread", "foreign_card"),
    *sorted({address.rpartition("/")[2] for address in PICTURES.values()} - {""}, reverse=True),
)
"""What else is on the floor, and their scenes; that of open bets last."""
PARTS = {
    "board-parts": (
        ".state", ".side.player", ".side.banker", ".winners", ".counts", ".ask", ".bead", ".big-road",
        ".derived", ".badge.last-round", ".game-number", ".shoe",
    ),
    "dealer": (".way-back", ".notice", ".act-words", ".act-key", ".choices", ".evidence", ".lying"),
    "floor": (
        ".filter.idle", ".find", ".held .card-words", ".held .alert", ".stale .card-words",
        ".troubled:not(.held) .alert", ".to-board",
    ),
}  # fmt: skip
"""Picture -> what bears a number in it, from 1; docs/how-to/result-board.md says what each is."""
NUMBER = """(parts) => {
    const SIZE = 26, EDGE = 2;
    const meet = (a, b) => a.left < b.right - 2 && b.left < a.right - 2 &&
        a.top < b.bottom - 2 && b.top < a.bottom - 2;
    const taken = [...document.querySelectorAll('svg.card, svg.lamp, .road .paper, .ask svg')]
        .map((one) => one.getBoundingClientRect());
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(texts.currentNode);
        taken.push(...range.getClientRects());
    }
    parts.forEach((part, at) => {
        const element = document.querySelector(part);
        const words = document.createRange();
        words.selectNodeContents(element);
        // At a line, where its words end.
        const line = element.clientHeight < 40 && element.textContent;
        const box = (line ? words : element).getBoundingClientRect();
        const [right, middle] = [box.right - SIZE, box.top + (box.height - SIZE) / 2];
        const places = [
            ...(line ? [[box.right + 10, middle]] : []),
            [right + 12, box.top - 9], [right + 12, box.top + EDGE], [right - EDGE, box.top + EDGE],
            [right, middle], [right, box.top - SIZE], [right, box.bottom - SIZE], [right, box.bottom],
            [box.left + box.width / 2, box.top - SIZE], [box.left - SIZE, middle], [box.left, box.top - SIZE],
            [box.left + box.width / 2, middle],
        ].map(([x, y]) => new DOMRect(x, y, SIZE, SIZE)).filter((one) => one.left >= EDGE && one.top >= EDGE
            && one.right <= innerWidth - EDGE && one.bottom <= innerHeight - EDGE);
        const place = places.find((one) => !taken.some((other) => meet(one, other)));
        if (!place) throw new Error(`no place is free for number ${at + 1} at ${part}`);
        taken.push(place);
        const number = document.createElement('b');
        number.textContent = at + 1;
        number.style.cssText = `position: fixed; width: ${SIZE}px; height: ${SIZE}px; border-radius: 13px;
            z-index: 9; left: ${place.left}px; top: ${place.top}px;
            background: #fff; color: #14201a; border: 2px solid #b3120f;
            font: 800 15px/22px Archivo; text-align: center`;
        document.body.append(number);
    });
}"""
"""Each number at its part, where it lies on no word, card or other number."""
BETS_S = 45
"""As long as bets are open at a table of a house."""


def pictures(folder: Path) -> None:
    """Lay the tables, open each page, take its picture."""
    with looked_at(*IN_PICTURES, bets_s=BETS_S) as (floor, browser):
        page = still(browser)
        page.set_viewport_size(FRONT_PAGE)
        for name, address in PICTURES.items():
            kind, _, scene = address.rpartition("/")
            page.goto(f"{floor.board.url}{kind}/{floor.tables[scene].path if scene else ''}")
            page.wait_for_selector(READY)
            page.evaluate(SETTLED)
            page.evaluate(NUMBER, PARTS.get(name, []))
            page.screenshot(path=str(folder / f"{name}.png"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("wanted", nargs="*", help="parts of the names of the pictures that are wanted")
    parser.add_argument("--pictures", action="store_true", help="those of the documentation instead")
    asked = parser.parse_args()
    if asked.pictures:
        pictures(asked.folder)
    else:
        raise SystemExit(main(asked.folder, asked.wanted))
