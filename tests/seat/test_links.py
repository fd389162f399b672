"""What the house brings itself: video, cashier, a page about responsible gaming; and without them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.harness.process import comes
from tests.seat.rooms import Rooms, rooms


class Pages(BaseHTTPRequestHandler):
    """Each page of the house says its own address, and what stands behind its # as it changes."""

    def do_GET(self) -> None:
        said = f"<h1>{self.path}</h1><p></p><script>onhashchange = () => document.querySelector('p')"
        body = f"{said}.textContent = location.hash; onhashchange()</script>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture(scope="module")
def house() -> Iterator[str]:
    """The address of the house's own pages."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory, house: str) -> Iterator[Rooms]:
    """A house that has all of it; its other table has no video."""
    tables = [{"site": "north", "id": "baccarat", "video": f"{house}/eye/7"}, {"site": "north", "id": "live"}]
    seat = {"cashier": f"{house}/cashier", "responsible": f"{house}/play-safe"}
    with rooms(tmp_path_factory.mktemp("furnished"), {"tables": tables, "seat": seat}) as made:
        yield made


def test_each_link_of_the_house_opens_its_page_and_the_seat_stays(
    furnished: Rooms, page: Page, house: str
) -> None:
    table = furnished.sit(page, "baccarat")
    table.open()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Cashier").click()
    expect(opened.value.get_by_role("heading")).to_have_text("/cashier")
    page.get_by_role("button", name="Responsible gaming").click()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="The house's page about responsible gaming").click()
    expect(opened.value.get_by_role("heading")).to_have_text("/play-safe")
    whence = "[window.opener, document.referrer]"
    comes(lambda: opened.value.evaluate(whence), [None, ""])
    expect(page.locator("article.table")).to_have_attribute("data-table", "north/baccarat")
    table.say("CLOSE; VOID supervisor")


def test_the_video_is_the_houses_page_in_the_chosen_quality(furnished: Rooms, page: Page) -> None:
    table = furnished.sit(page, "baccarat", "ben")
    table.open()
    frame = page.frame_locator("iframe.video")
    expect(frame.get_by_role("heading")).to_have_text("/eye/7")
    expect(frame.locator("p")).to_contain_text("quality=auto")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("tab", name="Video").click()
    page.get_by_label("Video quality").select_option("low")
    expect(frame.locator("p")).to_contain_text("quality=low")
    page.get_by_label("Video quality").select_option("off")
    expect(page.locator("iframe.video")).to_have_count(0)
    page.get_by_label("Video quality").select_option("auto")
    expect(frame.get_by_role("heading")).to_have_text("/eye/7")
    page.keyboard.press("Escape")
    table.say("CLOSE; VOID supervisor")
    page.get_by_role("button", name="Lobby").click()
    page.locator('dialog li[data-table="north/live"] .go').click()
    expect(page.locator("article.table")).to_have_attribute("data-table", "north/live")
    expect(page.locator("iframe.video")).to_have_count(0)


def test_a_house_without_these_pages_shows_no_way_to_them(tmp_path: Path, page: Page) -> None:
    with rooms(tmp_path, {"seat": {}}) as bare:
        bare.sit(page, "baccarat").open()
        expect(page.locator(".spots .spot").first).to_be_visible()
        expect(page.get_by_role("link", name="Cashier")).to_have_count(0)
        expect(page.locator("iframe")).to_have_count(0)
        page.get_by_role("button", name="Responsible gaming").click()
        expect(page.get_by_label("Lose at most")).to_be_visible()
        expect(page.locator("dialog[open] a")).to_have_count(0)
