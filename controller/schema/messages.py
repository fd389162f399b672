"""The data of every message of the stream."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.schema.outcomes import GameName, Score
from controller.schema.values import (
    CardName,
    Count,
    Evidence,
    GameNumber,
    MessageId,
    PayTableName,
    Place,
    RoundId,
    Sha256,
    VoidNotice,
)


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what stands in ``data``."""


class OfRound(Message, frozen=True, kw_only=True):
    """A message about one round; ``subject`` of the envelope says the same."""

    round: RoundId


class ShoeStarted(Message, frozen=True, kw_only=True):
    """A load of the shoe is in use. ``cards`` were counted in, ``expected`` make the set."""

    shoe: Place
    set: str | None
    decks: Place
    cards: Count
    expected: Count
    shuffled: bool


class ShoeBurned(Message, frozen=True, kw_only=True):
    """A card left the shoe and counts nowhere; it is named only where the burn count is turned up."""

    shoe: Place
    draw: Place
    card: CardName | None
    cards: Place
    pending: Count
    """Burns still to come."""


class ShoeEnded(Message, frozen=True, kw_only=True):
    """No further round from this load."""

    shoe: Place
    set: str | None
    reason: str
    drawn: Count
    left: int
    """By the count; negative where more came out than went in."""


class RoundOpened(OfRound, frozen=True, kw_only=True):
    """ "Place your bets, please"."""

    game: GameName
    game_number: GameNumber
    shoe: Place
    last_round: bool
    """Of this shoe."""
    free_hand: bool
    """Dealt without bets."""
    pay_table: PayTableName
    rules: str


class RoundBetsOpened(OfRound, frozen=True, kw_only=True):
    """Bets are open again, in a game with several betting rounds."""

    betting_round: Place


class RoundBetsClosed(OfRound, frozen=True, kw_only=True):
    """ "No more bets"."""

    by: Literal["button", "timer", "first_card", "free_hand", "supervisor"]
    betting_round: Place


class RoundCard(OfRound, frozen=True, kw_only=True):
    """A card has its place. One that lies face down has ``card`` null and a commitment."""

    position: str
    card: CardName | None
    index: Place
    """Among the cards of the round, from 1."""
    draw: Place
    """Among the draws of the shoe, from 1."""
    shoe: Place
    commitment: Sha256 | UnsetType = UNSET
    """SHA-256 of the nonce's hex text followed by the card."""
    entered_by: str | UnsetType = UNSET
    """Badge of the supervisor who named a card that was not read."""


class HandStrength(msgspec.Struct, frozen=True):
    """Exact counts over all unseen dealer hands, turns and rivers."""

    win: Count
    tie: Count
    lose: Count
    total: Count


class OddsBody(Message, frozen=True, kw_only=True):
    """Prices of the bets that are open now (baccarat), or the strength of the hands (casino-holdem)."""

    betting_round: Place | UnsetType = UNSET
    suspended: bool | UnsetType = UNSET
    """No prices: the table holds, or the composition does not say what the next card may be."""
    probabilities: dict[str, float] | UnsetType = UNSET
    """Spot -> probability."""
    fair: dict[str, float | None] | UnsetType = UNSET
    """Spot -> decimal price; null where it cannot win."""
    offered: dict[str, float | None] | UnsetType = UNSET
    """Spot -> decimal price less the margin; null where no bet is taken. A bet names the message's id."""
    strength: dict[str, HandStrength] | UnsetType = UNSET
    """Hand -> counts, while the players decide."""


class RoundOdds(OddsBody, frozen=True, kw_only=True):
    """Odds of this moment."""

    round: RoundId


class RoundDecisionsOpened(OfRound, frozen=True, kw_only=True):
    """Players play or fold; ``decision_s`` 0: until the dealer closes."""

    decision_s: Count


class RoundDecisionsClosed(OfRound, frozen=True, kw_only=True):
    """Who has not decided is folded."""

    by: Literal["button", "timer", "supervisor"]
    undecided: Literal["fold"]


class RevealedCard(msgspec.Struct, frozen=True):
    """A card that lay face down: ``commitment`` is the SHA-256 of ``nonce`` and ``card``."""

    position: str
    index: Place
    card: CardName
    nonce: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    commitment: Sha256


