"""A real Chromium without a window."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """The system's browser."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        raise RuntimeError("chromium is not installed; run ./setup.sh tests")
    return found


def launch(playwright: Playwright) -> Browser:
    """Start it; close it when done."""
    return playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS, headless=True)
