"""R25: a face-down card is told nobody in advance; afterwards anybody can check that none was changed."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from functools import cache
from random import Random
from typing import cast

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from controller.games.registry import all_games
from controller.odds.counting import odds_line
from controller.round.known import unseen_cards
from controller.round.turn import game_of
from controller.table import Table
from controller.vocabulary.cards import Card
from tests.games.deals import told
from tests.scenarios.conversation import Conversation, Heard, Json, events_of, name_of, talk

TABLES = (
    "two-cards-high seats=1 shoe.unshuffled=off",
    "two-cards-high seats=3 deal=packets void=supervisor shoe.unshuffled=off",
    "casino-holdem shoe.unshuffled=off",
    'casino-holdem burn_before=["flop","turn","river"] shoe.unshuffled=off',
)
MISHAPS = st.sampled_from(
    [
        "HOLD; CLEAR continue",
        "LOST shoe; BACK shoe; CLEAR continue",
        "SETTLED; CLEAR continue",
        "TROUBLE shoe E1",
        "RESTART",
        "unread",
        "goes back",
    ]
)
"""What may happen at any card of a round, without a word that names a card."""


SQUEEZE = "baccarat squeeze=yes odds=live"
BETS_CLOSED = "SHOE 416; OPEN; CLOSE"
NEXT_ROUND = "OPEN; CLOSE; AS"


class Round:
    """One round from a given order of cards, with mishaps at given moments; it ends at the reveal."""

    def __init__(self, table: str, cards: list[str], nonces: Random) -> None:
        self.conversation = talk(table, f"SHOE {len(cards)}; OPEN; CLOSE")
        self.cards, self.nonces, self.place = cards, nonces, 0
        self.face_down: list[int] = []

    @property
    def phase(self) -> object:
        return self.conversation.display["phase"]

    def draw(self, card: str) -> None:
        """A card with 128 random bits, as the shell draws them."""
        for event in events_of(card):
            heard = self.conversation.tell({**event, "nonce": f"{self.nonces.getrandbits(128):032x}"})
            for message in heard.messages:
                if name_of(message) == "round.card" and "commitment" in of(message):
                    self.face_down.append(self.place)

    def deal(self, mishaps: dict[int, str], *, early: bool, extra: bool) -> None:
        """All cards up to the reveal."""
        while self.phase != "reveal":
            if self.phase == "decision":
                if early:
                    self.draw(self.cards[self.place])
                    self.conversation.say("CLEAR return")
                self.conversation.say("DECIDED")
            self.one_card(mishaps.get(self.place, ""))
            self.place += 1
        if extra:
            self.draw(self.cards[self.place])

    def one_card(self, mishap: str) -> None:
        """The next card, and what happens at it."""
        card = self.cards[self.place]
        if mishap == "unread":
            self.conversation.say(f"??; ENTER {card}; CLEAR enter")
            return
        self.draw(card)
        if mishap == "goes back":
            if self.phase == "dealing":
                self.conversation.say(f"RETURN {card}")
                self.draw(card)
        elif mishap and self.phase == "dealing":
            self.conversation.say(mishap)


def of(message: Json) -> Json:
    """The data of a message."""
    data = message["data"]
    assert isinstance(data, dict)
    return data


def dealt_of(table: str) -> Round:
    """A round without mishaps."""
    played = Round(table, deck_of(table), Random(7))
    played.deal({}, early=False, extra=False)
    return played


@cache
def places_of(table: str) -> tuple[int, ...]:
    """The places in the deal that lie face down, and those that are never dealt."""
    whole = dealt_of(table)
    return (*whole.face_down, *range(whole.place, len(whole.cards)))


def deck_of(table: str) -> list[str]:
    """The cards of the game."""
    return [str(card) for card in all_games()[table.split()[0]].deck]


def named_in(conversation: Conversation) -> set[str]:
    """The cards that the stream names."""
    return set(re.findall(r'"([A23456789TJQK][SHDC])"', json.dumps(conversation.stream)))


def all_of(conversation: Conversation) -> object:
    """All that left a table, but for hashes."""
    return without_hashes([conversation.stream, conversation.retained])


def without_hashes(value: object) -> object:
    """A message or a topic without commitments, what opens them, and the chain that hashes them."""
    if isinstance(value, dict):
        hashes = ("commitment", "nonce", "prevhash")
        return {key: without_hashes(part) for key, part in value.items() if key not in hashes}
    return [without_hashes(part) for part in value] if isinstance(value, list) else value


@pytest.mark.parametrize("table", TABLES)
@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32),
    mishaps=st.dictionaries(st.integers(0, 9), MISHAPS, max_size=3),
    early=st.booleans(),
    extra=st.booleans(),
)
def test_public_output_is_the_same_whatever_lies_face_down(
    table: str, seed: int, mishaps: dict[int, str], early: bool, extra: bool
) -> None:
    chance = Random(seed)
    cards = deck_of(table)
    chance.shuffle(cards)
    other, places = list(cards), places_of(table)
    for place, card in zip(
        places, chance.sample([cards[place] for place in places], len(places)), strict=True
    ):
        other[place] = card
    one, two = Round(table, cards, Random(1)), Round(table, other, Random(2))
    for played in (one, two):
        played.deal(mishaps, early=early, extra=extra)
    assert all_of(one.conversation) == all_of(two.conversation)
    assert not named_in(one.conversation) & {cards[place] for place in places}


@pytest.mark.parametrize("table", TABLES)
def test_commitments_are_checked_with_standard_tools(table: str) -> None:
    """``printf %s%s NONCE CARD | sha256sum`` gives the commitment that was published with the card."""
    played = dealt_of(table)
    committed = {
        of(message)["index"]: of(message)["commitment"]
        for message in played.conversation.stream
        if name_of(message) == "round.card" and "commitment" in of(message)
    }
    heard = played.conversation.say("REVEAL")
    cards = of(heard.messages[0])["cards"]
    assert isinstance(cards, list)
    burns = {"burn"} if "burn_before" in table else set()
    assert len(cards) == len(committed) - (3 if burns else 0)
    for card in cards:
        text = f"{card['nonce']}{card['card']}"
        assert committed[card["index"]] == card["commitment"] == hashlib.sha256(text.encode()).hexdigest()
        assert card["card"] == played.cards[card["index"] - 1]
    text = f"{cards[0]['nonce']}{cards[0]['card']}"
    told = subprocess.run(["sha256sum"], input=text, capture_output=True, text=True, check=True)
    assert told.stdout.split()[0] == cards[0]["commitment"]


def test_a_burn_card_of_the_plan_is_never_revealed() -> None:
    played = dealt_of(TABLES[3])
    played.conversation.say("REVEAL; SETTLED")
    assert not named_in(played.conversation) & {played.cards[place] for place in (6, 10, 12)}


@pytest.mark.parametrize(
    ("table", "told", "cards", "others"),
    [
        (SQUEEZE, f"{BETS_CLOSED}; {{}}; RESULT banker", "2S 7C 3D KH 9S", "AS 6C 4D JH 8S"),
        (SQUEEZE, f"{BETS_CLOSED}; {{}}; VOID supervisor; {NEXT_ROUND}", "2S 7C 3D", "KS KC KD"),
        (SQUEEZE, f"{BETS_CLOSED}; {{}}; HOLD; 5S 4S; CLEAR void; {NEXT_ROUND}", "2S 7C 3D", "KS KC KD"),
        ("baccarat", "SHOE 416; OPEN; {}; 5C", "8S", "KD"),
    ],
    ids=[
        "squeeze baccarat before the reveal: the same third-card pattern and the same winner",
        "the odds of the round after a void",
        "the odds of the round after a void of a hold",
        "a card that comes early, while bets are open: it would tell players what to bet on",
    ],
)
def test_nothing_tells_two_orders_apart(table: str, told: str, cards: str, others: str) -> None:
    one, two = (talk(table, told.format(order)) for order in (cards, others))
    assert all_of(one) == all_of(two)


def test_a_burn_card_that_was_opened_counts_as_seen() -> None:
    """Prices follow from what all know: a burn card nobody turned up is unseen, one that was named is not."""
    for burned, unseen in (("BURN 1; 8S", 8), ("8S; CLEAR burn", 7)):
        state = talk("baccarat", f"SHOE 416; OPEN; {burned}").state
        assert state.shoe is not None
        assert unseen_cards(state, game_of(state.configuration), state.shoe)[Card("8S")] == unseen


def test_the_strength_of_hands_is_the_same_whatever_the_dealer_holds() -> None:
    """The shoe has read the dealer's cards; to the odds they are unseen like the rest of the pack."""
    one, two = (
        talk("casino-holdem", f"SHOE 52; OPEN; CLOSE; AS KS 2H 3H {dealer}; QS JS 5D")
        for dealer in ("AC AD", "2C 7D")
    )
    assert json.dumps(all_of(one), sort_keys=True) == json.dumps(all_of(two), sort_keys=True)
    odds = next(of(message) for message in one.stream if name_of(message) == "round.odds")
    shown = one.display["odds"]
    assert isinstance(shown, dict)
    hands = {"hand1": ["AS", "KS"], "hand2": ["2H", "3H"]}
    line = told(odds_line({"game": "casino-holdem", "hands": hands, "flop": ["QS", "JS", "5D"]}))
    assert shown["strength"] == odds["strength"] == line


