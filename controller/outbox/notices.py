"""What the publisher tells the shell: things about the world outside that somebody may want to act on or to
see."""

from __future__ import annotations

import msgspec

from controller.outbox.claim import ClaimCode
from controller.outbox.commands import Decisions, Refusal


class BrokerUp(msgspec.Struct, frozen=True):
    """The broker let us in."""

    protocol: str


class BrokerDown(msgspec.Struct, frozen=True):
    """There is no connection, and why; said once for each reason. We go on trying."""

    reason: str
    refused: bool
    """The broker answered and does not want us: login, certificate or a setting must be mended."""


class AckRefused(msgspec.Struct, frozen=True):
    """A consumer's acknowledgement that cannot be right."""

    consumer: str
    code: str
    """``malformed``, or a value of ``schedule.AckVerdict``."""
    message: str
    retained: bool = False
    """It stood at the broker before we came: what it claims may be of an earlier life of ours."""


class WitnessDisagrees(msgspec.Struct, frozen=True):
    """A consumer holds another message under this sequence than we do: one of the two was changed."""

    consumer: str
    sequence: int
    theirs: str
    ours: str


class WitnessAgrees(msgspec.Struct, frozen=True):
    """A consumer holds what we hold, with all before it; said once until it disagrees."""

    consumer: str


class NobodyListens(msgspec.Struct, frozen=True):
    """The broker knows no subscriber of the stream; said once until somebody listens again."""


class SomebodyListens(msgspec.Struct, frozen=True):
    """The stream has a subscriber again."""


class AccessDenied(msgspec.Struct, frozen=True):
    """The broker takes nothing on this topic from us, or lets us hear nothing there; its ACL must be mended.

    Said once a connection; what was to be sent is tried again.
    """

    topic: str
    reason: str

    @property
    def message(self) -> str:
        """For people."""
        return f"the broker takes nothing on {self.topic}: {self.reason}"


class OtherUnit(msgspec.Struct, frozen=True):
    """Another controller says it is this table."""

    boot: int
    epoch: int
    live: bool
    """It spoke just now; otherwise its retained status was found."""


class Newcomer(msgspec.Struct, frozen=True):
    """Another unit asked whether somebody is this table; it was told so, and does not run."""

    epoch: int
    boot: int


class MayNotRun(msgspec.Struct, frozen=True):
    """What the broker keeps, or who answers there, says that this unit is not the table: it says no more."""

    code: ClaimCode
    message: str
    """What it is, and what to do."""


class StreamUnreadable(msgspec.Struct, frozen=True):
    """The journal does not give what is to be sent; said once until it does."""

    message: str


class StreamReadable(msgspec.Struct, frozen=True):
    """The journal gives it again."""


class ConsumerSilent(msgspec.Struct, frozen=True):
    """A consumer has not been heard since we listen; what it has not acknowledged is kept for it."""

    consumer: str
    message: str


class ConsumerHeard(msgspec.Struct, frozen=True):
    """A consumer that was silent has spoken."""

    consumer: str


class CommandArrived(msgspec.Struct, frozen=True):
    """A command that is the table's business; answer with ``Publisher.reply``."""

    name: str
    command: Decisions


class CommandRefused(msgspec.Struct, frozen=True):
    """A command that was not carried out; who asked has been told where that was possible."""

    refusal: Refusal


Notice = (
    BrokerUp
    | BrokerDown
    | AckRefused
    | WitnessDisagrees
    | WitnessAgrees
    | NobodyListens
    | SomebodyListens
    | AccessDenied
    | OtherUnit
    | Newcomer
    | MayNotRun
    | StreamUnreadable
    | StreamReadable
    | ConsumerSilent
    | ConsumerHeard
    | CommandArrived
    | CommandRefused
)
