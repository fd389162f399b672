"""A house's own pay table: drawn at random, and read once more in the slowest way.

Fields are counted from the cards and from the words of ``tests/vectors``; nothing of the program is asked.
"""

from __future__ import annotations

import random
import tomllib
from pathlib import Path
from typing import Any

from controller.vocabulary.configuration import GameSettings
from tests.vectors import by_hand
from tests.vectors.baccarat import baccarat_points
from tests.vectors.casino_holdem import CATEGORIES
from tests.vectors.words import LOSE, PUSH, Json, win

SHIPPED = Path(__file__).parents[2] / "config" / "pay-tables"
RANKS = tuple("A23456789TJQK")
YES_NO = (True, False)
FIELDS: dict[str, dict[str, tuple[object, ...]]] = {
    "2-card-action": {
        "sum": tuple(range(2, 21)),
        "pair": YES_NO,
        "suited": YES_NO,
        "first_rank": RANKS,
        "second_rank": RANKS,
        "first": tuple(rank + suit for rank in RANKS for suit in "SHDC"),
    },
    "two-cards-high": {
        "qualifies": YES_NO,
        "kind": ("pair", "total"),
        "rank": tuple(range(11)),
        "result": ("win", "win_pair", "win_tie", "lose", "lose_player_not_qualified"),
        "side": ("flush", "straight", "two_pair", "full_house"),
        "dealer.qualifies": YES_NO,
        "dealer.kind": ("pair", "total"),
    },
    "baccarat": {
        "winner": ("player", "banker", "tie"),
        "natural": YES_NO,
        "player_total": tuple(range(10)),
        "banker_total": tuple(range(10)),
        "player_cards": (2, 3),
        "banker_cards": (2, 3),
        "cards": (4, 5, 6),
        "margin": tuple(range(10)),
        "player_pair": YES_NO,
        "banker_pair": YES_NO,
        "any_pair": YES_NO,
        "player_perfect_pair": YES_NO,
        "banker_perfect_pair": YES_NO,
        "equal_pairs": YES_NO,
    },
    "casino-holdem": {
        "category": tuple(CATEGORIES),
        "first_five": tuple(CATEGORIES),
        "vs_dealer": ("better", "tie", "worse"),
        "dealer.category": tuple(CATEGORIES),
        "dealer.qualifies": YES_NO,
    },
}
OWN_SPOTS = {
    "2-card-action": ("field", "bonus", "any_pair"),
    "two-cards-high": ("side",),
    "baccarat": ("tie", "small", "player_pair", "big"),
    "casino-holdem": ("bonus",),
}
"""Spots of the game that a house may leave out, or pay in its own way."""
PAYS = ("1:1", "1:2", "3:2", "0.95:1", "5:1", "25:1", "100:1")


def draw_pay_table(dice: random.Random, game: str) -> Json | None:
    """One that is delivered, one of random rows, or none: the file's content."""
    how = dice.random()
    shipped = [one for path in sorted(SHIPPED.glob("*.toml")) if (one := plain(path))["game"] == game]
    if how < 0.5 or (how < 0.7 and not shipped):
        return None
    if how < 0.7:
        return dice.choice(shipped)
    names = dice.sample(("house_a", "house_b", *OWN_SPOTS[game]), 2)
    spots = {name: {"rows": [draw_row(dice, game) for _ in range(dice.randint(1, 3))]} for name in names}
    without = [spot for spot in OWN_SPOTS[game][:2] if spot not in spots and dice.random() < 0.3]
    return {"spots": spots, "without": without, "allow_above_100": True}


def plain(path: Path) -> Json:
    """A delivered file without the names for people."""
    content = tomllib.loads(path.read_text())
    spots = {name: {"rows": spot["rows"]} for name, spot in content.get("spots", {}).items()}
    kept: Json = {
        key: content[key] for key in ("game", "layouts", "without", "allow_above_100") if key in content
    }
    return {**kept, "spots": spots}


