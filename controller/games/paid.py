"""A pay table as people read it: by bet, on which condition it wins, and what it pays then."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import UNSET

from controller.games.game import Game
from controller.games.house_spots import Scalar, SpotRow
from controller.vocabulary.parts import PaidBet, PaidRow


def paid_by(game: Game, live: Collection[str] = ()) -> dict[str, PaidBet]:
    """The bets of the layout as the pay table names them, without the spots that have ``live`` prices."""
    table = game.pay_table
    shown = {spot for spot in game.spots() if spot not in live}
    own = {spot for spot in shown if game.wager(spot) not in table.spots}
    rows: dict[str, list[PaidRow]] = {}
    for row in table.rows:
        paid = game.paid_spots(row.key)
        if not paid or own.intersection(paid):
            line = PaidRow(when=row.when, result="win", pays=row.pays, says=row.says or UNSET)
            rows.setdefault(row.bet, []).append(line)
    found = {bet: PaidBet(rows=tuple(lines)) for bet, lines in rows.items()}
    wagers = {game.wager(spot) for spot in shown}
    for name, spot in table.spots.items():
        if name in wagers:
            found[name] = PaidBet(name=spot.name or UNSET, rows=tuple(map(_in_words, spot.rows)))
    return found


def spots_pay(game: Game, live: Collection[str] = ()) -> dict[str, str | None]:
    """Every spot that takes a bet by hand -> what a win pays where that is always the same, else None."""
    table = game.pay_table
    wins: dict[str, set[str | None]] = {}
    for row in table.rows:
        for spot in game.paid_spots(row.key):
            wins.setdefault(spot, set()).add(row.pays)
    for spot in game.spots():
        if (house := table.spots.get(game.wager(spot))) is not None:
            wins[spot] = {row.outcome.pays for row in house.rows if row.outcome.result == "win"}
    automatic = {decision.raised for decision in game.decisions().values()}
    return {
        spot: next(iter(pays)) if spot not in live and len(pays := wins.get(spot, set())) == 1 else None
        for spot in game.spots()
        if spot not in automatic
    }


def _in_words(row: SpotRow) -> PaidRow:
    conditions = ", ".join(_condition(field, value) for field, value in row.when.items())
    outcome = row.outcome
    return PaidRow(when=conditions, result=outcome.result, pays=outcome.pays)


def _condition(field: str, value: Scalar | tuple[Scalar, ...]) -> str:
    """``pair``, ``not suited``, ``banker_total 7 or 8``."""
    if isinstance(value, bool):
        return field if value else f"not {field}"
    return f"{field} {' or '.join(map(str, value)) if isinstance(value, tuple) else value}"
