"""The baccarat scoreboards: shoes checked by hand, and a second, slow implementation off a drawn grid."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.roads import ResultError, read_results, roads_answer
from tests.games.deals import told

WINNERS = {"P": "player", "B": "banker", "T": "tie"}
COLOURS = {"r": "red", "b": "blue"}


def results(shoe: str) -> list[dict[str, object]]:
    return [{"winner": WINNERS[letter]} for letter in shoe.replace(" ", "")]


def scoreboard(given: Sequence[object]) -> dict[str, Any]:
    return told(roads_answer(given))


def board(shoe: str) -> dict[str, Any]:
    return scoreboard(results(shoe))


def cells(shoe: str) -> list[tuple[int, int]]:
    return [(entry["column"], entry["row"]) for entry in board(shoe)["big_road"]]


def ties(shoe: str) -> list[int]:
    return [entry["ties"] for entry in board(shoe)["big_road"]]


# --- the second implementation: columns as text, each entry read off the picture ---


def slow_roads(shoe: str) -> tuple[list[list[str]], list[list[str]]]:
    """The derived roads entry by entry from the picture, and the ask-road by adding a result and looking."""
    wins = shoe.replace("T", "")
    roads = [slow_road(wins, k) for k in (1, 2, 3)]
    longer = {side: [slow_road(wins + side, k) for k in (1, 2, 3)] for side in "PB"}
    return roads, [
        [next(iter(after[len(before) :]), "-") for before, after in zip(roads, longer[side], strict=True)]
        for side in "PB"
    ]


def slow_road(wins: str, k: int) -> list[str]:
    road = []
    for count in range(1, len(wins) + 1):
        columns = wins[:count].replace("PB", "P B").replace("BP", "B P").replace("PB", "P B").split()
        n, m = len(columns), len(columns[-1])

        def depth(column: int, columns: Sequence[str] = columns) -> int:
            return len(columns[column - 1])

        if m >= 2:
            if n - k >= 1:
                p = depth(n - k)
                road.append("r" if m <= p else "b" if m == p + 1 else "r")
        elif n - 1 - k >= 1:
            road.append("r" if depth(n - 1) == depth(n - 1 - k) else "b")
    return road


def slow_big_road(shoe: str) -> list[tuple[int, int, str, int]]:
    """The big road drawn on a sheet of six strings; each bead walks from the top of its streak."""
    wide = 2 * len(shoe) + 2
    sheet = ["." * wide for _ in range(6)]
    drawn: list[tuple[int, int, str]] = []
    counted = [0] * (len(shoe) + 1)  # ties by the number of wins before them
    last = ""
    top = -1
    for letter in shoe:
        if letter == "T":
            counted[len(drawn)] += 1
            continue
        if letter != last:
            top = sheet[0].index(".", top + 1)
            path = [(top, 0)]
        column, row = path[-1]
        if letter == last:
            straight = all(place[0] == top for place in path)
            if straight and row < 5 and sheet[row + 1][column] == ".":
                row += 1
            else:
                column += 1
            path.append((column, row))
        assert sheet[row][column] == ".", "no bead is ever drawn on another"
        sheet[row] = sheet[row][:column] + letter + sheet[row][column + 1 :]
        drawn.append((column, row, letter))
        last = letter
    if drawn:
        counted[1] += counted[0]
    return [(column, row, letter, counted[place + 1]) for place, (column, row, letter) in enumerate(drawn)]


def agree(shoe: str) -> None:
    fast = board(shoe)
    slow, ask = slow_roads(shoe)
    assert [fast["big_eye_boy"], fast["small_road"], fast["cockroach_pig"]] == [
        [COLOURS[letter] for letter in road] for road in slow
    ]
    assert [fast["ask"]["player"], fast["ask"]["banker"]] == [
        [COLOURS.get(letter) for letter in row] for row in ask
    ]
    assert [
        (entry["column"], entry["row"], entry["winner"], entry["ties"]) for entry in fast["big_road"]
    ] == [(column, row, WINNERS[letter], count) for column, row, letter, count in slow_big_road(shoe)]


@given(st.text(alphabet="PPBBT", max_size=90))
def test_any_shoe_agrees_with_the_second_implementation(shoe: str) -> None:
    agree(shoe)


@given(st.lists(st.integers(1, 14), max_size=14), st.booleans())
def test_long_streaks_agree_with_the_second_implementation(lengths: list[int], banker_first: bool) -> None:
    agree("".join("PB"[(place + banker_first) % 2] * length for place, length in enumerate(lengths)))


def test_a_thousand_random_shoes_agree_with_the_second_implementation() -> None:
    dice = random.Random(20191126)
    for _ in range(1000):
        agree("".join(dice.choices("PBT", weights=(446, 459, 95), k=dice.randint(40, 80))))


# --- shoes checked by hand ---


def test_an_empty_shoe_has_an_empty_board() -> None:
    nothing: list[None] = [None, None, None]
    assert scoreboard([]) == {
        "bead": [],
        "big_road": [],
        "big_eye_boy": [],
        "small_road": [],
        "cockroach_pig": [],
        "ask": {"player": nothing, "banker": nothing},
    }


def test_the_bead_plate_gives_the_results_back() -> None:
    given_results: list[Mapping[str, object]] = [
        {"winner": "player", "player_pair": True, "natural": False},
        {"winner": "tie"},
        {"winner": "banker", "banker_pair": True},
    ]
    assert scoreboard(given_results)["bead"] == given_results


@pytest.mark.parametrize(
    ("shoe", "expected"),
    [
        ("PTTB", [2, 0]),
        ("TTP", [2]),
        ("TTPTB", [3, 0]),
        ("PTPTTP", [1, 2, 0]),
        ("TTT", []),
    ],
)
def test_ties_count_on_the_entry_before_and_leading_ties_on_the_first(shoe: str, expected: list[int]) -> None:
    assert ties(shoe) == expected


def test_while_there_are_only_ties_the_big_road_waits() -> None:
    only_ties = board("TT")
    assert (len(only_ties["bead"]), only_ties["big_road"]) == (2, [])
    assert only_ties["ask"]["banker"] == [None, None, None]


@pytest.mark.parametrize(
    ("shoe", "expected"),
    [
        ("PPBP", [(0, 0), (0, 1), (1, 0), (2, 0)]),
        ("BTB", [(0, 0), (0, 1)]),
        # A streak of eight: six down, two along row 5.
        ("PPPPPPPP", [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 5), (2, 5)]),
        # The tail at (1, 5) stops the next streak at row 4; it turns right there and stays.
        (
            "PPPPPPPP BBBBBBB",
            [
                *[(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 5), (2, 5)],
                *[(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4)],
            ],
        ),
    ],
)
def test_the_big_road_as_drawn(shoe: str, expected: list[tuple[int, int]]) -> None:
    assert cells(shoe) == expected


def test_a_tail_stays_in_its_row_where_the_cells_below_are_free_again() -> None:
    # The tail of the first streak ends at (1, 5); the second turns at row 4 and keeps it from column 3 on.
    assert cells("PPPPPPP BBBBBBBB")[7:] == [(1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_new_streak_begins_right_of_a_tail_along_the_top() -> None:
    # Seven streaks of twelve push their tails up to row 0: rows 5, 4, 3, 2, 1, 0 of columns 0 to 5.
    twelve = "P" * 12 + "B" * 12
    placed = cells(twelve * 3 + "P")
    starts = [placed[12 * streak] for streak in range(7)]
    assert starts[:6] == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)]
    assert placed[60:72] == [(5 + step, 0) for step in range(12)]
    assert starts[6] == (17, 0)
    assert len(set(placed)) == len(placed)


def test_the_derived_roads_of_a_shoe_by_hand() -> None:
    # Columns: P2 B1 P3 B3 P1 B2, with ties that change nothing.
    shoe = "PP T B PPP BBB T P BB"
    drawn = board(shoe)
    # (2,1)-; (3,1) 1 vs 2 blue; (3,2) p=1 m=2 blue; (3,3) m=3 red; (4,1) 3 vs 1 blue; (4,2) p=3 red;
    # (4,3) red; (5,1) 3 vs 3 red; (6,1) 1 vs 3 blue; (6,2) p=1 m=2 blue.
    assert drawn["big_eye_boy"] == [COLOURS[letter] for letter in "bbrbrrrbb"]
    # (3,2) p=2 m=2 red; (3,3) p=2 m=3 blue; (4,1) 3 vs 2 blue; (4,2) p=1 blue; (4,3) red; (5,1) 3 vs 1 blue;
    # (6,1) 1 vs 3 blue; (6,2) p=3 red.
    assert drawn["small_road"] == [COLOURS[letter] for letter in "rbbbrbbr"]
    # (4,2) p=2 red; (4,3) p=2 m=3 blue; (5,1) 3 vs 2 blue; (6,1) 1 vs 1 red; (6,2) p=3 red.
    assert drawn["cockroach_pig"] == [COLOURS[letter] for letter in "rbbrr"]
    # Banker next goes to (6,3): p=1 red, p=3 red, p=3 red. Player next goes to (7,1): 2 vs 1, 2 vs 3, 2 vs 3.
    assert drawn["ask"] == {"player": ["blue", "blue", "blue"], "banker": ["red", "red", "red"]}


@pytest.mark.parametrize(
    ("shoe", "player", "banker"),
    [
        ("P", "---", "---"),
        ("PB", "r--", "b--"),
        ("PPB", "b--", "r--"),
        ("PBP", "bb-", "rr-"),
    ],
)
def test_the_roads_begin_at_the_second_third_and_fourth_column(shoe: str, player: str, banker: str) -> None:
    ask = board(shoe)["ask"]
    assert ask["player"] == [COLOURS.get(letter) for letter in player]
    assert ask["banker"] == [COLOURS.get(letter) for letter in banker]


def test_a_dragon_tail_reads_as_one_logical_column() -> None:
    # Nine Player wins are drawn as six and a tail; the roads compare with depth nine.
    assert board("P" * 9 + "B" * 10)["big_eye_boy"] == ["red"] * 8 + ["blue"]


def test_the_board_of_a_shoe_with_a_round_taken_back_is_that_of_the_shoe_without_it() -> None:
    shoe: list[Mapping[str, object]] = [*results("PPBTBPPB")]
    first = scoreboard(shoe)
    void = shoe.pop(3)
    without = scoreboard(shoe)
    assert without == board("PPBBPPB")
    shoe.insert(3, void)
    assert scoreboard(shoe) == first != without


@pytest.mark.parametrize(
    ("bad", "names"),
    [
        ({"winner": "dragon"}, "results[1].winner"),
        ({"winner": None}, "results[1].winner"),
        ({}, "results[1]: `winner` is missing"),
        ({"winner": ["player"]}, "results[1].winner"),
        ({"winner": "tie", "natural": 1}, "results[1].natural"),
        ({"winner": "tie", "player_pair": "yes"}, "results[1].player_pair"),
        ("player", "results[1]"),
        (None, "results[1]"),
    ],
)
def test_a_wrong_result_is_named(bad: object, names: str) -> None:
    with pytest.raises(ValueError, match=names.replace("[", r"\[").replace("]", r"\]")) as caught:
        read_results([{"winner": "tie"}, bad])
    assert isinstance(caught.value, ResultError)
    assert caught.value.code == "bad_result"
