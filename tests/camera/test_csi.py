"""CSI cameras through the real driver, process and pipe; an emulator of their program speaks its bytes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from controller.shell.wiring.finding import cameras
from drivers.camera import CameraShoe
from drivers.camera.driver import CameraDriver
from drivers.camera.plain.scene import Camera
from drivers.camera.plain.simulator import PlainCamera, learn_drawn
from drivers.camera.rendering import Optics, Picture
from drivers.camera.simulator import SimulatedCamera
from drivers.camera.wire import CameraTimes
from drivers.errors import DeviceSettingsError
from drivers.readings import CardReported, DeviceReachable, DeviceUnreachable, Reading
from tests.camera import rpicam
from tests.drivers.listening import listening
from tests.harness.process import until

PORT = "/base/soc/i2c0mux/i2c@1/imx708@1a"
FILMED = Camera(width_px=448, height_px=300, px_per_mm=3.2)


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system with the camera program; the folder of its film."""
    folder = tmp_path / "system"
    folder.mkdir()
    program = folder / "rpicam-vid"
    program.write_text(f"#!{sys.executable}\n" + Path(rpicam.__file__).read_text())
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def film(folder: Path, pictures: Sequence[Picture]) -> None:
    """Put pictures before the camera, as their Y, U and V."""
    with (folder / "film").open("wb") as file:
        for each in pictures:
            colour = each if each.ndim == 3 else cv2.cvtColor(each, cv2.COLOR_GRAY2BGR)
            file.write(cv2.cvtColor(colour, cv2.COLOR_BGR2YUV_I420).tobytes())


def camera(**keys: Any) -> CameraDriver:
    """A driver that begins anew soon."""
    settings = CameraShoe(source=PORT, frames_per_s=60, **keys)
    return CameraDriver("shoe", settings, CameraTimes(first_pause_s=0.05, longest_pause_s=0.2))


def readings_of(driver: CameraDriver) -> list[Reading]:
    """What is told until the camera is gone."""
    with listening(driver) as heard:
        readings = [heard.reading()]
        while not isinstance(readings[-1], DeviceUnreachable):
            readings.append(heard.reading())
    return readings


def cards_of(readings: Sequence[Reading]) -> list[str]:
    return [each.code for each in readings if isinstance(each, CardReported)]


def test_plain_cards_are_read_in_their_colours_and_the_end_of_the_program_is_a_lost_camera(
    tmp_path: Path, system: Path
) -> None:
    library = tmp_path / "drawn.deck"
    learn_drawn(library, FILMED)
    shoe = PlainCamera(tmp_path / "shoe", camera=FILMED, seed=1)
    cards = ["8S", "QD", "QD", "AC"]
    pictures = [shoe.see() for _ in range(4)]
    for card in cards:
        pictures += [*shoe.passing(card), *(shoe.see() for _ in range(4))]
    film(system, pictures)
    readings = readings_of(camera(library=str(library), width_px=448, height_px=300))
    assert cards_of(readings) == cards
    assert isinstance(readings[0], DeviceReachable)
    assert str(readings[0].identity).startswith("imx708, deck drawn ")
    last = readings[-1]
    assert isinstance(last, DeviceUnreachable)
    assert last.reason == (
        f"{PORT}: the camera gives no pictures any more (ERROR: *** Camera frontend has timed out! ***)"
    )


def test_codes_are_read_in_the_light_alone(tmp_path: Path, system: Path) -> None:
    shoe = SimulatedCamera(tmp_path / "shoe", optics=Optics(width_px=640, height_px=480), seed=1)
    pictures = [shoe.see() for _ in range(4)]
    for card in ("8S", "TH"):
        pictures += [*shoe.passing(card), *(shoe.see() for _ in range(4))]
    film(system, pictures)
    assert cards_of(readings_of(camera())) == ["8S", "TH"]


