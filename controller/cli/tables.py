"""Answers as tables for people: what the questions print without ``--json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from controller.cli.telling import columns
from controller.vocabulary.outcomes import Score, SpotOutcome
from controller.vocabulary.parts import HandStrength
from controller.vocabulary.scoreboard import BigRoadEntry
from controller.vocabulary.shown import counted

if TYPE_CHECKING:  # `dealer-table roads` pays for no game and no odds
    from controller.odds.counting import HouseEdges
    from controller.odds.prices import Prices
    from controller.settlement import Settlement

ALL_SHOWN = 12
"""A layout of at most so many spots is shown whole, of a larger one only what does not lose."""

Json = Mapping[str, Any]
_SIDES = {"player": "P", "banker": "B", "tie": "T"}
_COLOURS = {"red": "R", "blue": "b", None: "-"}
_DERIVED = ("big_eye_boy", "small_road", "cockroach_pig")


def score_table(answer: Score, given: int | None = None) -> list[str]:
    """Hands, outcome, spots. ``given``: the cards of the line; those behind the last are a surplus."""
    state = "complete" if answer.needs is None else f"not complete: the next card lies at {answer.needs}"
    lines = [f"{answer.game}, {counted(answer.used, 'card')} used, {state}"]
    if given is not None and (surplus := given - answer.used) > 0:
        lines.append(f"SURPLUS: the round was over before the last {surplus} of the {given} cards")
    lines.append("")
    hands = answer.hands if answer.board is UNSET else {**answer.hands, "board": answer.board}
    lines += columns([(name, " ".join(cards) or "-") for name, cards in hands.items()])
    if not answer.complete:
        return lines
    return [*lines, "", *_outcome(msgspec.to_builtins(answer.outcome)), "", *_spots(answer.bets)]


def settle_table(answer: Settlement) -> list[str]:
    """Bets, then the sums; all money in minor units."""
    head = ("spot", "stake", "result", "pays", "returned")
    rows = [
        (bet.spot, bet.stake_minor, _words(bet.result), bet.pays, bet.returned_minor) for bet in answer.bets
    ]
    sums = columns(
        [("staked", answer.staked_minor), ("returned", answer.returned_minor), ("net", answer.net_minor)],
        right=(1,),
    )
    return [*columns([head, *rows], right=(1, 3, 4)), "", *sums]


def odds_table(answer: HouseEdges | Prices | Mapping[str, HandStrength]) -> list[str]:
    """What the house keeps of each spot; or its probability and prices; or the chances of each hand."""
    from controller.odds.counting import HouseEdges
    from controller.odds.prices import Prices

    if isinstance(answer, HouseEdges):
        edges = [
            (spot, f"{chance:.6%}", f"{answer.house_edge[spot]:+.4%}")
            for spot, chance in answer.probabilities.items()
        ]
        return columns([("spot", "probability", "house edge"), *edges], right=(1, 2))
    if isinstance(answer, Prices):
        spots = [
            (spot, f"{chance:.6%}", _price(answer.fair[spot], 4), _price(answer.offered[spot], 2))
            for spot, chance in answer.probabilities.items()
        ]
        return columns([("spot", "probability", "fair", "offered"), *spots], right=(1, 2, 3))
    rows = [
        (hand, *(f"{ways} ({ways / one.total:.2%})" for ways in (one.win, one.tie, one.lose)), one.total)
        for hand, one in answer.items()
    ]
    return columns([("hand", "win", "tie", "lose", "of"), *rows], right=(1, 2, 3, 4))


def _outcome(outcome: Json) -> list[str]:
    """One line a fact; where each hand has its own, one line a hand."""
    rows = []
    for name, value in outcome.items():
        facts = value.items() if isinstance(value, Mapping) else [("", value)]
        rows.append((_words(name), ", ".join(f"{_words(key)} {_words(fact)}".strip() for key, fact in facts)))
    return columns(rows)


def _spots(bets: Mapping[str, SpotOutcome]) -> list[str]:
    shown = {spot: bet for spot, bet in bets.items() if len(bets) <= ALL_SHOWN or bet.result != "lose"}
    rows: Sequence[Sequence[object]] = [(spot, _words(bet.result), bet.pays) for spot, bet in shown.items()]
    lines = columns([("spot", "result", "pays"), *rows], right=(2,))
    lost = len(bets) - len(shown)
    return [*lines, f"and {counted(lost, 'spot')} that lose{'s' if lost == 1 else ''}"] if lost else lines


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return " ".join(map(_words, value)) or "-"
    return "-" if value is None else str(value).replace("_", " ")


def _price(price: float | None, places: int) -> str:
    return "-" if price is None else f"{price:.{places}f}"


def roads_table(answer: Mapping[str, Any]) -> list[str]:
    """The bead plate in order of play, the big road as drawn, the derived roads, the ask-road."""
    ask = answer["ask"]
    asked = [
        (f"if {side} is next", *(_COLOURS[colour] for colour in colours))
        for side, colours in (("player", ask.player), ("banker", ask.banker))
    ]
    derived = [(_words(road), _runs(answer[road])) for road in _DERIVED]
    return [
        f"bead plate  {''.join(_SIDES[result['winner']] for result in answer['bead']) or '-'}",
        "",
        "big road (P player, B banker, a digit: ties after it)",
        *_big_road(answer["big_road"]),
        "",
        "derived roads (R red, b blue)",
        *columns(derived),
        "",
        *columns([("", *map(_words, _DERIVED)), *asked]),
    ]


def _big_road(entries: Sequence[BigRoadEntry]) -> list[str]:
    if not entries:
        return ["-"]
    across = max(entry.column for entry in entries) + 1
    down = max(entry.row for entry in entries) + 1
    grid = [["  "] * across for _ in range(down)]
    for entry in entries:
        ties = str(min(entry.ties, 9)) if entry.ties else " "
        grid[entry.row][entry.column] = _SIDES[entry.winner] + ties
    return ["".join(row).rstrip() for row in grid]


def _runs(colours: Sequence[str]) -> str:
    """Runs of one colour stand together, as they would in a column."""
    return " ".join("".join(_COLOURS[colour] for colour in run) for _, run in groupby(colours)) or "-"
