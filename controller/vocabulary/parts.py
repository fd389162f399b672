"""Results, voids and odds: the members that messages of the stream and retained topics share."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.vocabulary.evidence import Evidence
from controller.vocabulary.irregularities import ShoeFate
from controller.vocabulary.outcomes import Score
from controller.vocabulary.values import CardName, Count, MessageId, Nonce, PayTableName, Place, Ratio, Sha256

Prices = Literal["fixed", "live", "additional"]


class HandStrength(msgspec.Struct, frozen=True):
    """Exact counts over all unseen dealer hands, turns and rivers."""

    win: Count
    tie: Count
    lose: Count
    total: Count


class OddsBody(msgspec.Struct, frozen=True, kw_only=True):
    """Prices of the bets that are open now (baccarat), or the strength of the hands (casino-holdem)."""

    betting_round: Place | UnsetType = UNSET
    """Baccarat: the one that is open, from 1."""
    suspended: bool | UnsetType = UNSET
    """No bet is taken: bets are closed, the table holds, or nobody can say what the next card may be."""
    probabilities: dict[str, float] | UnsetType = UNSET
    """Spot -> probability."""
    fair: dict[str, float | None] | UnsetType = UNSET
    """Spot -> decimal price; null where it cannot win."""
    offered: dict[str, float | None] | UnsetType = UNSET
    """Spot -> decimal price less the margin; null where no bet is taken. A bet names the message's id. A spot
    that is not here is paid by the pay table."""
    strength: dict[str, HandStrength] | UnsetType = UNSET
    """Hand -> counts, while the players decide."""


class PaidRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a pay table as people read it."""

    when: str
    """On which condition; empty: in any other case."""
    result: Literal["win", "push", "lose", "not_placed"]
    """How the bet ends then."""
    pays: Ratio | None
    """Where it wins."""
    says: str | UnsetType = UNSET
    """The words of the rules, where the table has them."""


class PaidBet(msgspec.Struct, frozen=True, kw_only=True):
    """A bet as the pay table names it."""

    rows: tuple[PaidRow, ...]
    """In order: the first that fits counts; where none fits the bet loses."""
    name: str | dict[str, str] | UnsetType = UNSET
    """Of a house's own spot, for people: in every language, or by the code of a language."""


class ResultBody(Score, frozen=True, kw_only=True):
    """The answer of ``score`` as it stands."""

    revision: Place
    """1; one more each time a result is put right."""
    replaces: MessageId | None
    """The result that this one takes the place of."""
    pay_table: PayTableName
    """What winning bets are paid by."""
    rules: str
    """Version of the rules."""


class RevealedCard(msgspec.Struct, frozen=True):
    """A card that lay face down: ``commitment`` is the SHA-256 of ``nonce`` and ``card``."""

    position: str
    index: Place
    card: CardName
    nonce: Nonce
    commitment: Sha256


class ReservedCard(msgspec.Struct, frozen=True, kw_only=True):
    """A card that is the first of the next round; nobody names it before."""

    draw: Place
    """Among the draws of the shoe, from 1."""
    card: None = None
    commitment: Sha256
    """SHA-256 of the nonce's hex text followed by the card."""


class VoidNotice(msgspec.Struct, frozen=True, kw_only=True):
    """Why a round is annulled. All stakes go back; a result that was published is taken back."""

    reason: Annotated[str, Meta(description="foreign_card, excess, shortage, wrong_card_count, ...")]
    """Its code."""
    rule: str | None
    """The paragraph; null where the game's document has none."""
    evidence: tuple[Evidence, ...]
    """What was found."""
    retracts: MessageId | None
    """Id of the result that is taken back."""
    bets: Literal["refund"]
    """All stakes go back."""
    shoe: ShoeFate
    """Whether it may be dealt from again."""
    by: str
    """Badge; ``controller`` where the finding voids by itself."""
    note: str | None
    """What was written beside it."""
    reserved: ReservedCard | UnsetType = UNSET
    """The card that stays kept as the first of the next round."""
