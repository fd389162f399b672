"""What is no single, whole, clear card of the deck passes a camera in rendered pictures: it is told as cards
that were not read, or as nothing, and never as a card.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.learn import learn
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.reader import DeckReader
from drivers.camera.plain.scene import Camera, Lie, seen
from drivers.camera.plain.simulator import SMALL, drawn_pictures
from drivers.readings import CardReported
from tests.cli.program import HOUSE, answered
from tests.plain.passing import read

WAY = (-30.0, -18.0, -6.0, 6.0, 18.0, 30.0)
"""Pixels off the middle at which a card that slides by is seen."""
SKIN, CLOTH = (120, 150, 205), (60, 30, 30)
UNREAD = "not read"


@pytest.fixture(scope="module")
def reader() -> DeckReader:
    return DeckReader([learn("drawn", drawn_pictures())])


@pytest.fixture
def dice() -> np.random.Generator:
    return np.random.default_rng(21)


def told(reader: DeckReader, pictures: Sequence[Picture]) -> list[str]:
    return [one.code if isinstance(one, CardReported) else UNREAD for one in read(reader, pictures)[1]]


def sliding(
    dice: np.random.Generator,
    *cards: tuple[str, Lie],
    way: Sequence[float] = WAY,
    camera: Camera = SMALL,
) -> list[Picture]:
    """Cards that slide by together."""
    return [
        seen([(face_of(card), replace(lie, y_px=lie.y_px + y)) for card, lie in cards], camera, dice)
        for y in way
    ]


ACROSS = Lie(turn_deg=90.0)


def test_a_card_is_told_once_either_way_up(reader: DeckReader, dice: np.random.Generator) -> None:
    for turn in (90.0, 270.0):
        assert told(reader, sliding(dice, ("8S", Lie(turn_deg=turn)))) == ["8S"]


@pytest.mark.parametrize("apart_px", [90.0, 110.0, 130.0])
def test_two_cards_over_each_other_are_two_unread_cards(
    reader: DeckReader, dice: np.random.Generator, apart_px: float
) -> None:
    upper = Lie(y_px=-apart_px / 2, turn_deg=90.0)
    lower = Lie(y_px=apart_px / 2, x_px=6.0, turn_deg=92.0)
    pictures = sliding(dice, ("8S", upper), ("9H", lower), way=(-8.0, -4.0, 0.0, 4.0, 8.0))
    assert told(reader, pictures) == [UNREAD, UNREAD]


def test_two_cards_beside_each_other_are_two_unread_cards(
    reader: DeckReader, dice: np.random.Generator
) -> None:
    camera = Camera()
    cards = [("8S", Lie(x_px=-155.0)), ("9H", Lie(x_px=165.0, turn_deg=1.0))]
    library = learn("drawn", drawn_pictures(camera))
    assert told(DeckReader([library]), sliding(dice, *cards, camera=camera, way=WAY[1:5])) == [UNREAD, UNREAD]


def test_a_card_with_its_back_to_the_camera_is_unread(reader: DeckReader, dice: np.random.Generator) -> None:
    assert told(reader, sliding(dice, ("back", ACROSS))) == [UNREAD]


@pytest.mark.parametrize("way", [(150.0, 158.0, 166.0, 160.0, 152.0), (-165.0, -155.0, -150.0, -150.0)])
def test_a_card_that_is_half_seen_is_unread(
    reader: DeckReader, dice: np.random.Generator, way: tuple[float, ...]
) -> None:
    assert told(reader, sliding(dice, ("8S", ACROSS), way=way)) == [UNREAD]


def test_a_card_that_slides_back_is_no_second_card(reader: DeckReader, dice: np.random.Generator) -> None:
    assert told(reader, sliding(dice, ("8S", ACROSS), way=(*WAY, *WAY[::-1]))) == ["8S"]
    pushed_in_again = (170.0, 150.0, 140.0, 150.0, 170.0)
    assert told(reader, sliding(dice, ("8S", ACROSS), way=pushed_in_again)) in ([UNREAD], [])


@pytest.mark.parametrize("colour", [SKIN, CLOTH], ids=["hand", "sleeve"])
def test_a_hand_or_a_sleeve_is_never_a_card(
    reader: DeckReader, dice: np.random.Generator, colour: tuple[int, int, int]
) -> None:
    def with_hand(*cards: tuple[Picture, Lie]) -> list[Picture]:
        pictures = [seen(cards, SMALL, dice) for _ in range(4)]
        for number, picture in enumerate(pictures):
            cv2.ellipse(picture, (60 + 50 * number, 170), (120, 80), 25, 0, 360, colour, -1)
        return pictures

    assert set(told(reader, with_hand())) <= {UNREAD}
    assert told(reader, with_hand((face_of("8S"), ACROSS))) == [UNREAD]


def test_blinding_glare_shows_no_card(reader: DeckReader, dice: np.random.Generator) -> None:
    blinding = replace(SMALL, light=1.6, glare=1.6, glare_at=(0.5, 0.45))
    assert told(reader, sliding(dice, ("8S", ACROSS), camera=blinding)) == [UNREAD]


def test_a_dead_lamp_shows_nothing_or_an_unread_card(reader: DeckReader, dice: np.random.Generator) -> None:
    for light in (0.02, 0.06, 0.12):
        shown = sliding(dice, ("8S", ACROSS), camera=replace(SMALL, light=light))
        assert set(told(reader, shown)) <= {UNREAD}


def test_a_fifth_ace_of_one_deck_holds_the_table(
    reader: DeckReader, dice: np.random.Generator, tmp_path: Path
) -> None:
    codes = [
        code
        for card in ("AS", "AH", "AD", "AC", "AS")
        for code in told(reader, sliding(dice, (card, ACROSS)))
    ]
    assert codes == ["AS", "AH", "AD", "AC", "AS"]
    config = tmp_path / "holdem.toml"
    shipped = (HOUSE / "config/casino-holdem.toml").read_text()
    config.write_text(re.sub(r"^map = .*$", 'map = "plain"', shipped, flags=re.MULTILINE))
    events: list[dict[str, object]] = [
        {"event": "shuffle_completed", "cards": 52},
        {"event": "shoe_loaded", "decks": 1, "cards": 52, "shuffled": True},
        {"event": "bets_opened"},
        {"event": "bets_closed"},
    ]
    events += [{"event": "card_read", "code": code} for code in codes]
    lines = [json.dumps({**event, "at": f"2026-01-31T20:15:{at:02}Z"}) for at, event in enumerate(events)]
    (tmp_path / "events.jsonl").write_text("\n".join(lines) + "\n")
    said = answered("replay", "--config", str(config), str(tmp_path / "events.jsonl"))
    held = [json.loads(line)["payload"] for line in said.splitlines() if "dealertable.table.held" in line]
    assert [one["data"]["reason"] for one in held] == ["excess"]
