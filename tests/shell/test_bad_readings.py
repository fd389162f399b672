"""What a scanner or a camera should never show, at a whole table: it holds, and no card is guessed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.shoe.code_map import check_text
from controller.vocabulary import events
from drivers.camera.rendering import Optics, Pose, card
from drivers.camera.simulator import SimulatedCamera
from drivers.keypad.simulator import Keypad
from drivers.scanner.simulator import SimulatedScanner
from tests.harness.whole import PANEL, must, whole

MAP = """
[cards]
map = "{folder}/codes.toml"
"""
PATTERN = r"""
pattern = '(?P<rank>[A2-9TJQK])(?P<suit>[SHDC])-(?P<serial>\d{4})-(?P<check>[0-9A-Z*])'
check = "mod37"
"""
SCANNER = """
[devices.shoe]
driver = "scanner"
port = "{folder}/shoe"
symbologies = ["code128"]
"""
CAMERA = """
[devices.shoe]
driver = "camera"
source = "{folder}/pictures"
frames_per_s = 240
agreeing_frames = 2
"""
OPTICS = Optics(width_px=360, height_px=320)
SUPERVISOR = 'void = "supervisor"'


def code_of(card: str, serial: int) -> str:
    """A card's code with its check digit."""
    begin = f"{card}-{serial:04d}-"
    values = ["0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) for letter in begin if letter.isalnum()]
    return begin + check_text("mod37", values)


@pytest.mark.parametrize(
    ("scan", "aim", "reason"),
    [
        ("NLS0006010", "]C0", "card_unread"),
        ("%%SpecCode9A", "]C0", "card_unread"),
        (code_of("5C", 2)[:-1] + ("1" if code_of("5C", 2)[-1] == "0" else "0"), "]C0", "card_unread"),
        (code_of("5C", 2), "]E0", "card_unread"),
        (code_of("5C", 2), "", "card_unread"),
        ("NOREAD", "", "card_unread"),
        ("4006381333931", "]C0", "foreign_card"),
    ],
    ids=[
        "programming",
        "another maker's",
        "wrong check digit",
        "symbology",
        "no prefix",
        "no read",
        "unknown",
    ],
)
def test_a_scan_that_is_no_card_of_the_table(
    tmp_path: Path, scan: str, aim: str, reason: str, keypad: Keypad
) -> None:
    (tmp_path / "codes.toml").write_text(PATTERN)
    with (
        SimulatedScanner(tmp_path / "shoe", aim="]C0") as scanner,
        whole(tmp_path, MAP + SCANNER + PANEL, settings=SUPERVISOR) as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        scanner.scan(code_of("8S", 1))
        table.wait_said("round.card")
        scanner.scan(scan, aim)
        table.wait_hold(reason)
        assert [said["card"] for said in table.said("round.card")] == ["8S"]
        choice = ("ENTER 5C", "CLEAR enter") if reason == "card_unread" else ("CLEAR continue",)
        must(keypad, "KEY 17", *choice)


def hardly(shoe: SimulatedCamera) -> None:
    """Read in two of its pictures, and in thirty it is not."""
    blank = card("", module_px=2)
    shoe.show(shoe.see((blank, Pose(y_px=40.0 - number))) for number in range(30))
    shoe.show(shoe.passing("5C")[1:3])
    shoe.empty()


@pytest.mark.parametrize(
    ("show", "reason", "unread"),
    [
        (lambda shoe: shoe.cards_at_once("5C", "KC"), "card_unread", 2),
        (SimulatedCamera.unread_card, "card_unread", 1),
        (hardly, "card_unread", 1),
        (lambda shoe: shoe.card("VISITOR-7"), "foreign_card", 0),
    ],
)
def test_a_picture_that_is_no_card_of_the_table(
    tmp_path: Path, show: Callable[[SimulatedCamera], None], reason: str, unread: int, keypad: Keypad
) -> None:
    with (
        SimulatedCamera(tmp_path / "pictures", frames=4, optics=OPTICS, seed=5) as shoe,
        whole(tmp_path, CAMERA + PANEL, settings=SUPERVISOR) as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        shoe.card("8S")
        table.wait_said("round.card")
        show(shoe)
        table.wait_hold(reason)
        table.wait(lambda: len(table.of(events.CardUnread)) >= unread, f"{unread} unread")
        assert [said["card"] for said in table.said("round.card")] == ["8S"]


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedCamera]:
    with SimulatedCamera(tmp_path / "pictures", frames=4, seed=5) as shoe:
        yield shoe


def test_a_card_in_a_mirror_is_that_card_or_a_card_unread(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedCamera
) -> None:
    with whole(tmp_path, CAMERA + PANEL) as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        shoe.show(
            shoe.see((card("5C", module_px=2), Pose(y_px=y, mirrored=True))) for y in (-9.0, -3.0, 3.0, 9.0)
        )
        shoe.empty()
        table.wait(lambda: bool(table.of(events.CardRead) or table.of(events.CardUnread)), "a card")
        assert [read.code for read in table.of(events.CardRead)] in ([], ["5C"])


@pytest.mark.parametrize("blind", [SimulatedCamera.cover, SimulatedCamera.freeze])
def test_a_picture_that_is_black_or_frozen_is_a_lost_camera(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedCamera, blind: Callable[[SimulatedCamera, int], None]
) -> None:
    with whole(tmp_path, CAMERA + PANEL) as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        shoe.card("8S")
        table.wait_said("round.card")
        blind(shoe, 800)
        table.wait_hold("device_lost")
        shoe.empty(20)
        table.wait_said("device.restored")
        must(keypad, "KEY 17", "CLEAR continue")
        shoe.card("5C")
        table.wait_event(events.CardRead, 2)
