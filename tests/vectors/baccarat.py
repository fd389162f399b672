"""Baccarat, read from the document. Numbers are its paragraphs."""

from __future__ import annotations

from tests.vectors.words import LOSE, PUSH, Cards, Json, answer, points_of_sum, win


def baccarat_points(cards: Cards) -> int:
    """2.4, 2.5"""
    return sum(points_of_sum(card) for card in cards) % 10


def score_baccarat(line: Json) -> Json:
    cards = list(line["cards"])
    player, banker = [cards.pop(0)], [cards.pop(0)]
    player.append(cards.pop(0))
    banker.append(cards.pop(0))
    natural = max(baccarat_points(player), baccarat_points(banker)) > 7
    if not natural:
        player_stands = baccarat_points(player) > 5
        if not player_stands:
            player.append(cards.pop(0))
        if banker_wants(baccarat_points(banker), None if player_stands else baccarat_points(player[2:])):
            banker.append(cards.pop(0))
    totals = baccarat_points(player), baccarat_points(banker)
    winner = "tie" if totals[0] == totals[1] else "player" if totals[0] > totals[1] else "banker"
    pairs = player[0][0] == player[1][0], banker[0][0] == banker[1][0]
    whole = len(player) + len(banker)

    def side(name: str, ratio: str) -> Json:
        return win(ratio) if winner == name else PUSH if winner == "tie" else LOSE

    bets = {
        "player": side("player", "1:1"),
        "banker": side("banker", "0.95:1"),
        "tie": win("8:1") if winner == "tie" else LOSE,
        "player_pair": win("11:1") if pairs[0] else LOSE,
        "banker_pair": win("11:1") if pairs[1] else LOSE,
        "any_pair": win("5:1") if pairs[0] or pairs[1] else LOSE,
        "small": win("3:2") if whole == 4 else LOSE,
        "big": win("0.54:1") if whole > 4 else LOSE,
    }
    outcome = {"winner": winner, "player_total": totals[0], "banker_total": totals[1], "natural": natural}
    return answer(line, whole, {"player": player, "banker": banker}, outcome, bets)


def banker_wants(banker: int, third: int | None) -> bool:
    """2.6 in the words of any book on punto banco."""
    if third is None:
        return banker <= 5
    if banker == 3:
        return third != 8
    if banker in (4, 5, 6):
        return {4: 2, 5: 4, 6: 6}[banker] <= third <= 7
    return banker < 3
