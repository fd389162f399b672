"""Burns that are due, where the house changes its settings meanwhile."""

from __future__ import annotations

import msgspec

from controller.vocabulary.events import Stamp, TableConfigured
from tests.scenarios.conversation import AT, configuration_of, name_of, talk


def test_a_kept_card_that_the_house_now_burns_pays_no_burn_that_is_due() -> None:
    seen = "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; 9H; CLEAR next_round; SETTLED; BURN 1"
    table = talk("baccarat round.exposed_card=play", seen)
    now = configuration_of("baccarat round.exposed_card=burn")
    table.take(TableConfigured(core=msgspec.to_builtins(now)), Stamp(at=AT))
    told = [(name_of(one), one["data"]) for one in table.say("OPEN; CLOSE; 3C; 4C").messages]
    assert [(name, data.get("card"), data.get("pending")) for name, data in told] == [  # type: ignore[attr-defined]  # a message's data
        ("round.final", None, None),
        ("shoe.burned", "9H", 1),
        ("round.opened", None, None),
        ("round.bets_closed", None, None),
        ("shoe.burned", None, 0),
        ("round.card", "4C", None),
    ]
