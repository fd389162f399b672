"""Tables of every game for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.board.browser import faultless
from tests.seat.rooms import Rooms, rooms


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page with nothing remembered; an error in it fails the test."""
    with faultless(browser, 1280, 800) as opened:
        yield opened


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rooms]:
    """A table of each game, and the service."""
    with rooms(tmp_path_factory.mktemp("rooms")) as made:
        yield made
