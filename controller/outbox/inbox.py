"""What comes in on the table's topics, judged: acknowledgements, status, alerts and commands. Sends nothing
itself."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec

from controller.outbox.commands import PER_MINUTE, Allowance, Command, Refusal, read_command
from controller.outbox.notices import AckRefused, Notice, OtherUnit, WitnessDisagrees
from controller.outbox.pump import Pump, Verdict
from controller.outbox.reports import Arrived
from controller.outbox.rows import Rows
from controller.outbox.status import Unit, read_status
from controller.outbox.topics import Topics

LARGEST_ACK_BYTES = 1024

_WHY = {
    Verdict.UNKNOWN_CONSUMER: "it is not named under mqtt.consumers",
    Verdict.OTHER_EPOCH: "that is another epoch than ours; it goes over to a new one when somebody says so",
    Verdict.BEYOND_HEAD: "the stream does not reach there; either this journal has lost its end (put back the"
    " newest copy, or `dealer-table replace`), or the consumer is wrong",
    Verdict.BACKWARDS: "a cursor never goes back",
}


class Ack(msgspec.Struct, frozen=True):
    """What a consumer writes: all up to here is safe with it; ``hash`` of the message it holds there."""

    epoch: Annotated[int, msgspec.Meta(ge=0)]
    sequence: Annotated[int, msgspec.Meta(ge=0)]
    hash: str | None = None


class Inbox:
    """Reads what arrives, moves the pump and the cursors, and says what else is to be done."""

    def __init__(self, topics: Topics, unit: Unit, rows: Rows, pump: Pump) -> None:
        self._topics = topics
        self._unit = unit
        self._rows = rows
        self._pump = pump
        self._refused: dict[str, AckRefused] = {}
        self._allowances = {name: Allowance(per_minute) for name, per_minute in PER_MINUTE.items()}

    def filters(self) -> Sequence[str]:
        """What to subscribe to."""
        topics = self._topics
        return (topics.status, topics.ack("+"), topics.alert("+"), topics.command("+"))

    def status(self, arrived: Arrived) -> list[Notice]:
        """Somebody spoke on our status: an old will is answered with a new birth, another unit is
        reported."""
        status = read_status(arrived.payload)
        epoch = self._pump.epoch
        if status is not None and (status.epoch, status.boot) == (epoch, self._unit.boot):
            if status.state == "lost":
                # The will of a connection of ours that has ended came after the birth on this one.
                self._pump.retain_again(self._topics.status)
            return []
        if status is None or status.state != "online":
            if not arrived.retained:
                self._pump.retain_again(self._topics.status)
            return []
        earlier_life = status.epoch == epoch and status.boot < self._unit.boot
        if arrived.retained and earlier_life:
            return []
        return [OtherUnit(status.boot, status.epoch, live=not arrived.retained)]

    def alert(self, arrived: Arrived) -> list[Notice]:
        """An alert that we do not raise is left over from an earlier life: it is deleted."""
        if arrived.payload and arrived.topic not in self._pump.retained:
            self._pump.retain_again(arrived.topic)
        return []

    def ack(self, consumer: str, payload: bytes, now_s: float, *, retained: bool) -> list[Notice]:
        """A consumer says what is safe with it; empty: it took its retained word back."""
        if not payload:
            return []
        try:
            if len(payload) > LARGEST_ACK_BYTES:
                raise msgspec.ValidationError(f"longer than {LARGEST_ACK_BYTES} bytes")
            ack = msgspec.json.decode(payload, type=Ack)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return self._refuse(
                AckRefused(consumer, "malformed", f"acknowledgement of {consumer!r}: {error}", retained)
            )
        verdict = self._pump.judge(consumer, ack.epoch, ack.sequence)
        if verdict in _WHY:
            text = f"{consumer!r} acknowledges {ack.epoch}-{ack.sequence}: {_WHY[verdict]}"
            return self._refuse(AckRefused(consumer, verdict.value, text, retained))
        disagrees = self._witness(consumer, ack)
        if disagrees is not None:
            return [disagrees]
        self._refused.pop(consumer, None)
        if verdict is Verdict.MOVES:
            self._rows.set_cursor(consumer, ack.sequence)
            self._pump.advance(consumer, ack.sequence, now_s)
        else:
            self._pump.hello(consumer, now_s)
        return []

    def _refuse(self, refused: AckRefused) -> list[Notice]:
        if self._refused.get(refused.consumer) == refused:
            return []
        self._refused[refused.consumer] = refused
        return [refused]

    def _witness(self, consumer: str, ack: Ack) -> WitnessDisagrees | None:
        if ack.hash is None or ack.sequence == 0:
            return None
        for row in self._rows.messages(ack.sequence - 1, 1):
            if row.sequence == ack.sequence and row.hash != ack.hash:
                return WitnessDisagrees(consumer, ack.sequence, theirs=ack.hash, ours=row.hash)
        return None

    def command(self, name: str, arrived: Arrived, now: datetime, now_s: float) -> Command | Refusal:
        """The command, if it may be carried out now."""
        command = read_command(name, arrived.payload, retained=arrived.retained, now=now)
        if not isinstance(command, Refusal) and not self._allowances[name].take(now_s):
            return Refusal(name, "too_often", f"at most {PER_MINUTE[name]} a minute", command.id)
        return command
