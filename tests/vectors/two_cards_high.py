"""Two Cards High, read from the document. Numbers are its rules."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from tests.vectors.words import LOSE, Cards, Json, answer, points_of_sum, win


def two_best(hand: Cards) -> tuple[int, int] | None:
    """4, 5: (1, rank) for a pair, (0, total) otherwise; None where no three cards make a multiple of ten."""
    sets = []
    for three in combinations(range(5), 3):
        if sum(points_of_sum(hand[place]) for place in three) % 10 == 0:
            one, other = (points_of_sum(hand[place]) for place in range(5) if place not in three)
            sets.append((1, one) if one == other else (0, (one + other) % 10))
    return max(sets) if sets else None


SIDE = {
    "straight_flush": "100:1",
    "four_of_a_kind": "50:1",
    "full_house": "20:1",
    "flush": "12:1",
    "straight": "5:1",
    "three_of_a_kind": "3:1",
    "two_pair": "2:1",
    "pair_7_or_better": "1:1",
}


def side_of(hand: Cards) -> str | None:
    """The side wager; no face cards, aces low."""
    values = sorted(points_of_sum(card) for card in hand)
    flush = len({card[1] for card in hand}) == 1
    straight = values == list(range(values[0], values[0] + 5))
    groups = sorted(Counter(values).values(), reverse=True)
    if straight and flush:
        return "straight_flush"
    if groups[0] == 4:
        return "four_of_a_kind"
    if groups == [3, 2]:
        return "full_house"
    if flush:
        return "flush"
    if straight:
        return "straight"
    if groups[0] == 3:
        return "three_of_a_kind"
    if groups == [2, 2, 1]:
        return "two_pair"
    if groups[0] == 2 and next(value for value in values if values.count(value) == 2) >= 7:
        return "pair_7_or_better"
    return None


def score_two_cards_high(line: Json) -> Json:
    if "hands" in line:
        hands = line["hands"]
        names = [name for name in (f"seat{number}" for number in range(1, 8)) if name in hands]
    else:
        names = [f"seat{number + 1}" for number in range(line["seats"])]
        places = [*names, "dealer"]
        hands = {
            name: line["cards"][place : 5 * len(places) : len(places)] for place, name in enumerate(places)
        }
    hands = {name: hands[name] for name in (*names, "dealer")}
    dealer = two_best(hands["dealer"])
    outcome: Json = {}
    bets: Json = {}
    for name in names:
        player, side = two_best(hands[name]), side_of(hands[name])
        if player is None:
            result, bet = "lose_player_not_qualified", LOSE
        elif dealer is None:
            result, bet = "win_dealer_not_qualified", win("1:1")
        elif player == dealer:
            result, bet = "win_tie", win("1:1")
        elif player < dealer:
            result, bet = "lose", LOSE
        elif player[0]:
            result, bet = "win_pair", win("3:2")
        else:
            result, bet = "win", win("1:1")
        outcome[name] = {**standing(player), "result": result, "side": side}
        bets[f"{name}.main"] = bet
        bets[f"{name}.side"] = win(SIDE[side]) if side else LOSE
    outcome["dealer"] = standing(dealer)
    return answer(line, 5 * len(names) + 5, hands, outcome, bets)


def standing(best: tuple[int, int] | None) -> Json:
    if best is None:
        return {"qualifies": False, "kind": None, "rank": None}
    return {"qualifies": True, "kind": ("total", "pair")[best[0]], "rank": best[1]}
