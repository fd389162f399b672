"""A shoe that is loaded after the configuration has changed is for the next round, and is judged by that."""

from __future__ import annotations

import msgspec
import pytest

from tests.scenarios.conversation import Conversation, configuration_of

BACCARAT = "SHOE 416; OPEN; CLOSE; KS 2C 8D 7C; SETTLED"
TWO_CARDS_HIGH = "SHOE 40; OPEN; CLOSE; 2C 3C 4D 5C 6H 7C 2D 3D 4S 5D; REVEAL; SETTLED"


def configure(conversation: Conversation, table: str) -> None:
    """The house changes its mind."""
    core = msgspec.to_builtins(configuration_of(table))
    conversation.tell({"event": "table_configured", "core": core})


@pytest.mark.parametrize(
    ("table", "round_", "later", "keys", "draws", "due"),
    [
        ("baccarat", BACCARAT, "baccarat shoe.burn=one", "SHOE 416", 0, 1),
        ("baccarat", BACCARAT, "baccarat shoe.burn=one", "SHOE 416; 3H", 1, 0),
        ("two-cards-high seats=1", TWO_CARDS_HIGH, "baccarat shoe.burn=one", "SHOE 416; KS", 1, 0),
        (
            "baccarat shoe.burn=one",
            "SHOE 416; 2C; OPEN; CLOSE; KS 2C 8D 7C; SETTLED",
            "baccarat",
            "SHOE 416",
            0,
            0,
        ),
    ],
)
def test_the_next_shoe_is_burned_and_judged_as_the_next_round_is_played(
    table: str, round_: str, later: str, keys: str, draws: int, due: int
) -> None:
    conversation = Conversation(configuration_of(table))
    conversation.say(round_)
    configure(conversation, later)
    conversation.say(keys)
    assert conversation.state.holds == ()
    assert conversation.state.shoe is not None
    assert (conversation.state.shoe.draws, conversation.state.burns_due) == (draws, due)


def test_a_card_of_the_last_round_s_shoe_is_judged_by_the_house_of_that_round() -> None:
    conversation = Conversation(configuration_of("two-cards-high seats=1"))
    conversation.say(TWO_CARDS_HIGH)
    configure(conversation, "baccarat")
    conversation.say("KS")
    assert conversation.state.holds[-1].reason == "foreign_card"


@pytest.mark.parametrize(
    ("before", "later", "keys", "opens"),
    [
        ('baccarat shoe.sets=["A"]', 'baccarat shoe.sets=["B"]', "SHOE 416 set=A", False),
        ('baccarat shoe.sets=["A"]', 'baccarat shoe.sets=["B"]', "SHOE 416 set=B", True),
        ("baccarat", "baccarat core.shuffler=yes", "SHOE 416", False),
        ("baccarat core.shuffler=yes", "baccarat", "SHOE 416", True),
    ],
)
def test_the_next_shoe_is_loaded_as_the_next_house_wants_it(
    before: str, later: str, keys: str, opens: bool
) -> None:
    conversation = Conversation(configuration_of(before))
    conversation.say("SHUFFLED 416; " * ("shuffler" in before) + BACCARAT)
    configure(conversation, later)
    conversation.say(f"{keys}; OPEN")
    assert (conversation.state.phase == "betting") == opens


def test_the_next_shoe_has_a_cut_card_though_the_last_cards_came_from_a_machine() -> None:
    conversation = Conversation(configuration_of("baccarat shoe.kind=continuous"))
    conversation.say(BACCARAT)
    configure(conversation, "baccarat")
    conversation.say("SHOE 416; CUT; OPEN")
    assert conversation.state.shoe is not None
    assert conversation.state.shoe.rounds_left == 0
