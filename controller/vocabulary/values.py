"""Values that stand in many messages."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

CardName = Annotated[str, Meta(pattern="^[A23456789TJQK][SHDC]$", description="rank then suit: TH")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256, hex")]
Moment = Annotated[str, Meta(description="UTC, RFC 3339", extra_json_schema={"format": "date-time"})]
RoundId = Annotated[str, Meta(description="<site>-<table>-<epoch>-<number>")]
GameName = Annotated[str, Meta(extra_json_schema={"enum": "games"})]
"""The schemas put the names of all games there."""
Ratio = Annotated[str, Meta(pattern=r"^\d+(\.\d+)?:\d+$", description="an exact ratio to 1")]
MessageId = Annotated[str, Meta(pattern=r"^\d+-\d+$", description="<epoch>-<sequence>")]
Count = Annotated[int, Meta(ge=0)]
Place = Annotated[int, Meta(ge=1)]
GameNumber = Annotated[str, Meta(pattern=r"^\d\d:\d\d:\d\d$", description="GMT at which the round began")]


class PayTableName(msgspec.Struct, frozen=True):
    """Which pay table a round is played by."""

    id: str
    digest: Sha256


class Evidence(msgspec.Struct, frozen=True):
    """A finding: its code, its paragraph in the game's rules, and whatever proves it beside them. Where there
    are more than 64 of a kind the last one says how many ``more``."""

    code: str
    paragraph: str | msgspec.UnsetType | None = msgspec.UNSET
    """Not there with a card that came while the table held (``drawn_in_hold``)."""


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
    shoe: Literal["continue", "withdraw"]
    """Whether it may be dealt from again."""
    by: str
    """Badge; ``controller`` where the finding voids by itself."""
    note: str | None
    """What was written beside it."""
