"""Whether this unit may be the table, by what the broker keeps of it. Pure.

A journal that is new, that was put back from a copy, or whose unit was replaced meanwhile must not speak: its
messages would take numbers that consumers hold already. The epoch cannot decide alone, for a unit without a
clock gives its new journal any number at all. Only what
the table itself writes there is heard: what consumers claim takes no table out of play, and is judged by the
subscription.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import msgspec

from controller.outbox.retained import Ack, Status
from controller.vocabulary.display import round_trace
from controller.vocabulary.values import IN_ROUND

ClaimCode = Literal["other_unit", "replaced", "lost_tail", "unknown_past"]

_EPOCH_OF_ROUND = re.compile(r"-([0-9]{1,16})-[0-9]+$")
"""In the id of a round: site, table, epoch, number."""
REPLACE = "`dealer-table replace` takes over what the broker knows of this table"


class Sighting(msgspec.Struct, frozen=True):
    """What was seen of the table before this unit publishes anything."""

    status: Status | None = None
    """As retained; None where there is none."""
    acks: Mapping[str, Ack] = {}
    """Consumer -> its retained acknowledgement."""
    display: bytes | None = None
    result: bytes | None = None
    answered: bool = False
    """Somebody who is this table answered just now."""
    unasked: tuple[str, ...] = ()
    """Of several brokers, why those that may keep more could not be asked."""

    @property
    def epochs(self) -> set[int]:
        """Every epoch that the table itself has told of; what consumers claim of others is an alert."""
        found: set[int] = set() if self.status is None else {self.status.epoch}
        shown = round_trace(self.display)
        named = _EPOCH_OF_ROUND.search("" if shown is None or shown.round is None else shown.round)
        return found if named is None else found | {int(named[1])}


class Claim(msgspec.Struct, frozen=True):
    """What this unit's journal holds."""

    epoch: int
    boot: int
    head: int
    """Sequence of the last message."""
    previous: int | None
    """The epoch that it took over; None: none."""
    known: bool
    """Somebody has acknowledged something of this epoch."""
    spoken: bool = False
    """The broker has heard this very boot: its status may be our own."""


class Denial(msgspec.Struct, frozen=True):
    """Why this unit may not be the table, and what to do."""

    code: ClaimCode
    message: str


def judge(claim: Claim, seen: Sighting) -> Denial | None:
    """Why not, or None where nothing speaks against it."""
    status = seen.status
    went_on = claim.known or claim.previous is not None
    if went_on and status is not None and status.epoch > claim.epoch:  # whether it answers now or not
        text = (
            f"this unit (epoch {claim.epoch}) was replaced by epoch {status.epoch}: it does not run any more"
        )
        return Denial("replaced", text)
    if seen.answered:
        told = "" if status is None else f" (boot {status.boot}, epoch {status.epoch})"
        text = (
            f"another unit{told} is this table and answers: this one does not run: switch one of the two off"
        )
        return Denial("other_unit", text)
    if not went_on and (why := unknown_past(claim, seen)) is not None:
        return Denial("unknown_past", why)
    behind = lost_tail(claim, seen)
    if behind is not None:
        text = f"{behind}: this journal has lost its end. Put back the newest copy; without one {REPLACE}"
        return Denial("lost_tail", text)
    return None


def unknown_past(claim: Claim, seen: Sighting) -> str | None:
    """Why a new journal may not go on where the broker knows an earlier epoch; None where it may.

    A larger epoch is what consumers expect of a new journal, and accept with an alarm. A smaller one they
    would never hear, and a round that was running would stay without its end.
    """
    unknown = seen.epochs - {claim.epoch}
    running = running_round(seen.display)
    if not unknown or (max(unknown) < claim.epoch and running is None):
        return None
    which = "" if running is None else f", where round {running} has no end yet"
    return (
        f"this journal is new (epoch {claim.epoch}), but the broker knows this table under epoch"
        f" {max(unknown)}{which}. Put the old journal in its place; where it is lost, {REPLACE}"
    )


def running_round(display: bytes | None) -> str | None:
    """The round that a retained display shows between its opening and its settlement."""
    shown = round_trace(display)
    return None if shown is None or shown.phase not in IN_ROUND else shown.round


def lost_tail(claim: Claim, seen: Sighting) -> str | None:
    """What the broker has heard of this epoch that the journal does not hold, None where nothing."""
    status = seen.status
    if status is not None and status.epoch == claim.epoch and status.boot >= claim.boot + claim.spoken:
        return f"the broker has heard boot {status.boot}, this would be boot {claim.boot}"
    if status is not None and status.epoch == claim.epoch and status.sequence > claim.head:
        return f"the broker has heard message {status.sequence}, the journal ends at {claim.head}"
    return None
