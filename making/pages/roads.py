"""The pictures of docs/reference/baccarat-roads.md, drawn from ``controller.roads`` like the board's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from controller.roads import ROWS, scoreboard
from controller.vocabulary.scoreboard import Bead, Colour, Scoreboard, Winner

CELL = 20
INK = {"player": "#1f5fc4", "blue": "#1f5fc4", "banker": "#c4181f", "red": "#c4181f", "tie": "#16753c"}
WINNERS: Mapping[str, Winner] = {"P": "player", "B": "banker", "T": "tie"}
DERIVED = ("big_eye_boy", "small_road", "cockroach_pig")
_LINE = "#c9ccc2"
_FONT = 'font-family="sans-serif" font-weight="700" text-anchor="middle"'


class Mark(NamedTuple):
    """One mark on a road: where it stands, from 0, and how it is drawn."""

    column: int
    row: int
    kind: str
    shape: str
    """``disc``, ``ring``, ``small-disc`` or ``stroke``."""
    ties: int = 0
    letter: str = ""


class Panel(NamedTuple):
    """A road with its title."""

    title: str
    columns: int
    marks: Sequence[Mark]


def shoe_of(letters: str) -> Scoreboard:
    """The board of a shoe written as P, B and T, with blanks where one likes."""
    return scoreboard([Bead(winner=WINNERS[letter]) for letter in letters.replace(" ", "")])


def bead_plate(board: Scoreboard) -> list[Mark]:
    """Every result, six to a column."""
    winners = [bead.winner for bead in board.bead]
    return [
        Mark(at // ROWS, at % ROWS, winner, "disc", letter=winner[0].upper())
        for at, winner in enumerate(winners)
    ]


def big_road(board: Scoreboard) -> list[Mark]:
    """The wins as drawn, with their ties."""
    return [Mark(entry.column, entry.row, entry.winner, "ring", entry.ties) for entry in board.big_road]


def derived(board: Scoreboard, road: str) -> list[Mark]:
    """A derived road, laid out as a big road of its own whose sides are red and blue."""
    colours: tuple[Colour, ...] = getattr(board, road)
    sides: dict[Colour, Winner] = {"red": "banker", "blue": "player"}
    laid = scoreboard([Bead(winner=sides[colour]) for colour in colours]).big_road
    shape = {"big_eye_boy": "ring", "small_road": "small-disc", "cockroach_pig": "stroke"}[road]
    return [Mark(entry.column, entry.row, colour, shape) for entry, colour in zip(laid, colours, strict=True)]


def asked(board: Scoreboard) -> list[Mark]:
    """Two rows, if the Player wins and if the Banker wins; then a column for each derived road."""
    shapes = ("ring", "small-disc", "stroke")
    marks = []
    asks = (("player", board.ask.player), ("banker", board.ask.banker))
    for row, (side, colours) in enumerate(asks):
        marks.append(Mark(0, row, side, "disc", letter=side[0].upper()))
        given = enumerate(colours, start=1)
        marks += [Mark(at, row, colour, shapes[at - 1]) for at, colour in given if colour is not None]
    return marks


def picture(panels: Sequence[Panel], words: str) -> str:
    """Panels side by side as SVG; ``words`` are for those who listen."""
    inner, left = [], CELL // 2
    for panel in panels:
        inner.append(_panel(panel, left))
        left += (panel.columns + 1) * CELL
    wide, high = left - CELL // 2, ROWS * CELL + 40
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    )
    sheet = f'<rect width="{wide}" height="{high}" fill="#f7f7f2"/>'
    return "\n".join([f'{head} role="img">', f"<title>{words}</title>", sheet, *inner, "</svg>", ""])


def _panel(panel: Panel, left: int) -> str:
    wide, high = panel.columns * CELL, ROWS * CELL
    lines = "".join(f"M{x} 0V{high}" for x in range(0, wide + 1, CELL))
    lines += "".join(f"M0 {y}H{wide}" for y in range(0, high + 1, CELL))
    return "\n".join(
        [
            f'<g transform="translate({left} 28)" data-road="{panel.title}"',
            f'  data-columns="{panel.columns}">',
            f'<text y="-9" font-family="sans-serif" font-size="12" fill="#15201b">{panel.title}</text>',
            f'<path d="{lines}" fill="none" stroke="{_LINE}"/>',
            *(_mark(mark) for mark in panel.marks),
            "</g>",
        ]
    )


def _mark(mark: Mark) -> str:
    ink = INK[mark.kind]
    x, y = mark.column * CELL, mark.row * CELL
    shapes = {
        "disc": f'<circle cx="10" cy="10" r="9" fill="{ink}"/>',
        "small-disc": f'<circle cx="10" cy="10" r="7" fill="{ink}"/>',
        "ring": f'<circle cx="10" cy="10" r="7.5" fill="none" stroke="{ink}" stroke-width="3"/>',
        "stroke": f'<path d="M4 16L16 4" stroke="{ink}" stroke-width="3.500" stroke-linecap="round"/>',
    }
    drawn = [shapes[mark.shape]]
    if mark.letter:
        drawn.append(f'<text x="10" y="14.500" font-size="12" fill="#ffffff" {_FONT}>{mark.letter}</text>')
    if mark.ties:
        drawn.append(f'<path d="M3 17L17 3" stroke="{INK["tie"]}" stroke-width="2.500"/>')
    if mark.ties > 1:
        drawn.append(f'<text x="10" y="14" font-size="11" fill="#0b4d26" {_FONT}>{mark.ties}</text>')
    ties = f' data-ties="{mark.ties}"' if mark.ties else ""
    where = f'data-at="{mark.column},{mark.row}" data-kind="{mark.kind}"{ties}'
    return f'<g transform="translate({x} {y})" {where}>{"".join(drawn)}</g>'


def _both(letters: str, words: str) -> str:
    board = shoe_of(letters)
    bead, big = bead_plate(board), big_road(board)
    return picture(
        [Panel("Bead plate", _columns(bead, 4), bead), Panel("Big road", _columns(big, 7), big)], words
    )


def _columns(marks: Sequence[Mark], least: int) -> int:
    return max(least, *(mark.column + 2 for mark in marks)) if marks else least


def _derived_roads() -> str:
    board = shoe_of(SHOES["derived"])
    roads = {"Big road": big_road(board)}
    names = ("Big eye boy", "Small road", "Cockroach pig")
    roads |= {name: derived(board, road) for name, road in zip(names, DERIVED, strict=True)}
    roads["Ask-road"] = asked(board)
    panels = [Panel(name, _columns(marks, 5), marks) for name, marks in roads.items()]
    return picture(panels, "The three derived roads of one shoe, and what the next win would add")


def _void() -> str:
    before, after = shoe_of(SHOES["void"]), shoe_of(SHOES["void"][:-2] + SHOES["void"][-1])
    return picture(
        [Panel("With the round", 6, big_road(before)), Panel("Without it", 6, big_road(after))],
        "The big road before and after a round is taken back",
    )


SHOES: Mapping[str, str] = {
    "leading-ties": "TTB B T B PP B" + "P" * 8 + "BB",
    "only-ties": "TTT",
    "tail-meets-tail": "B" * 8 + "P" * 7 + "B",
    "past-the-grid": "B" * 9 + "P" * 8 + "B" * 11 + "P",
    "derived": "BB PPPP BBB PPP B P",
    "void": "PPBBBPB",
}
"""The shoes that are drawn; the last but one result of ``void`` is the one that is taken back."""

_PLAIN = {
    "leading-ties": "Two ties before the first win, one within a streak, and a streak of eight",
    "only-ties": "Ties alone: the bead plate has them, the big road is empty",
    "tail-meets-tail": "A dragon tail that stops the streak after it one row higher",
    "past-the-grid": "Three long streaks: each turns where the tail before it lies",
}

PICTURES: dict[str, Callable[[], str]] = {
    **{
        f"docs/reference/pictures/roads-{name}.svg": partial(_both, SHOES[name], words)
        for name, words in _PLAIN.items()
    },
    "docs/reference/pictures/roads-derived.svg": _derived_roads,
    "docs/reference/pictures/roads-void.svg": _void,
}
