"""The subscription: what comes in on the table's topics, judged and carried out.

Acknowledgements move cursors, commands are answered, an old status or alert is put right; what people must
know becomes a condition. Publishes nothing itself: the schedule does, in its turn.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from controller.outbox.commands import (
    COMMANDS,
    COMMANDS_PER_MINUTE,
    PER_MINUTE,
    Allowance,
    Command,
    CommandArrived,
    Decisions,
    Refusal,
    Resend,
    Seats,
    Who,
    read_command,
    too_late,
)
from controller.outbox.envelope import canonical_json
from controller.outbox.follower import AckVerdict
from controller.outbox.reports import Arrived
from controller.outbox.retained import LARGEST_ACK_BYTES, Ack, Status, Unit
from controller.outbox.schedule import BROKER, Schedule
from controller.outbox.stream import Stream
from controller.outbox.topics import Topics
from controller.vocabulary import replies
from controller.vocabulary.conditions import ACK, NEWCOMER, OTHER_UNIT, WITNESS, Condition, ConditionKind
from controller.vocabulary.errors import NOT_JSON, read_json
from controller.vocabulary.outside import read_once
from controller.vocabulary.replies import Reply, SnapshotReply

log = logging.getLogger(__name__)

WRONG_PER_MINUTE = 6
"""So many wrong acknowledgements of a consumer go into the record; one that goes on does not fill it."""
REFUSED = "acknowledgement of {} refused: {}"
STRANGERS = ""
"""All that nobody named share one allowance; a consumer is never named so."""

MOST_STRANGERS = 8
"""So many names that are no consumer's are told of; the state of the table keeps them all."""
ARRIVALS_PER_MINUTE = 6000
"""On one topic, or of one consumer, a tenth of it at once: more waits, and only the last of each topic
counts."""
MOST_DEFERRED = 64

NEWCOMER_S = 60.0
"""So long after its last question the condition of a newcomer holds."""
TURNED_AWAY = "another unit wants to be this table ({}); it was told that it is not, and does not run"

_WHY = {
    AckVerdict.UNKNOWN_CONSUMER: "it is not named under mqtt.consumers",
    AckVerdict.OTHER_EPOCH: "that is another epoch than ours; it goes over to a new one when somebody says"
    " so",
    AckVerdict.BEYOND_HEAD: "the stream does not reach there; either this journal has lost its end (put back"
    " the newest copy, or `dealer-table replace`), or the consumer is wrong",
    AckVerdict.BACKWARDS: "a cursor never goes back",
}


