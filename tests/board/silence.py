"""How soon a page says that nothing comes any more, by the page's own clock: a busy test does not count."""

from __future__ import annotations

import time

from playwright.sync_api import Page

SILENT_S = 2.0
SEEN_MS = 15_000

_NOTE = """() => {
    window.silentAt = null;
    window.noting?.disconnect();
    const look = () => {
        if (document.querySelector(".notice.silent")) window.silentAt ??= Date.now();
    };
    window.noting = new MutationObserver(look);
    window.noting.observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


class Silence:
    """Notes when the page says "no signal"; made before the outage."""

    def __init__(self, page: Page) -> None:
        self._page = page
        page.evaluate(_NOTE)

    def begins(self) -> None:
        """From now on nothing comes."""
        self._began = time.time()

    def seconds(self) -> float:
        """From then until the page said so."""
        self._page.wait_for_selector(".notice.silent", timeout=SEEN_MS)
        return float(self._page.evaluate("window.silentAt")) / 1000 - self._began
