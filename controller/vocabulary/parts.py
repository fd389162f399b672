"""Results, voids and odds: the members that messages of the stream and retained topics share."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.vocabulary.evidence import Evidence
from controller.vocabulary.irregularities import ShoeFate
from controller.vocabulary.limits import Limits
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


class Decision(msgspec.Struct, frozen=True):
    """What a player decides on a hand: play (a further bet appears by itself) or fold."""

    base: str
    """The spot whose bet asks for the decision."""
    raised: str
    """The spot where the further bet appears; no bet is placed there by hand."""
    times: int
    """The further bet is so many times the base bet."""
    forfeits: tuple[str, ...]
    """Spots whose bets are lost when the hand is folded."""


class BettingTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What the bets of a round are taken at: all that whoever takes them must know of the layout."""

    limits: Limits | None = None
    """What a player may stake; null: the house says nothing of it."""
    prices: Prices = "fixed"
    """``fixed``: every bet is paid by the pay table; ``live``: by a price that follows the cards;
    ``additional``: the additional bets by such a price, the main bets by the pay table (2.5.3)."""
    pays: dict[str, PaidBet] = msgspec.field(default_factory=dict)
    """The pay table as people read it: bet -> when it pays what. A bet with live prices is not in it."""
    spots: dict[str, Ratio | None] = msgspec.field(default_factory=dict)
    """Every spot that takes a bet by hand -> what a win pays where that is always the same; null: a live
    price, or the row of ``pays`` that fits. Empty: said by an earlier version."""
    live: tuple[str, ...] | UnsetType = UNSET
    """The spots with live prices, where there are some; a bet on one names its offer."""
    needs: dict[str, str] | UnsetType = UNSET
    """Spot -> the spot that must have a bet of the same player, else this one takes none."""
    decisions: dict[str, Decision] | UnsetType = UNSET
    """Hand -> what is decided on it, where players decide."""


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
