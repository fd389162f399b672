"""What is kept of the last results, for a player's dispute."""

from __future__ import annotations

from controller.vocabulary.cards import DECK_52
from tests.scenarios.conversation import Json, talk


def test_the_display_carries_the_last_twenty_rounds_void_ones_too() -> None:
    conversation = talk("2-card-action layout=C shoe.unshuffled=off", "SHOE 416")

    def last() -> list[Json]:
        return conversation.display["last_results"]  # type: ignore[return-value]

    for first, second in zip(DECK_52[:21], DECK_52[21:42], strict=True):
        conversation.say(f"OPEN; CLOSE; {first} {second}; SETTLED")
    assert [entry["round"] for entry in last()] == [f"north-7-1-{number}" for number in range(2, 22)]
    conversation.say("OPEN; VOID supervisor")
    assert [entry["round"] for entry in last()] == [f"north-7-1-{number}" for number in range(3, 23)]
    assert ["void" in entry for entry in last()] == [False] * 19 + [True]
