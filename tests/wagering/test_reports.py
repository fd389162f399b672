"""What a table is told of its players: each word until it is heard, and no longer than it is wanted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from controller.consumer.notices import Answered
from controller.wagering.reports import AGAIN_S, Teller, Word


class Line:
    """Where a teller's commands go: what was said, under which id."""

    def __init__(self) -> None:
        self.said: list[Any] = []

    def command(self, _name: str, request_of: Callable[[str, datetime], Any]) -> str:
        self.said.append(request_of(f"id-{len(self.said)}", datetime.now(UTC)))
        return f"id-{len(self.said) - 1}"


class Told:
    """A teller, its line, and a clock that the test moves."""

    def __init__(self) -> None:
        self.line, self.now_s = Line(), 0.0
        self.teller = Teller(self.line, lambda: self.now_s)  # type: ignore[arg-type]  # all of a consumer that it uses

    def say(self, *words: Word) -> int:
        """So much was said for it."""
        before = len(self.line.said)
        self.teller.tell(list(words))
        return len(self.line.said) - before

    def answer(self, code: str = "") -> None:
        self.teller.hear(Answered(f"id-{len(self.line.said) - 1}", not code, code))


COUNT = Word("r1", "hand1", play=3)


@pytest.mark.parametrize(
    ("code", "again"),
    [("", 0), ("other_round", 0), ("too_often", 1), ("late", 1), ("expires_too_far_ahead", 1)],
)
def test_a_word_that_came_too_fast_or_by_a_wrong_clock_is_said_again(code: str, again: int) -> None:
    told = Told()
    assert told.say(COUNT) == 1
    told.answer(code)
    assert told.say(COUNT) == 0, "not at once"
    told.now_s += AGAIN_S
    assert told.say(COUNT) == again


def test_where_the_dealer_says_who_plays_a_round_is_told_no_more_and_the_next_one_is_tried() -> None:
    told = Told()
    assert told.say(Word("r1", seats=(1,))) == 1
    told.answer("seats_from_panel")
    assert told.say(Word("r1", seats=(1, 2))) == 0
    assert told.say(Word("r1", seats=(1, 2)), COUNT) == 1
    assert told.say(Word("r2", seats=(3,))) == 1, "the table may have another configuration by now"
