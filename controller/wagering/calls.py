"""What a player asks for: bets, undo, decisions. One call within one transaction; all of it or nothing.

The id of a call makes it happen once: what was answered is kept with what was asked, refusals too, and the
same call gets the same answer, also from a service that was killed in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Annotated, Any, Literal

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import Connection, Row

from controller.outbox.envelope import canonical_json
from controller.vocabulary.limits import Limits
from controller.wagering.ledger import AWAY, STAKES, For, Ledger
from controller.wagering.sessions import check_own_limits
from controller.wagering.slips import STATUS, Refused, Short, Slip, Wanted, check_open, check_round, judge
from controller.wagering.standing import Standing, standing
from controller.wagering.tables import BETS, CALLS, CURRENCY, DECISIONS, now

CallId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{1,100}$(?!\n)")]
"""Chosen by the player, new for each call."""
MOST_BETS = 200
"""In one call."""
_KEEP = sql.insert(CALLS)
_BET = sql.insert(BETS)


class PlaceBets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Take all of these bets or none."""

    id: CallId
    round: str
    bets: Annotated[tuple[Wanted, ...], msgspec.Meta(min_length=1, max_length=MOST_BETS)]


class UndoBets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Give the bets of the last call back, or all of this betting round."""

    id: CallId
    round: str
    all: bool = False


class Decide(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Play or fold a hand."""

    id: CallId
    round: str
    hand: str
    decision: Literal["play", "fold"]


Asked = PlaceBets | UndoBets | Decide
Answer = tuple[int, bytes]
"""Status of HTTP, and the body."""


class PlacedBet(msgspec.Struct, frozen=True, omit_defaults=True):
    """A bet as it was taken."""

    id: str
    spot: str
    stake: int
    offer: str | None = None
    """Of a live price: the id of its ``round.odds``."""
    price: float | None = None


def refusal(code: str, message: str) -> Answer:
    """The answer to a call that is not carried out."""
    return STATUS[code], canonical_json({"error": {"code": code, "message": message}})


UNHEARD = refusal("unavailable", "the table is not heard just now; nothing was done, ask again")


def digest_of(site: str, table: str, asked: Asked) -> str:
    """What was asked for, so that another call with the same id is seen to be another."""
    return hashlib.sha256(canonical_json([site, table, type(asked).__name__, asked])).hexdigest()


def answer(
    connection: Connection,
    site: str,
    table: str,
    player: str,
    asked: Asked,
    *,
    brought_minor: int = 0,
    lends: bool = False,
    heard: bool = True,
) -> Answer:
    """Carry a call out, or say again what was answered to it. ``brought_minor`` came for it from the house's
    wallet; ``lends``: such a wallet may be asked, so :class:`Short` is raised and nothing is kept. ``heard``:
    the books hold all that the table has said; else a new call is not carried out, and not kept, so that it
    may come again."""
    digest = digest_of(site, table, asked)
    # A round is printable; PostgreSQL takes no U+0000 in a text, and would end the whole batch.
    named = asked.round if asked.round.isprintable() else ""
    found = standing(connection, site, table, player, asked.id, named)
    if found.answered is not None:
        before, status, said_before = found.answered
        if before != digest:
            return refusal("id_reused", f"{asked.id} was the id of another call")
        return status, said_before.encode()
    if not heard:
        return UNHEARD
    call = _Call(connection, f"{site}/{table}", found, player, asked.id)
    try:
        check_round(call.felt, asked.round)
        call.bring(brought_minor)
        match asked:
            case PlaceBets():
                said = 201, canonical_json(call.place(asked.bets))
            case UndoBets():
                said = 200, canonical_json(call.undo(everything=asked.all))
            case Decide():
                said = 201, canonical_json(call.decide(asked.hand, asked.decision))
    except Refused as error:
        if lends and isinstance(error, Short):
            raise
        said = refusal(error.code, error.message)
    keep(connection, player, asked.id, digest, said)
    return said


def keep(connection: Connection, player: str, call: str, digest: str, said: Answer) -> None:
    """Keep what was answered to a call."""
    kept = {"player": player, "id": call, "asked": digest, "status": said[0], "answer": said[1].decode()}
    connection.execute(_KEEP, {**kept, "at": now()})