class RoundRevealed(OfRound, frozen=True, kw_only=True):
    """The cards that lay face down."""

    cards: tuple[RevealedCard, ...]


class ResultBody(Score, frozen=True, kw_only=True):
    """The answer of ``score`` as it stands."""

    revision: Place
    replaces: MessageId | None
    """The result that this one takes the place of."""
    pay_table: PayTableName
    rules: str


class RoundResult(ResultBody, frozen=True, kw_only=True):
    """The result: pay on it; reverse on ``round.void`` or on a result that ``replaces`` it."""

    round: RoundId


class RoundSettled(OfRound, frozen=True, kw_only=True):
    """The dealer has settled all bets on this revision."""

    revision: Count


class RoundFinal(OfRound, frozen=True, kw_only=True):
    """The next round has begun: this one can no longer be voided."""

    revision: Count


class RoundVoid(VoidNotice, frozen=True, kw_only=True):
    """The round is annulled."""

    round: RoundId


class TableOpened(Message, frozen=True, kw_only=True):
    """A gaming day begins at this table."""

    by: str
    gaming_day: str | None


class TableClosed(Message, frozen=True, kw_only=True):
    """No further round opens; one that runs is played to its end."""

    by: str
    gaming_day: str | None
    in_round: bool


class TableHeld(Message, frozen=True, kw_only=True):
    """The table waits for a supervisor."""

    round: RoundId | None
    reason: str
    evidence: tuple[Evidence, ...]
    choices: tuple[str, ...]


class TableResumed(Message, frozen=True, kw_only=True):
    """A hold is over."""

    round: RoundId | None
    reason: str
    choice: str
    by: str
    note: str | None
    returned: Count | UnsetType = UNSET
    """Cards that went back into the shoe."""
    entered_by: str | UnsetType = UNSET


class AlertRaised(Message, frozen=True, kw_only=True):
    """A person is needed; retained under ``alerts/<id>`` until it is cleared."""

    id: str
    code: str
    message: str
    cards: Count | UnsetType = UNSET
    expected: Count | UnsetType = UNSET


class AlertCleared(Message, frozen=True, kw_only=True):
    """Its cause is gone, or somebody has seen to it."""

    id: str
    code: str
    by: str | None


class DeviceLost(Message, frozen=True, kw_only=True):
    """A device does not answer."""

    device: str
    reason: str


class DeviceRestored(Message, frozen=True, kw_only=True):
    """It answers again."""

    device: str
    identity: str | None


class EpochStarted(Message, frozen=True, kw_only=True):
    """A unit was replaced: consumers accept the larger epoch only with an alarm.

    What ``previous`` said above ``last_acknowledged`` may have reached nobody. The round that was running
    there follows as ``round.void``, one that was settled as ``round.final``.
    """

    previous: Place
    """The epoch that ended."""
    last_acknowledged: dict[str, Count]
    """Consumer -> the last sequence of ``previous`` that it acknowledged, as far as the new unit knows."""
    round: RoundId | None
    """The last round of ``previous``, where it had not ended."""
    by: str
    note: str | None


MESSAGES: dict[str, type[msgspec.Struct]] = {
    "shoe.started": ShoeStarted,
    "shoe.burned": ShoeBurned,
    "shoe.ended": ShoeEnded,
    "round.opened": RoundOpened,
    "round.bets_opened": RoundBetsOpened,
    "round.bets_closed": RoundBetsClosed,
    "round.card": RoundCard,
    "round.odds": RoundOdds,
    "round.decisions_opened": RoundDecisionsOpened,
    "round.decisions_closed": RoundDecisionsClosed,
    "round.revealed": RoundRevealed,
    "round.result": RoundResult,
    "round.settled": RoundSettled,
    "round.final": RoundFinal,
    "round.void": RoundVoid,
    "table.opened": TableOpened,
    "table.closed": TableClosed,
    "table.held": TableHeld,
    "table.resumed": TableResumed,
    "alert.raised": AlertRaised,
    "alert.cleared": AlertCleared,
    "device.lost": DeviceLost,
    "device.restored": DeviceRestored,
    "epoch.started": EpochStarted,
}
"""Name, as in ``dealertable.<name>.v1`` -> shape of ``data``."""
