"""A whole table with a camera over its felt: real pictures through the real process, a shoe that tells a card
wrongly, and an evening on which all agree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.camera.plain.simulator import learn_drawn
from drivers.camera.rendering import Picture
from drivers.camera.simulator import SimulatedCamera
from drivers.camera.tally import CameraState
from drivers.keypad.simulator import Keypad
from tests.harness.patience import PATIENCE_S
from tests.harness.process import comes
from tests.harness.whole import PANEL, Whole, must, whole
from tests.plain.felts import row_of

DEVICES = """
[devices.shoe]
driver = "bee-tek"
port = "{folder}/shoe"

[devices.felt]
driver = "camera"
source = "{folder}/felt"
library = "{folder}/drawn.deck"
agreeing_frames = 2
agree_within_ms = 1000
"""
LOOKS = 4
"""Pictures of a felt on which nothing moves: more than are needed, one of which may still be on its way."""


class FeltShown(SimulatedCamera):
    """A camera that sees a felt, as stills in a folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, seed=1)

    def see(self, *cards: object) -> Picture:
        return row_of("", np.random.default_rng(self.dice.integers(1000)))

    def shows(self, table: Whole, cards: str) -> None:
        """These cards lie there, and the table has been told so."""
        before = seen_by(table)
        self.show(row_of(cards, self.dice) for _ in range(LOOKS))
        table.wait(lambda: seen_by(table) >= before + LOOKS, f"the camera has seen {cards or 'nothing'}")


def seen_by(table: Whole) -> int:
    """Pictures that the camera over the felt has seen."""
    state = table.assembly.drivers["felt"].state
    assert isinstance(state, CameraState)
    return state.frames_in


def about_felt(table: Whole) -> list[str]:
    """The alerts about the camera."""
    return [alert.id for alert in table.state.alerts if alert.id.endswith("-felt")]


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of our own deck."""
    file = tmp_path_factory.mktemp("decks") / "drawn.deck"
    learn_drawn(file)
    return file.read_bytes()


@pytest.fixture
def felt(tmp_path: Path, deck: bytes) -> Iterator[FeltShown]:
    (tmp_path / "drawn.deck").write_bytes(deck)
    with FeltShown(tmp_path / "felt") as felt:
        yield felt


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedBeeTek]:
    with SimulatedBeeTek(tmp_path / "shoe") as shoe:
        yield shoe


def played(
    table: Whole, keypad: Keypad, shoe: SimulatedBeeTek, felt: FeltShown, told: str, lies: str
) -> None:
    """A round up to its result: what the shoe tells, and what lies on the felt."""
    felt.shows(table, "")
    comes(lambda: keypad.ask("OPEN", PATIENCE_S), "OK")  # the time to contradict the last round
    must(keypad, "CLOSE")
    before = len(table.said("round.result"))
    table.deal(shoe, *told.split())
    table.wait_said("round.result", before + 1)
    felt.shows(table, lies)


def test_a_card_that_the_shoe_tells_wrongly_is_contradicted(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, felt: FeltShown
) -> None:
    with whole(tmp_path, DEVICES + PANEL) as table:
        must(keypad, "SHOE 416")
        played(table, keypad, shoe, felt, "8S 5C KC 2D", "8S 5C KC 2H")
        table.wait_hold("requested")
        (alert,) = (alert for alert in table.state.alerts if alert.id == "fault-felt")
        assert "2H" in alert.message
        must(keypad, "KEY 17", "VOID supervisor", "NOKEY")
        played(table, keypad, shoe, felt, "9S 5C KD 2D", "9S 5C KD 2D")
        must(keypad, "SETTLED")


def test_an_evening_on_which_all_agree(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, felt: FeltShown
) -> None:
    with whole(tmp_path, DEVICES + PANEL) as table:
        must(keypad, "SHOE 416")
        for hand in ("8S 5C KC 2D", "9D AH TS 6C", "QH 7S 9C KD", "4S 3C 5H 5D"):
            played(table, keypad, shoe, felt, hand, hand)
            must(keypad, "SETTLED")
        assert not table.said("table.held")
        assert not about_felt(table)


def test_a_camera_over_the_felt_that_is_gone_is_an_alert_and_no_hold(
    tmp_path: Path, keypad: Keypad, shoe: SimulatedBeeTek, felt: FeltShown
) -> None:
    with whole(tmp_path, DEVICES + PANEL) as table:
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        table.deal(shoe, "8S", "5C")
        felt.unplug()
        table.wait(lambda: about_felt(table) == ["device-felt"], "the alert")
        table.deal(shoe, "KC", "2D")
        table.wait_said("round.result")
        assert table.state.hold is None
        felt.replug()
        table.wait(lambda: not about_felt(table), "it is back")
        must(keypad, "SETTLED")
