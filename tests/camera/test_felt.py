"""A camera over the felt: which cards it finds and reads, what it never takes for one, what lies still."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from drivers.camera import CameraShoe, FeltCamera
from drivers.camera.felt.driver import FeltDriver
from drivers.camera.felt.reader import FeltReader
from drivers.camera.felt.steady import Steady
from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.learn import learn
from drivers.camera.plain.library import Library, save
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.simulator import drawn_pictures
from drivers.camera.simulator import write_video
from drivers.camera.sources import VideoDevice
from drivers.camera.wire import PRINTED, CameraTimes, Mark, PictureSeen
from drivers.readings import DeviceReachable, DeviceUnreachable, FeltSeen, Reading
from tests.drivers.listening import listening
from tests.plain.felts import CLOTHS, SMALL, Felt, places, row_of, seen

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


@pytest.fixture(scope="module")
def deck() -> Library:
    return learn("drawn", drawn_pictures())


@pytest.fixture(scope="module")
def reader(deck: Library) -> FeltReader:
    return FeltReader([deck])


@pytest.fixture
def dice() -> np.random.Generator:
    return np.random.default_rng(20)


def told(reader: FeltReader, picture: Picture) -> Counter[str]:
    return Counter(card.name for card in reader.read(picture))


@pytest.mark.parametrize("width_px", [76.0, 110.0, 150.0])
@pytest.mark.parametrize("slant_deg", [0.0, 15.0])
def test_cards_are_read_wherever_and_however_they_lie(
    reader: FeltReader, dice: np.random.Generator, width_px: float, slant_deg: float
) -> None:
    felt = Felt(card_px=width_px, slant_deg=slant_deg, cloth=CLOTHS[int(dice.integers(len(CLOTHS)))])
    names = [str(card) for card in dice.choice(CARDS, 8, replace=False)]
    lies = [(face_of(name), *place) for name, place in zip(names, places(8, dice, felt), strict=True)]
    assert told(reader, seen(lies, felt, dice, chips=8)) == Counter(names)


def test_two_equal_cards_are_two(reader: FeltReader, dice: np.random.Generator) -> None:
    assert told(reader, row_of("8S 5C 8S", dice)) == Counter({"8S": 2, "5C": 1})


def test_a_card_on_a_printed_line_as_white_as_paper_is_read(
    reader: FeltReader, dice: np.random.Generator
) -> None:
    """The layout has its boxes at 0.78 of the height, the first at 0.1 of the width."""
    lies = [(face_of(name), x, 0.84, 30.0) for name, x in (("QD", 0.1), ("8C", 0.32))]
    assert told(reader, seen(lies, Felt(ink=(250, 250, 250)), dice)) == Counter(["QD", "8C"])


def covered(picture: Picture, colour: tuple[int, int, int]) -> Picture:
    """With something over the left part of the first card of a row."""
    hidden = picture.copy()
    cv2.ellipse(hidden, (80, 140), (45, 90), 10, 0, 360, colour, -1)
    return hidden


@pytest.mark.parametrize(
    "colour", [(120, 150, 205), (60, 30, 30), (235, 235, 235)], ids=["hand", "sleeve", "cuff"]
)
def test_a_covered_card_is_none_and_the_others_are_read(
    reader: FeltReader, dice: np.random.Generator, colour: tuple[int, int, int]
) -> None:
    assert told(reader, covered(row_of("8S 5C KD", dice), colour)) == Counter(["5C", "KD"])


def test_what_is_no_card_of_the_deck_is_never_one(reader: FeltReader, dice: np.random.Generator) -> None:
    """Its back, its joker, a cut card, white paper, a card of another design, chips, an empty felt."""
    paper, cut, other = face_of("8S").copy(), face_of("8S").copy(), face_of("8S").copy()
    paper[:, :, :3] = 250
    cut[:, :, :3] = (40, 220, 240)
    other[60:140, 200:290, :3] = 255
    strange = [face_of("back"), face_of("joker"), paper, cut, other]
    lies = [(face, *place) for face, place in zip(strange, places(5, dice, Felt()), strict=True)]
    assert not told(reader, seen(lies, Felt(), dice, chips=30))
    assert not told(reader, seen([], Felt(), dice))


def test_cards_over_each_other_are_none(reader: FeltReader, dice: np.random.Generator) -> None:
    lies = [
        (face_of("8S"), 0.3, 0.4, 0.0),
        (face_of("9H"), 0.34, 0.45, 20.0),
        (face_of("KC"), 0.7, 0.4, 90.0),
    ]
    assert set(told(reader, seen(lies, SMALL, dice))) <= {"9H", "KC"}


@pytest.mark.parametrize(
    "felt",
    [
        replace(SMALL, light=0.06),
        replace(SMALL, light=6.0),
        replace(SMALL, blur_px=4.0),
        replace(SMALL, card_px=30.0),
    ],
    ids=["dark", "blinded", "out of focus", "too small"],
)
def test_what_cannot_be_seen_well_is_not_told(
    reader: FeltReader, dice: np.random.Generator, felt: Felt
) -> None:
    assert not told(reader, row_of("8S 5C", dice, felt))


def mark(card: str, x_px: float = 100.0) -> Mark:
    return Mark(card, PRINTED, x_px, 50.0, 106.0)


@pytest.mark.parametrize(
    ("pictures", "lies"),
    [
        ([[mark("8S")]], ()),
        ([[mark("8S")]] * 3, ("8S",)),
        ([[mark("8S")], [], [mark("8S")], [mark("8S")]], ()),
        ([[mark("8S")], [mark("8H")], [mark("8S")]], ()),
        ([[mark("8S")], [mark("8S", 140)], [mark("8S", 180)]], ()),
        ([[mark("8S")], [mark("8S", 105)], [mark("8S", 98)]], ("8S",)),
        ([[mark("8S")], [mark("8S", 120)], [mark("8S", 140)]], ()),
        ([[mark("8S"), mark("8S", 400), mark("2D", 700)]] * 3, ("2D", "8S", "8S")),
        ([[mark("8S")]] * 3 + [[mark("8S", 400)]], ()),
    ],
)
def test_a_card_counts_when_enough_pictures_in_a_row_show_it_at_its_place(
    pictures: Sequence[Sequence[Mark]], lies: tuple[str, ...]
) -> None:
    steady = Steady(3)
    assert [steady.see(tuple(marks)) for marks in pictures][-1] == lies


TIMES = CameraTimes(paced=False, first_pause_s=0.05, longest_pause_s=0.2, black_after_s=0.3)


@pytest.fixture(scope="module")
def library(deck: Library, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("decks") / "drawn.deck"
    save(deck, file)
    return str(file)


def readings_of(folder: Path, library: str, pictures: list[Picture]) -> list[Reading]:
    """All that a recording tells, from its beginning to its end."""
    write_video(folder / "felt.avi", pictures)
    settings = FeltCamera(source=str(folder / "felt.avi"), library=library)
    with listening(FeltDriver("felt", settings, TIMES)) as heard:
        readings = [heard.reading()]
        while not (isinstance(last := readings[-1], DeviceUnreachable) and "is over" in last.reason):
            readings.append(heard.reading())
    return readings


def test_the_driver_says_what_lies_still_and_the_record_names_the_deck(
    tmp_path: Path, library: str, dice: np.random.Generator
) -> None:
    pictures = [row_of("", dice)] + [row_of("8S QD", dice, SMALL) for _ in range(4)]
    readings = readings_of(tmp_path, library, pictures)
    assert isinstance(readings[0], DeviceReachable)
    assert "deck drawn " in str(readings[0].identity)
    saw = [each.cards for each in readings if isinstance(each, FeltSeen)]
    assert saw == [(), ("8S", "QD"), ("8S", "QD")], "before three pictures it knows nothing"


def test_a_black_picture_is_a_lost_camera_and_what_lay_still_before_it_is_forgotten(
    tmp_path: Path, library: str, dice: np.random.Generator
) -> None:
    black = [np.asarray(dice.integers(0, 4, (540, 960, 3)), np.uint8) for _ in range(15)]
    shown = [row_of("8S", dice) for _ in range(3)]
    readings = readings_of(tmp_path, library, [*shown, *black, *shown[:2]])
    saw = [each.cards if isinstance(each, FeltSeen) else type(each) for each in readings[1:]]
    lost = saw.index(DeviceUnreachable)
    assert saw[:lost] == [("8S",)]
    assert [each for each in saw[lost:] if isinstance(each, tuple)] == []


def test_after_a_loss_it_knows_nothing_until_enough_pictures_came(
    tmp_path: Path, library: str, dice: np.random.Generator
) -> None:
    write_video(tmp_path / "felt.avi", [row_of("8S", dice) for _ in range(3)])
    driver = FeltDriver("felt", FeltCamera(source=str(tmp_path / "felt.avi"), library=library), TIMES)
    with listening(driver) as heard:
        while not isinstance(heard.reading(), DeviceUnreachable):
            pass
        for _ in range(3):
            driver.judge(PictureSeen(0, marks=(mark("5C"),)), b"")
        assert heard.reading() == FeltSeen(("5C",))


def test_what_was_done_behind_a_hand_was_not_seen(
    tmp_path: Path, library: str, dice: np.random.Generator
) -> None:
    dark = [np.asarray(dice.integers(0, 4, (540, 960, 3)), np.uint8)]
    shown = [row_of("8S", dice) for _ in range(3)]
    readings = readings_of(tmp_path, library, [*shown[:2], *dark, *shown, *dark, shown[0]])
    saw = [each.cards for each in readings if isinstance(each, FeltSeen)]
    assert saw == [("8S",)]


@pytest.mark.parametrize(
    ("keys", "key"),
    [
        ({}, None),
        ({"agree_within_ms": 1000}, None),
        ({"agree_within_ms": 750}, "agree_within_ms"),
        ({"agreeing_frames": 16}, "agree_within_ms"),
        ({"frames_per_s": 1, "agree_within_ms": 3000}, "agree_within_ms"),
        ({"width_px": 1280, "height_px": 720}, None),
        ({"width_px": 640, "height_px": 480}, "width_px"),
    ],
)
def test_settings_with_which_it_can_hardly_contradict_are_told(
    library: str, keys: dict[str, int], key: str | None
) -> None:
    camera = FeltCamera(source="/dev/video2", library=library, **keys)
    assert [told for told, _ in camera.advice(False)] == ([] if key is None else [key])


@pytest.mark.parametrize(
    ("place", "says"),
    [("drawn.deck", None), ("", None), ("empty", "is empty"), ("no.deck", "cannot be read (No such file")],
)
@pytest.mark.parametrize("camera", [CameraShoe, FeltCamera])
def test_a_deck_that_was_not_learnt_is_told(
    tmp_path: Path, place: str, says: str | None, camera: type[CameraShoe] | type[FeltCamera]
) -> None:
    (tmp_path / "drawn.deck").touch()
    (tmp_path / "empty").mkdir()
    told = list(camera(source="/dev/video2", library=str(tmp_path / place)).advice(False))
    assert [key for key, _ in told] == (["library"] if says else [])
    assert all(says and says in message for _, message in told)


class Capture:
    """OpenCV's, as far as it is used."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def grab(self) -> bool:
        self.done.append("grab")
        return len(self.done) < 3

    def read(self) -> tuple[bool, Picture]:
        self.done.append("read")
        return True, np.zeros((4, 4, 3), np.uint8)


def test_a_picture_that_is_let_go_by_is_not_decoded() -> None:
    camera = object.__new__(VideoDevice)
    camera._capture, camera._path = capture, path = Capture(), "/dev/video2"  # type: ignore[assignment]
    camera.pass_over()
    camera.pass_over()
    assert capture.done == ["grab", "grab"]
    with pytest.raises(Exception, match=path):
        camera.pass_over()
