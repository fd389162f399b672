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
* nothing if the column to compare with does not exist.

*Ask-road.* The colour that the next Player, or the next Banker, would add to each derived road.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from controller.vocabulary.errors import InputError, why
from controller.vocabulary.scoreboard import Ask, Bead, BigRoadEntry, Colour, Scoreboard, Winner

ROWS = 6
"""Rows of the big road as drawn."""

_DISTANCES = (1, 2, 3)  # big eye boy, small road, cockroach pig


class ResultError(InputError, ValueError):
    """A result that cannot stand on a board; the message names its place in the list, from 0."""

    code = "bad_result"


def roads_answer(results: Sequence[object]) -> dict[str, object]:
    """The contract's ``roads``: the scoreboards of results in order of play, which stand in the bead plate as
    they came. :class:`ResultError` where a result is wrong."""
    return {**msgspec.structs.asdict(scoreboard(read_results(results))), "bead": results}


def read_results(results: Sequence[object]) -> list[Bead]:
    """Results as somebody wrote them: ``winner`` ("player", "banker" or "tie"), and ``player_pair``,
    ``banker_pair`` and ``natural`` (booleans) where given. :class:`ResultError` where a result is wrong."""
    try:
        return msgspec.convert(results, list[Bead])
    except msgspec.ValidationError as error:
        right = "a winner is player, banker or tie; pairs and naturals are true or false"
        raise ResultError(f"results{why(error)}; {right}") from error


def scoreboard(results: Sequence[Bead]) -> Scoreboard:
    """The scoreboards of a shoe from its results in order of play, voided rounds left out."""
    winners = [result.winner for result in results]
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
    return Scoreboard(
        bead=tuple(results),
        big_road=tuple(_big_road(winners)),
        big_eye_boy=tuple(roads[0]),
        small_road=tuple(roads[1]),
        cockroach_pig=tuple(roads[2]),
        ask=Ask(
            tuple(_added(depths, distance, same=last == "player") for distance in _DISTANCES),
            tuple(_added(depths, distance, same=last == "banker") for distance in _DISTANCES),
        ),
    )


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
    drawn: list[tuple[int, int, Winner]] = []
    ties: list[int] = []
    filled: set[tuple[int, int]] = set()
    leading_ties = 0
    start = -1
    column = row = 0
    turned = False
    for winner in winners:
        if winner == "tie":
            if drawn:
                ties[-1] += 1
            else:
                leading_ties += 1
            continue
        if not drawn or drawn[-1][2] != winner:
            start += 1
            while (start, 0) in filled:
                start += 1
            column, row, turned = start, 0, False
        elif turned or row == ROWS - 1 or (column, row + 1) in filled:
            column, turned = column + 1, True
        else:
            row += 1
        filled.add((column, row))
        drawn.append((column, row, winner))
        ties.append(0)
    if ties:
        ties[0] += leading_ties
    return [BigRoadEntry(*entry, count) for entry, count in zip(drawn, ties, strict=True)]
