"""Every answer of ``score --batch`` and ``settle --batch`` against a second reading of the rules."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from tests.cli.program import dealer_table
from tests.vectors.by_hand import score, settle

Json = dict[str, Any]
RANKS = "A23456789TJQK"
DECK = [rank + suit for rank in RANKS for suit in "SHDC"]
FORTY = [card for card in DECK if card[0] not in "JQK"]
SEATS = [f"seat{number}" for number in range(1, 8)]


def two_card_action(chance: random.Random) -> Iterator[Json]:
    """All 52 x 52 ordered deals on both tables; some with a surplus."""
    for layout in ("A", "C"):
        for first, second in product(DECK, repeat=2):
            surplus = chance.choices(DECK, k=chance.randrange(3)) if chance.random() < 0.05 else []
            yield {"game": "2-card-action", "layout": layout, "cards": [first, second, *surplus]}
    for first, second in chance.choices(list(product(DECK, repeat=2)), k=200):
        yield {"game": "2-card-action", "layout": "B", "decks": 4, "cards": [first, second]}


def baccarat(chance: random.Random) -> Iterator[Json]:
    """Six cards each: what is not drawn is a surplus. From whole shoes and from shoes of few ranks."""
    for number in range(4000):
        deck = DECK if number % 2 else [card for card in DECK if card[0] in "".join(chance.sample(RANKS, 4))]
        yield {"game": "baccarat", "decks": 8, "cards": chance.sample(deck * 8, 6)}


def two_cards_high(chance: random.Random) -> Iterator[Json]:
    """One to seven seats, dealt in rotation or given by hand; and one seat from two suits, for flushes."""
    for number in range(2400):
        seats = chance.randrange(1, 8) if number % 3 else 1
        deck = FORTY if number % 3 else [card for card in FORTY if card[1] in "SH"]
        cards = chance.sample(deck, 5 * seats + 5)
        if number % 2:
            yield {"game": "two-cards-high", "seats": seats, "cards": cards}
        else:
            names = [*chance.sample(SEATS, seats), "dealer"]
            hands = {name: cards[5 * place : 5 * place + 5] for place, name in enumerate(names)}
            yield {"game": "two-cards-high", "hands": hands}


def casino_holdem(chance: random.Random) -> Iterator[Json]:
    """From whole decks, from few ranks and from few suits, where what is rare comes often."""
    yield {"game": "casino-holdem", "cards": ROYAL_FLOP}
    for number in range(2400):
        ranks = chance.choice(["AKQJT9", "A23456", chance.sample(RANKS, 4)]) if number % 3 == 1 else RANKS
        suits = chance.sample("SHDC", 2) if number % 6 == 4 or number % 3 == 2 else "SHDC"
        deck = [card for card in DECK if card[0] in ranks and card[1] in suits]
        cards = chance.sample(deck if len(deck) > 10 else DECK, 11)
        if number % 2:
            yield {"game": "casino-holdem", "cards": cards}
        else:
            hands = {"hand1": cards[:2], "hand2": cards[2:4], "dealer": cards[4:6]}
            yield {"game": "casino-holdem", "hands": hands, "board": cards[6:]}


ROYAL_FLOP = ["AS", "KS", "2C", "7D", "AH", "AD", "QS", "JS", "TS", "3H", "9D"]
WAYS_TO_WIN = {
    "2-card-action": 1 + 1 + 19 + 6 + 7 + 13 * 3 + 13 + 52 * 2,
    "baccarat": 8,
    "two-cards-high": 2 + 8,
    "casino-holdem": 6 + 1 + 6,
}
"""Wagers and what each can pay, counted in the documents."""
STAKES = [1, 3, 7, 99, 250, 10**12 + 1]
ROUNDS = {
    "2-card-action": two_card_action,
    "baccarat": baccarat,
    "two-cards-high": two_cards_high,
    "casino-holdem": casino_holdem,
}


def with_bets(line: Json, chance: random.Random) -> Json:
    """Bets of one player on some spots of the round, decisions where the game has them, sometimes void."""
    spots = [spot for spot in score(line)["bets"] if not spot.endswith(".play")]
    chosen = chance.sample(spots, min(len(spots), chance.randrange(1, 9)))
    chosen = [
        spot for spot in chosen if not spot.endswith(".bonus") or spot.replace("bonus", "ante") in chosen
    ]
    bets: list[Json] = [{"spot": spot, "stake": chance.choice(STAKES)} for spot in chosen]
    for number, bet in enumerate(bets):
        if chance.random() < 0.3:
            bet["id"] = chance.choice([number, f"b{number}"])
        if line["game"] == "baccarat" and chance.random() < 0.3:
            bet["odds"] = chance.randrange(101, 3000) / 100
    asked: Json = {**line, "bets": bets}
    if line["game"] == "casino-holdem":
        asked["decisions"] = {hand: chance.choice(["play", "fold"]) for hand in ("hand1", "hand2")}
    if chance.random() < 0.1:
        asked["void"] = True
    return asked


def answers(command: str, lines: list[Json]) -> list[Json]:
    """What the program says to each line."""
    done = dealer_table(command, "--batch", asked="".join(json.dumps(line) + "\n" for line in lines))
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("game", ROUNDS)
def test_the_rounds_win_in_every_way_that_the_documents_know(game: str) -> None:
    won = {
        (spot.rpartition(".")[2], bet["pays"])
        for line in ROUNDS[game](random.Random(game))
        for spot, bet in score(line)["bets"].items()
        if bet["result"] == "win"
    }
    assert len(won) == WAYS_TO_WIN[game]


@pytest.mark.parametrize("game", ROUNDS)
def test_score_agrees_with_a_second_reading_of_the_rules(game: str) -> None:
    lines = list(ROUNDS[game](random.Random(game)))
    got = answers("score", lines)
    assert len(got) == len(lines)
    for line, said in zip(lines, got, strict=True):
        assert said == score(line), line


@pytest.mark.parametrize("game", ROUNDS)
def test_settle_agrees_with_a_second_reading_of_the_rules(game: str) -> None:
    chance = random.Random(f"bets on {game}")
    rounds = list(ROUNDS[game](chance))
    lines = [with_bets(line, chance) for line in chance.sample(rounds, 1500)]
    got = answers("settle", lines)
    assert len(got) == len(lines)
    for line, said in zip(lines, got, strict=True):
        assert said == settle(line), line
