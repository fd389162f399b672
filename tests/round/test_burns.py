"""Burns that are due, where the house changes its settings meanwhile."""

from __future__ import annotations

import msgspec

from controller.vocabulary.events import Stamp, TableConfigured
from tests.scenarios.conversation import AT, Conversation, configuration_of, name_of, talk


def configure(table: Conversation, settings: str) -> None:
    """The house changes its settings."""
    now = configuration_of(settings)
    table.take(TableConfigured(core=msgspec.to_builtins(now)), Stamp(at=AT))


def test_5_1_4_a_kept_card_that_the_house_now_burns_is_none_of_the_six_that_a_round_can_take() -> None:
    first = " ".join(rank + suit for rank in "23456789TJ" for suit in "SHDC")
    left = f"SHOE 52; BURN 40; {first}; OPEN; CLOSE; KS KH; QS QH; KD KC; SETTLED; AH; CLEAR next_round"
    table = talk("baccarat decks=1 shoe.unshuffled=off round.exposed_card=play", left)
    assert table.state.shoe is not None
    assert table.state.shoe.left == 5
    configure(table, "baccarat decks=1 shoe.unshuffled=off round.exposed_card=burn")
    assert table.say("OPEN").refusals == ["insufficient_cards"]


def test_a_kept_card_that_the_house_now_burns_pays_no_burn_that_is_due() -> None:
    seen = "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; 9H; CLEAR next_round; SETTLED; BURN 1"
    table = talk("baccarat round.exposed_card=play", seen)
    configure(table, "baccarat round.exposed_card=burn")
    told = [(name_of(one), one["data"]) for one in table.say("OPEN; CLOSE; 3C; 4C").messages]
    assert [(name, data.get("card"), data.get("pending")) for name, data in told] == [  # type: ignore[attr-defined]  # a message's data
        ("round.final", None, None),
        ("shoe.burned", "9H", 1),
        ("round.opened", None, None),
        ("round.bets_closed", None, None),
        ("shoe.burned", None, 0),
        ("round.card", "4C", None),
    ]
