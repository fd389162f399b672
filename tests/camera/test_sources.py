"""Pictures from folders of stills and video files."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import numpy as np
import pytest

from drivers.camera import CameraShoe
from drivers.camera.simulator import write_video
from drivers.camera.source_kind import CameraGone
from drivers.camera.sources import (
    Picture,
    Recording,
    RecordingOver,
    Stills,
    StillSpoiled,
    grey,
    open_source,
)


def flat(level: int) -> Picture:
    return np.full((48, 64), level, np.uint8)


def put(folder: Path, name: str, level: int) -> None:
    fresh = folder / f".{name}"
    cv2.imwrite(str(fresh), flat(level))
    fresh.rename(folder / name)


def levels(stills: Stills) -> list[int]:
    """The brightness of all stills that are there now."""
    seen = []
    while (taken := stills.next()) is not None:
        seen.append(round(float(taken[1].mean())))
    return seen


@pytest.mark.parametrize(
    "name", ["still-{:05d}.png", "{}.pgm", "cam1 {:03d}.bmp", "2024-05-06 {}.png", "x{}7.png"]
)
def test_stills_come_in_the_order_of_their_numbers(tmp_path: Path, name: str) -> None:
    for number in (11, 2, 1, 9, 3, 10):
        put(tmp_path, name.format(number), number * 10)
    (tmp_path / "notes.txt").write_text("no picture")
    stills = Stills(tmp_path)
    assert levels(stills) == [10, 20, 30, 90, 100, 110]
    put(tmp_path, name.format(12), 120)
    put(tmp_path, name.format(4), 40)
    assert levels(stills) == [120]


def test_a_folder_is_followed_from_the_first_still_on(tmp_path: Path) -> None:
    stills = Stills(tmp_path)
    seen = levels(stills)
    for number in range(200):
        put(tmp_path, f"{number:04d}.pgm", number)
        seen += levels(stills)
    assert seen == list(range(200))


def test_a_later_look_goes_on_behind_a_still_and_may_leave_some_out(tmp_path: Path) -> None:
    for number in range(1, 7):
        put(tmp_path, f"s{number}.png", number * 10)
    assert levels(Stills(tmp_path, after="s2.png")) == [30, 40, 50, 60]
    assert levels(Stills(tmp_path, after="s2.png", skip=2)) == [50, 60]
    late = Stills(tmp_path, after="s6.png", skip=1)
    assert levels(late) == []
    put(tmp_path, "s7.png", 70)
    put(tmp_path, "s8.png", 80)
    assert levels(late) == [80]


def test_a_still_that_is_none_is_left_out_after_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "1.png", 10)
    (tmp_path / "2.png").write_bytes(b"no picture at all")
    put(tmp_path, "3.png", 30)
    monkeypatch.setattr("drivers.camera.sources._SPOILED_AFTER_S", -1.0)
    stills = Stills(tmp_path)
    assert stills.next() is not None
    with pytest.raises(StillSpoiled, match=r"2\.png"):
        stills.next()
    assert levels(stills) == [30]


def test_a_still_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    put(tmp_path, "1.png", 20)
    whole = (tmp_path / "1.png").read_bytes()
    (tmp_path / "1.png").write_bytes(whole[:20])
    stills = Stills(tmp_path)
    assert stills.next() is None
    (tmp_path / "1.png").write_bytes(whole)
    assert levels(stills) == [20]


def test_a_folder_that_goes_is_gone(tmp_path: Path) -> None:
    folder = tmp_path / "cam"
    folder.mkdir()
    stills = Stills(folder)
    assert stills.next() is None
    folder.rmdir()
    with pytest.raises(CameraGone, match="the folder is gone"):
        stills.next()


def test_a_video_file_is_played_once_from_any_picture_on(tmp_path: Path) -> None:
    path = tmp_path / "cards.avi"
    write_video(path, [flat(level) for level in range(20, 220, 20)])
    for begin in (0, 4):
        recording = Recording(str(path), begin)
        seen = [recording.next() for _ in range(10 - begin)]
        shown = [(int(taken[0]), round(float(taken[1].mean()), -1)) for taken in seen if taken is not None]
        assert shown == [(number, number * 20) for number in range(begin + 1, 11)]
        with pytest.raises(RecordingOver):
            recording.next()


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("text.avi", r"text\.avi: not a video file"),
        ("/dev/null", "gives no pictures"),
        ("pipe", "is it plugged in"),
        ("nothing", "is it plugged in"),
    ],
)
def test_what_can_be_no_camera_is_named(tmp_path: Path, source: str, why: str) -> None:
    (tmp_path / "text.avi").write_text("no video")
    os.mkfifo(tmp_path / "pipe")
    assert isinstance(open_source(CameraShoe(source=str(tmp_path))), Stills)
    with pytest.raises(CameraGone, match=why):
        open_source(CameraShoe(source=str(tmp_path / source)))


def test_of_a_broken_video_nobody_speaks_but_we(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"\0\0\0\x18ftypmp42" + bytes(3000))
    with pytest.raises(CameraGone, match=r"broken\.mp4: not a video file"):
        open_source(CameraShoe(source=str(broken)))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "image",
    [
        flat(100),
        flat(100)[:, :, None],
        np.dstack([flat(100)] * 3),
        np.dstack([flat(100)] * 4),
        flat(100).astype(np.uint16) << 8,
    ],
)
def test_every_kind_of_picture_becomes_grey(image: Picture) -> None:
    assert grey(image).tolist() == flat(100).tolist()
