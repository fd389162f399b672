"""What is kept from one event to the next is what would be computed anew."""

from __future__ import annotations

import msgspec
import pytest

from controller.outbox.envelope import canonical_json
from controller.round.view import display
from controller.shell.announcer import retained_payloads, topics_of
from controller.vocabulary.remembered import MOST, remembered
from tests.bench.core import played
from tests.harness.rounds import TABLES


@pytest.mark.parametrize("table", TABLES)
def test_a_display_that_is_put_together_from_kept_parts_has_the_bytes_of_the_whole(table: str) -> None:
    states = [state for one in played(table, 3) if (state := one.handled.table.state) is not None]
    assert len(states) > 10
    for state in states:
        payload = retained_payloads(state)[f"{topics_of(state).base}/display"]
        assert payload == canonical_json(display(state))
        fresh = msgspec.structs.replace(state, road=(*state.road,))
        assert canonical_json(display(fresh)) == payload


def test_an_answer_belongs_to_the_very_object_that_was_asked_about() -> None:
    asked: list[list[int]] = []

    @remembered
    def total(numbers: list[int]) -> int:
        asked.append(numbers)
        return sum(numbers)

    one, equal = [1, 2], [1, 2]
    assert (total(one), total(one), total(equal)) == (3, 3, 3)
    assert len(asked) == 2
    assert [total([number]) for number in range(10 * MOST)] == list(range(10 * MOST))
    assert total(one) == 3
