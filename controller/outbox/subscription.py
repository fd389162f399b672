"""The subscription: what comes in on the table's topics, judged and carried out.

Acknowledgements move cursors, commands are answered, an old status or alert is put right; what concerns the
table or people becomes a notice. Publishes nothing itself: the schedule does, in its turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from controller.outbox.acks import Ack
from controller.outbox.commands import (
    PER_MINUTE,
    Allowance,
    Command,
    Decisions,
    Refusal,
    Resend,
    Who,
    read_command,
)
from controller.outbox.envelope import canonical_json
from controller.outbox.notices import (
    AckRefused,
    CommandArrived,
    CommandRefused,
    Newcomer,
    Notice,
    OtherUnit,
    WitnessAgrees,
    WitnessDisagrees,
)
from controller.outbox.reports import Arrived
from controller.outbox.schedule import AckVerdict, Schedule
from controller.outbox.status import Unit, read_status
from controller.outbox.stream import Stream
from controller.outbox.topics import Topics
from controller.vocabulary import replies
from controller.vocabulary.errors import NOT_JSON
from controller.vocabulary.replies import Reply, SnapshotReply

LARGEST_ACK_BYTES = 1024
WRONG_PER_MINUTE = 6
"""So many wrong acknowledgements of a consumer go into the record; one that goes on does not fill it."""
STRANGERS = ""
"""All that nobody named share one allowance; a consumer is never named so."""

_WHY = {
    AckVerdict.UNKNOWN_CONSUMER: "it is not named under mqtt.consumers",
    AckVerdict.OTHER_EPOCH: "that is another epoch than ours; it goes over to a new one when somebody says"
    " so",
    AckVerdict.BEYOND_HEAD: "the stream does not reach there; either this journal has lost its end (put back"
    " the newest copy, or `dealer-table replace`), or the consumer is wrong",
    AckVerdict.BACKWARDS: "a cursor never goes back",
}


class Subscription:
    """Reads what arrives, moves the cursors, and says what else is to be done."""

    def __init__(
        self, topics: Topics, unit: Unit, stream: Stream, schedule: Schedule, wall: Callable[[], datetime]
    ) -> None:
        self._topics = topics
        self._unit = unit
        self._stream = stream
        self._schedule = schedule
        self._wall = wall
        self._refused: dict[str, AckRefused | WitnessDisagrees] = {}
        self._wrong: dict[str, Allowance] = {}
        self._disputed: dict[str, int] = {}
        """Consumer -> the last message that it held otherwise than we do."""
        self._agreed: set[str] = set()
        """Consumers whose last acknowledgement carried the hash that we hold."""
        self._allowances = {name: Allowance(per_minute) for name, per_minute in PER_MINUTE.items()}

    def filters(self) -> Sequence[str]:
        """What to subscribe to."""
        topics = self._topics
        return (topics.status, topics.ack("+"), topics.alert("+"), topics.command("+"))

    def handle(self, arrived: Arrived, now_s: float) -> list[Notice]:
        """Carry out what came on one of these topics."""
        consumer = self._topics.last_part("acks", arrived.topic)
        if consumer is not None:
            return self._ack(consumer, arrived.payload, now_s, retained=arrived.retained)
        name = self._topics.last_part("commands", arrived.topic)
        if name is not None:
            return self._carry_out(name, self._command(name, arrived, now_s))
        return self._status(arrived) if arrived.topic == self._topics.status else self._alert(arrived)

    # State that is retained

    def _status(self, arrived: Arrived) -> list[Notice]:
        """Somebody spoke on our status: an old will is answered with a new birth, another unit is
        reported."""
        status = read_status(arrived.payload)
        epoch = self._schedule.epoch
        if status is not None and (status.epoch, status.boot) == (epoch, self._unit.boot):
            if status.state == "lost":
                # The will of a connection of ours that has ended came after the birth on this one.
                self._schedule.retain_again(self._topics.status)
            return []
        if status is None or status.state != "online":
            if not arrived.retained:
                self._schedule.retain_again(self._topics.status)
            return []
        earlier_life = status.epoch == epoch and status.boot < self._unit.boot
        if arrived.retained and earlier_life:
            return []
        return [OtherUnit(status.boot, status.epoch, live=not arrived.retained)]

    def _alert(self, arrived: Arrived) -> list[Notice]:
        """An alert that we do not raise is left over from an earlier life: it is deleted."""
        if arrived.payload and arrived.topic not in self._schedule.retained:
            self._schedule.retain_again(arrived.topic)
        return []

    # Acknowledgements

    def _ack(self, consumer: str, payload: bytes, now_s: float, *, retained: bool) -> list[Notice]:
        """A consumer says what is safe with it; empty: it took its retained acknowledgement back."""
        if not payload:
            return []
        try:
            if len(payload) > LARGEST_ACK_BYTES:
                raise msgspec.ValidationError(f"longer than {LARGEST_ACK_BYTES} bytes")
            ack = msgspec.json.decode(payload, type=Ack)
        except NOT_JSON as error:
            text = f"acknowledgement of {consumer!r}: {error}"
            return self._refuse_ack(
                AckRefused(consumer, "malformed", text, retained), now_s, retained=retained
            )
        verdict = self._schedule.judge(consumer, ack.epoch, ack.sequence)
        if verdict in _WHY:
            text = f"{consumer!r} acknowledges {ack.epoch}-{ack.sequence}: {_WHY[verdict]}"
            return self._refuse_ack(
                AckRefused(consumer, verdict.value, text, retained), now_s, retained=retained
            )
        witness = self._witness(consumer, ack)
        if isinstance(witness, WitnessDisagrees):
            return self._refuse_ack(witness, now_s, retained=retained)
        self._refused.pop(consumer, None)
        if verdict is AckVerdict.MOVES:
            self._stream.set_cursor(consumer, ack.sequence)
            self._schedule.advance(consumer, ack.sequence, now_s)
        else:
            self._schedule.hello(consumer, now_s)
        return [] if witness is None else [witness]

    def _refuse_ack(
        self, refused: AckRefused | WitnessDisagrees, now_s: float, *, retained: bool
    ) -> list[Notice]:
        """Tell it where it is news, and not more often than a record can bear.

        What a named consumer left at the broker comes once a connection and is always told: it may stop the
        table.
        """
        name = refused.consumer
        if self._refused.get(name) == refused:
            return []
        named = name in self._schedule.cursors
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
        for held in self._stream.messages(ack.sequence - 1, 1):
            if held.sequence != ack.sequence:
                return None
            if held.hash != ack.hash:
                self._agreed.discard(consumer)
                self._disputed[consumer] = max(ack.sequence, self._disputed.get(consumer, 0))
                return WitnessDisagrees(consumer, ack.sequence, theirs=ack.hash, ours=held.hash)
            if consumer not in self._agreed and ack.sequence >= self._disputed.get(consumer, 0):
                self._agreed.add(consumer)
                self._disputed.pop(consumer, None)
                return WitnessAgrees(consumer)
        return None

    # Commands

    def _command(self, name: str, arrived: Arrived, now_s: float) -> Command | Refusal:
        """The command, if it may be carried out now."""
        command = read_command(name, arrived.payload, retained=arrived.retained, now=self._wall())
        if not isinstance(command, Refusal) and not self._allowances[name].take(now_s):
            return Refusal(name, "too_often", f"at most {PER_MINUTE[name]} a minute", command.id)
        return command

    def _carry_out(self, name: str, command: Command | Refusal) -> list[Notice]:
        """Do what was asked, or say why not; ``decisions`` is the table's business."""
        if isinstance(command, Decisions):
            return [CommandArrived(name, command)]
        if isinstance(command, Who):
            head = self._stream.stream_head
            self.reply(Reply(id=command.id, ok=True, epoch=self._stream.epoch, sequence=head))
            return [Newcomer(command.epoch, command.boot)]
        refusal: Refusal | None = None
        if isinstance(command, Resend):
            refusal = self._resend(name, command)
        elif isinstance(command, Refusal):
            refusal = command
        else:
            self.reply(self._snapshot(command.id))
        if refusal is None:
            return []
        self.refuse(refusal)
        return [CommandRefused(refusal)]

    def reply(self, reply: Reply) -> None:
        """Answer a command under its id."""
        self._schedule.reply(self._topics.reply(reply.id), canonical_json(reply))

    def refuse(self, refusal: Refusal) -> None:
        """Tell who asked that a command is not carried out, where it said under which id."""
        if refusal.id is not None:
            self.reply(replies.refusal(refusal.id, refusal.code, refusal.message))

    def _resend(self, name: str, command: Resend) -> Refusal | None:
        head = self._stream.stream_head
        if command.epoch is not None and command.epoch != self._stream.epoch:
            return Refusal(name, "other_epoch", f"the epoch is {self._stream.epoch}", command.id)
        if command.sequence > head:
            return Refusal(name, "beyond_head", f"the stream ends at {head}", command.id)
        kept = self._stream.messages(command.sequence - 1, 1)
        if not kept or kept[0].sequence != command.sequence:
            oldest = kept[0].sequence if kept else head + 1
            return Refusal(name, "no_longer_kept", f"the oldest message kept is {oldest}", command.id)
        self._schedule.go_back(command.sequence)
        epoch = self._stream.epoch
        self.reply(Reply(id=command.id, ok=True, epoch=epoch, first=command.sequence, last=head))
        return None

    def _snapshot(self, request_id: str) -> SnapshotReply:
        base = len(self._topics.base) + 1
        retained = {
            topic[base:]: msgspec.Raw(payload)
            for topic, payload in self._schedule.retained.items()
            if payload
        }
        return SnapshotReply(
            id=request_id,
            ok=True,
            epoch=self._stream.epoch,
            sequence=self._stream.stream_head,
            hash=self._stream.stream_hash,
            cursors=self._schedule.cursors,
            retained=retained,
        )