def draw_row(dice: random.Random, game: str) -> Json:
    """Conditions and what is paid then."""
    when: Json = {}
    for name in dice.sample(sorted(FIELDS[game]), dice.choice((0, 1, 1, 1, 2, 2))):
        values = FIELDS[game][name]
        some = dice.sample(values, min(len(values), dice.choice((1, 1, 2, 3))))
        when[name] = some[0] if len(some) == 1 else some
    ends = {"result": "push"} if dice.random() < 0.2 else {"pays": dice.choice(PAYS)}
    return {**({"when": when} if when else {}), **ends}


def scored(game: GameSettings, table: Json | None, line: Json) -> Json:
    """Spot -> what it does, by the settings of the house."""
    answer = by_hand.score(line)
    bets: Json = dict(answer["bets"])
    if game.name == "two-cards-high":
        for seat, seen in answer["outcome"].items():
            paid = {
                "win_tie": game.pair_tie,
                "win_dealer_not_qualified": game.pair_against_unqualified_dealer,
            }
            if seat != "dealer" and seen["kind"] == "pair" and seen["result"] in paid:
                bets[f"{seat}.main"] = win(paid[seen["result"]])
    if table is None:
        return bets
    owners = sorted({spot.partition(".")[0] for spot in bets if "." in spot}) or [""]
    for owner in owners:
        before = f"{owner}." if owner else ""
        for name in table.get("without", ()):
            bets.pop(before + name)
        facts = facts_of(line, answer["outcome"], owner)
        bets |= {before + name: ends(spot["rows"], facts) for name, spot in table["spots"].items()}
    return bets


def ends(rows: list[Json], facts: Json) -> Json:
    """The first row that fits counts."""
    for row in rows:
        wanted = row.get("when", {}).items()
        if all(facts[name] in (value if isinstance(value, list) else [value]) for name, value in wanted):
            return win(row["pays"]) if "pays" in row else PUSH if row["result"] == "push" else LOSE
    return LOSE


def facts_of(line: Json, outcome: Json, owner: str) -> Json:
    """The fields of a round; ``owner``: the hand or seat that the spot belongs to."""
    if owner:
        dealer = {f"dealer.{name}": value for name, value in outcome["dealer"].items()}
        more = {"first_five_rank": leading(line, owner)} if "hand1" in line["hands"] else {}
        return {**outcome[owner], **dealer, **more}
    if line["game"] == "2-card-action":
        first, second = line["cards"][:2]
        return {
            **outcome,
            "first": first,
            "second": second,
            "first_rank": first[0],
            "second_rank": second[0],
        }
    return {**outcome, **of_baccarat(*sides(line["cards"]))}


def sides(cards: list[str]) -> tuple[list[str], list[str]]:
    """Player's and Banker's cards of a whole round in deal order."""
    player, banker, rest = [cards[0], cards[2]], [cards[1], cards[3]], list(cards[4:])
    if rest and baccarat_points(player) <= 5:
        player.append(rest.pop(0))
    return player, [*banker, *rest]


def of_baccarat(player: list[str], banker: list[str]) -> Json:
    """What the cards make beside the outcome."""
    totals = baccarat_points(player), baccarat_points(banker)
    pairs = player[0][0] == player[1][0], banker[0][0] == banker[1][0]
    return {
        "winner": "tie" if totals[0] == totals[1] else "player" if totals[0] > totals[1] else "banker",
        "player_total": totals[0],
        "banker_total": totals[1],
        "natural": max(baccarat_points(player[:2]), baccarat_points(banker[:2])) > 7,
        "player_cards": len(player),
        "banker_cards": len(banker),
        "cards": len(player) + len(banker),
        "margin": abs(totals[0] - totals[1]),
        "player_pair": pairs[0],
        "banker_pair": pairs[1],
        "any_pair": any(pairs),
        "player_perfect_pair": player[0] == player[1],
        "banker_perfect_pair": banker[0] == banker[1],
        "equal_pairs": all(pairs) and player[0][0] == banker[0][0],
    }


def leading(line: dict[str, Any], owner: str) -> str:
    """The rank oftenest among the first five cards, of equal ones the highest; five of a wheel."""
    ranks = [card[0] for card in (*line["hands"][owner], *line["board"][:3])]
    if {*ranks} == {*"A2345"}:
        return "5"
    return max(ranks, key=lambda rank: (ranks.count(rank), "23456789TJQKA".index(rank)))