def evidence_in(heard: Heard, name: str) -> list[Json]:
    """The evidence of the first message of that name."""
    data = next(cast(Json, message["data"]) for message in heard.messages if name_of(message) == name)
    return cast(list[Json], data["evidence"])


def test_a_hold_from_before_evidence_said_its_shoe_tells_nothing_of_the_next_shoes_cards() -> None:
    conversation = talk(f"{SQUEEZE} round.exposed_card=play", f"{BETS_CLOSED}; KS KD 8S 9D; REVEAL; SETTLED")
    conversation.say("5H")
    hold = conversation.state.holds[-1]
    found = tuple(replace(one, evidence=replace(one.evidence, card="5H")) for one in hold.findings)
    conversation.say("SHOE 416")
    old = replace(conversation.state, holds=(replace(hold, findings=found, items=()),))
    conversation.replay.table = Table(1, old)
    heard = conversation.say("4S")
    told = evidence_in(heard, "table.held")
    assert [(one["code"], one["draw"], one.get("of_shoe"), one["card"]) for one in told] == [
        ("extra_card", 5, 1, None),
        ("drawn_in_hold", 1, None, None),
    ]
    assert conversation.state.shoe is not None
    assert conversation.state.shoe.named == ()
    conversation.say("LOST shoe")
    assert conversation.state.shoe.named == ()
    heard = conversation.say("VOID supervisor")
    told = evidence_in(heard, "round.void")
    assert (told[0].get("of_shoe"), told[0]["card"]) == (1, None)
