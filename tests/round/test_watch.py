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
from tests.harness.patience import PATIENCE_S
from tests.scenarios.conversation import Conversation, Json, configuration_of, name_of, talk

LIMIT = 0.0095
"""Just under the edge of a whole shoe at Banker, 0.010579, so that half a shoe crosses it now and then."""


def shuffled(seed: int) -> list[Card]:
    """Eight decks."""
    cards = [*DECK_52] * 8
    random.Random(seed).shuffle(cards)
    return cards


def alert_of(conversation: Conversation) -> Json | None:
    return conversation.retained.get("alerts/house-edge")


def exact(unseen: Counter[Card]) -> dict[str, float]:
    """The edges at baccarat, counted."""
    ways = spot_ways(game_of(configuration_of("baccarat")), dict(unseen))
    return {spot: float(one.house_edge) for spot, one in ways.items()}


def test_an_alert_stands_exactly_while_a_bet_is_below_the_limit() -> None:
    conversation = talk(f"baccarat shoe.least_house_edge={LIMIT} shoe.unshuffled=off", "SHOE 416")
    cards, crossed = shuffled(5), set()
    unseen = Counter(dict.fromkeys(DECK_52, 8))
    while len(cards) > 60:
        conversation.say("OPEN; CLOSE")
        dealt = []
        while conversation.display["phase"] == "dealing":
            dealt.append(cards.pop(0))
            conversation.say(dealt[-1])
        # Of the round that runs: as it was before its first card.
        assert house_edges(conversation.state) == exact(unseen)
        unseen.subtract(dealt)
        conversation.say("SETTLED")
        after = exact(unseen)
        assert house_edges(conversation.state) == after
        below = min(after.values()) < LIMIT
        assert (alert_of(conversation) is not None) == below
        crossed.add(below)
    assert crossed == {True, False}
    conversation.say("SHOE 416")
    assert alert_of(conversation) is None


def sixty_rounds(settings: str) -> Conversation:
    """2 Card Action, dealt until a shoe favours the players."""
    conversation = talk(f"2-card-action layout=C shoe.unshuffled=off {settings}", "SHOE 416")
    cards = shuffled(1)
    for _ in range(60):
        conversation.say(f"OPEN; CLOSE; {cards.pop(0)} {cards.pop(0)}; SETTLED")
    return conversation


def test_the_alert_names_neither_a_bet_nor_a_figure_of_the_shoe() -> None:
    """Any display may read it: it must not tell card counters what to bet on."""
    conversation = sixty_rounds("shoe.least_house_edge=-0.02")
    alert = alert_of(conversation)
    assert alert is not None
    assert set(alert) == {"id", "code", "message", "at"}
    assert alert["message"] == (
        "depleted shoe: the house edge of a bet is below the limit (-2 %):"
        " shuffle, or lower the limits of the table"
    )
    raised = [message for message in conversation.stream if name_of(message) == "alert.raised"]
    assert len(raised) == 1  # not again with every round


def test_without_a_limit_nobody_is_alerted() -> None:
    conversation = sixty_rounds("")
    found = house_edges(conversation.state)
    assert found is not None
    assert min(found.values()) < 0
    assert alert_of(conversation) is None


@pytest.mark.parametrize(
    ("table", "cards"),
    [("two-cards-high", 40), ("casino-holdem", 52), ("baccarat odds=live", 416)],
    ids=["high", "holdem", "live"],
)
def test_there_is_nothing_to_watch(table: str, cards: int) -> None:
    conversation = talk(f"{table} shoe.least_house_edge=0.9", f"SHOE {cards}")
    assert house_edges(conversation.state) is None
    assert alert_of(conversation) is None


def test_at_additional_prices_the_main_bets_are_watched() -> None:
    """2.5.3: they are paid by the pay table; the prices of the others follow the cards."""
    conversation = talk("baccarat odds=additional shoe.least_house_edge=0.9", "SHOE 416")
    found = house_edges(conversation.state)
    assert found is not None
    assert set(found) == {"player", "banker", "tie"}
    assert alert_of(conversation) is not None


def test_nobody_knows_what_is_in_a_shoe_with_a_card_too_many() -> None:
    round_ = "SHOE 52; OPEN; CLOSE; 8S 5C KC 2D; SETTLED"
    conversation = talk("baccarat decks=1 shoe.unshuffled=off", round_)
    assert house_edges(conversation.state) is not None
    conversation.say("OPEN; CLOSE; 8S; CLEAR continue")
    assert house_edges(conversation.state) is None


def test_odds_strengths_and_edges_at_a_table_need_no_numpy() -> None:
    """It would cost the daemon as much memory as all the rest of the core."""
    told = {
        'baccarat odds=live betting_rounds=["deal","first"]': "SHOE 416; OPEN; CLOSE; 2S 7C; CLOSE; 3D KH 9S",
        "baccarat shoe.least_house_edge=0.9": "SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; SETTLED",
        "2-card-action layout=C shoe.least_house_edge=0.9": "SHOE 416; OPEN; CLOSE; 8S 5C; SETTLED",
        "casino-holdem": "SHOE 52; OPEN; CLOSE; AS KS 2H 3H AC AD QS JS 5D",
    }
    code = (
        "import sys; from tests.scenarios.conversation import talk\n"
        f"for table, words in {told!r}.items(): talk(table, words)\n"
        "print('numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
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
        table = "baccarat decks=1 squeeze=yes shoe.least_house_edge=0.0105"
        conversation = talk(table, telling.format(card=card))
        found = house_edges(conversation.state)
        assert found is not None
        seen.append((found, alert_of(conversation)))
    assert seen[0] == seen[1]


def test_a_card_that_went_back_and_lies_aside_changes_no_edge_of_the_round() -> None:
    """It was named as it went back, and so is seen: but not before the round."""
    conversation = talk("baccarat squeeze=yes decks=1 shoe.unshuffled=off", "SHOE 52; OPEN; CLOSE")
    conversation.say("KS 2D 3C 4H; REVEAL; 5H; REVEAL; RETURN 5H; RETURN 4H; 4H")
    for line in ("5H; CLEAR accept", "REVEAL", "REVEAL"):
        conversation.say(line)
        assert house_edges(conversation.state) == exact(Counter(DECK_52)), line
