"""The watch on a depleted shoe: the edge of the next round, an alert, nothing of hidden cards."""

from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter

import pytest

from controller.odds.counting import spot_ways
from controller.round.turn import game_of
from controller.round.watch import house_edges
from controller.vocabulary.cards import DECK_52, Card
from tests.scenarios.conversation import Conversation, Json, configuration_of

LIMIT = 0.0095
"""Just under the edge of a whole shoe at Banker, 0.010579, so that half a shoe crosses it now and then."""


def shuffled(seed: int, decks: int) -> list[str]:
    cards = [*DECK_52] * decks
    random.Random(seed).shuffle(cards)
    return [str(card) for card in cards]


def edges(conversation: Conversation) -> dict[str, float] | None:
    state = conversation.replay.table.state
    assert state is not None
    return house_edges(state)


def alert_of(conversation: Conversation) -> Json | None:
    return conversation.retained.get("alerts/house-edge")


def deal(conversation: Conversation, cards: list[str]) -> None:
    """One round of baccarat from the front of the cards."""
    conversation.say("OPEN; CLOSE")
    while conversation.display["phase"] == "dealing":
        conversation.say(cards.pop(0))


def test_an_alert_stands_exactly_while_a_bet_is_below_the_limit() -> None:
    conversation = Conversation(
        configuration_of(f"baccarat shoe.least_house_edge={LIMIT} shoe.unshuffled=off")
    )
    game = game_of(configuration_of("baccarat"))
    cards, crossed = shuffled(5, 8), set()
    unseen = Counter(dict.fromkeys(DECK_52, 8))
    conversation.say("SHOE 416")
    while len(cards) > 60:
        before = len(cards)
        order = list(cards)
        deal(conversation, cards)
        during = edges(conversation)
        exact = {spot: float(ways.house_edge) for spot, ways in spot_ways(game, dict(unseen)).items()}
        assert during == exact  # of the round that runs: as it was before its first card
        unseen.subtract(Card(card) for card in order[: before - len(cards)])
        conversation.say("SETTLED")
        after = {spot: float(ways.house_edge) for spot, ways in spot_ways(game, dict(unseen)).items()}
        assert edges(conversation) == after
        below = min(after.values()) < LIMIT
        assert (alert_of(conversation) is not None) == below
        crossed.add(below)
    assert crossed == {True, False}
    conversation.say("SHOE 416")
    assert alert_of(conversation) is None


def test_the_alert_names_neither_a_bet_nor_a_figure_of_the_shoe() -> None:
    """Any display may read it: it must not tell card counters what to bet on."""
    conversation = Conversation(
        configuration_of("2-card-action layout=C shoe.least_house_edge=-0.02 shoe.unshuffled=off")
    )
    cards = shuffled(1, 8)
    conversation.say("SHOE 416")
    for _ in range(60):
        conversation.say(f"OPEN; CLOSE; {cards.pop(0)} {cards.pop(0)}; SETTLED")
    alert = alert_of(conversation)
    assert alert is not None
    assert set(alert) == {"id", "code", "message", "at"}
    assert alert["message"] == (
        "depleted shoe: the house edge of a bet is below the limit (-2 %):"
        " shuffle, or lower the limits of the table"
    )
    raised = [message for message in conversation.stream if str(message["type"]).endswith("alert.raised.v1")]
    assert len(raised) == 1  # not again with every round


def test_without_a_limit_nobody_is_alerted() -> None:
    conversation = Conversation(configuration_of("2-card-action layout=C shoe.unshuffled=off"))
    cards = shuffled(1, 8)
    conversation.say("SHOE 416")
    for _ in range(40):
        conversation.say(f"OPEN; CLOSE; {cards.pop(0)} {cards.pop(0)}; SETTLED")
    found = edges(conversation)
    assert found is not None
    assert min(found.values()) < 0
    assert alert_of(conversation) is None


@pytest.mark.parametrize(
    "table", ["two-cards-high", "casino-holdem", "baccarat odds=live"], ids=["high", "holdem", "live"]
)
def test_there_is_nothing_to_watch(table: str) -> None:
    conversation = Conversation(configuration_of(f"{table} shoe.least_house_edge=0.9"))
    conversation.say(f"SHOE {40 if 'high' in table else 52 if 'holdem' in table else 416}")
    assert edges(conversation) is None
    assert alert_of(conversation) is None


def test_nobody_knows_what_is_in_a_shoe_with_a_card_too_many() -> None:
    conversation = Conversation(configuration_of("baccarat decks=1 shoe.unshuffled=off"))
    conversation.say("SHOE 52; OPEN; CLOSE; 8S 5C KC 2D; SETTLED")
    assert edges(conversation) is not None
    conversation.say("OPEN; CLOSE; 8S; CLEAR continue")
    assert edges(conversation) is None


def test_odds_strengths_and_edges_at_a_table_need_no_numpy() -> None:
    """It would cost the daemon as much memory as all the rest of the core."""
    told = {
        'baccarat odds=live betting_rounds=["deal","first"]': "SHOE 416; OPEN; CLOSE; 2S 7C; CLOSE; 3D KH 9S",
        "baccarat shoe.least_house_edge=0.9": "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; SETTLED",
        "2-card-action layout=C shoe.least_house_edge=0.9": "SHOE 416; OPEN; CLOSE; 8S 5C; SETTLED",
        "casino-holdem": "SHOE 52; OPEN; CLOSE; AS KS 2H 3H AC AD QS JS 5D",
    }
    code = (
        "import sys; from tests.scenarios.conversation import Conversation, configuration_of\n"
        f"for table, words in {told!r}.items(): Conversation(configuration_of(table)).say(words)\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("False\n", "")


@pytest.mark.parametrize(
    "telling",
    [
        "SHOE 52; OPEN; CLOSE; {card} 5C KC 2D",
        "SHOE 52; OPEN; CLOSE; {card} 5C KC 2D; VOID supervisor",
        "SHOE 52; OPEN; CLOSE; {card} 5C KC 2D; VOID supervisor; OPEN; CLOSE; 9C",
        "SHOE 52; BURN 1; {card}; OPEN; CLOSE; KS 5C KC 2D",
        "SHOE 52; BURN 1; {card}; OPEN; CLOSE; KS 5C KC 2D; REVEAL; SETTLED",
    ],
    ids=["in the round", "void", "after a void", "burned", "burned, round settled"],
)
def test_a_card_that_lies_face_down_changes_no_figure(telling: str) -> None:
    seen = []
    for card in ("8S", "7S"):
        conversation = Conversation(
            configuration_of("baccarat decks=1 squeeze=yes shoe.least_house_edge=0.0105")
        )
        conversation.say(telling.format(card=card))
        found = edges(conversation)
        assert found is not None
        seen.append((found, alert_of(conversation)))
    assert seen[0] == seen[1]
