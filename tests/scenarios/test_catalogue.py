"""The catalogue of conversations, each named by its paragraph or reading, and what it covers as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from controller.round.phases import TRANSITIONS
from controller.table import Table
from controller.vocabulary.codec import canonical
from controller.vocabulary.events import AnyEvent, HoldCleared
from controller.vocabulary.irregularities import KINDS, VOID_REASONS
from controller.vocabulary.messages import MESSAGES
from tests.scenarios.conversation import Conversation, Heard, Scenario, check, name_of, read_scenarios
from tests.scenarios.onlooker import STATES, Onlooker

CATALOGUE = [
    scenario
    for path in sorted((Path(__file__).parent / "catalogue").glob("*.txt"))
    for scenario in read_scenarios(path)
]


@pytest.mark.parametrize("scenario", CATALOGUE, ids=lambda scenario: f"{scenario.file}: {scenario.name}")
def test_conversation(scenario: Scenario) -> None:
    check(scenario, Conversation(scenario.configuration, Onlooker()))


def test_names_are_unique() -> None:
    names = [(scenario.file, scenario.name) for scenario in CATALOGUE]
    assert len(names) == len(set(names)) >= 120


@dataclass
class Tally:
    """What the whole catalogue has shown."""

    names: set[str] = field(default_factory=set)
    cleared: set[tuple[str, str]] = field(default_factory=set)
    voids: set[object] = field(default_factory=set)
    phases: set[str] = field(default_factory=set)

    def __call__(self, event: AnyEvent, before: Table, after: Table, heard: Heard) -> None:
        if isinstance(event, HoldCleared) and before.state is not None and before.state.hold is not None:
            hold = before.state.hold
            assert after.state is not None
            if hold not in after.state.holds:
                self.cleared.add((hold.reason, event.choice))
        for message in heard.messages:
            self.names.add(name_of(message))
            data = message["data"]
            if name_of(message) == "round.void" and isinstance(data, dict):
                self.voids.add(data["reason"])
        if after.state is not None:
            self.phases.add(after.state.phase)


@pytest.fixture(scope="module")
def tally() -> Tally:
    total = Tally()
    for scenario in CATALOGUE:
        check(scenario, Conversation(scenario.configuration, total))
    return total


def test_every_message_of_the_contract_is_said(tally: Tally) -> None:
    # `epoch.started` is the shell's: a unit that was replaced (tests of the shell).
    assert tally.names >= set(MESSAGES) - {"epoch.started"}


def test_every_reason_and_choice_is_shown(tally: Tally) -> None:
    wanted = {(code, choice) for code, kind in KINDS.items() for choice in kind.choices if code != "fault"}
    assert wanted - tally.cleared == set()  # `fault`: tests/table/test_faults.py


def test_every_reason_of_a_void_is_shown(tally: Tally) -> None:
    assert tally.voids == set(VOID_REASONS)


def test_every_phase_of_the_table_of_transitions_is_reached(tally: Tally) -> None:
    assert tally.phases >= set(TRANSITIONS.values()) - {"final", "void"}


@pytest.mark.parametrize("scenario", CATALOGUE, ids=lambda scenario: f"{scenario.file}: {scenario.name}")
def test_folding_again_gives_the_same_stream(scenario: Scenario) -> None:
    """Also from a snapshot after any event: the rest of the conversation says the same."""
    whole = Conversation(scenario.configuration)
    whole.tell_all(scenario.events())
    broken = Conversation(scenario.configuration)
    for event in scenario.events():
        broken.replay.table = Table(1, STATES.decode(canonical(broken.replay.table.state)))
        broken.tell(event)
    assert broken.stream == whole.stream
    assert broken.retained == whole.retained
