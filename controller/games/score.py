"""The answer of ``score``: where the round stands, its outcome, and what every spot of the layout does."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from controller.games.game import Dealt, Game
from controller.games.line import GivenRound, dealt_round, read_round
from controller.vocabulary.outcomes import Score


def score_line(line: object) -> Score:
    """The contract's ``score`` answer to a line; :class:`InputError` where the line is wrong."""
    return _answer(read_round(line))


def score_deal(game: Game, dealt: Sequence[Dealt]) -> Score:
    """The same answer for cards of a table in deal order; burn cards of the plan count as used."""
    return _answer(dealt_round(game, dealt))


def _answer(given: GivenRound) -> Score:
    game, complete = given.game, given.needs is None
    return Score(
        game=game.name,
        complete=complete,
        used=given.used,
        needs=given.needs,
        hands={name: tuple(cards) for name, cards in given.hands.items()},
        board=UNSET if given.board is None else tuple(given.board),
        outcome=game.outcome(given.dealt) if complete else None,
        bets=game.bets(given.dealt) if complete else {},
    )
