"""What a page draws: the picture of a table, and its one line on the floor. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal

import msgspec

from controller.board.act import next_act
from controller.board.floor import Seen
from controller.games.two_cards_high import POINTS, Standing

Signal = dict[str, object]
HoldemFlop = tuple[tuple[tuple[str, tuple[str, ...]], ...], tuple[str, ...]]
"""Face-up hands by name, and the flop: what the strength of the hands is counted from."""


class Silence(msgspec.Struct, frozen=True):
    """Why nothing new can come of a table, and since when where that is known."""

    why: Literal["lost", "offline"]
    since: str | None = None


def silence_of(seen: Seen, since: str | None) -> Silence | None:
    """A table whose controller is gone; ``since`` is when the board heard of it, if it did."""
    state = seen.status.get("state") if seen.status else None
    if state == "lost" or state == "offline":
        return Silence(state, since)
    return None


def table_picture(seen: Seen, silence: Silence | None, strength: Mapping[str, object] | None) -> bytes:
    """The whole table as JSON: its display as it came, its alerts, and what we read off them.

    The retained result stands in the display too; without it here one card is one picture.
    """
    display = seen.display or {}
    return msgspec.json.encode(
        {
            "site": seen.key.site,
            "table": seen.key.table,
            "mode": seen.key.mode,
            "path": seen.key.path,
            "silence": silence,
            "display": seen.display,
            "alerts": list(seen.alerts.values()),
            "act": next_act(display) if display else None,
            "sets": sets_of(display),
            "strength": strength,
        }
    )


def floor_line(seen: Seen, silence: Silence | None) -> bytes:
    """The table on the floor page: state, phase, last result and alerts."""
    shown = seen.display or {}
    hold, void, last = shown.get("hold"), shown.get("void"), shown.get("last_results")
    keys = (
        "game",
        "layout",
        "phase",
        "light",
        "game_number",
        "round",
        "countdown_end",
        "last_round",
        "may_open",
        "dealer",
    )
    return msgspec.json.encode(
        {
            "site": seen.key.site,
            "table": seen.key.table,
            "mode": seen.key.mode,
            "path": seen.key.path,
            "silence": silence,
            "known": seen.display is not None,
            **{key: shown.get(key) for key in keys},
            "hold": hold.get("reason") if isinstance(hold, Mapping) else None,
            "void": void.get("reason") if isinstance(void, Mapping) else None,
            "last": last[-1] if isinstance(last, list) and last else None,
            "alerts": list(seen.alerts.values()),
        }
    )


def flop_of(display: Mapping[str, object] | None) -> HoldemFlop | None:
    """The cards that a hold'em hand's strength is counted from, once the flop lies and until the result."""
    if display is None or display.get("game") != "casino-holdem" or display.get("result") is not None:
        return None
    cards = display.get("cards")
    if not isinstance(cards, list) or display.get("void") is not None:
        return None
    lie: dict[str, list[str]] = {}
    for one in cards:
        if isinstance(one, Mapping) and isinstance(one.get("card"), str):
            lie.setdefault(str(one.get("position")), []).append(one["card"])
    hands = tuple((name, tuple(lie[name])) for name in ("hand1", "hand2") if name in lie)
    if len(lie.get("flop", ())) != 3 or not hands or any(len(cards) != 2 for _, cards in hands):
        return None
    return hands, tuple(lie["flop"])


def sets_of(display: Mapping[str, object]) -> dict[str, list[str]] | None:
    """Two Cards High: the two cards that play of each hand that is turned up and qualifies (rule 4)."""
    if display.get("game") != "two-cards-high":
        return None
    lie: dict[str, list[str]] = {}
    cards = display.get("cards")
    for one in cards if isinstance(cards, list) else ():
        if isinstance(one, Mapping) and isinstance(one.get("card"), str):
            lie.setdefault(str(one.get("position")), []).append(one["card"])
    played = {name: best_two(hand) for name, hand in lie.items() if len(hand) == 5}
    return {name: list(two) for name, two in played.items() if two is not None}


def best_two(hand: Sequence[str]) -> tuple[str, str] | None:
    """4 and 5: the best two cards that leave three whose sum is a multiple of ten; None: not qualified."""
    points = [POINTS.get(card[:1], 0) for card in hand]
    total = sum(points)
    best: tuple[Standing, tuple[str, str]] | None = None
    for one, other in combinations(range(len(hand)), 2):
        a, b = points[one], points[other]
        if (total - a - b) % 10:
            continue
        standing = Standing(True, a) if a == b else Standing(False, (a + b) % 10)
        if best is None or standing > best[0]:
            best = standing, (hand[one], hand[other])
    return None if best is None else best[1]
