"""``python -m tests.measure.depleted``: how far the best bet for the players goes while a shoe is dealt out.

Shoes of eight decks, shuffled; cards are seen one after another, and after so many the lowest house edge of
all bets is taken. Prints the table of ``docs/explanation/live-odds.md``.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from statistics import median

from controller.games.game import Game
from controller.games.registry import build_game
from controller.odds.counting import spot_ways
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.configuration import GameSettings

DECKS = 8
SEEN = (104, 208, 312, 364)
TABLES = {
    "baccarat": GameSettings(name="baccarat", decks=DECKS),
    "2 Card Action, layout A": GameSettings(name="2-card-action", layout="A", decks=DECKS),
    "layout C": GameSettings(name="2-card-action", layout="C", decks=DECKS),
}


def lowest_edge(game: Game, unseen: list[Card]) -> float:
    """What the house keeps of the bet that is best for the players."""
    counts = Counter(unseen)
    ways = spot_ways(game, {card: counts[card] for card in DECK_52})
    return min(float(one.house_edge) for one in ways.values())


def edges(game: Game, shoes: list[list[Card]], seen: int) -> str:
    """The median of the lowest edges, and the lowest tenth."""
    found = sorted(lowest_edge(game, shoe[seen:]) for shoe in shoes)
    few = 1 if abs(median(found)) < 0.095 else 0
    return f"{100 * median(found):+.{few}f} %, {100 * found[len(found) // 10]:+.{few}f} %"


def main() -> None:
    """Shuffle, see, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure.depleted")
    parser.add_argument("--shoes", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, shoes = random.Random(options.seed), list[list[Card]]()
    for _ in range(options.shoes):
        shoes.append(list(DECK_52 * DECKS))
        chance.shuffle(shoes[-1])
    games = {name: build_game(settings) for name, settings in TABLES.items()}
    print(f"| cards seen | {' | '.join(games)} |\n| --- | --- | --- | --- |")
    for seen in SEEN:
        print(f"| {seen} | {' | '.join(edges(game, shoes, seen) for game in games.values())} |", flush=True)


if __name__ == "__main__":
    main()
