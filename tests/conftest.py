"""What every test shares: how Hypothesis behaves, the order of the longest, a broker, a browser."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

# A helper's failed assertion says what it compared, as a test's does.
pytest.register_assert_rewrite(*(f"tests.{room.name}" for room in Path(__file__).parent.iterdir()))

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.broker_roles.roles import Floor
    from tests.harness.broker import Broker

# A loaded machine is not a fault of the code, and a red build must be red again when it is looked at.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        # A shell that starts us behind its back lets Ctrl-C be ignored, nohup the end of its terminal, and
        # every program that a test starts would inherit that.
        signal.signal(number, usual)

LONGEST = (
    "board/test_boxes",
    "cli/test_demo",
    "table/test_faults",
    "board/test_languages",
    "seat/test_evening",
    "examples/test_bench",
    "docs/test_blocks",
    "board/test_looks",
    "wagering/test_seat",
    "par/test_house_spots",
    "wagering/test_service",
    "e2e/test_lost_bytes",
    "seat/test_whole_evening",
    "board/test_games",
    "board/test_dealer_page",
    "scenarios/test_catalogue",
    "e2e/test_kills",
    "par/test_holdem",
    "simulation/test_simulation",
    "board/test_floor_card",
    "wagering/test_wallet",
    "board/test_media",
    "board/test_roads",
    "books/test_books",
    "simulation/test_stack",
    "camera/test_driver",
    "camera/test_felt",
    "camera/test_plain",
    "schema/test_generators",
    "shell/test_felt_camera",
    "wagering/test_one_service",
    "shadow/test_line",
    "recorder/test_record",
    "seat/test_listed",
    "shell/test_broker_stops",
    "vectors/test_vectors",
    "table/test_bounded_holds",
    "board/test_local",
    "board/test_daemon",
    "camera/test_csi",
    "board/test_under_key",
    "camera/test_plain_refusals",
    "faults/test_disks",
    "demo/test_whole_shoes",
    "board/test_troubles",
    "docs/test_add_a_device",
    "board/test_house",
    "recorder/test_standby",
    "drivers/test_shoe_contract",
    "house/test_setup",
    "wagering/test_contract",
    "shell/test_doctor",
    "broker_roles/test_roles",
    "cli/test_program",
    "outbox/test_overload",
    "faults/test_faults",
    "cli/test_export",
    "camera/test_looking",
    "shell/test_devices_shoes",
)
"""Begin first, the longest of all before the others: else the last of them keeps one worker at work, and all
others wait for it. A worker takes a whole file, so what a module's tests share is made once."""


def pytest_configure() -> None:
    """Devices of software wait as long as a test does."""
    import tests.harness.patience  # noqa: F401


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long first; all others as they stand."""
    places = {f"tests/{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """A Chromium for all tests of a worker. What is expected may take as long as on a loaded machine."""
    from playwright.sync_api import expect, sync_playwright

    from tests.board.browser import launch
    from tests.harness.patience import PATIENCE_S

    expect.set_options(timeout=PATIENCE_S * 1000)
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture
def absent_broker(tmp_path: Path) -> "Iterator[Broker]":
    """A broker that has not been started."""
    from tests.harness.broker import Broker

    absent = Broker(tmp_path / "broker")
    yield absent
    absent.stop()


@pytest.fixture
def broker(absent_broker: "Broker") -> "Broker":
    """A running broker."""
    absent_broker.start()
    return absent_broker


@pytest.fixture
def floor(tmp_path: Path) -> "Iterator[Floor]":
    """A broker as a floor runs it: TLS, certificates, roles. One for each test: what it still holds for a
    consumer would release another test's messages.
    """
    from tests.broker_roles.roles import Floor

    running = Floor(tmp_path / "floor")
    yield running
    running.stop()
