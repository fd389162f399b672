"""2 Hand Casino Hold'em, read from the document: every five of the seven cards is looked at."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tests.vectors.words import LOSE, LOW_ORDER, PUSH, Cards, Json, answer, win

HIGH_ORDER = [*LOW_ORDER[1:], "A"]


CATEGORIES = [
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
]
Strength = tuple[int, list[int]]


def five(cards: Cards) -> Strength:
    """Category and tie-breakers of five cards, greater is better."""
    ranks = sorted((HIGH_ORDER.index(card[0]) for card in cards), reverse=True)
    groups = sorted(Counter(ranks).items(), key=lambda group: (-group[1], -group[0]))
    shape = [count for _, count in groups]
    order = [rank for rank, _ in groups]
    flush = len({card[1] for card in cards}) == 1
    straight = shape == [1] * 5 and (ranks[0] - ranks[4] == 4 or ranks == [12, 3, 2, 1, 0])
    if straight and ranks == [12, 3, 2, 1, 0]:
        order = [3, 2, 1, 0, -1]
    if straight and flush:
        return (9 if order[0] == 12 else 8), order
    for category, found in (
        (7, shape[0] == 4),
        (6, shape == [3, 2]),
        (5, flush),
        (4, straight),
        (3, shape[0] == 3),
        (2, shape == [2, 2, 1]),
        (1, shape[0] == 2),
    ):
        if found:
            return category, order
    return 0, order


def best(cards: Cards) -> Strength:
    return max(five(list(chosen)) for chosen in combinations(cards, 5))


ANTE = {
    "royal_flush": "100:1",
    "straight_flush": "20:1",
    "four_of_a_kind": "10:1",
    "full_house": "3:1",
    "flush": "2:1",
}
BONUS = {
    "royal_flush": "100:1",
    "straight_flush": "50:1",
    "four_of_a_kind": "40:1",
    "full_house": "30:1",
    "flush": "20:1",
    "straight": "7:1",
    "three_of_a_kind": "7:1",
    "two_pair": "7:1",
}


def score_casino_holdem(line: Json) -> Json:
    if "hands" in line:
        hands, board = line["hands"], line["board"]
    else:
        cards = line["cards"]
        hands, board = {"hand1": cards[:2], "hand2": cards[2:4], "dealer": cards[4:6]}, cards[6:11]
    dealer = best([*hands["dealer"], *board])
    least = line.get("dealer_qualifies", "4")
    paired = dealer[0] == 1 and least != "always" and dealer[1][0] >= HIGH_ORDER.index(least)
    qualifies = least == "always" or dealer[0] > 1 or paired
    outcome: Json = {"dealer": {"category": CATEGORIES[dealer[0]], "qualifies": qualifies}}
    bets: Json = {}
    for name in ("hand1", "hand2"):
        mine, first = best([*hands[name], *board]), five([*hands[name], *board[:3]])
        versus = "tie" if mine == dealer else "better" if mine > dealer else "worse"
        category = CATEGORIES[mine[0]]
        outcome[name] = {"category": category, "first_five": CATEGORIES[first[0]], "vs_dealer": versus}
        paid = win(ANTE.get(category, "1:1"))
        if not qualifies:
            ante, play = paid, PUSH
        else:
            ante, play = {"better": (paid, win("1:1")), "tie": (PUSH, PUSH), "worse": (LOSE, LOSE)}[versus]
        aces = first[0] == 1 and first[1][0] == HIGH_ORDER.index("A")
        row = "7:1" if aces else BONUS.get(CATEGORIES[first[0]])
        bets[f"{name}.ante"], bets[f"{name}.play"] = ante, play
        bets[f"{name}.bonus"] = win(row) if row else LOSE
    return answer(line, 11, hands, outcome, bets, board=board)
