"""Plain cards through the driver: a real process, rendered video, and a deck that was learnt."""

from __future__ import annotations

from pathlib import Path

import pytest

from drivers.camera import CameraShoe
from drivers.camera.driver import CameraDriver
from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.simulator import PlainCamera, learn_drawn
from drivers.camera.rendering import Picture, Pose
from drivers.camera.simulator import write_video
from drivers.camera.wire import CameraTimes
from drivers.readings import CardNotRead, CardReported, DeviceReachable, DeviceUnreachable, Reading
from tests.drivers.listening import listening


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("decks") / "drawn.deck"
    learn_drawn(file)
    return file


@pytest.fixture
def shoe(tmp_path: Path) -> PlainCamera:
    return PlainCamera(tmp_path / "camera", seed=1)


def readings_of(folder: Path, library: Path, pictures: list[Picture]) -> list[Reading]:
    """All that a recording tells, from its beginning to its end."""
    write_video(folder / "cards.avi", pictures)
    settings = CameraShoe(source=str(folder / "cards.avi"), library=str(library))
    times = CameraTimes(paced=False, first_pause_s=0.05, longest_pause_s=0.2)
    with listening(CameraDriver("shoe", settings, times)) as heard:
        readings = [heard.reading()]
        while not isinstance(readings[-1], DeviceUnreachable):
            readings.append(heard.reading())
    return readings


def told(readings: list[Reading]) -> list[object]:
    return [
        each.code if isinstance(each, CardReported) else type(each)
        for each in readings
        if not isinstance(each, DeviceReachable | DeviceUnreachable)
    ]


def nothing(shoe: PlainCamera) -> list[Picture]:
    return [shoe.see() for _ in range(4)]


def test_cards_are_told_once_and_the_record_names_the_deck(
    tmp_path: Path, library: Path, shoe: PlainCamera
) -> None:
    cards = ["8S", "TH", "QD", "QD", "AC", "6D", "9D"]
    pictures = nothing(shoe)
    for card in cards:
        pictures += [*shoe.passing(card), *nothing(shoe)]
    readings = readings_of(tmp_path, library, pictures)
    assert told(readings) == cards
    assert isinstance(readings[0], DeviceReachable)
    assert "deck drawn " in str(readings[0].identity)


def test_what_is_no_card_of_the_deck_is_foreign_or_unread_never_a_card(
    tmp_path: Path, library: Path, shoe: PlainCamera
) -> None:
    pictures = nothing(shoe)
    for name in ("joker", "back"):
        pictures += [*shoe.passing(name), *nothing(shoe)]
    # Two cards that come out together, one half over the other.
    both = [(face_of("8S"), -30.0), (face_of("9H"), 35.0)]
    for y in (-20.0, -10.0, 0.0, 10.0):
        pictures.append(shoe.see(*((face, Pose(x_px=8.0, y_px=at + y)) for face, at in both)))
    pictures += nothing(shoe)
    found = told(readings_of(tmp_path, library, pictures))
    assert found[:2] == ["joker", CardNotRead]
    assert set(found[2:]) == {CardNotRead}
    assert 3 <= len(found) <= 4


def test_a_missing_library_is_a_lost_device_that_says_what_to_do(tmp_path: Path, shoe: PlainCamera) -> None:
    readings = readings_of(tmp_path, tmp_path / "missing.deck", nothing(shoe))
    assert isinstance(readings[-1], DeviceUnreachable)
    assert "deck learn" in readings[-1].reason
