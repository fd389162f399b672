"""Types of values that many messages have. ``round/phases.py`` has the order of the phases."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

CardName = Annotated[str, Meta(pattern="^[A23456789TJQK][SHDC]$", description="rank then suit: TH")]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", description="SHA-256, hex")]
Nonce = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="128 random bits, hex")]
Moment = Annotated[str, Meta(description="UTC, RFC 3339", extra_json_schema={"format": "date-time"})]
RoundId = Annotated[str, Meta(description="<site>-<table>-<epoch>-<number>")]
GameName = Annotated[str, Meta(extra_json_schema={"enum": "games"})]
"""The schemas put the names of all games there."""
Ratio = Annotated[str, Meta(pattern=r"^\d+(\.\d+)?:\d+$", description="an exact ratio to 1")]
MessageId = Annotated[str, Meta(pattern=r"^\d+-\d+$", description="<epoch>-<sequence>")]
Count = Annotated[int, Meta(ge=0)]
Place = Annotated[int, Meta(ge=1)]
Phase = Literal["idle", "betting", "dealing", "decision", "reveal", "result", "settled", "final", "void"]

IN_ROUND: Final[frozenset[Phase]] = frozenset({"betting", "dealing", "decision", "reveal", "result"})
"""From "Place your bets, please" to the end of the settlement (definition of Round of play)."""

GameNumber = Annotated[str, Meta(pattern=r"^\d\d:\d\d:\d\d$", description="GMT at which the round began")]


class PayTableName(msgspec.Struct, frozen=True):
    """Which pay table a round is played by."""

    id: str
    digest: Sha256
