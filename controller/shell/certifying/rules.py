"""Do the rules of this table come out here as they do in the laboratory?

Every spot's exact return, counted anew, and one digest over the scores of many rounds: all pairs of cards
where a round has two, else rounds that are drawn by counting SHA-256, so that everybody draws the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from fractions import Fraction

from controller.games.game import Dealt, Game
from controller.games.registry import build_game
from controller.games.score import score_deal
from controller.par import par
from controller.settings.model import Configuration
from controller.shell.certifying import Check
from controller.vocabulary.cards import Card
from controller.vocabulary.codec import canonical
from controller.vocabulary.errors import PayTableError

PART = "rules"
ROUNDS = 5000
_PAIR = 2


def look(configuration: Configuration, rounds: int = ROUNDS) -> tuple[list[Check], dict[str, str]]:
    """The checks, and the returns and the digest of the scores, which are alike everywhere."""
    settings = configuration.game.settings()
    game = build_game(settings, configuration.pay_table)
    alike: dict[str, str] = {}
    try:
        returns = par(settings, configuration.pay_table).spots
    except PayTableError as error:
        checks = [Check(PART, "returns", "failed", error.message)]
    else:
        alike |= {f"return {spot}": one.share for spot, one in returns.items()}
        high = max((one for one in returns.values()), key=lambda one: Fraction(one.share))
        seen = f"{len(returns)} spots counted; the highest return is {float(Fraction(high.share)):.4%}"
        checks = [Check(PART, "returns", "passed", seen)]
    scored, digest = scores(game, rounds)
    how = f"all {scored} ordered pairs" if game.cards_needed == _PAIR else f"{scored} rounds drawn by SHA-256"
    alike[f"scores of {how}"] = digest
    return [*checks, Check(PART, "scores", "passed", f"{how}, digest to be compared: see alike")], alike


def scores(game: Game, rounds: int) -> tuple[int, str]:
    """How many rounds were scored, and the SHA-256 over their scores, a line of canonical JSON each."""
    total, scored = hashlib.sha256(), 0
    for cards in _dealt(game, rounds):
        scored += 1
        total.update(canonical(score_deal(game, _laid(game, cards))) + b"\n")
    return scored, total.hexdigest()


def _dealt(game: Game, rounds: int) -> Iterator[Sequence[Card]]:
    """The cards of each round in the order in which they leave the shoe."""
    if game.cards_needed == _PAIR:
        for first in game.deck:
            yield from ((first, second) for second in game.deck if game.decks > 1 or second != first)
        return
    shoe = tuple(game.deck) * game.decks
    for number in range(1, rounds + 1):
        yield drawn(shoe, game.cards_needed, number)


def drawn(shoe: Sequence[Card], cards: int, number: int) -> list[Card]:
    """So many cards of a shoe in factory order: the ``i``-th has, among those that are left, the place
    SHA-256("<number>-<i>") modulo their number.
    """
    left, out = list(shoe), []
    for index in range(1, cards + 1):
        place = int.from_bytes(hashlib.sha256(f"{number}-{index}".encode()).digest()) % len(left)
        out.append(left.pop(place))
    return out


def _laid(game: Game, cards: Sequence[Card]) -> list[Dealt]:
    """The cards at their positions, as far as the round needs them."""
    dealt: list[Dealt] = []
    for card in cards:
        position = game.next_position(dealt)
        if position is None:
            break
        dealt.append(Dealt(position, card))
    return dealt
