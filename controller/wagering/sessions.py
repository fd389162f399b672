"""A player's own limits of a session: how much may be lost, and how long be played. It is enforced.

A session begins with a bet and is over when no bet was placed for :data:`REST_S`. What may still be lost is
lost: stakes that are not decided, and the further bet that a decision may ask for, so that no limit makes
anybody fold. A stricter limit counts at once, a looser one a day later.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection

from controller.vocabulary.limits import MOST_STAKE_MINOR
from controller.vocabulary.parts import Decision
from controller.wagering.slips import Refused, Slip
from controller.wagering.tables import BETS, LINES, OWN_LIMITS, ROUNDS

REST_S = 1800
LOOSER_AFTER_S = 86_400
PLAYED = ("stake", "undo", "paid", "refund", "reversal")
"""Movements of an account that are wins and losses."""
MOST_MINUTES = 1440


class OwnLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """As a player sets them; null: none."""

    minutes: Annotated[int, msgspec.Meta(ge=1, le=MOST_MINUTES)] | None = None
    loss: Annotated[int, msgspec.Meta(ge=1, le=MOST_STAKE_MINOR)] | None = None
    """Minor units."""


class ShownLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The limits that count, looser ones that are going to (``later_s``: so many seconds from now), and how
    far the running session is."""

    minutes: int | None
    loss: int | None
    later: OwnLimits | None
    later_s: int | None
    played_minutes: int
    lost: int
    """Negative where the player is ahead."""


class _Kept(msgspec.Struct, frozen=True):
    """Of one player; times in seconds since 1970."""

    now: OwnLimits = OwnLimits()
    later: OwnLimits | None = None
    later_at: int = 0
    began: int = 0
    last: int = 0
    line: int = 0
    """The last line of the ledger before the session."""


_KEPT = sql.select(OWN_LIMITS.c.kept).where(OWN_LIMITS.c.player == sql.bindparam("player"))


def set_limits(
    connection: Connection, player: str, wanted: OwnLimits, now: float | None = None
) -> ShownLimits:
    """Choose them; what is looser than before waits."""
    at = _time(now)
    kept = _fresh(connection, _read(connection, player) or _Kept(), at)
    strict = OwnLimits(
        _stricter(kept.now.minutes, wanted.minutes),
        _stricter(kept.now.loss, wanted.loss),
    )
    waits = strict != wanted
    _write(
        connection,
        player,
        msgspec.structs.replace(
            kept, now=strict, later=wanted if waits else None, later_at=at + LOOSER_AFTER_S if waits else 0
        ),
    )
    return shown(connection, player, at)


def shown(connection: Connection, player: str, now: float | None = None) -> ShownLimits:
    """What a player is told of them."""
    at = _time(now)
    kept = _fresh(connection, _read(connection, player) or _Kept(last=at, began=at), at)
    wait_s = None if kept.later is None else kept.later_at - at
    minutes = (at - kept.began) // 60
    return ShownLimits(
        kept.now.minutes, kept.now.loss, kept.later, wait_s, minutes, _lost(connection, player, kept.line)
    )


def check_own_limits(
    connection: Connection,
    player: str,
    text: str | None,
    slips: Sequence[Slip],
    decisions: dict[str, Decision],
    now: float | None = None,
) -> None:
    """Refused where these bets reach beyond the player's own limits, ``text`` as the books keep them; else
    the session goes on with them."""
    if text is None:
        return
    at = _time(now)
    kept = _fresh(connection, msgspec.json.decode(text, type=_Kept), at)
    if kept.now.minutes is not None and at - kept.began >= 60 * kept.now.minutes:
        raise Refused(f"you wanted to play {kept.now.minutes} minutes at most: take a rest", "session_time")
    if kept.now.loss is not None:
        raises = sum(
            decision.times * slip.stake_minor
            for slip in slips
            for decision in decisions.values()
            if decision.base == slip.spot
        )
        risk = _lost(connection, player, kept.line) + _may_be_raised(connection, player) + raises
        if risk + sum(slip.stake_minor for slip in slips) > kept.now.loss:
            raise Refused(f"you wanted to lose {kept.now.loss} at most in this session", "session_loss")
    _write(connection, player, msgspec.structs.replace(kept, last=at))


def _fresh(connection: Connection, kept: _Kept, at: int) -> _Kept:
    """With a new session where the last one is over, and the looser limits where they have waited."""
    if kept.later is not None and at >= kept.later_at:
        kept = msgspec.structs.replace(kept, now=kept.later, later=None, later_at=0)
    if at - kept.last < REST_S:
        return kept
    line = int(connection.scalar(sql.select(sql.func.max(LINES.c.id))) or 0)
    return msgspec.structs.replace(kept, began=at, last=at, line=line)


def _lost(connection: Connection, player: str, line: int) -> int:
    """Of the bets of this session, and of older ones that are still open: what comes back of those is no
    winnings of this session."""
    mine = LINES.c.account == player, LINES.c.id > line
    staked = sql.select(LINES.c.bet).where(*mine, LINES.c.what == "stake")
    moved = sql.select(sql.func.sum(LINES.c.amount)).where(
        *mine, LINES.c.what.in_(PLAYED), LINES.c.bet.in_(staked)
    )
    older = sql.select(sql.func.sum(BETS.c.stake)).where(
        BETS.c.player == player, BETS.c.state == "open", BETS.c.id.not_in(staked)
    )
    return int(connection.scalar(older) or 0) - int(connection.scalar(moved) or 0)


def _may_be_raised(connection: Connection, player: str) -> int:
    """What decisions on the open bets may still ask for."""
    rows = sql.select(BETS.c.round, BETS.c.spot, BETS.c.stake, ROUNDS.c.decisions).join(
        ROUNDS, ROUNDS.c.round == BETS.c.round
    )
    lies: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in connection.execute(rows.where(BETS.c.player == player, BETS.c.state == "open")):
        lies[row.round, row.decisions][row.spot] += row.stake
    found = 0
    for (_, text), stakes in lies.items():
        for decision in msgspec.json.decode(text, type=dict[str, Decision]).values():
            if decision.raised not in stakes:
                found += decision.times * stakes.get(decision.base, 0)
    return found


def _stricter(before: int | None, wanted: int | None) -> int | None:
    given = [one for one in (before, wanted) if one is not None]
    return min(given) if given else None


def _time(now: float | None) -> int:
    return int(time.time() if now is None else now)


def _read(connection: Connection, player: str) -> _Kept | None:
    kept = connection.scalar(_KEPT, {"player": player})
    return None if kept is None else msgspec.json.decode(kept, type=_Kept)


def _write(connection: Connection, player: str, kept: _Kept) -> None:
    text = msgspec.json.encode(kept).decode()
    changed = sql.update(OWN_LIMITS).where(OWN_LIMITS.c.player == player).values(kept=text)
    if not connection.execute(changed).rowcount:
        connection.execute(sql.insert(OWN_LIMITS), {"player": player, "kept": text})
