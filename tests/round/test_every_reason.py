"""For every reason of a hold and every choice, some keys lead to the next completed round."""

from __future__ import annotations

import pytest

from controller.vocabulary.irregularities import KINDS
from tests.scenarios.conversation import Conversation, configuration_of, events_of
from tests.scenarios.onlooker import Onlooker
from tests.scenarios.reasons import CASES, Case
from tests.scenarios.rescue import lead_on

EVERY = [
    pytest.param(reason, choice, case, id=f"{reason} {choice} {case.said[-12:]}")
    for reason, cases in CASES.items()
    for case in cases
    for choice in KINDS[reason].choices
]


def test_every_reason_has_its_case() -> None:
    assert set(CASES) == set(KINDS)


@pytest.mark.parametrize(("reason", "choice", "case"), EVERY)
def test_next_completed_round(reason: str, choice: str, case: Case) -> None:
    seen = Onlooker()
    conversation = Conversation(configuration_of(case.table), seen)
    for part in case.said.split("; "):
        fault = {"fault": "ZeroDivisionError"} if part.startswith("!") else {}
        for event in events_of(part.removeprefix("!")):
            conversation.tell({**event, **fault})
    hold = conversation.state.hold
    assert hold is not None
    assert hold.reason == reason

    def press(text: str) -> None:
        assert not conversation.say(text).refusals

    lead_on(choice, lambda: conversation.state, press)
    assert "table.resumed" in seen.names
