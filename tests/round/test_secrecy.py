"""R25: a face-down card is told nobody in advance; afterwards anybody can check that none was changed."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from functools import cache
from random import Random

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from controller.games.registry import all_games
from controller.odds.counting import odds_line
from tests.games.deals import told
from tests.scenarios.conversation import Conversation, Json, configuration_of, events_of, name_of

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


class Round:
    """One round from a given order of cards, with mishaps at given moments; it ends at the reveal."""

    def __init__(self, table: str, cards: list[str], nonces: Random) -> None:
        self.conversation = Conversation(configuration_of(table))
        self.cards, self.nonces, self.place = cards, nonces, 0
        self.face_down: list[int] = []
        self.conversation.say(f"SHOE {len(cards)}; OPEN; CLOSE")

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


@cache
def places_of(table: str) -> tuple[int, ...]:
    """The places in the deal that lie face down, and those that are never dealt."""
    whole = Round(table, deck_of(table), Random(0))
    whole.deal({}, early=False, extra=False)
    return (*whole.face_down, *range(whole.place, len(whole.cards)))


def deck_of(table: str) -> list[str]:
    """The cards of the game."""
    return [str(card) for card in all_games()[table.split()[0]].deck]


def without_hashes(value: object) -> object:
    """A message or a topic without the commitments and the chain that hashes them."""
    if isinstance(value, dict):
        return {
            key: without_hashes(part) for key, part in value.items() if key not in ("commitment", "prevhash")
        }
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
    assert without_hashes(one.conversation.stream) == without_hashes(two.conversation.stream)
    assert without_hashes(one.conversation.retained) == without_hashes(two.conversation.retained)
    named = set(re.findall(r'"([A23456789TJQK][SHDC])"', json.dumps(one.conversation.stream)))
    assert not named & {cards[place] for place in places}


@pytest.mark.parametrize("table", TABLES)
def test_commitments_are_checked_with_standard_tools(table: str) -> None:
    """``printf %s%s NONCE CARD | sha256sum`` gives the commitment that was published with the card."""
    played = Round(table, deck_of(table), Random(7))
    played.deal({}, early=False, extra=False)
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
    played = Round(TABLES[3], deck_of(TABLES[3]), Random(7))
    played.deal({}, early=False, extra=False)
    played.conversation.say("REVEAL; SETTLED")
    burned = {played.cards[place] for place in (6, 10, 12)}
    named = set(re.findall(r'"([A23456789TJQK][SHDC])"', json.dumps(played.conversation.stream)))
    assert not named & burned


def test_squeeze_baccarat_tells_nothing_before_the_reveal() -> None:
    """Two orders with the same third-card pattern and the same winner: nothing tells them apart."""
    streams = []
    for cards in ("2S 7C 3D KH 9S", "AS 6C 4D JH 8S"):
        conversation = Conversation(configuration_of("baccarat squeeze=yes odds=live"))
        conversation.say(f"SHOE 416; OPEN; CLOSE; {cards}; RESULT banker")
        streams.append(without_hashes([conversation.stream, conversation.retained]))
    assert streams[0] == streams[1]


@pytest.mark.parametrize("end", ["VOID supervisor", "HOLD; 5S 4S; CLEAR void"])
def test_the_odds_of_later_rounds_do_not_know_the_face_down_cards_of_a_void_round(end: str) -> None:
    streams = []
    for cards in ("2S 7C 3D", "KS KC KD"):
        conversation = Conversation(configuration_of("baccarat squeeze=yes odds=live"))
        conversation.say(f"SHOE 416; OPEN; CLOSE; {cards}; {end}; OPEN; CLOSE; AS")
        streams.append(without_hashes([conversation.stream, conversation.retained]))
    assert streams[0] == streams[1]


def test_the_strength_of_hands_is_the_same_whatever_the_dealer_holds() -> None:
    """The shoe has read the dealer's cards; to the odds they are unseen like the rest of the pack."""
    streams, strengths = [], []
    for dealer in ("AC AD", "2C 7D"):
        conversation = Conversation(configuration_of("casino-holdem"))
        conversation.say(f"SHOE 52; OPEN; CLOSE; AS KS 2H 3H {dealer}; QS JS 5D")
        streams.append(
            json.dumps(without_hashes([conversation.stream, conversation.retained]), sort_keys=True)
        )
        odds = next(of(one) for one in conversation.stream if name_of(one) == "round.odds")
        strengths.append(odds["strength"])
        shown = conversation.display["odds"]
        assert isinstance(shown, dict)
        assert shown["strength"] == odds["strength"]
    assert streams[0].encode() == streams[1].encode()
    assert strengths[0] == strengths[1]
    hands = {"hand1": ["AS", "KS"], "hand2": ["2H", "3H"]}
    assert strengths[0] == told(
        odds_line({"game": "casino-holdem", "hands": hands, "flop": ["QS", "JS", "5D"]})
    )


def test_the_card_that_comes_early_is_not_named_while_bets_are_open() -> None:
    """It would tell players what to bet on."""
    streams = []
    for card in ("8S", "KD"):
        conversation = Conversation(configuration_of("baccarat"))
        conversation.say(f"SHOE 416; OPEN; {card}; 5C")
        streams.append([conversation.stream, conversation.retained])
    assert streams[0] == streams[1]
