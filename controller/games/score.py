"""The answer of ``score``: where the round stands, its outcome, and what every spot of the layout does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.games.game import Dealt, Game, SpotResult
from controller.games.line import GivenRound, read_round
from controller.vocabulary.cards import Card


def score_line(line: object) -> dict[str, object]:
    """The contract's ``score`` answer to a line; :class:`InputError` where the line is wrong."""
    return _answer(read_round(line))


def score_deal(game: Game, dealt: Sequence[Dealt]) -> dict[str, object]:
    """The same answer for cards of a table in deal order; burn cards of the plan count as used."""
    given = GivenRound(
        game, tuple(dealt), len(dealt), game.next_position(dealt), game.hands(dealt), game.board(dealt)
    )
    return _answer(given)


def spot_json(results: Mapping[str, SpotResult]) -> dict[str, dict[str, str | None]]:
    """The results of spots as JSON values."""
    return {spot: {"result": result.result, "pays": result.pays} for spot, result in results.items()}


def _answer(given: GivenRound) -> dict[str, object]:
    game, complete = given.game, given.needs is None
    board: dict[str, Sequence[Card]] = {} if given.board is None else {"board": given.board}
    return {
        "game": game.name,
        "complete": complete,
        "used": given.used,
        "needs": given.needs,
        "hands": given.hands,
        **board,
        "outcome": game.outcome(given.dealt) if complete else None,
        "bets": spot_json(game.bets(given.dealt)) if complete else {},
    }
