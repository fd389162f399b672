"""One browser, one broker and one board for the tests of a worker; every test plays tables of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.board.browser import launch
from tests.board.played import Publisher
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker, free_port


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A Chromium."""
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of 1920x1080 with nothing remembered; an error in its console fails the test."""
    context = browser.new_context(viewport={"width": 1920, "height": 1080}, timezone_id="UTC")
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


@pytest.fixture(scope="session")
def floor_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that stays."""
    running = Broker(tmp_path_factory.mktemp("floor") / "broker")
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def board(floor_broker: Broker) -> Iterator[BoardProcess]:
    """A board of the whole floor that stays."""
    running = BoardProcess(floor_broker.port, free_port())
    running.start()
    yield running
    running.stop()


@pytest.fixture
def publisher(floor_broker: Broker) -> Iterator[Publisher]:
    """Publishes to the broker that stays."""
    client = Publisher(floor_broker.port)
    yield client
    client.close()


@pytest.fixture
def own_board(broker: Broker) -> Iterator[BoardProcess]:
    """A board that the test may stop."""
    running = BoardProcess(broker.port, free_port())
    running.start()
    yield running
    running.stop()
