"""The legal order of messages: heard in every golden transcript, and what the table of it would notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.vocabulary.messages import MESSAGES
from tests.golden.transcript import FOLDER
from tests.scenarios.conversation import Conversation, configuration_of
from tests.scenarios.onlooker import Onlooker
from tests.scenarios.order import MAY_FOLLOW, ODDS_MAY_FOLLOW, OFFER_MAY_STAND, STANDS, Order, check_phases


def test_the_table_knows_every_message_of_a_round() -> None:
    of_rounds = {name for name in MESSAGES if name.startswith("round.")}
    assert MAY_FOLLOW.keys() == of_rounds - {"round.odds"}
    assert set().union(*MAY_FOLLOW.values(), *STANDS.values(), ODDS_MAY_FOLLOW) == MAY_FOLLOW.keys()
    assert of_rounds >= OFFER_MAY_STAND


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_golden_transcripts_are_in_order(path: Path) -> None:
    conversation: Conversation | None = None
    heard = 0
    for line in path.read_text().splitlines():
        if line.startswith("=="):
            conversation = Conversation(configuration_of(line[2:]), Onlooker())
        elif line.startswith(">>") and conversation is not None:
            conversation.say(line[2:])
            heard += 1
    assert heard > 10


OFFER = ("round.odds", {"suspended": False, "offered": {"tie": 9.5}})
NO_OFFER = ("round.odds", {"suspended": True, "offered": {"tie": None}})
STRENGTH = ("round.odds", {"strength": {}})


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ([("round.bets_closed", {})], "after round.final or round.void"),
        ([("round.opened", {}), ("round.card", {})], "round.card after round.opened"),
        ([("round.opened", {}), ("round.void", {})], "round.void after round.opened"),
        ([("round.opened", {}), ("round.bets_closed", {}), OFFER], "a price is offered after"),
        ([("round.opened", {}), OFFER, ("round.bets_closed", {}), ("round.card", {})], "taken back"),
        ([("round.opened", {}), STRENGTH], "strengths while nobody decides"),
        (
            [("round.opened", {}), OFFER, ("round.bets_closed", {}), NO_OFFER, ("round.result", {})],
            "round.result after round.bets_closed",
        ),
    ],
)
def test_what_is_out_of_order_is_noticed(said: list[tuple[str, dict[str, object]]], wrong: str) -> None:
    order, (*before, last) = Order(), said
    for one in before:
        order.hear(*one)
    with pytest.raises(AssertionError, match=wrong):
        order.hear(*last)


def test_an_offer_that_stands_in_a_hold_is_noticed() -> None:
    order = Order()
    order.hear("round.opened", {})
    order.hear(*OFFER)
    order.check_hold(held=False)
    with pytest.raises(AssertionError, match="while the table holds"):
        order.check_hold(held=True)


def test_bets_that_close_without_a_word_are_noticed() -> None:
    check_phases("betting", ["round.bets_closed"], "dealing")
    with pytest.raises(AssertionError, match="the phase is dealing"):
        check_phases("betting", [], "dealing")
