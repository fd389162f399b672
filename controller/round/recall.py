"""Recall of the last rounds (a patron's dispute), and the results that the scoreboard is drawn from."""

from __future__ import annotations

from controller.round.turn import Turn

KEPT = 20
"""Rounds that ``display`` carries; the journal has all of them."""


def remember_result(turn: Turn, body: dict[str, object]) -> None:
    """A result stands: it joins the last results, in place of an earlier revision."""
    forget_result(turn)
    round_ = turn.round
    entry: dict[str, object] = {
        "round": round_.id,
        "game_number": round_.game_number,
        "hands": body["hands"],
        "outcome": body["outcome"],
        "revision": body["revision"],
    }
    turn.set(history=(*turn.state.history, entry)[-KEPT:])
    mark = road_mark(turn, body)
    if mark is not None:
        turn.set(road=(*turn.state.road, {"round": round_.id, **mark}))


def road_mark(turn: Turn, body: dict[str, object]) -> dict[str, object] | None:
    """What the result adds to the scoreboard, where the game has one."""
    outcome, bets = body["outcome"], body["bets"]
    if turn.game.name != "baccarat" or not isinstance(outcome, dict) or not isinstance(bets, dict):
        return None
    pairs = {spot: bets[spot]["result"] == "win" for spot in ("player_pair", "banker_pair")}
    return {"winner": outcome["winner"], **pairs, "natural": outcome["natural"]}


def forget_result(turn: Turn) -> None:
    """The running round has no result (any more): it leaves the last results and the scoreboard."""
    round_id = turn.round.id
    turn.set(
        history=tuple(entry for entry in turn.state.history if entry["round"] != round_id),
        road=tuple(mark for mark in turn.state.road if mark["round"] != round_id),
    )


def remember_void(turn: Turn) -> None:
    """A void round stands in the recall with its reason and without a result."""
    round_ = turn.round
    void = round_.void or {}
    entry: dict[str, object] = {
        "round": round_.id,
        "game_number": round_.game_number,
        "void": {"reason": void.get("reason"), "rule": void.get("rule")},
    }
    turn.set(history=(*turn.state.history, entry)[-KEPT:])
