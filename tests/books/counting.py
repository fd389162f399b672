"""What a night of bets is held against: every bet once, every line, every unit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import sqlalchemy as sql

from controller.wagering.database import Books
from controller.wagering.ledger import OWN, faults
from controller.wagering.tables import BETS, LINES


@dataclass
class Figures:
    """What happened in the rounds of a night."""

    rounds: int = 0
    calls: int = 0
    bets: int = 0
    staked: int = 0
    lines: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def check_books(books: Books, mine: set[str], figures: Figures) -> None:
    """Nothing is open, the ledger sums to zero, each bet of ``mine`` (ids) is there once and no other, and
    its player's lines are its stake and what came back. AssertionError where it is not so."""
    with books.read() as connection:
        assert faults(connection) == []
        rows = connection.execute(sql.select(BETS)).all()
        total = sql.func.sum(LINES.c.amount)
        of_players = LINES.c.account.not_like(f"{OWN}%"), LINES.c.bet.is_not(None)
        moved = dict(
            connection.execute(sql.select(LINES.c.bet, total).where(*of_players).group_by(LINES.c.bet)).all()
        )
        lines = sql.select(sql.func.count()).select_from(LINES)
        figures.lines = int(connection.scalar(lines) or 0)
    by_hand = [row for row in rows if not row.spot.endswith(".play")]
    assert {row.id for row in by_hand} == mine
    for row in rows:
        assert row.state in ("settled", "refunded", "undone"), row
        returned = row.stake if row.state == "undone" else row.returned
        assert moved[row.id] == returned - row.stake, row
    figures.bets = len(rows)
    figures.staked = sum(row.stake for row in rows if row.state == "settled")
