"""Baccarat scoreboards from results: bead plate, big road, the three derived roads and the ask-road.

Pure: the same results always draw the same board, so a voided round is taken back by leaving it out.

*Big road.* A streak is a run of wins of one side; ties neither end it nor lengthen it. A streak goes down its
column; where the sixth row (row 5) or a filled cell below stops it, it turns right and stays in its row (the
"dragon tail"). A new streak begins at the top of the first column, right of where the streak before it began,
whose top cell is free; that is the very next column unless a tail lies along row 0. A tie is counted on the
entry before it. Ties before the first win count on the first entry; as long as there is no win at all the big
road is empty and those ties stand in the bead plate alone.

*Derived roads* ask whether the shoe repeats itself. They look at logical columns, where the m-th win of the
n-th streak stands at column n, row m (both from 1), however long the streak: tails change the drawing, not
the roads. Big eye boy compares with the streak k = 1 to the left, small road k = 2, cockroach pig k = 3:

* row m >= 2: with p the depth of column n - k, red if m <= p, blue if m = p + 1, red if m > p + 1;
* row 1: red if columns n - 1 and n - 1 - k are equally deep, else blue;
* nothing where the column to compare with does not exist.

*Ask-road.* The colour that the next Player, or the next Banker, would add to each derived road.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict, cast

from controller.vocabulary.errors import InputError

Winner = Literal["player", "banker", "tie"]
Colour = Literal["red", "blue"]

ROWS = 6
"""Rows of the big road as drawn."""

_FLAGS = ("player_pair", "banker_pair", "natural")
_DISTANCES = (1, 2, 3)  # big eye boy, small road, cockroach pig


class ResultError(InputError, ValueError):
    """A result that cannot stand on a board; the message names its place in the list, from 0."""

    code = "bad_result"


class BigRoadEntry(TypedDict):
    """One win as drawn; column and row from 0, ``ties`` after it (and for the first entry, before it)."""

    column: int
    row: int
    winner: Literal["player", "banker"]
    ties: int


class Ask(TypedDict):
    """What the next win would add to big eye boy, small road and cockroach pig; None where nothing."""

    player: list[Colour | None]
    banker: list[Colour | None]


class Scoreboard(TypedDict):
    """The five roads and the ask-road, as the contract's ``roads``."""

    bead: list[dict[str, object]]
    big_road: list[BigRoadEntry]
    big_eye_boy: list[Colour]
    small_road: list[Colour]
    cockroach_pig: list[Colour]
    ask: Ask


def scoreboard(results: Sequence[Mapping[str, object]]) -> Scoreboard:
    """The scoreboards of a shoe from its results in order of play, voided rounds left out.

    Each result has ``winner`` ("player", "banker" or "tie") and may have ``player_pair``, ``banker_pair`` and
    ``natural`` (booleans); the bead plate gives the results back as they came. :class:`ResultError` where a
    result is wrong.
    """
    winners = [_winner(place, result) for place, result in enumerate(results)]
    depths: list[int] = []
    roads: tuple[list[Colour], list[Colour], list[Colour]] = ([], [], [])
    last: Winner = "tie"
    for winner in winners:
        if winner == "tie":
            continue
        for distance, road in zip(_DISTANCES, roads, strict=True):
            colour = _added(depths, distance, same=winner == last)
            if colour is not None:
                road.append(colour)
        if winner == last:
            depths[-1] += 1
        else:
            depths.append(1)
        last = winner
    return {
        "bead": [dict(result) for result in results],
        "big_road": _big_road(winners),
        "big_eye_boy": roads[0],
        "small_road": roads[1],
        "cockroach_pig": roads[2],
        "ask": {
            "player": [_added(depths, distance, same=last == "player") for distance in _DISTANCES],
            "banker": [_added(depths, distance, same=last == "banker") for distance in _DISTANCES],
        },
    }


def _winner(place: int, result: object) -> Winner:
    """The winner of one result, after looking at all of it."""
    if not isinstance(result, Mapping):
        raise ResultError(f"results[{place}] is {result!r}: expected an object with a winner")
    winner = result.get("winner")
    if winner not in ("player", "banker", "tie"):
        raise ResultError(f"results[{place}].winner is {winner!r}: expected player, banker or tie")
    for flag in _FLAGS:
        if not isinstance(result.get(flag, False), bool):
            raise ResultError(f"results[{place}].{flag} is {result[flag]!r}: expected true or false")
    return cast(Winner, winner)


def _added(depths: list[int], distance: int, *, same: bool) -> Colour | None:
    """What one more win adds to a derived road, given the depths of the streaks so far.

    ``same`` says whether the win lengthens the last streak (there is one) or begins a new one.
    """
    if len(depths) <= distance:
        return None
    equal = depths[-1] == depths[-1 - distance]
    if same:  # the win goes to row m = depth + 1: blue just below the end of the column compared with
        return "blue" if equal else "red"
    return "red" if equal else "blue"


def _big_road(winners: Sequence[Winner]) -> list[BigRoadEntry]:
    """The wins as drawn on six rows.

    A tail always finds the cell to its right free: filled cells at or right of a streak's first column belong
    to tails of earlier streaks, which began further left and reach across without a gap, so a cell filled to
    the right of an entry would have meant that the entry's own cell was filled.
    """
    entries: list[BigRoadEntry] = []
    filled: set[tuple[int, int]] = set()
    leading_ties = 0
    start = -1
    column = row = 0
    turned = False
    for winner in winners:
        if winner == "tie":
            if entries:
                entries[-1]["ties"] += 1
            else:
                leading_ties += 1
            continue
        if not entries or entries[-1]["winner"] != winner:
            start += 1
            while (start, 0) in filled:
                start += 1
            column, row, turned = start, 0, False
        elif turned or row == ROWS - 1 or (column, row + 1) in filled:
            column, turned = column + 1, True
        else:
            row += 1
        filled.add((column, row))
        entries.append({"column": column, "row": row, "winner": winner, "ties": 0})
    if entries:
        entries[0]["ties"] += leading_ties
    return entries
