"""What comes in on the table's topics, judged: acknowledgements, status, alerts and commands. Sends nothing
itself."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import msgspec

from controller.outbox.commands import PER_MINUTE, Allowance, Command, Refusal, read_command
from controller.outbox.notices import AckRefused, Notice, OtherUnit, WitnessAgrees, WitnessDisagrees
from controller.outbox.pump import Pump, Verdict
from controller.outbox.reports import Arrived
from controller.outbox.rows import Rows
from controller.outbox.status import Unit, read_status
from controller.outbox.topics import Topics
from controller.vocabulary.errors import NOT_JSON

LARGEST_ACK_BYTES = 1024
WRONG_PER_MINUTE = 6
"""So many wrong words of a consumer go into the record; one that goes on and on does not fill it."""
STRANGERS = ""
"""All that nobody named share one allowance; a consumer is never named so."""

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
    """Of the stream."""
    sequence: Annotated[int, msgspec.Meta(ge=0)]
    """The last message that is safe."""
    hash: str | None = None
    """SHA-256 of that message: makes the consumer a witness."""


class Inbox:
    """Reads what arrives, moves the pump and the cursors, and says what else is to be done."""

    def __init__(self, topics: Topics, unit: Unit, rows: Rows, pump: Pump) -> None:
        self._topics = topics
        self._unit = unit
        self._rows = rows
        self._pump = pump
        self._refused: dict[str, AckRefused | WitnessDisagrees] = {}
        self._wrong: dict[str, Allowance] = {}
        self._disputed: dict[str, int] = {}
        """Consumer -> the last message that it held otherwise than we do."""
        self._agreed: set[str] = set()
        """Consumers whose last word carried the hash that we hold."""
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
        except NOT_JSON as error:
            text = f"acknowledgement of {consumer!r}: {error}"
            return self._refuse(AckRefused(consumer, "malformed", text, retained), now_s, retained=retained)
        verdict = self._pump.judge(consumer, ack.epoch, ack.sequence)
        if verdict in _WHY:
            text = f"{consumer!r} acknowledges {ack.epoch}-{ack.sequence}: {_WHY[verdict]}"
            return self._refuse(AckRefused(consumer, verdict.value, text, retained), now_s, retained=retained)
        word = self._witness(consumer, ack)
        if isinstance(word, WitnessDisagrees):
            return self._refuse(word, now_s, retained=retained)
        self._refused.pop(consumer, None)
        if verdict is Verdict.MOVES:
            self._rows.set_cursor(consumer, ack.sequence)
            self._pump.advance(consumer, ack.sequence, now_s)
        else:
            self._pump.hello(consumer, now_s)
        return [] if word is None else [word]

    def _refuse(
        self, refused: AckRefused | WitnessDisagrees, now_s: float, *, retained: bool
    ) -> list[Notice]:
        """Tell it where it is news, and not more often than a record can bear.

        What a named consumer left at the broker comes once a connection and is always told: it may stop the
        table.
        """
        name = refused.consumer
        if self._refused.get(name) == refused:
            return []
        named = name in self._pump.cursors
        allowance = self._wrong.setdefault(name if named else STRANGERS, Allowance(WRONG_PER_MINUTE))
        if not allowance.take(now_s) and not (named and retained):
            return []
        self._refused[name] = refused
        return [refused]

    def _witness(self, consumer: str, ack: Ack) -> WitnessDisagrees | WitnessAgrees | None:
        """What its hash says of our journal; each hash covers all messages before, so a later one that agrees
        ends what was disputed."""
        if ack.hash is None or ack.sequence == 0:
            return None
        for row in self._rows.messages(ack.sequence - 1, 1):
            if row.sequence != ack.sequence:
                return None
            if row.hash != ack.hash:
                self._agreed.discard(consumer)
                self._disputed[consumer] = max(ack.sequence, self._disputed.get(consumer, 0))
                return WitnessDisagrees(consumer, ack.sequence, theirs=ack.hash, ours=row.hash)
            if consumer not in self._agreed and ack.sequence >= self._disputed.get(consumer, 0):
                self._agreed.add(consumer)
                self._disputed.pop(consumer, None)
                return WitnessAgrees(consumer)
        return None

    def command(self, name: str, arrived: Arrived, now: datetime, now_s: float) -> Command | Refusal:
        """The command, if it may be carried out now."""
        command = read_command(name, arrived.payload, retained=arrived.retained, now=now)
        if not isinstance(command, Refusal) and not self._allowances[name].take(now_s):
            return Refusal(name, "too_often", f"at most {PER_MINUTE[name]} a minute", command.id)
        return command
