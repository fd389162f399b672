"""What was tried: each fault in each phase of each game. A cell that cannot be is named with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tests.simulation.drawing import GAMES
from tests.simulation.plan import PHASES

IMPOSSIBLE: dict[tuple[str, str], str] = {
    ("decision", "2-card-action"): "nobody decides",
    ("decision", "baccarat"): "nobody decides",
    ("decision", "two-cards-high"): "nobody decides",
    ("reveal", "2-card-action"): "no card lies face down",
}
"""Phase and game -> why no fault can come there."""


def cells(faults: Iterable[str], one_game: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Every fault, phase and game that can be; ``one_game``: fault -> the only game in which it comes."""
    return [
        (fault, phase, game)
        for fault in faults
        for phase in PHASES
        for game in GAMES
        if (phase, game) not in IMPOSSIBLE and one_game.get(fault, game) == game
    ]


def empty_cells(happened: Mapping[str, int], faults: Iterable[str], one_game: Mapping[str, str]) -> list[str]:
    """The cells in which nothing was tried."""
    return ["/".join(cell) for cell in cells(faults, one_game) if not happened.get("/".join(cell))]


def table_of_what_happened(happened: Mapping[str, int], faults: Iterable[str]) -> str:
    """Faults by phases, all games together, and the smallest number of one game."""
    rows = [f"{'fault':22}" + "".join(f"{phase:>10}" for phase in PHASES)]
    for fault in faults:
        counted = [sum(happened.get(f"{fault}/{phase}/{game}", 0) for game in GAMES) for phase in PHASES]
        rows.append(f"{fault:22}" + "".join(f"{number:10}" for number in counted))
    return "\n".join(rows)


def table_of_unnoticed(unnoticed: Counter[str]) -> str:
    """Why nobody could notice, and how often."""
    return "\n".join(f"{times:8} {why}" for why, times in unnoticed.most_common()) or "    none"
