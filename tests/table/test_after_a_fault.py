"""What waits behind an event that failed, what a fault touches after the settlement, a void that fails."""

from __future__ import annotations

import pytest

from tests.scenarios.conversation import Conversation, configuration_of, events_of, name_of
from tests.scenarios.rescue import rescue

SETTLED = "SHOE 416; OPEN; CLOSE; KS 2C 8D 7C; SETTLED"
THREE = "SHOE 416; OPEN; CLOSE; KS 2C 8D"
ONE_LEFT = "2-card-action layout=A decks=4 shoe.unshuffled=off"
LAST_TWO = "SHOE 208; BURN 206; PACK 206; OPEN; CLOSE"


def failed(conversation: Conversation, keys: str) -> None:
    """The table fails on these events."""
    for event in events_of(keys):
        conversation.tell({**event, "fault": "InjectedError"})


@pytest.mark.parametrize(
    ("before", "fails", "of_the_round"),
    [
        ("", "8S", True),
        ("", "COUNT 415", True),
        ("", "RESULT player", True),
        ("", "RETURN 7C by=4711", True),
        ("", "VOID shortage by=", True),
        ("", "SHOE 416", False),
        ("", "OPEN", False),
        ("", "LOST shoe", False),
        ("SHOE 416", "8S", False),
        ("SHOE 416", "COUNT 415", False),
        ("", "COUNTED cards=415 set=B", False),
        ("SHOE 416", "RESULT player", True),
        ("SHOE 416; 9H", "CLEAR burn", False),
        ("RESULT player", "CLEAR accept", True),
    ],
)
def test_a_failure_after_the_settlement_is_of_the_round_only_where_the_event_tells_of_it(
    before: str, fails: str, of_the_round: bool
) -> None:
    conversation = Conversation(configuration_of("baccarat"))
    conversation.say(f"{SETTLED}; {before}")
    failed(conversation, fails)
    assert conversation.state.holds[-1].reason == "fault"
    assert (conversation.state.holds[-1].round is not None) == of_the_round
    conversation.say("CLEAR void")
    assert (conversation.state.phase == "idle") == of_the_round
    rescue(conversation)
    names = [name_of(message) for message in conversation.stream]
    assert (names.count("round.void"), names.count("round.final")) == (of_the_round, not of_the_round)


def test_where_the_void_fails_too_what_holds_of_the_last_round_is_not_ended_with_the_rest() -> None:
    conversation = Conversation(configuration_of("baccarat"))
    conversation.say(f"{SETTLED}; RESULT player; SHOE 416")
    failed(conversation, "8S")
    failed(conversation, "CLEAR void")
    assert [hold.reason for hold in conversation.state.holds] == ["result_disagrees"]
    assert conversation.state.phase == "settled"