def test_it_holds_what_the_settings_hold(system: Path) -> None:
    film(system, [np.full((480, 640), 90, np.uint8)])
    held = {"exposure_us": 800, "gain": 2.5, "focus_dioptres": 8, "red_gain": 1.9, "blue_gain": 1.6}
    readings_of(camera(**held))
    number, words = (system / "asked").read_text().split(" ", 1)
    assert int(number) > 0
    for said in (
        "--camera 1", "--width 640 --height 480", "--framerate 60", "--shutter 800", "--gain 2.5",
        "--autofocus-mode manual --lens-position 8", "--awbgains 1.9,1.6",
    ):  # fmt: skip
        assert said in words
    film(system, [np.full((480, 640), 90, np.uint8)])
    readings_of(camera())
    free = (system / "asked").read_text().splitlines()[1]
    assert not any(word in free for word in ("shutter", "gain", "autofocus", "lens"))


def test_the_program_ends_with_the_process_that_reads_it(system: Path) -> None:
    film(system, [np.full((480, 640), level, np.uint8) for level in (90, 91, 92)])
    (system / "stays").touch()
    with listening(camera()) as heard:
        heard.next(DeviceReachable)
        driver = heard.driver
        assert isinstance(driver, CameraDriver)
        until(lambda: driver.eye_pid is not None)
        assert driver.eye_pid is not None
        number = int((system / "asked").read_text().split()[0])
        os.kill(driver.eye_pid, 9)
        until(
            lambda: not Path(f"/proc/{number}/cmdline").exists() or not _words_of(number), "it ends as well"
        )


def _words_of(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


def test_cameras_are_named_by_their_port(system: Path) -> None:
    film(system, [])
    assert cameras([]) == ["/base/soc/i2c0mux/i2c@0/imx219@10", PORT]
    (system / "film").unlink()
    assert cameras([]) == []


@pytest.mark.parametrize(
    ("there", "wrong"),
    [
        (
            "another",
            f"{PORT}x: no such CSI camera, the system sees /base/soc/i2c0mux/i2c@0/imx219@10, {PORT};",
        ),
        ("none", f"{PORT}x: no such CSI camera, the system sees none; is its cable in?"),
        ("no program", f"{PORT}x: this system has no rpicam-vid: apt install rpicam-apps-lite"),
    ],
)
def test_a_camera_that_is_not_there_is_told(
    system: Path, monkeypatch: pytest.MonkeyPatch, there: str, wrong: str
) -> None:
    if there == "another":
        film(system, [])
    if there == "no program":
        monkeypatch.setenv("PATH", str(system.parent))
    driver = CameraDriver("shoe", CameraShoe(source=f"{PORT}x"), CameraTimes())
    with listening(driver) as heard:
        lost = heard.next(DeviceUnreachable)
    assert lost.reason.startswith(wrong)


@pytest.mark.parametrize(
    ("keys", "wrong"),
    [
        (
            {"source": "/dev/video0", "gain": 2},
            "gain: for a CSI camera only; a USB camera is set by v4l2-ctl",
        ),
        (
            {"source": PORT, "width_px": 650},
            "width_px: a multiple of 64 at a CSI camera, else its rows are padded",
        ),
        (
            {"source": PORT, "red_gain": 2},
            "red_gain: red_gain and blue_gain are held together, or neither",
        ),
        ({"source": PORT, "height_px": 479}, "height_px: even at a CSI camera"),
    ],
)
def test_settings_that_would_not_be_kept_are_refused(keys: dict[str, Any], wrong: str) -> None:
    with pytest.raises(DeviceSettingsError) as refused:
        CameraShoe(**keys)
    assert str(refused.value) == wrong


def test_a_deck_of_plain_cards_wants_its_exposure_held(tmp_path: Path) -> None:
    deck = tmp_path / "a.deck"
    deck.touch()
    held = {key for key, _ in CameraShoe(source=PORT, library=str(deck), exposure_us=800).advice(False)}
    free = {key for key, _ in CameraShoe(source=PORT, library=str(deck)).advice(False)}
    assert (held, free) == (set(), {"exposure_us"})
