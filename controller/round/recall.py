"""The last rounds, kept for a player's dispute, and the results that the scoreboard is drawn from."""

from __future__ import annotations

from msgspec.structs import asdict

from controller.round.state import RoadMark
from controller.round.turn import Turn
from controller.vocabulary.display import Recalled, ShortVoid
from controller.vocabulary.parts import ResultBody, VoidNotice

KEPT = 20
"""Rounds that ``display`` carries; the journal has all of them."""


def remember_result(turn: Turn, body: ResultBody) -> None:
    """Add a result to the last results, in place of an earlier revision."""
    forget_result(turn)
    round_ = turn.round
    entry = Recalled(
        round=round_.id,
        game_number=round_.game_number,
        hands=body.hands,
        outcome=body.outcome,
        revision=body.revision,
    )
    turn.set(history=(*turn.state.history, entry)[-KEPT:])
    bead = turn.game.bead(turn.dealt)
    if bead is not None:
        turn.set(road=(*turn.state.road, RoadMark(round=round_.id, **asdict(bead))))


def forget_result(turn: Turn) -> None:
    """Take the running round out of the last results and off the scoreboard: it has no result any more."""
    round_id = turn.round.id
    turn.set(
        history=tuple(entry for entry in turn.state.history if entry.round != round_id),
        road=tuple(mark for mark in turn.state.road if mark.round != round_id),
    )


def remember_void(turn: Turn, round_id: str, game_number: str, notice: VoidNotice) -> None:
    """Add a void round to the last results: with its reason and without a result."""
    void = ShortVoid(notice.reason, notice.rule)
    entry = Recalled(round=round_id, game_number=game_number, void=void)
    turn.set(history=(*turn.state.history, entry)[-KEPT:])
