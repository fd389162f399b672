"""The names of spots, hands and games in a terminal: the English ones of the result board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

Names = Mapping[str, str | Mapping[str, str]]
"""What a house calls its own spots: wager -> name, in every language or by the code of one."""

_LETTER = re.compile(r"(^|_)(.)")


@cache
def words() -> Mapping[str, str]:
    """The board's words by their key."""
    file = Path(__file__).parent / "static" / "words" / "en.json"
    return msgspec.json.decode(file.read_bytes(), type=dict[str, str])


def game_name(game: str) -> str:
    """As 2 Hand Casino Hold'em."""
    return words().get(f"game.{game}", game)


def rank_name(rank: str) -> str:
    """As it is printed on the card."""
    return rank.replace("T", "10")


def card_name(card: str) -> str:
    """As it is printed: 10♥."""
    return rank_name(card[0]) + words()[f"suit.sign.{card[1]}"]


def place_name(position: str) -> str:
    """A hand, or where a card lies."""
    if position.startswith("seat"):
        return words()["position.seat"].format(n=position[4:])
    return words().get(f"position.{position}", position)


def spot_name(spot: str, names: Names | None = None) -> str:
    """A place to bet: Player Pair, Hand 1 Ante, Sum 7; ``names``: of the house's own."""
    hand, _, wager = spot.rpartition(".")
    own = (names or {}).get(wager)
    if isinstance(own, Mapping):
        own = own.get("en") or next(iter(own.values()), None)
    if hand:
        named = own or words().get(f"wager.{wager}") or _spelled(wager)
        return words()["spot.of-hand"].format(position=place_name(hand), wager=named)
    if own:
        return own
    kind, _, which = spot.rpartition("_")
    if kind == "card":
        return card_name(which)
    if kind in ("sum", "single", "pair"):
        return words()[f"spot.{kind}"].format(n=rank_name(which))
    return words().get(f"spot.{spot}") or _spelled(spot)


def _spelled(spot: str) -> str:
    """A spot that nobody named: player_dragon_bonus is Player Dragon Bonus."""
    return _LETTER.sub(lambda found: (" " if found[1] else "") + found[2].upper(), spot)