class Subscription:
    """Reads what arrives, moves the cursors, and answers commands."""

    def __init__(
        self, topics: Topics, unit: Unit, stream: Stream, schedule: Schedule, wall: Callable[[], datetime]
    ) -> None:
        self._topics = topics
        self._unit = unit
        self._stream = stream
        self._schedule = schedule
        self._wall = wall
        self._found: dict[str, Condition | None] = {}
        self._soon: dict[str, Condition | None] = {}
        """What holds after the next question: a condition of a moment is seen once, too."""
        self._newcomer_s: float | None = None
        """When another unit asked last."""
        self._rates: dict[str, Allowance] = {}
        self._deferred: dict[str, Arrived] = {}
        """Topic -> the last of what came too fast."""
        self._strangers: set[str] = set()
        self._wrong: dict[str, Allowance] = {}
        self._disputed: dict[str, int] = {}
        """Consumer -> the last message that it held otherwise than we do."""
        self._unread: dict[str, Allowance] = {}
        self._allowances: dict[str, Allowance] = {}
        """Name of a command, and of the consumer where it is for that one alone; its echoes apart."""
        self._unanswerable = Allowance(WRONG_PER_MINUTE)

    def filters(self) -> Sequence[str]:
        """What to subscribe to."""
        return self._topics.listened_to(name for name in self._schedule.cursors if name != BROKER)

    def spoken(self) -> Sequence[str]:
        """Of these only what is said now: a command must not be retained."""
        return (self._topics.command("+"),)

    def handle(self, arrived: Arrived, now_s: float) -> list[CommandArrived]:
        """Carry out what came on one of these topics; the command that is the table's business."""
        if self._is_too_often(arrived, now_s):
            return []
        return self._carry(arrived, now_s)

    def deferred(self, now_s: float) -> None:
        """Carry out what came too fast, as soon as it may."""
        for topic, arrived in list(self._deferred.items()):
            if self._rate(topic).take(now_s):
                del self._deferred[topic]
                self._carry(arrived, now_s)

    def _is_too_often(self, arrived: Arrived, now_s: float) -> bool:
        """Whether it must wait, or is dropped; commands have rates of their own."""
        topic = arrived.topic
        if self._topics.last_part("commands", topic) is not None:
            return False
        if topic not in self._deferred and self._rate(topic).take(now_s):
            return False
        if topic in self._deferred or len(self._deferred) < MOST_DEFERRED:
            self._deferred[topic] = arrived  # the last word counts: all of these are state
        return True

    def _rate(self, topic: str) -> Allowance:
        """One for each consumer, one for each other kind of topic, and one for all strangers."""
        consumer = self._topics.last_part("acks", topic)
        if consumer is not None:
            key = consumer if consumer in self._schedule.cursors else STRANGERS
        else:
            key = "status" if topic == self._topics.status else "alerts/"
        return self._rates.setdefault(key, Allowance(ARRIVALS_PER_MINUTE))

    def _carry(self, arrived: Arrived, now_s: float) -> list[CommandArrived]:
        consumer = self._topics.last_part("acks", arrived.topic)
        name = self._topics.last_part("commands", arrived.topic)
        if consumer is not None:
            self._ack(consumer, arrived.payload, now_s, retained=arrived.retained)
        elif name is not None:
            return self._carry_out(name, self._command(name, arrived, now_s), now_s)
        elif arrived.topic == self._topics.status:
            self._status(arrived)
        else:
            self._alert(arrived)
        return []

    def conditions(self, now_s: float) -> dict[str, Condition | None]:
        """What holds of consumers and other units; None where a consumer holds what we hold."""
        if self._newcomer_s is not None and now_s - self._newcomer_s >= NEWCOMER_S:
            self._newcomer_s = self._found[NEWCOMER.code] = None
        found = dict(self._found)
        self._found.update(self._soon)
        self._soon.clear()
        return found

    # State that is retained

    def _status(self, arrived: Arrived) -> None:
        """Somebody spoke on our status: an old will is answered with a new birth, another unit is
        a condition."""
        status = read_json(arrived.payload, Status)
        epoch = self._schedule.epoch
        if status is not None and (status.epoch, status.boot) == (epoch, self._unit.boot):
            if status.state == "lost":
                # The will of a connection of ours that has ended came after the birth on this one.
                self._schedule.retain_again(self._topics.status)
            return
        if status is None or status.state != "online":
            if not arrived.retained:
                self._schedule.retain_again(self._topics.status)
            return
        if not arrived.retained:  # else it may be long gone, or an earlier life of ours
            self._found[OTHER_UNIT.code] = OTHER_UNIT.holds(
                f"another controller (boot {status.boot}, epoch {status.epoch}) says it is this table:"
                " switch one of the two off, then start this one anew"
            )

    def _alert(self, arrived: Arrived) -> None:
        """An alert that we do not raise is left over from an earlier life: it is deleted."""
        if arrived.payload and arrived.topic not in self._schedule.retained:
            self._schedule.retain_again(arrived.topic)

    # Acknowledgements

    def _ack(self, consumer: str, payload: bytes, now_s: float, *, retained: bool) -> None:
        """A consumer says what is safe with it; empty: it took its retained acknowledgement back."""
        if not payload:
            if consumer not in self._schedule.cursors and self._found.get(name := ACK.named(consumer)):
                self._end(name)
                self._strangers.discard(name)
            return
        try:
            if len(payload) > LARGEST_ACK_BYTES:
                raise msgspec.ValidationError(f"longer than {LARGEST_ACK_BYTES} bytes")
            ack = read_once(payload, Ack)
        except NOT_JSON as error:
            text = f"acknowledgement of {consumer!r}: {error}"
            self._refuse(ACK, consumer, ACK.holds(REFUSED.format(consumer, text)), now_s, retained=retained)
            return
        verdict = self._schedule.judge(consumer, ack.epoch, ack.sequence)
        if verdict is AckVerdict.BACKWARDS and retained:
            return  # an older word of its own: a node of a cluster may keep that, while a newer one was heard
        if verdict in _WHY:
            text = f"{consumer!r} acknowledges {ack.epoch}-{ack.sequence}: {_WHY[verdict]}"
            # A journal that has lost its end meets at the broker what was acknowledged of it; a consumer that
            # claims too much while we speak is wrong, and stops no table.
            behind = verdict is AckVerdict.BEYOND_HEAD and retained
            found = ACK.holds(REFUSED.format(consumer, text), blocks_opening=behind)
            self._refuse(ACK, consumer, found, now_s, retained=retained)
            if verdict is AckVerdict.BACKWARDS:  # said now
                self._schedule.fell_back(consumer, ack.sequence)
            return
        self._schedule.listens(consumer, own=ack.repeats)
        if self._is_disputed(consumer, ack):
            text = f"consumer {consumer} holds another message {ack.sequence} than this journal"
            self._refuse(WITNESS, consumer, WITNESS.holds(text), now_s, retained=retained)
        elif verdict is AckVerdict.MOVES:
            self._end(ACK.named(consumer))
            self._stream.set_cursor(consumer, ack.sequence)
            self._schedule.advance(consumer, ack.sequence, now_s, retained=retained)
        else:
            self._schedule.hello(consumer, now_s, retained=retained)

    def _refuse(
        self, kind: ConditionKind, consumer: str, found: Condition, now_s: float, *, retained: bool
    ) -> None:
        """Remember why, but no more often than a record can bear.

        What a named consumer left at the broker comes once a connection and always counts: it may stop the
        table.
        """
        name = kind.named(consumer)
        self._soon.pop(name, None)
        before = self._found.get(name)
        if before is not None and before.message == found.message:
            return  # also where it weighs less: what stops the table stops it until it is put right
        known = consumer in self._schedule.cursors
        if not known and name not in self._strangers and len(self._strangers) >= MOST_STRANGERS:
            return
        allowance = self._wrong.setdefault(consumer if known else STRANGERS, Allowance(WRONG_PER_MINUTE))
        if allowance.take(now_s) or (known and retained):
            self._found[name] = found
            if not known:
                self._strangers.add(name)

    def _end(self, name: str) -> None:
        """A condition is over, also one that an earlier life found."""
        ends = self._soon if self._found.get(name) is not None else self._found
        ends[name] = None

    def _is_disputed(self, consumer: str, ack: Ack) -> bool:
        """Whether its hash is another than that of our journal. Each hash covers all messages before, so a
        later one that agrees ends what was disputed.
        """
        if ack.hash is None or ack.sequence == 0:
            return False
        for held in self._stream.messages(ack.sequence - 1, 1):
            if held.sequence != ack.sequence:
                return False
            if held.hash != ack.hash:
                self._disputed[consumer] = max(ack.sequence, self._disputed.get(consumer, 0))
                return True
            if ack.sequence >= self._disputed.get(consumer, 0):
                self._disputed.pop(consumer, None)
                self._end(WITNESS.named(consumer))
        return False

    # Commands

    def _command(self, name: str, arrived: Arrived, now_s: float) -> Command | Refusal:
        """The command, if it may be carried out now."""
        unread = self._unread.setdefault(name if name in COMMANDS else "", Allowance(COMMANDS_PER_MINUTE))
        if not unread.take(now_s):
            return Refusal(name, "too_often", "")
        command = read_command(name, arrived.payload, retained=arrived.retained, now=self._wall())
        if isinstance(command, Refusal):
            if command.id is None and self._unanswerable.take(now_s):
                log.warning(
                    "a command is refused that cannot be answered: %s: %s", command.code, command.message
                )
            return command
        key = name
        if isinstance(command, Resend) and command.consumer and command.consumer in self._schedule.cursors:
            kind = "echo" if command.is_echo else name
            key = f"{kind}/{command.consumer}"
        if not self._allowances.setdefault(key, Allowance(PER_MINUTE[name])).take(now_s):
            return Refusal(name, "too_often", f"at most {PER_MINUTE[name]} a minute", command.id)
        return command

    def _carry_out(self, name: str, command: Command | Refusal, now_s: float) -> list[CommandArrived]:
        """Do what was asked, or say why not; ``decisions`` and ``seats`` are the table's business."""
        if isinstance(command, Decisions | Seats):
            return [CommandArrived(name, command)]
        refusal: Refusal | None = None
        if isinstance(command, Who):
            self._turn_away(f"boot {command.boot}, epoch {command.epoch}", now_s)
            head = self._stream.stream_head
            self.reply(Reply(id=command.id, ok=True, epoch=self._stream.epoch, sequence=head))
        elif isinstance(command, Resend):
            refusal = self._resend(name, command)
        elif isinstance(command, Refusal):
            refusal = command
        else:
            self.reply(self._snapshot(command.id))
        if refusal is not None:
            self.refuse(refusal)
            if name == "who":
                self._turn_away(refusal.code, now_s)
        return []

    def _turn_away(self, who: str, now_s: float) -> None:
        """Another unit asks whether somebody is this table."""
        self._newcomer_s = now_s
        self._found[NEWCOMER.code] = NEWCOMER.holds(TURNED_AWAY.format(who))

    def reply(self, reply: Reply) -> None:
        """Answer a command under its id."""
        self._schedule.reply(self._topics.reply(reply.id), canonical_json(reply))

    def refuse(self, refusal: Refusal) -> None:
        """Tell the sender that a command is not carried out, if it gave an id to answer under."""
        if refusal.id is not None:
            self.reply(replies.refusal(refusal.id, refusal.code, refusal.message))

    def expired(self, arrived: CommandArrived) -> Refusal | None:
        """Why a command that has waited must not be carried out any more."""
        return too_late(arrived.name, arrived.command, self._wall())

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
        alone, ends = command.consumer, head if command.last is None else min(command.last, head)
        if alone is not None and (alone == BROKER or alone not in self._schedule.cursors):
            text = "no consumer of that name is named under mqtt.consumers"
            return Refusal(name, "unknown_consumer", text, command.id)
        if not command.is_echo:
            self._schedule.resend(alone, command.sequence, command.last)
        epoch = self._stream.epoch
        self.reply(Reply(id=command.id, ok=True, epoch=epoch, first=command.sequence, last=ends))
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
