"""The camera driver with a real process, over a folder of stills and over video files."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from drivers.camera import CameraShoe
from drivers.camera.driver import CameraDriver
from drivers.camera.rendering import Optics, Picture, Pose, card, picture
from drivers.camera.simulator import SimulatedCamera, write_video
from drivers.camera.wire import CameraTimes
from drivers.readings import CardNotRead, CardReported, DeviceReachable, DeviceUnreachable, Reading
from tests.drivers.listening import Listener, listening
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until

CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


def driver_at(source: object, times: dict[str, float] | None = None, **more: Any) -> CameraDriver:
    fast: dict[str, Any] = {"paced": False, "first_pause_s": 0.05, "longest_pause_s": 0.2, **(times or {})}
    return CameraDriver("shoe", CameraShoe(source=str(source), **more), CameraTimes(**fast))


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedCamera]:
    with SimulatedCamera(tmp_path / "camera", seed=1) as shoe:
        yield shoe


@pytest.fixture
def heard(shoe: SimulatedCamera) -> Iterator[Listener]:
    with watching(shoe.path) as heard:
        yield heard


@contextmanager
def watching(source: object, times: dict[str, float] | None = None, **more: Any) -> Iterator[Listener]:
    """A driver that has found its camera."""
    with listening(driver_at(source, times, **more)) as heard:
        heard.next(DeviceReachable)
        yield heard


def driver_of(heard: Listener) -> CameraDriver:
    driver = heard.driver
    assert isinstance(driver, CameraDriver)
    return driver


def hit(heard: Listener, with_signal: signal.Signals) -> int:
    """Send a signal to the process that looks, once there is one; its number."""
    driver = driver_of(heard)
    until(lambda: driver.eye_pid is not None)
    eye = driver.eye_pid
    assert eye is not None
    os.kill(eye, with_signal)
    return eye


def told(readings: Iterable[Reading]) -> list[object]:
    """The code of a card, the type of anything else."""
    return [each.code if isinstance(each, CardReported) else type(each) for each in readings]


def codes(heard: Listener, count: int) -> list[object]:
    return told(heard.reading() for _ in range(count))


def all_of(folder: Path, pictures: list[Picture], **more: Any) -> list[object]:
    """All that a recording tells before it is over."""
    write_video(folder / "cards.avi", pictures)
    with watching(folder / "cards.avi", **more) as heard:
        cards = []
        while not isinstance(reading := heard.reading(), DeviceUnreachable):
            cards.append(reading)
        assert reading.reason.endswith("the recording is over")
        assert heard.is_quiet()
    return told(cards)


def passing(shoe: SimulatedCamera, cards: list[str]) -> list[Picture]:
    return [each for code in cards for each in (*shoe.passing(code), *[shoe.see() for _ in range(4)])]


@pytest.mark.parametrize("decoder", ["zxing-cpp", "pyzbar"])
def test_a_deck_on_video(tmp_path: Path, decoder: str) -> None:
    shoe = SimulatedCamera(tmp_path / "unused", seed=2)
    deck = random.Random(2).sample(CARDS, 52)
    assert all_of(tmp_path, passing(shoe, deck), decoder=decoder) == deck


def test_a_recording_that_ends_with_a_card_in_view(tmp_path: Path) -> None:
    shoe = SimulatedCamera(tmp_path / "unused", seed=3)
    assert all_of(tmp_path, [shoe.see(), *shoe.passing("8S")[:2]]) == [CardNotRead]


def test_degraded_cards_are_read_with_the_rescue_only(tmp_path: Path) -> None:
    optics = Optics(blur_px=1.6, noise=20, width_px=360, height_px=200)
    shoe = SimulatedCamera(tmp_path / "unused", optics=optics, module_px=2, seed=4)
    cards = passing(shoe, CARDS[:6])
    worn = [*[shoe.see() for _ in range(4)], *cards]
    assert all_of(tmp_path, worn) == [CardNotRead] * 6
    assert all_of(tmp_path, worn, rescue=True) == CARDS[:6]


def test_what_a_reading_carries(heard: Listener, shoe: SimulatedCamera) -> None:
    before_ns = time.monotonic_ns()
    shoe.card("8S")
    received = heard.take()
    assert received.reading == CardReported("8S", None, None, confidence=1.0)
    assert (received.device, received.number) == ("shoe", None)
    assert before_ns < received.monotonic_ns < time.monotonic_ns()
    assert b'"text":"8S"' in received.raw


def test_a_foreign_code_is_handed_on_and_a_foreign_symbology_is_not_read(
    heard: Listener, shoe: SimulatedCamera
) -> None:
    shoe.card("4006381")
    assert codes(heard, 1) == ["4006381"]
    code = card("10-10", "qr", 2)
    shoe.show(shoe.see((code, Pose(y_px=y))) for y in range(-4, 5, 2))
    shoe.empty()
    assert codes(heard, 1) == [CardNotRead]
    assert heard.is_quiet()


def test_two_cards_at_once_are_told_and_not_guessed(tmp_path: Path) -> None:
    optics = Optics(width_px=360, height_px=320)
    with SimulatedCamera(tmp_path / "camera", optics=optics, seed=1) as shoe:
        shoe.cards_at_once("8S", "TH")
        with watching(shoe.path) as heard:
            assert codes(heard, 2) == [CardNotRead, CardNotRead]
            shoe.card("2C")
            assert codes(heard, 1) == ["2C"]


def test_a_killed_eye_is_told_and_started_again_and_no_card_is_lost_or_doubled(
    heard: Listener, shoe: SimulatedCamera
) -> None:
    shoe.show(shoe.passing("8S"))
    assert codes(heard, 1) == ["8S"]
    hit(heard, signal.SIGKILL)
    assert "SIGKILL" in heard.next(DeviceUnreachable).reason
    shoe.show(shoe.passing("8S"))
    shoe.empty()
    shoe.card("TH")
    restored = heard.next(DeviceReachable)
    assert (restored.first, restored.replaced) == (False, False)
    # The first card was still in view all the time: it is not told twice.
    assert codes(heard, 1) == ["TH"]
    state = driver_of(heard).state
    assert (state.connections, state.losses, state.cards_read, state.cards_unread) == (2, 1, 2, 0)


def test_a_card_that_was_in_view_unread_at_the_kill_is_told(heard: Listener, shoe: SimulatedCamera) -> None:
    shoe.show(shoe.passing("8S")[:2])
    until(lambda: driver_of(heard).state.pictures_read >= 2)
    hit(heard, signal.SIGKILL)
    heard.next(DeviceUnreachable)
    shoe.empty()
    assert codes(heard, 2) == [DeviceReachable, CardNotRead]


def test_an_eye_that_says_nothing_is_replaced(shoe: SimulatedCamera) -> None:
    with watching(shoe.path, {"silence_s": 1.0}) as heard:
        stopped = hit(heard, signal.SIGSTOP)
        assert "no picture for 1 s" in heard.next(DeviceUnreachable).reason
        heard.next(DeviceReachable)
        with pytest.raises(ProcessLookupError):
            os.kill(stopped, 0)
        shoe.card("8S")
        assert codes(heard, 1) == ["8S"]


@pytest.mark.parametrize(("fault", "why"), [("cover", "black"), ("freeze", "frozen")])
def test_a_blind_camera_is_a_lost_one(shoe: SimulatedCamera, fault: str, why: str) -> None:
    with watching(shoe.path, {"black_after_s": 1.0, "frozen_after_s": 1.0}) as heard:
        getattr(shoe, fault)(40)
        assert why in heard.next(DeviceUnreachable).reason
        assert not heard.driver.state.connected
        shoe.empty()
        assert not heard.next(DeviceReachable).first
        shoe.card("8S")
        assert codes(heard, 1) == ["8S"]


def test_the_eye_leaves_with_a_driver_that_was_killed(shoe: SimulatedCamera) -> None:
    program = (
        "import sys, time; from drivers.camera.driver import CameraDriver;"
        "from drivers.camera import CameraShoe;"
        f"driver = CameraDriver('shoe', CameraShoe(source={shoe.path!r}));"
        "driver.start(lambda received: print(driver.eye_pid, flush=True)); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as daemon:
        assert daemon.stdout is not None
        eye = int(daemon.stdout.readline())
        daemon.kill()
    process = Path(f"/proc/{eye}")
    until(lambda: not process.exists() or "Z" in (process / "stat").read_text().split()[2])


def test_figures_of_the_reader(heard: Listener, shoe: SimulatedCamera) -> None:
    for code in ("8S", "TH", "2C"):
        shoe.card(code)
    shoe.unread_card()
    assert codes(heard, 4) == ["8S", "TH", "2C", CardNotRead]
    state = driver_of(heard).state
    assert (state.cards_read, state.cards_unread, state.confidence) == (3, 1, 1.0)
    assert (state.connected, state.identity) == (True, "folder of stills")
    assert None not in (state.test_decode_ms, state.frames_per_s, state.decode_ms)
    assert state.noise_in >= 2
    assert state.pictures_read > 0
    assert not any(code in repr(state) for code in ("8S", "TH", "2C"))


def test_a_wrong_decoder_library_says_what_to_install(
    shoe: SimulatedCamera, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A folder before all others in which the library is broken, as it is where libzbar0 is missing.
    broken = Path(shoe.path).parent / "broken"
    broken.mkdir()
    (broken / "pyzbar.py").write_text("raise ImportError('Unable to find zbar shared library')")
    monkeypatch.setenv("PYTHONPATH", str(broken))
    with listening(driver_at(shoe.path, decoder="pyzbar")) as heard:
        assert "install libzbar0" in heard.next(DeviceUnreachable).reason


def test_a_driver_starts_once_and_stops_often(shoe: SimulatedCamera) -> None:
    driver = driver_at(shoe.path)
    driver.stop()
    with listening(driver) as heard:
        with pytest.raises(RuntimeError, match="runs already"):
            driver.start(heard.deliver)
        heard.next(DeviceReachable)
    driver.stop()
    assert driver.eye_pid is None
    with listening(driver) as heard:
        heard.next(DeviceReachable)
        shoe.card("8S")
        assert codes(heard, 1) == ["8S"]


def test_no_library_for_pictures_is_loaded_beside_the_camera(shoe: SimulatedCamera) -> None:
    program = (
        "import sys, queue; from drivers.camera.driver import CameraDriver;"
        "from drivers.camera import CameraShoe;"
        f"driver = CameraDriver('shoe', CameraShoe(source={shoe.path!r})); heard = queue.Queue();"
        f"driver.start(heard.put); print(type(heard.get(timeout={PATIENCE_S}).reading).__name__);"
        "driver.stop();"
        "print(*sorted({'cv2', 'numpy', 'zxingcpp', 'pyzbar'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["DeviceReachable"]


def noisy(seed: int) -> Picture:
    return picture([(card("8S", module_px=2), Pose())], Optics(noise=30), np.random.default_rng(seed))


def test_rendering_comes_from_the_seed_alone() -> None:
    assert noisy(1).tobytes() == noisy(1).tobytes()
    assert noisy(1).tobytes() != noisy(2).tobytes()
