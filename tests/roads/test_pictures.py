"""The pictures of the documentation, read as a person reads them: cell by cell, against lists by hand."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from making.pages.roads import PICTURES, SHOES

HOUSE = Path(__file__).resolve().parents[2]
PAGE = HOUSE / "docs/reference/baccarat-roads.md"
SVG = "{http://www.w3.org/2000/svg}"
LETTERS = {"player": "P", "banker": "B", "tie": "T", "red": "r", "blue": "b"}


def rows(name: str, road: str) -> list[str]:
    """The six rows of a road of the picture in the repository; a digit: ties on the entry before it."""
    picture = ElementTree.parse(HOUSE / f"docs/reference/pictures/roads-{name}.svg").getroot()
    panel = next(group for group in picture.iter(f"{SVG}g") if group.get("data-road") == road)
    sheet: dict[tuple[int, int], str] = {}
    for mark in panel.iter(f"{SVG}g"):
        if (at := mark.get("data-at")) is not None:
            column, row = map(int, at.split(","))
            assert (column, row) not in sheet, "no mark lies on another"
            assert column < int(panel.attrib["data-columns"]), "every mark lies on its grid"
            sheet[column, row] = LETTERS[mark.attrib["data-kind"]] + mark.get("data-ties", "")
    wide = max((column for column, _ in sheet), default=-1) + 1
    drawn = [" ".join(sheet.get((column, row), ".") for column in range(wide)) for row in range(6)]
    return [line.rstrip(" .") for line in drawn]


@pytest.mark.parametrize(
    ("name", "road", "drawn"),
    [
        (
            "leading-ties",
            "Big road",
            ["B2 P B P B", "B1 P . P B", "B . . P", ". . . P", ". . . P", ". . . P P P"],
        ),
        ("only-ties", "Big road", ["", "", "", "", "", ""]),
        ("only-ties", "Bead plate", ["T", "T", "T", "", "", ""]),
        ("tail-meets-tail", "Big road", ["B P B", "B P", "B P", "B P", "B P P P", "B B B"]),
        (
            "past-the-grid",
            "Big road",
            ["B P B P", "B P B", "B P B", "B P B B B B B B B B", "B P P P P", "B B B B"],
        ),
        ("void", "With the round", ["P B P B", "P B", ". B", "", "", ""]),
        ("void", "Without it", ["P B", "P B", ". B", ". B", "", ""]),
        # Columns 2, 4, 3, 3, 1, 1. (2,2) p=2 red; (2,3) blue; (2,4) red; (3,1) 4 and 2 blue; (3,2) (3,3) p=4
        # red; (4,1) 3 and 4 blue; (4,2) (4,3) p=3 red; (5,1) 3 and 3 red; (6,1) 1 and 3 blue.
        ("derived", "Big eye boy", ["r b r b r b r b", ". . . . r . r", ". . . . . . r", "", "", ""]),
        # Banker goes to (7,1): 1 and 1 red, 1 and 3 blue twice. Player to (6,2): p=1 blue, p=3 red twice.
        ("derived", "Ask-road", ["P b r r", "B r b b", "", "", "", ""]),
    ],
)
def test_a_picture_shows_what_was_worked_out_by_hand(name: str, road: str, drawn: list[str]) -> None:
    assert rows(name, road) == drawn


def test_the_page_shows_every_picture_and_names_its_shoe() -> None:
    text = PAGE.read_text()
    for path in PICTURES:
        assert f"(pictures/{Path(path).name})" in text, path
    assert len(SHOES) == len(PICTURES)


@pytest.mark.parametrize("path", PICTURES)
def test_a_picture_is_for_those_who_listen_too(path: str) -> None:
    picture = ElementTree.parse(HOUSE / path).getroot()
    title = picture.find(f"{SVG}title")
    assert picture.get("role") == "img"
    assert title is not None
    assert title.text
