"""2 Card Action, read from the document. Numbers are its paragraphs."""

from __future__ import annotations

from tests.vectors.words import LOSE, LOW_ORDER, Json, answer, points_of_sum, win


def are(first: str, second: str, *pairs: str) -> bool:
    """Whether two cards are one of the pairs of ranks, in any order."""
    return any({first[0] + second[0], second[0] + first[0]} & {pair} for pair in pairs)


SUMS = {
    2: 160,
    3: 75,
    4: 50,
    5: 38,
    6: 30,
    7: 25,
    8: 22,
    9: 18,
    10: 16,
    11: 9,
    12: 9,
    13: 10,
    14: 11,
    15: 12,
    16: 13,
    17: 14,
    18: 16,
    19: 18,
    20: 8,
}


def score_two_card_action(line: Json) -> Json:
    first, second = line["cards"][:2]
    total = points_of_sum(first) + points_of_sum(second)
    pair, suited = first[0] == second[0], first[1] == second[1]
    table_2 = line["layout"] == "C"
    bets: Json = {"any_pair": win("11:1") if pair else LOSE}
    bets["field"] = win("1:1") if total in (3, 4, 5, 6, 7, 13, 14, 15, 16, 17) else LOSE
    for value, pays in SUMS.items():
        if not (table_2 and value == 2):
            bets[f"sum_{value}"] = win(f"{pays}:1") if total == value else LOSE
    bets["bonus"] = bonus(first, second, suited)
    bets["ace_plus"] = ace_plus(first, second, suited)
    for rank in LOW_ORDER:
        count = (first[0] == rank) + (second[0] == rank)
        two = "30:1" if suited else "10:1"
        bets[f"single_{rank}"] = (LOSE, win("5:1"), win(two))[count]
    if table_2:
        for rank in LOW_ORDER:
            bets[f"pair_{rank}"] = win("160:1") if pair and first[0] == rank else LOSE
        for suit in "SHDC":
            for rank in LOW_ORDER:
                count = [first, second].count(rank + suit)
                bets[f"card_{rank + suit}"] = (LOSE, win("23:1"), win("100:1"))[count]
    outcome = {"sum": total, "pair": pair, "suited": suited}
    return answer(line, 2, {"first": [first], "second": [second]}, outcome, bets)


def bonus(first: str, second: str, suited: bool) -> Json:
    """4.1"""
    if are(first, second, "A8"):
        return win("30:1" if suited else "15:1")
    if are(first, second, "27", "36", "45"):
        return win("6:1")
    if are(first, second, "K9", "Q9", "J9", "T9"):
        return win("4:1")
    if are(first, second, "A7", "26", "35", "44"):
        return win("2:1")
    if are(first, second, "K8", "Q8", "J8", "T8", "99"):
        return win("1:1")
    return LOSE


def ace_plus(first: str, second: str, suited: bool) -> Json:
    """4.1"""
    if are(first, second, "AA"):
        return win("30:1" if suited else "15:1")
    if are(first, second, "AK", "AQ", "AJ", "AT"):
        return win("10:1" if suited else "4:1")
    if are(first, second, "KK", "QQ", "JJ", "TT"):
        return win("6:1")
    if first[0] == second[0]:
        return win("3:1")
    return win("1:1") if "A" in (first[0], second[0]) else LOSE
