"""``deck learn`` and ``deck check`` with a folder of pictures and with a video."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from controller.__main__ import main
from drivers.camera.plain.lessons import FACTORY_ORDER
from drivers.camera.plain.scene import seen
from drivers.camera.plain.simulator import SMALL, drawn_pictures
from drivers.camera.simulator import write_video
from tests.harness.plain_cards import write_pictures


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A picture of each card, named after it."""
    folder = tmp_path_factory.mktemp("deck") / "pictures"
    write_pictures(folder)
    return folder


@pytest.fixture(scope="module")
def library(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("library") / "drawn.deck"
    assert main(["deck", "learn", str(folder), "--library", str(file)]) == 0
    return file


def test_a_deck_is_learnt_from_pictures_and_tells_what_it_is(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "north.deck"
    assert main(["deck", "learn", str(folder), "--library", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["cards"], told["others"], told["trusted"]) == (
        "north",
        52,
        ["back", "joker"],
        True,
    )
    assert len(told["digest"]) == 64
    assert main(["deck", "learn", str(folder), "--library", str(file)]) == 2
    assert "--replace" in capsys.readouterr().err
    assert main(["deck", "learn", str(folder), "--library", str(file), "--replace"]) == 0
    assert told["digest"] in capsys.readouterr().out


def test_another_deck_is_checked_on_video(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dice = np.random.default_rng(5)
    cards = FACTORY_ORDER[:6]
    empty = [seen([], SMALL, dice)] * 3
    write_video(
        tmp_path / "deck.avi", [each for card in cards for each in (drawn_pictures()[card][0], *empty)]
    )
    call = [
        "deck",
        "check",
        str(tmp_path / "deck.avi"),
        "--library",
        str(library),
        "--order",
        " ".join(cards),
    ]
    assert main([*call, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["pictures"], told["read"], told["unread"], told["wrong"]) == (6, 6, [], [])


def test_cards_in_the_wrong_order_are_found_wrong(
    library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite(str(tmp_path / "8S.png"), drawn_pictures()["9H"][0])
    assert main(["deck", "check", str(tmp_path), "--library", str(library)]) == 1
    assert "8S as 9H" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["learn", "check"])
def test_what_is_wrong_is_named(
    what: str, library: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = library if what == "check" else tmp_path / "new.deck"
    assert main(["deck", what, str(tmp_path), "--library", str(file)]) == 2
    assert "no pictures in it" in capsys.readouterr().err
    assert main(["deck", what, str(tmp_path / "nowhere"), "--library", str(file)]) == 2
    assert "is it plugged in" in capsys.readouterr().err
