"""The roads of baccarat as they stand on a page, against the scoreboard of the message."""

from __future__ import annotations

from functools import partial

from playwright.sync_api import Page

from controller.roads import scoreboard as scoreboard_of
from controller.vocabulary.scoreboard import Bead, BigRoadEntry, Winner
from tests.harness.process import comes


def laid(colours: list[str]) -> tuple[BigRoadEntry, ...]:
    """Where a derived road's marks stand: those of a big road whose sides are red and blue."""
    sides: dict[str, Winner] = {"red": "banker", "blue": "player"}
    return scoreboard_of([Bead(winner=sides[colour]) for colour in colours]).big_road


def expect_roads(page: Page, scoreboard: dict[str, list[dict[str, object]]]) -> None:
    """Bead plate and big road cell by cell, derived roads and ask-road by colour and order; of a road that
    has outgrown its place the newest columns.
    """

    def drawn(road: str) -> list[str]:
        read: list[str] = page.locator(f".road.{road} .mark").evaluate_all(
            "marks => marks.map(mark => `${mark.dataset.kind} ${mark.dataset.at} ${mark.dataset.ties ?? 0}`)"
        )
        return read

    def shown(road: str, marks: list[str]) -> list[str]:
        first = int(page.locator(f".road.{road}").get_attribute("data-first") or 0)
        return [mark for mark in marks if int(mark.split()[1].split(",")[0]) >= first]

    bead = [f"{one['winner']} {at // 6},{at % 6} 0" for at, one in enumerate(scoreboard["bead"])]
    comes(lambda: drawn("bead"), bead)
    big = [f"{one['winner']} {one['column']},{one['row']} {one['ties']}" for one in scoreboard["big_road"]]
    comes(lambda: drawn("big-road"), shown("big-road", big))
    for name in ("big_eye_boy", "small_road", "cockroach_pig"):
        colours = [str(colour) for colour in scoreboard[name]]
        marks = [
            f"{colour} {at.column},{at.row} 0" for colour, at in zip(colours, laid(colours), strict=True)
        ]
        road = name.replace("_", "-")
        comes(partial(drawn, road), shown(road, marks))
    asked = [
        f"{side} {name} {colour or 'none'}"
        for side in ("player", "banker")
        for name, colour in zip(
            ("big-eye-boy", "small-road", "cockroach-pig"),
            scoreboard["ask"][side],  # type: ignore[call-overload]
            strict=True,
        )
    ]
    marked = page.locator("[data-ask]")
    comes(lambda: marked.evaluate_all("marks => marks.map(mark => mark.dataset.ask)"), asked)
