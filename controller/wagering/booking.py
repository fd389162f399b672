"""What a message of the stream does to bets: folds, refunds, pays and takes back. Within one transaction.

A round's money is what ``settle`` says of the last word on it. Each word first takes back what an earlier one
paid, so it does not matter how often a result is replaced, and a void gives back what was staked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sql
from msgspec import UNSET
from sqlalchemy.engine import Connection, Row

from controller.outbox.envelope import Envelope, name_of
from controller.settlement import Bet, SettledBet, pay
from controller.vocabulary.messages import RoundBetsClosed, RoundDecisionsClosed, RoundFinal
from controller.vocabulary.outcomes import SpotOutcome
from controller.vocabulary.parts import Decision
from controller.vocabulary.values import PayTableName
from controller.wagering.felt import Felt, said_in
from controller.wagering.ledger import BANK, STAKES, For, Ledger
from controller.wagering.tables import BETS, DECISIONS, ROUNDS, BooksError

Bets = Sequence[Row[Any]]


class Result(msgspec.Struct, frozen=True):
    """What we read of ``round.result``."""

    bets: dict[str, SpotOutcome]
    hands: dict[str, tuple[str, ...]]
    board: tuple[str, ...] = ()
    revision: int = 1
    pay_table: PayTableName | None = None
    rules: str | None = None


class Booking:
    """Books one message; ``felt`` is the table after it."""

    def __init__(self, connection: Connection, place: str, felt: Felt, message: Envelope) -> None:
        """``place``: ``<site>/<table>``."""
        self._connection = connection
        self._ledger = Ledger(connection)
        site, _, table = place.partition("/")
        self._here = ROUNDS.c.site == site, ROUNDS.c.table == table
        self._place = place
        self._felt = felt
        self._message = message
        self._round = message.subject or ""
        self._id = f"{place}/{message.id}"
        self.decides = False
        """Whether it is a word on a round in which somebody bet."""

    def book(self) -> None:
        """Do what the message asks for, and write it."""
        if self._message.sequence == 1:
            self._begin_epoch()
        match name_of(self._message.type_):
            case "round.opened":
                self._opened()
            case "round.bets_closed":
                seats = said_in(self._message, RoundBetsClosed).seats
                if seats is not UNSET:
                    self._refund(bet for bet in self._bets() if not has_cards(bet.spot, seats))
            case "round.decisions_opened":
                self._decisions_bind_nobody()
            case "round.decisions_closed":
                if said_in(self._message, RoundDecisionsClosed).undecided == "fold":
                    self._fold_undecided()
                else:
                    self._decisions_bind_nobody()
            case "round.result":
                result = said_in(self._message, Result)
                self._reverse()
                self._pay(result)
                self._tell(result=self._message.id, revision=result.revision)
            case "round.void":
                self._reverse()
                self._refund(self._bets())
                self._tell(void=self._message.id)
            case "round.final":
                self._tell(final=said_in(self._message, RoundFinal).revision)
        self._ledger.write()

    def _begin_epoch(self) -> None:
        """A new journal knows no bet of the one before it: what nobody has decided by now, nobody will.
        The void of a round that a replaced unit left behind finds it given back."""
        self._refund(self._rows(BETS.c.state == "open"))

    def _opened(self) -> None:
        site, _, table = self._place.partition("/")
        row = {
            "round": self._round,
            "site": site,
            "table": table,
            "game": self._felt.game,
            "game_number": self._felt.game_number,
            "opened_at": self._message.time,
            "decisions": msgspec.json.encode(self._felt.decisions).decode(),
        }
        self._connection.execute(sql.insert(ROUNDS), row)

    def _tell(self, **said: str | int) -> None:
        changed = sql.update(ROUNDS).where(ROUNDS.c.round == self._round, *self._here)
        self._connection.execute(changed.values(**said))
        anybody = sql.select(BETS.c.id).where(BETS.c.round == self._round).limit(1)
        self.decides = self._connection.scalar(anybody) is not None

    def _bets(self, state: str = "open") -> Bets:
        return self._rows(BETS.c.round == self._round, BETS.c.state == state)

    def _rows(self, *which: sql.ColumnElement[bool]) -> Bets:
        """Bets of this table: no message of another one touches them, whatever round it names."""
        rows = sql.select(BETS).join(ROUNDS, ROUNDS.c.round == BETS.c.round).where(*self._here, *which)
        return self._connection.execute(rows.order_by(BETS.c.round, BETS.c.player, BETS.c.number)).all()

    def _decisions(self) -> dict[str, Decision]:
        """What is decided on each hand of this round; nothing where it opened before we listened."""
        said = self._connection.scalar(sql.select(ROUNDS.c.decisions).where(ROUNDS.c.round == self._round))
        return {} if said is None else msgspec.json.decode(said, type=dict[str, Decision])

    def _made(self) -> dict[str, dict[str, str]]:
        """Player -> hand -> decision, as far as they bind."""
        made: dict[str, dict[str, str]] = defaultdict(dict)
        binding = sql.select(DECISIONS).where(
            DECISIONS.c.round == self._round, DECISIONS.c.asked == self._felt.asked
        )
        for row in self._connection.execute(binding):
            made[row.player][row.hand] = row.decision
        return made

    def _fold_undecided(self) -> None:
        """AUTO FOLDED: a hand with a bet that asks for a decision, and none was made."""
        made, decisions = self._made(), self._decisions()
        rows = {
            (bet.player, hand)
            for bet in self._bets()
            for hand, decision in decisions.items()
            if bet.spot == decision.base and hand not in made[bet.player]
        }
        if rows:
            common = {"round": self._round, "asked": self._felt.asked, "decision": "auto"}
            folded = [{"player": player, "hand": hand, **common} for player, hand in sorted(rows)]
            self._connection.execute(sql.insert(DECISIONS), folded)

    def _decisions_bind_nobody(self) -> None:
        """All decide anew: what was staked by playing comes back."""
        raised = {decision.raised for decision in self._decisions().values()}
        self._reverse()
        self._refund(bet for bet in self._bets() if bet.spot in raised)

    def _pay(self, result: Result) -> None:
        decisions, made = self._decisions(), self._made()
        raised = {decision.raised for decision in decisions.values()}
        by_player: dict[str, list[Row[Any]]] = defaultdict(list)
        for bet in self._bets():
            by_player[bet.player].append(bet)
        paid: list[tuple[Row[Any], SettledBet]] = []
        for player, bets in by_player.items():
            placed = [bet for bet in bets if bet.spot not in raised]
            grown = {bet.spot: bet for bet in bets if bet.spot in raised}
            played = frozenset(hand for hand, made_ in made[player].items() if made_ == "play")
            settled = pay(decisions, result.bets, [as_bet(bet) for bet in placed], played)
            paid += zip(placed, settled, strict=False)
            for one in settled[len(placed) :]:
                if one.stake_minor != getattr(grown.get(one.spot), "stake", 0):
                    raise BooksError(f"{self._id}: {player} has another stake on {one.spot} than was played")
                if one.stake_minor:
                    paid.append((grown[one.spot], one))
        for bet, one in paid:
            self._ledger.move(STAKES, BANK, bet.stake, self._for("lost", bet))
            self._ledger.move(BANK, bet.player, one.returned_minor, self._for("paid", bet))
        self._mark("settled", [(bet, one.result, one.returned_minor) for bet, one in paid])

    def _refund(self, bets: Iterable[Row[Any]]) -> None:
        back = list(bets)
        for bet in back:
            self._ledger.move(STAKES, bet.player, bet.stake, self._for("refund", bet))
        self._mark("refunded", [(bet, "push", bet.stake) for bet in back])

    def _reverse(self) -> None:
        """Take back what was paid on an earlier word about this round."""
        settled = self._bets("settled")
        for bet in settled:
            self._ledger.move(bet.player, BANK, bet.returned, self._for("reversal", bet))
            self._ledger.move(BANK, STAKES, bet.stake, self._for("reversal", bet))
        self._mark("open", [(bet, None, None) for bet in settled])

    def _mark(self, state: str, bets: Sequence[tuple[Row[Any], str | None, int | None]]) -> None:
        if not bets:
            return
        changed = sql.update(BETS).where(BETS.c.id == sql.bindparam("bet"))
        values = {"state": state, "result": sql.bindparam("came"), "returned": sql.bindparam("back")}
        rows = [{"bet": bet.id, "came": result, "back": returned} for bet, result, returned in bets]
        self._connection.execute(changed.values(**values), rows)

    def _for(self, what: str, bet: Row[Any]) -> For:
        return For(what, message=self._id, bet=bet.id, round=bet.round)


def as_bet(row: Row[Any]) -> Bet:
    """A bet of the books as the settlement takes it."""
    return Bet(row.spot, row.stake, row.id, None if row.price is None else Decimal(row.price))


def has_cards(spot: str, seats: Collection[int]) -> bool:
    """Whether a spot is of a seat that is dealt to: ``seat3.main``."""
    return seat_of(spot) in seats


def seat_of(spot: str) -> int:
    """The number of the seat that a spot belongs to; 0 where it belongs to none."""
    seat = spot.partition(".")[0].removeprefix("seat")
    return int(seat) if seat.isdecimal() else 0