class _Call:
    """One call of one player. What refuses comes before the first thing that is written."""

    def __init__(self, connection: Connection, place: str, found: Standing, player: str, call: str) -> None:
        self.felt = found.felt
        self._found = found
        self._connection = connection
        self._ledger = Ledger(connection, {player: found.account_minor})
        self._place = place
        self._player = player
        self._call = call

    def bring(self, amount_minor: int) -> None:
        """Money for this call from the house's wallet; written only with what it pays for."""
        self._ledger.move(AWAY, self._player, amount_minor, For("debit", call=self._call))

    def place(self, wanted: Sequence[Wanted]) -> Mapping[str, object]:
        check_open(self.felt)
        held = [as_slip(bet) for bet in self._found.bets if bet.state == "open"]
        slips = judge(self.felt, wanted, held)
        check_own_limits(self._connection, self._player, self._found.own_limits, slips, self.felt.decisions)
        taken = self._take(slips)
        return {"bets": taken, "balance": self._shown()}

    def undo(self, *, everything: bool) -> Mapping[str, object]:
        check_open(self.felt)
        now = [
            bet
            for bet in self._found.bets
            if bet.state == "open" and bet.betting_round == self.felt.betting_round
        ]
        back = [bet for bet in now if everything or bet.call == now[-1].call]
        for bet in back:
            self._ledger.move(STAKES, self._player, bet.stake, self._for("undo", bet.id))
        if back:
            changed = sql.update(BETS).where(BETS.c.id.in_([bet.id for bet in back]))
            self._connection.execute(changed.values(state="undone"))
        self._ledger.write()
        return {"bets": [placed(bet) for bet in back], "balance": self._shown()}

    def decide(self, hand: str, decision: str) -> Mapping[str, object]:
        felt = self.felt
        if felt.phase != "decision":
            raise Refused("no decision is open", "decisions_closed")
        if felt.holds:
            raise Refused("the table waits for a supervisor", "table_held")
        if hand not in felt.decisions:
            raise Refused(f"{felt.game} has no decision on {hand[:40]!r}", "unknown_decision")
        terms = felt.decisions[hand]
        base_minor = sum(
            bet.stake for bet in self._found.bets if bet.state == "open" and bet.spot == terms.base
        )
        if not base_minor:
            raise Refused(f"there is no bet on {terms.base}", "required_bet_missing")
        key = {"round": felt.round, "player": self._player, "hand": hand, "asked": felt.asked}
        made = sql.select(DECISIONS.c.decision).where(*(DECISIONS.c[name] == key[name] for name in key))
        if (before := self._connection.scalar(made)) is not None:
            raise Refused(f"{hand}: the decision is {before}", "already_decided")
        raised = [Slip(terms.raised, terms.times * base_minor)] if decision == "play" else []
        taken = self._take(raised)
        self._connection.execute(sql.insert(DECISIONS), {**key, "decision": decision})
        return {"hand": hand, "decision": decision, "bets": taken, "balance": self._shown()}

    def _shown(self) -> int:
        return self._ledger.told(self._player)

    def _take(self, slips: Sequence[Slip]) -> list[PlacedBet]:
        """Write the bets and what they cost; Refused where the balance does not cover all of them."""
        cost, balance = sum(slip.stake_minor for slip in slips), self._ledger.balance(self._player)
        if slips and cost > balance:  # who owes may fold
            raise Short(cost, balance)
        play_for(self._connection, self._found.currency, self.felt.limits)
        rows = [self._row(slip, place) for place, slip in enumerate(slips, len(self._found.bets) + 1)]
        if rows:
            self._connection.execute(_BET, rows)
        for row, slip in zip(rows, slips, strict=True):
            self._ledger.move(self._player, STAKES, slip.stake_minor, self._for("stake", str(row["id"])))
        self._ledger.write()
        return [_placed(str(row["id"]), slip) for row, slip in zip(rows, slips, strict=True)]

    def _row(self, slip: Slip, number: int) -> dict[str, object]:
        return {
            "id": f"{self.felt.round or ''}/{self._player}/{number}",
            "round": self.felt.round,
            "player": self._player,
            "call": self._call,
            "spot": slip.spot,
            "stake": slip.stake_minor,
            "offer": slip.offer,
            "price": None if slip.price is None else str(slip.price),
            "betting_round": self.felt.betting_round,
            "number": number,
            "state": "open",
        }

    def _for(self, what: str, bet: str) -> For:
        opened = f"{self._place}/{self.felt.opened_by}"
        return For(what, message=opened, call=self._call, bet=bet, round=self.felt.round)


def play_for(connection: Connection, ours: str | None, limits: Limits | None) -> None:
    """An account holds money of one currency: that of the first table that said which it plays for.

    Refused at a table with another one than ``ours``: a thousand yen are no thousand cents."""
    if limits is None:
        return
    if ours is None:
        connection.execute(sql.insert(CURRENCY), {"only": 1, "code": limits.currency})
    elif ours != limits.currency:
        raise Refused(f"the table plays for {limits.currency}, the accounts hold {ours}", "other_currency")


def as_slip(row: Row[Any]) -> Slip:
    """A bet of the books as it was wanted."""
    return Slip(row.spot, row.stake, row.offer, None if row.price is None else Decimal(row.price))


def placed(row: Row[Any]) -> PlacedBet:
    """A bet of the books as it is told."""
    return _placed(row.id, as_slip(row))


def _placed(name: str, slip: Slip) -> PlacedBet:
    price = None if slip.price is None else float(slip.price)
    return PlacedBet(name, slip.spot, slip.stake_minor, slip.offer, price)
