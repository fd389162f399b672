"""What every test shares: how Hypothesis behaves. Fixtures live beside the rooms they serve."""

import os
import signal

import pytest
from hypothesis import settings

# A loaded machine is not a fault of the code, and a red build must be red again when it is looked at.
settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.register_profile("explore", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell that starts us behind its back lets Ctrl-C be ignored, and every program that a test starts
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)

LONGEST = (
    "e2e/test_kills",
    "e2e/test_lost_bytes",
    "board/test_looks",
    "docs/test_blocks",
    "par/test_holdem",
    "table/test_faults",
    "shell/test_doctor",
    "board/test_daemon",
    "faults/test_disks",
    "drivers/test_shoe_contract",
    "shell/test_devices_wired",
    "e2e/test_bad_input",
    "faults/test_absence",
)
"""Begin first, the longest of all before the others: else the last of them keeps one worker at work, and all
others wait for it. A worker takes a whole file, so what a module's tests share is made once."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long first; all others as they stand."""
    places = {f"tests/{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
