"""How soon a page says that nothing comes any more, by the page's own clock: a busy test does not count."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect

from tests.harness.process import until

SILENT_S = 2.0

_NOTE = """() => {
    window.silentAt = null;
    window.noting?.disconnect();
    const look = () => {
        if (document.querySelector(".notice.silent")) window.silentAt ??= Date.now();
    };
    window.noting = new MutationObserver(look);
    window.noting.observe(document.body, { subtree: true, childList: true, attributes: true });
}"""


@contextmanager
def falls_silent(page: Page) -> Iterator[None]:
    """What happens in here silences the page: it says so within ``SILENT_S``."""
    page.evaluate(_NOTE)
    began_s = time.time()
    yield
    expect(page.locator(".notice.silent")).to_be_attached()

    def after_s() -> float:
        return float(page.evaluate("window.silentAt")) / 1000 - began_s

    until(lambda: after_s() < SILENT_S, after_s)
