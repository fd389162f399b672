"""``deck look``: the page of a camera that is being mounted."""

from __future__ import annotations

from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from controller.__main__ import main
from controller.shell.wiring.decks import camera_at
from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.library import Library, load
from drivers.camera.plain.looking import BAD, GOOD, INDEX, Colour, Looking
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.scene import Camera, Lie, seen
from drivers.camera.plain.simulator import PlainCamera, learn_drawn
from tests.harness.broker import free_port
from tests.harness.process import HOUSE, PROGRAM, Program

NEAR = Camera(width_px=640, height_px=480, px_per_mm=4.5)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("decks") / "drawn.deck"
    learn_drawn(file, NEAR)
    return file


@pytest.fixture(scope="module")
def library(file: Path) -> Library:
    return load(file)


def before(camera: Camera, *cards: str, blur_px: float = 0.0) -> Picture:
    """A picture of cards that lie across."""
    faces = [(face_of(card), Lie(y_px=150.0 * at, turn_deg=92.0)) for at, card in enumerate(cards)]
    picture = seen(faces, camera, np.random.default_rng(3))
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur_px), np.uint8) if blur_px else picture


def share_of(drawn: Picture, colour: Colour) -> float:
    """Of the pixels that have this very colour."""
    return float((drawn == np.array(colour, np.uint8)).all(2).mean())


@pytest.mark.parametrize("card", ["8S", "TH", "joker"])
def test_a_card_that_is_read_has_a_green_frame_and_its_name(library: Library, card: str) -> None:
    drawn, (light, said) = Looking(library).look(before(NEAR, card))
    assert said.startswith(f"{card}: 4.5 pixels a mm, sharpness ")
    assert "(" not in said, "nothing is to be mended"
    assert light.startswith("ground ")
    assert share_of(drawn, GOOD) > 0.003
    assert share_of(drawn, BAD) == 0
    assert share_of(drawn, INDEX) > 0.0003, "the index is where the deck has it"


def test_the_index_is_framed_where_it_is(library: Library) -> None:
    """What lies in the blue frames is the ink of rank and suit: of a black card, the darkest there is."""
    picture = before(NEAR, "8S")
    drawn, _ = Looking(library).look(picture)
    blue = (drawn == np.array(INDEX, np.uint8)).all(2).astype(np.uint8)
    found, _ = cv2.findContours(blue, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    boxes = [cv2.boundingRect(one) for one in found]
    assert len(boxes) >= 2
    for x, y, wide, high in boxes:
        inside = picture[y : y + high, x : x + wide].max(2)
        assert inside.min() < 90, "ink"
        assert inside.max() > 150, "on paper"


def test_what_is_not_read_is_red_and_says_what_it_is_most_like(library: Library) -> None:
    drawn, (_, said) = Looking(library).look(before(NEAR, "8S", blur_px=6))
    assert said.startswith("not read (most like ")
    assert "not sharp: focus, or a shorter exposure" in said
    assert (share_of(drawn, GOOD), share_of(drawn, BAD) > 0) == (0, True)


def test_without_a_library_a_card_that_is_seen_whole_is_framed() -> None:
    drawn, (_, said) = Looking(None).look(before(NEAR, "8S"))
    assert said.startswith("a card: 4.5 pixels a mm, sharpness ")
    assert share_of(drawn, GOOD) > 0.003
    assert share_of(drawn, INDEX) == 0
    assert Looking(None).look(before(NEAR))[1][1:] == ["nothing in view"]
    far = Camera(width_px=640, height_px=480, px_per_mm=2.0)
    assert "too small: nearer" in Looking(None).look(before(far, "8S"))[1][1]


@pytest.mark.parametrize(
    ("level", "advice"), [(255, "glares: less light or exposure"), (60, "too dark: more light or exposure")]
)
def test_the_light_is_judged(level: int, advice: str) -> None:
    assert advice in Looking(None).look(np.full((48, 64, 3), level, np.uint8))[1][0]


def test_the_page_shows_the_pictures_one_after_the_other(file: Path, tmp_path: Path) -> None:
    shoe = PlainCamera(tmp_path / "camera", camera=NEAR, seed=1)
    shoe.show([shoe.see()])
    port = free_port()
    call = [PROGRAM, "deck", "look", shoe.path, "--library", file, "--port", str(port)]
    with (
        Program(call, tmp_path / "log") as running,
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as page,
    ):
        running.until(lambda: "nothing in view" in running.log, "it looks")
        assert f"look at http://127.0.0.1:{port}/" in running.log
        whole = page.get("/")
        assert '<img src="stream"' in whole.text
        with page.stream("GET", "/stream") as stream:
            assert stream.headers["content-type"] == "multipart/x-mixed-replace; boundary=picture"
            shoe.show(shoe.passing("8S"))
            running.until(lambda: "8S: 4.5 pixels a mm" in running.log, "it reads the card")
            parts = b""
            for part in stream.iter_bytes():
                parts += part
                if parts.count(b"--picture") > 2:
                    break
        picture = cv2.imdecode(np.frombuffer(page.get("/picture").content, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        assert picture.shape == (480, 640, 3)
        assert page.get("/other").status_code == 404
        assert page.get("/picture", headers={"Host": "evil.example"}).status_code == 421


def test_a_table_file_has_the_camera_as_it_is_set_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shoe = (
        'driver = "angel-eye"         # also "bee-tek", "scanner", "camera"\nport = "/dev/dealer-table/shoe"'
    )
    csi = 'driver = "camera"\nsource = "/base/soc/i2c@1/imx708@1a"\nexposure_us = 700'
    text = (HOUSE / "config" / "baccarat.toml").read_text().replace('"cards/', f'"{HOUSE}/config/cards/')
    assert shoe in text
    file = tmp_path / "7.toml"
    file.write_text(text.replace(shoe, csi).replace("baud_rate = 4800", ""))
    camera = camera_at(str(file))
    assert (camera.source, camera.exposure_us) == ("/base/soc/i2c@1/imx708@1a", 700)
    file.write_text(text)
    assert main(["deck", "look", str(file)]) == 2
    assert "no device of this table is a camera" in capsys.readouterr().err


def test_what_cannot_be_looked_at_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, wrong in (
        (["look", "nowhere"], "no camera, video file or folder there"),
        (["look", str(tmp_path), "--library", "none.deck"], "`deck learn` makes one"),
        (["look", str(tmp_path), "--host", "203.0.113.1"], "203.0.113.1:8085: no page can be shown there"),
        (["look", str(tmp_path), "--order", "AS"], "look: leave --order out"),
        (["learn", str(tmp_path)], "--library is missing"),
    ):
        assert main(["deck", *words]) == 2
        assert wrong in capsys.readouterr().err
