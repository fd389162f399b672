"""One broker and one board for the tests of a worker; every test plays tables of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.board.browser import faultless
from tests.board.pages import WORDS
from tests.board.played import CARDS, PlayedTable, Publisher
from tests.board.scenes import SCENES, Laid, laid
from tests.board.serving import BoardProcess
from tests.harness.broker import Broker


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of 1920x1080 with nothing remembered; an error in its console fails the test."""
    with faultless(browser, 1920, 1080) as opened:
        yield opened


@pytest.fixture(scope="session")
def floor_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that stays."""
    with Broker(tmp_path_factory.mktemp("floor") / "broker") as running:
        yield running


@pytest.fixture(scope="session")
def board(floor_broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BoardProcess]:
    """A board of the whole floor that stays."""
    with BoardProcess(tmp_path_factory.mktemp("board"), f"--mqtt-port={floor_broker.port}") as running:
        yield running


@pytest.fixture
def publisher(floor_broker: Broker) -> Iterator[Publisher]:
    """Publishes to the broker that stays."""
    client = Publisher(floor_broker.port)
    yield client
    client.close()


@pytest.fixture
def lay(page: Page, board: BoardProcess, publisher: Publisher, tmp_path: Path) -> Callable[..., PlayedTable]:
    """Lay a table, with a shoe where its game has one, and go to its page, or to that of its dealer."""

    def laid(table: str, game: str, settings: str = "", *, at: str = "table") -> PlayedTable:
        played = PlayedTable(tmp_path, publisher, table, game, settings)
        if CARDS[game] > 100:
            played.shoe()
        page.goto(f"{board.url}/{at}/{played.path}")
        return played

    return laid


@pytest.fixture
def own_board(broker: Broker, tmp_path: Path) -> Iterator[BoardProcess]:
    """A board that the test may stop."""
    with BoardProcess(tmp_path, f"--mqtt-port={broker.port}") as running:
        yield running


@pytest.fixture
def own_table(page: Page, broker: Broker, own_board: BoardProcess, tmp_path: Path) -> Iterator[PlayedTable]:
    """Baccarat at a broker that the test may stop, and the page there."""
    table = PlayedTable(tmp_path, Publisher(broker.port), "7", "baccarat")
    table.shoe()
    page.goto(f"{own_board.url}/table/{table.path}")
    yield table
    table.publisher.close()


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laid]:
    """A board with every scene, at tables with names as long as any may be."""
    with laid(tmp_path_factory.mktemp("scenes"), *SCENES, board=WORDS, longest=True) as whole:
        yield whole
