"""A real Chromium without a window."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Playwright

from tests.harness.patience import PATIENCE_S

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Letters are as wide as in a browser with windows, not as whole pixels.
    "--font-render-hinting=none",
]


def chromium() -> str:
    """The system's Chromium, without its own windows if it can be: with them, to open a page takes twice as
    long."""
    found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if found is None:
        raise RuntimeError("chromium-headless-shell is not installed; run ./setup.sh tests")
    return found


def launch(playwright: Playwright) -> Browser:
    """Start it; close it when done."""
    return playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS, headless=True)


def visitor(browser: Browser, **options: Any) -> Page:
    """A page with nothing remembered that waits as long as a loaded machine needs; close it when done."""
    page = browser.new_page(**options)
    page.set_default_timeout(1000 * PATIENCE_S)
    return page


@contextmanager
def faultless(browser: Browser, width: int, height: int) -> Iterator[Page]:
    """A page of this size with nothing remembered; an error in its console fails the test."""
    context = browser.new_context(viewport={"width": width, "height": height}, timezone_id="UTC")
    context.set_default_timeout(PATIENCE_S * 1000)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []
