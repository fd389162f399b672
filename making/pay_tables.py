"""The heads of config/pay-tables: what ``par`` says of the house's spots, drawn into each file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from controller.games.paytable import load_pay_table
from controller.games.registry import build_game, game_class
from controller.par import spot_returns
from controller.vocabulary.configuration import GameSettings
from making.targets import HOUSE

FOLDER = "config/pay-tables"
BEGIN = "# Returns"
LAYOUT = "A"
"""Of 2 Card Action, where a file does not say for which layouts it is."""


def draw(path: str) -> str:
    """The file with its head as ``par`` draws it now."""
    text = (HOUSE / path).read_text()
    lines = [line for line in text.splitlines() if not line.startswith((BEGIN, "#   "))]
    first = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    return "\n".join([*lines[:first], *head(path), *lines[first:]]) + "\n"


def head(path: str) -> list[str]:
    """A line for each of the house's spots; none where it has none."""
    table = load_pay_table(HOUSE / path)
    if not table.spots:
        return []
    kind = game_class(table.game)
    layout = table.layouts[0] if table.layouts else LAYOUT if kind.layouts else None
    settings = GameSettings(table.game, layout=layout)  # type: ignore[arg-type]
    game = build_game(settings, table)
    returns = spot_returns(game, frozenset(table.spots))
    decks = f"{game.decks} decks" if game.decks > 1 else "one deck"
    where = f"{decks}, layout {layout}" if layout else decks
    wide = max(map(len, table.spots))
    rows = {game.wager(spot): one.share for spot, one in returns.items()}
    return [
        f"{BEGIN} ({where}), drawn by par: share of the stake that comes back, house edge, exactly.",
        *(
            f"#   {wager:{wide}}  {float(share):9.4%}  {float(1 - share):8.4%}  {share}"
            for wager, share in sorted(rows.items())
        ),
    ]


FILES: dict[str, Callable[[], str]] = {
    str(path.relative_to(HOUSE)): partial(draw, str(path.relative_to(HOUSE)))
    for path in sorted((HOUSE / FOLDER).glob("*.toml"))
}
