"""What may be staked at a table now, as its stream says it: pure, one step for each message.

The stream is the only clock: bets are open from ``round.opened`` or ``round.bets_opened`` to
``round.bets_closed``, decisions between their two messages, and in a hold nobody does anything.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from controller.outbox.envelope import Envelope, name_of
from controller.vocabulary.errors import NOT_JSON, InputError, why
from controller.vocabulary.limits import Limit, Limits
from controller.vocabulary.messages import (
    RoundBetsOpened,
    RoundDecisionsOpened,
    RoundOdds,
    RoundOpened,
    TableHeld,
    TableResumed,
)
from controller.vocabulary.parts import Decision
from controller.vocabulary.values import Phase

T = TypeVar("T")
PHASES: dict[str, Phase] = {
    "round.opened": "betting",
    "round.bets_opened": "betting",
    "round.bets_closed": "dealing",
    "round.decisions_opened": "decision",
    "round.decisions_closed": "dealing",
    "round.result": "result",
    "round.settled": "settled",
    "round.final": "final",
    "round.void": "void",
}
"""Name of a message about the running round -> the phase after it."""
SHUT = 0
"""Stands in ``Felt.holds`` where the table says that nothing is open though no hold stands, until it says how
it goes on: a hold's own number is at least 1."""
RUNNING = ("betting", "dealing", "decision", "reveal")


class Felt(msgspec.Struct, frozen=True, kw_only=True):
    """The running or last round of a table, and what its layout takes."""

    round: str | None = None
    """Null: none was opened since we listen."""
    game: str = ""
    game_number: str = ""
    phase: Phase = "idle"
    opened_by: str = ""
    """Id of the message that opened the betting round; a bet's ledger lines name it."""
    holds: tuple[int, ...] = ()
    """Numbers of the holds that stand."""
    betting_round: int = 1
    free_hand: bool = False
    limits: Limits | None = None
    spots: dict[str, str | None] = {}
    live: tuple[str, ...] = ()
    open_spots: tuple[str, ...] | None = None
    """The only spots that take bets now that cards lie; null: all."""
    needs: dict[str, str] = {}
    decisions: dict[str, Decision] = {}
    asked: int = 0
    """How often the players of this round were asked to decide; only the last decisions bind."""
    offer: str | None = None
    """Id of the last ``round.odds`` with prices."""
    prices: dict[str, float | None] = {}

    def limit(self, spot: str) -> Limit | None:
        """What a player may have on a spot; None: the house says nothing."""
        return None if self.limits is None else self.limits.of(spot)


def said_in(message: Envelope, shape: type[T]) -> T:
    """The data of a message; :class:`InputError` where it is not what its type promises."""
    try:
        return msgspec.json.decode(message.data, type=shape)
    except NOT_JSON as error:
        raise InputError(f"message {message.id} is no {message.type_}: {why(error)}") from error


def hear(felt: Felt, message: Envelope) -> Felt:
    """The table after the next message of its stream."""
    name = name_of(message.type_) or ""
    if message.sequence == 1:  # of a new journal: it goes on with no round of the one before it
        felt = replace(felt, holds=(), phase="void" if felt.phase in RUNNING else felt.phase, prices={})
    match name:
        case "round.opened":
            return opened(message)
        case "table.held":
            held = said_in(message, TableHeld).hold
            return replace(felt, holds=(*(one for one in felt.holds if one not in (held, SHUT)), held))
        case "table.resumed":
            over = said_in(message, TableResumed)
            left = tuple(one for one in felt.holds if one not in (over.hold, SHUT))
            shut = not left and over.open is False and felt.phase in ("betting", "decision")
            return replace(felt, holds=(SHUT,) if shut else left)
    if felt.round is None or message.subject != felt.round:
        return felt
    if name == "round.odds":
        odds = said_in(message, RoundOdds)
        return felt if odds.offered is UNSET else replace(felt, offer=message.id, prices=odds.offered)
    if name == "round.card" and felt.phase in ("result", "settled"):
        return replace(felt, phase="dealing")  # cards went back and come again
    if name in PHASES:
        felt = replace(felt, phase=PHASES[name], holds=tuple(one for one in felt.holds if one != SHUT))
    if name == "round.bets_opened":
        said = said_in(message, RoundBetsOpened)
        spots = None if said.spots is UNSET else said.spots
        felt = replace(felt, betting_round=said.betting_round, opened_by=message.id, open_spots=spots)
        return shut_by(said, felt)
    if name == "round.decisions_opened":
        return shut_by(said_in(message, RoundDecisionsOpened), replace(felt, asked=felt.asked + 1))
    return replace(felt, prices={}) if name == "round.bets_closed" else felt


def shut_by(said: RoundBetsOpened | RoundDecisionsOpened, felt: Felt) -> Felt:
    """What opens into a hold takes nothing until that is over."""
    return replace(felt, holds=(*felt.holds, SHUT)) if said.open is False else felt


def opened(message: Envelope) -> Felt:
    """The table at the beginning of a round. A hold ends before a round can open."""
    said = said_in(message, RoundOpened)
    return Felt(
        round=said.round,
        game=said.game,
        game_number=said.game_number,
        phase="betting",
        opened_by=message.id,
        free_hand=said.free_hand,
        limits=said.limits,
        spots=said.spots,
        live=said.live or (),
        needs=said.needs or {},
        decisions=said.decisions or {},
    )
