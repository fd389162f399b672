"""The pages on how to connect a device: what stands in them is a configuration, and their keys are keys."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from controller.settings.loader import load_configuration
from drivers.angel_eye import AngelEyeShoe
from drivers.bee_tek import BeeTekShoe, reading_of
from drivers.camera import CameraShoe
from drivers.gpio import GpioPanel
from drivers.keypad import KeypadPanel
from drivers.readings import CardNotRead, CardReported, ErrorRaised, WarningGiven
from drivers.scanner import ScannerShoe
from tests.cli.program import HOUSE
from tests.harness.configuration import configured

PAGES = sorted((HOUSE / "docs/how-to").glob("connect-*.md"))
SHOE = '[devices.shoe]\ndriver = "bee-tek"\nport = "/dev/shoe"\n'
KINDS = {
    "an-angel-eye-shoe": AngelEyeShoe,
    "a-bee-tek-shoe": BeeTekShoe,
    "a-scanner": ScannerShoe,
    "a-camera": CameraShoe,
    "a-keypad-or-shuffler": KeypadPanel,
    "pins": GpioPanel,
}


def test_every_kind_of_device_has_its_page() -> None:
    assert {page.stem.removeprefix("connect-") for page in PAGES} == set(KINDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_stands_in_a_page_is_a_right_configuration(page: Path, tmp_path: Path) -> None:
    text = page.read_text()
    blocks = [block.replace("\n   ", "\n") for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL)]
    assert blocks
    shutil.copytree(HOUSE / "config/cards", tmp_path / "cards")
    # A page may show a shoe in several ways: each is right with the rest of the page.
    shoes = [block for block in blocks if "[devices.shoe]" in block]
    rest = [block for block in blocks if block not in shoes]
    for shoe in shoes or [""]:
        file = configured(tmp_path, SHOE, "".join([shoe, *rest]))
        named = load_configuration(file).devices.named().values()
        assert KINDS[page.stem.removeprefix("connect-")] in [type(device) for device in named]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_key_of_a_page_is_one(page: Path) -> None:
    keys = set(KINDS[page.stem.removeprefix("connect-")].__struct_fields__)
    for table in re.findall(r"^\| key \|.*?\n\n", page.read_text(), re.MULTILINE | re.DOTALL):
        for row in table.strip().splitlines()[2:]:
            assert set(re.findall(r"`(\w+)`", row.split("|")[1])) <= keys


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_that_the_device_itself_was_not_at_hand(page: Path) -> None:
    assert re.search(r"\bTried\b.*\bonly\b", page.read_text().replace("\n", " "))


def test_the_lines_of_a_bee_tek_shoe_are_those_bytes_and_mean_that() -> None:
    page = (HOUSE / "docs/how-to/connect-a-bee-tek-shoe.md").read_text()
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| `([0-9A-F ]+)` \|$", page, re.MULTILINE)
    assert [bytes.fromhex(sent) for _, sent in rows] == [line.encode() + b"\r\n" for line, _ in rows]
    assert [type(reading_of(line.encode())) for line, _ in rows] == [
        CardReported,
        CardNotRead,
        CardReported,
        ErrorRaised,
        WarningGiven,
    ]
