"""Decision Statistics: the percentage of the decisions of all players of a hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.round.statistics import shown_decisions
from controller.vocabulary.display import DecisionCounts


@pytest.mark.parametrize(
    ("counts", "percent"),
    [
        ((12, 3, 1), (75, 19, 6)),
        ((1, 1, 1), (34, 33, 33)),
        ((1, 2, 0), (33, 67, 0)),
        ((5, 0, 0), (100, 0, 0)),
        ((199, 1, 0), (100, 0, 0)),
    ],
)
def test_whole_percent_beside_the_counts(counts: tuple[int, int, int], percent: tuple[int, int, int]) -> None:
    shown = shown_decisions({"hand1": DecisionCounts(*counts)})["hand1"]
    assert (shown.play, shown.fold, shown.auto) == counts
    assert shown.percent is not None
    assert (shown.percent.play, shown.percent.fold, shown.percent.auto) == percent


def test_where_nobody_decided_there_is_no_percentage() -> None:
    assert shown_decisions({"hand1": DecisionCounts(0, 0, 0)})["hand1"].percent is None


@given(st.tuples(*[st.integers(0, 10_000)] * 3).filter(any))
def test_they_make_a_hundred_and_none_is_a_whole_percent_off(counts: tuple[int, int, int]) -> None:
    shown = shown_decisions({"hand2": DecisionCounts(*counts)})["hand2"].percent
    assert shown is not None
    whole = (shown.play, shown.fold, shown.auto)
    assert sum(whole) == 100
    for part, count in zip(whole, counts, strict=True):
        assert abs(part - 100 * count / sum(counts)) < 1
