"""For every reason of a hold and every choice, some keys lead to the next completed round."""

from __future__ import annotations

import pytest

from controller.vocabulary.irregularities import KINDS
from tests.scenarios.conversation import Conversation, configuration_of, events_of, name_of
from tests.scenarios.onlooker import Onlooker
from tests.scenarios.reasons import CASES, Case
from tests.scenarios.rescue import key_after, next_card, state_of

LONGEST = 40
"""Keys and cards from the choice to the end of the next completed round (two of hold'em's)."""

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
    conversation = Conversation(configuration_of(case.table), Onlooker())
    for part in case.said.split("; "):
        fault = {"fault": "ZeroDivisionError"} if part.startswith("!") else {}
        for event in events_of(part.removeprefix("!")):
            conversation.tell({**event, **fault})
    hold = state_of(conversation).hold
    assert hold is not None
    assert hold.reason == reason
    opened = state_of(conversation).rounds
    if choice == "enter":
        conversation.say(f"ENTER {next_card(state_of(conversation))}")
    heard = conversation.say(f"CLEAR {choice}")
    assert not heard.refusals
    assert any(name_of(message) == "table.resumed" for message in heard.messages)
    keys: list[str] = []
    while not completed(conversation, opened):
        keys.append(key_after(state_of(conversation)))
        assert len(keys) <= LONGEST, keys
        conversation.say(keys[-1])


def completed(conversation: Conversation, opened: int) -> bool:
    """Whether a round that was opened after the hold is settled."""
    state = state_of(conversation)
    return state.phase == "settled" and not state.holds and state.rounds > opened