@pytest.mark.parametrize(
    ("table", "keys", "fails", "then", "choice", "expected"),
    [
        # Cards are of the shoe that was in when they came, and go with it.
        (
            "baccarat",
            SETTLED,
            "8S",
            "9S; SHOE 416; 3H",
            "continue",
            {"shoe": 2, "draws": 1, "held": "extra_card"},
        ),
        ("baccarat", SETTLED, "8S", "9S; SHOE 416; 3H", "void", {"shoe": 2, "draws": 0, "unusable": "fault"}),
        ("baccarat", SETTLED, "SHOE 416", "3H", "continue", {"shoe": 2, "draws": 1, "held": "extra_card"}),
        ("baccarat", SETTLED, "SHOE 416", "3H", "void", {"shoe": 1, "draws": 4, "unusable": "fault"}),
        (
            "baccarat",
            SETTLED,
            "SHOE 416",
            "SHOE 416; COUNT 415",
            "continue",
            {"shoe": 2, "unusable": "shortage"},
        ),
        (
            "baccarat",
            SETTLED,
            "OPEN",
            "SHOE 416; 5C",
            "continue",
            {"shoe": 2, "draws": 1, "held": "early_card"},
        ),
        # What is said of cards is said of those that wait, too.
        (ONE_LEFT, f"{LAST_TWO}; AD", "AC", "EMPTY", "continue", {"phase": "result", "unusable": "emptied"}),
        (ONE_LEFT, f"{LAST_TWO}; AD", "AC", "EMPTY", "void", {"phase": "idle", "unusable": "fault"}),
        (
            "2-card-action layout=A",
            "SHOE 416; OPEN; CLOSE; AD",
            "AC",
            "LEFT 414",
            "continue",
            {"phase": "result"},
        ),
        ("2-card-action layout=A", "SHOE 416; OPEN; CLOSE", "AD", "CUT", "continue", {"rounds_left": 1}),
        (
            "baccarat round.await_book=s",
            "SHOE 416; OPEN; CLOSE",
            "KS",
            "BOOK",
            "continue",
            {"held": "early_card"},
        ),
        # The shoe's result is held against cards that lie.
        ("baccarat", THREE, "7C", "RESULT banker", "continue", {"phase": "result"}),
        (
            "baccarat",
            THREE,
            "7C",
            "RESULT player",
            "continue",
            {"phase": "result", "held": "result_disagrees"},
        ),
        ("baccarat", THREE, "7C", "RESULT player", "void", {"phase": "idle", "unusable": "fault"}),
        (
            "baccarat",
            SETTLED,
            "LOST beam",
            "RESULT player",
            "void",
            {"phase": "settled", "unusable": "fault", "held": "result_disagrees"},
        ),
    ],
)
def test_facts_behind_a_failure_take_their_turn_in_order(
    table: str, keys: str, fails: str, then: str, choice: str, expected: dict[str, object]
) -> None:
    conversation = Conversation(configuration_of(table))
    conversation.say(keys)
    failed(conversation, fails)
    conversation.say(f"{then}; CLEAR {choice}")
    state = conversation.state
    assert state.shoe is not None
    said = {
        "shoe": state.shoe.id,
        "draws": state.shoe.draws,
        "unusable": state.shoe.unusable,
        "rounds_left": state.shoe.rounds_left,
        "phase": state.phase,
        "held": state.holds[-1].reason if state.holds else None,
    }
    assert said == said | {"held": None} | expected


@pytest.mark.parametrize(
    ("fails", "key", "refused"),
    [("KS", "SHOE 416", "round_running"), ("KS", "LEFT 416", "held")],
)
def test_what_is_refused_behind_a_failure_is_refused_at_once(fails: str, key: str, refused: str) -> None:
    conversation = Conversation(configuration_of("baccarat"))
    conversation.say("SHOE 416; OPEN; CLOSE")
    failed(conversation, fails)
    assert [refusal.code for refusal in conversation.say(key).refused] == [refused]


def test_two_badges_void_also_where_the_void_fails() -> None:
    conversation = Conversation(configuration_of("baccarat round.two_person_void=yes"))
    conversation.say("SHOE 416; OPEN; CLOSE; KS")
    failed(conversation, "VOID supervisor by=A; VOID supervisor by=A")
    assert conversation.state.phase == "dealing"
    failed(conversation, "VOID foreign_card by=B")
    assert conversation.state.phase == "dealing", "another reason is another void"
    failed(conversation, "VOID foreign_card by=C")
    assert conversation.state.phase == "idle"


def test_a_void_that_touches_no_round_is_no_badge_for_one_that_does() -> None:
    conversation = Conversation(configuration_of("baccarat round.two_person_void=yes"))
    conversation.say(SETTLED)
    failed(conversation, "OPEN; CLEAR void by=A")
    assert conversation.state.holds == ()
    assert [refusal.code for refusal in conversation.say("VOID supervisor by=B").refused] == ["second_badge"]


def test_a_void_of_the_last_round_that_fails_leaves_the_next_shoe_alone() -> None:
    conversation = Conversation(configuration_of("baccarat"))
    conversation.say(f"{SETTLED}; SHOE 416; 3H")
    failed(conversation, "VOID supervisor")
    assert [hold.reason for hold in conversation.state.holds] == ["extra_card"]
    assert conversation.state.shoe is not None
    assert conversation.state.shoe.unusable is None
    conversation.say("CLEAR burn; OPEN")
    assert conversation.state.phase == "betting"
