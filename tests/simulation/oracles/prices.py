"""Every price that is open is one that could lose and could win, by all that everybody can see.

Seen is what lies face up, and how the round went on: where bets open again after four cards, a further card
is certain. What may come is drawn at random, so that no formula is needed.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

import msgspec

from tests.simulation.course import Message
from tests.simulation.house import ends as house_ends
from tests.simulation.house import of_baccarat
from tests.simulation.oracles import Oracle
from tests.simulation.rules import RANKS
from tests.simulation.world import World
from tests.vectors.baccarat import baccarat_points, banker_wants

SUITS = "SHDC"
TRIES = 6_000
Lying = tuple[str | None, ...]
"""The cards of a round in deal order; None where one lies face down."""


class Prices(Oracle):
    """Holds every open offer against what could still happen."""

    def __init__(self) -> None:
        self.lying: list[str | None] = []

    def message(self, world: World, message: Message) -> None:
        data = message.data
        match message.name:
            case "round.opened":
                self.lying = []
            case "round.card":
                self.lying[data["index"] - 1 :] = [data["card"]]
            case "round.odds" if "offered" in data and world.course.betting:
                priced = frozenset(spot for spot, price in data["offered"].items() if price is not None)
                house = msgspec.json.encode(world.rules.house or {})
                decided = priced and undecided(tuple(self.lying), priced, house)
                if decided:
                    world.complain(f"a decided price is open: {', '.join(sorted(decided))}", str(self.lying))


@lru_cache(maxsize=20_000)
def undecided(lying: Lying, priced: frozenset[str], house: bytes) -> frozenset[str]:
    """The spots among them that cannot win, or cannot lose; ``house``: its own pay table."""
    own = msgspec.json.decode(house).get("spots", {})
    dice = random.Random(repr(lying))
    seen: dict[str, set[str]] = {spot: set() for spot in priced}
    for _ in range(TRIES):
        for spot, won in course(dice, lying, own).items():
            if spot in seen:
                seen[spot].add(won)
        if all({"win", "lose"} <= found for found in seen.values()):
            return frozenset()
    rare = {"win"} if own else set[str]()  # a spot of the house may win once in 100,000 rounds
    return frozenset(
        spot
        for spot, found in seen.items()
        if not {"win", "lose"} <= found | (rare if spot in own else set())
    )


def course(dice: random.Random, lying: Lying, own: dict[str, Any]) -> dict[str, str]:
    """One way in which a round can end that began so: spot -> win, lose or push."""
    while True:
        four = [card or drawn(dice) for card in (*lying[:4], *[None] * (4 - len(lying)))]
        player, banker = four[0::2], four[1::2]
        if max(baccarat_points(player), baccarat_points(banker)) < 8:
            if baccarat_points(player) <= 5:
                player.append(drawn(dice))
            if banker_wants(baccarat_points(banker), baccarat_points(player[2:]) if player[2:] else None):
                banker.append(drawn(dice))
        cards = len(player) + len(banker)
        if len(lying) < 4 or cards > len(lying):
            facts = of_baccarat(player, banker) if own else {}
            return ends(player, banker) | {
                name: house_ends(spot["rows"], facts)["result"] for name, spot in own.items()
            }


def ends(player: list[str], banker: list[str]) -> dict[str, str]:
    """What every spot does."""
    totals = baccarat_points(player), baccarat_points(banker)
    pairs = player[0][0] == player[1][0], banker[0][0] == banker[1][0]
    tie, cards = totals[0] == totals[1], len(player) + len(banker)
    won = {
        "tie": tie,
        "player_pair": pairs[0],
        "banker_pair": pairs[1],
        "any_pair": any(pairs),
        "small": cards == 4,
        "big": cards > 4,
    }
    sides = {"player": totals[0] > totals[1], "banker": totals[1] > totals[0]}
    said = {spot: "win" if is_won else "lose" for spot, is_won in {**won, **sides}.items()}
    return {**said, **dict.fromkeys(sides, "push")} if tie else said


def drawn(dice: random.Random) -> str:
    """Any card."""
    return dice.choice(RANKS) + dice.choice(SUITS)
