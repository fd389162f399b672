"""What the second reading of the rules shares: results, points of a card, the frame of an answer."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
Cards = list[str]
LOW_ORDER = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]


def win(ratio: str) -> Json:
    return {"result": "win", "pays": ratio}


LOSE: Json = {"result": "lose", "pays": None}
PUSH: Json = {"result": "push", "pays": None}
NOT_PLACED: Json = {"result": "not_placed", "pays": None}


def answer(line: Json, used: int, hands: Json, outcome: Json, bets: Json, **more: Any) -> Json:
    """The frame of every answer."""
    return {
        "game": line["game"],
        "complete": True,
        "used": used,
        "needs": None,
        "hands": hands,
        "outcome": outcome,
        "bets": bets,
        **more,
    }


def points_of_sum(card: str) -> int:
    """3.4"""
    if card[0] == "A":
        return 1
    if card[0] in "TJQK":
        return 10
    return int(card[0])
