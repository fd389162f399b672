"""Tables of every game for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.harness.patience import PATIENCE_S
from tests.seat.rooms import Rooms, rooms


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with nothing remembered; an error in it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, timezone_id="UTC")
    context.set_default_timeout(PATIENCE_S * 1000)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    """A table of each game, and the service."""
    with rooms(tmp_path_factory.mktemp("rooms")) as made:
        yield made
