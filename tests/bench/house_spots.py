"""``python -m tests.bench.house_spots``: what a house's own spots of baccarat cost, beside the game's own.

The live prices of whole rounds, from shoes of every depth, by the plain engine, as the daemon counts them: of
each shipped pay table, of all their spots on one table, of conditions that mix points and pairs, and of all
this on one table, against the pay table of the game.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping

import msgspec

from controller.games.game import Game
from controller.games.paytable import PayTable, load_pay_table
from controller.games.registry import build_game
from controller.odds.counting import odds_of
from controller.odds.prices import DEFAULT_MARGIN
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.configuration import GameSettings
from making.pay_tables import FOLDER
from making.targets import HOUSE
from tests.bench.timing import Mark, in_words, interleaved_s, part_arguments, told
from tests.odds.test_house_spots import MIXED

SECONDS = 30.0
ROUNDS = 30
MOST = 2.0
"""Of a house's table, in the time of the game's own."""
MOST_OF_ALL = 2.5
"""Where every spot of this module stands on one table, more than any house has."""
POINTS_AND_PAIRS = {
    "a pair and a winner": {"player_pair": True, "winner": "player"},
    "both pairs and a winner": {"player_pair": True, "banker_perfect_pair": True, "winner": "tie"},
}
"""Conditions of points and pairs, one on a table; MIXED are four spots of them."""
ALL = "all of these on one table"

Question = tuple[dict[Card, int], list[Card]]
"""Unseen cards; those dealt, in deal order."""


def asked() -> list[Question]:
    """The questions of some rounds, up to the fourth card."""
    dice = random.Random(7)
    questions = []
    for _ in range(ROUNDS):
        shoe = dice.sample(DECK_52 * 8, dice.randint(30, 416))
        for known in range(5):
            left = Counter(shoe[known:])
            questions.append(({card: left[card] for card in DECK_52}, shoe[:known]))
    return questions


def pricing(table: PayTable | None, questions: list[Question]) -> Callable[[], object]:
    """All prices that a table with this pay table offers."""
    game: Game = build_game(GameSettings("baccarat"), table)
    margins, odds = dict.fromkeys(game.spots(), DEFAULT_MARGIN), odds_of(type(game))

    def price() -> None:
        for unseen, dealt in questions:
            odds.prices(game, unseen, dealt, margins, numpy=False)

    return price


def written(spots: Mapping[str, object]) -> PayTable:
    """A pay table with these spots."""
    return load_pay_table(json.dumps({"spots": spots}).encode())


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    chosen = part_arguments("house_spots", __doc__).parse_args()
    questions = asked()
    tables = {path.stem: load_pay_table(path) for path in sorted((HOUSE / FOLDER).glob("baccarat-*.toml"))}
    shipped = {
        name: msgspec.to_builtins(spot) for table in tables.values() for name, spot in table.spots.items()
    }
    tables["all shipped spots on one table"] = written(shipped)
    mixed: dict[str, object] = {}
    for name, when in POINTS_AND_PAIRS.items():
        spot = {"rows": [{"when": when, "pays": "9:1"}]}
        tables[name] = written({"mixed": spot})
        mixed[f"mixed_{len(mixed)}"] = spot
    four = {name: {"rows": rows} for name, rows in MIXED.items()}
    tables["four spots of points and pairs"] = written(four)
    tables[ALL] = written(shipped | mixed | four)
    candidates = {name: pricing(table, questions) for name, table in tables.items()}
    took = interleaved_s({"": pricing(None, questions), **candidates}, seconds=SECONDS)
    own = took[""]
    marks = [
        Mark(
            f"live prices of a round, {name}",
            in_words(took[name] / ROUNDS),
            f"the game's own {in_words(own / ROUNDS)}",
            took[name] / own,
            MOST_OF_ALL if name == ALL else MOST,
            at_least=False,
        )
        for name in tables
    ]
    return told(chosen.json, marks)


if __name__ == "__main__":
    raise SystemExit(main())
