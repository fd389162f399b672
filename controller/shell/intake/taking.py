"""From a device's words to the table's words: the one place that knows both.

Intake drops what a device sends again, notices what its numbers say was missed, and knows whether a
supervisor's key is turned. It is *not* responsible for judging a card or a step: that is the table's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from controller.round.state import State
from controller.round.turn import is_listed
from controller.shell.conditions import Found, Moment
from controller.shell.intake.felt import FELT, Felt
from controller.shell.intake.inputs import StuckInputs
from controller.shell.intake.keys import Keys
from controller.shell.intake.recent import RecentReadings
from controller.shell.intake.translation import (
    keypad_event,
    reading_events,
    seats_from,
    second_events,
    shuffler_event,
)
from controller.shell.intake.units import HandCounts, identified, in_deal, is_other_unit
from controller.shell.intake.witnesses import SECOND, Witnesses
from controller.vocabulary import events
from controller.vocabulary.events import AnyEvent
from drivers.port_identity import lasts
from drivers.ports import Accepted, Answer, NotUnderstood, Received, Refused
from drivers.readings import (
    DeviceReachable,
    DeviceUnreachable,
    FeltSeen,
    InputFreed,
    InputStuck,
    KeyPressed,
    Reading,
    ShufflerSaid,
    StartReported,
    Unreadable,
)
from drivers.repeats import Judgement, ReportLog

_REASONS: dict[Judgement, str] = {
    "gap": "reports were missed",
    "same_number_other_bytes": "the same number with other bytes",
}
"""What a report that does not follow tells people."""
ANY_ROUND = ""


class Intaken(msgspec.Struct, frozen=True):
    """What one reading became: events in order, and the answer where it does not depend on the table."""

    events: tuple[AnyEvent, ...] = ()
    answer: Answer | None = None
    connected: bool = False
    """The device has just come (back): whatever it was told before, it must be told again."""


class Intake(msgspec.Struct):
    """What must be remembered between two readings; restored from the record after a restart."""

    logs: dict[str, ReportLog]
    """Device -> its report log, for devices that number their reports."""
    keys: Keys = msgspec.field(default_factory=Keys)
    """Whose key is turned at which panel."""
    inputs: StuckInputs = msgspec.field(default_factory=StuckInputs)
    """Which buttons and beams are stuck."""
    unproved: dict[str, str] = msgspec.field(default_factory=dict)
    """Device -> the round in which we started without knowing its last report, or ``ANY_ROUND`` where another
    unit answers than before: the next report proves nothing."""
    witnesses: Witnesses = msgspec.field(default_factory=Witnesses)
    """Who else watches the cards that leave the shoe."""
    felt: Felt = msgspec.field(default_factory=Felt)
    """What lies on the felt, where a camera looks at it."""
    hands: HandCounts = msgspec.field(default_factory=HandCounts)
    """How the shoes count the cards of a hand."""
    recent: RecentReadings = msgspec.field(default_factory=RecentReadings)
    """What the shoes said a moment ago."""

    def restore(self, reports: Iterable[tuple[str, int, bytes]]) -> None:
        """Take up the last report (device, number, bytes) of each device from the record. Keys are never
        restored.
        """
        for device, number, raw in reports:
            log = self.logs.get(device)
            if log is not None:
                self.logs[device] = log.after(number, raw)

    def begin(self, state: State | None, held: Collection[str] = ()) -> None:
        """After a start in a round a device is only as good as its last report in the record.

        ``held``: devices that hold the table anyway, for they are others than before.
        """
        if state is not None and state.in_round and state.round is not None:
            unknown = [name for name, log in self.logs.items() if log.last is None and name not in held]
            self.unproved = dict.fromkeys(unknown, state.round.id)

    def last_reports(self) -> list[tuple[str, int, bytes]]:
        """Device, number and bytes of the last report of each device that numbers them."""
        return [
            (device, log.last.number, log.last.raw)
            for device, log in self.logs.items()
            if log.last is not None
        ]

    def take(self, received: Received, state: State | None) -> Intaken:
        """The events of one reading, given the table as it stands."""
        missed: tuple[AnyEvent, ...] = ()
        if is_other_unit(received.device, received.reading, state):
            self._forget(received.device, received.reading)
        log = self.logs.get(received.device)
        if log is not None and received.number is not None:
            judgement = log.judge(received.number, received.raw)
            unproved = self._unproved(received, state)
            if unproved is not None:
                missed = (_missed(log, received, unproved),)
            same = log.last is not None and received.number == log.last.number
            if judgement == "repeat" and same and not self._starts_again(received, state):
                return Intaken(answer=Accepted())
            if judgement in ("gap", "same_number_other_bytes") and not _begins_anew(received, state):
                missed = (_missed(log, received, _REASONS[judgement]),)
            self.logs[received.device] = log.after(received.number, received.raw)
            if judgement == "repeat" and not same:
                again = events.DeviceReported(received.device, "the last report once more")
                return Intaken((again,), Accepted())
        anew = self.hands.started(received.device, received.reading, state)
        if anew is not None and not missed:
            missed = (events.ReportsMissed(received.device, None, received.number, anew),)
        intaken = self._words(received, state)
        witnessed = self.witnesses.heard(received, state)
        found = [parted(event) for event in intaken.events] if witnessed.parted else intaken.events
        return Intaken((*missed, *found, *witnessed.events), intaken.answer, intaken.connected)

    def _forget(self, device: str, reading: Reading) -> None:
        """Another unit answers: what the one before said proves nothing about it. A port that says nothing
        lasting may have the same unit again, plugged in anew: that one says its last report once more.
        """
        if device in self.logs:
            if not isinstance(reading, DeviceReachable) or lasts(reading.identity or ""):
                self.logs[device] = msgspec.structs.replace(self.logs[device], last=None)
            self.unproved[device] = ANY_ROUND
        self.recent.forget(device)

    def _starts_again(self, received: Received, state: State | None) -> bool:
        """A start that is reported once more in a deal: sent again, as long as people have the first one
        before them; later it is another one.
        """
        doubts = () if state is None else (finding.code for hold in state.holds for finding in hold.findings)
        return (
            isinstance(received.reading, StartReported) and in_deal(state) and "restart_doubt" not in doubts
        )

    def due(self, now_ns: int) -> list[tuple[str, AnyEvent]]:
        """What did not come by now, though it should have: device and event."""
        return list(self.witnesses.due(now_ns))

    def wait_s(self, now_ns: int) -> float | None:
        """Seconds until ``due`` may have something to say."""
        nearest = self.witnesses.deadline_ns()
        return None if nearest is None else max(0.0, (nearest - now_ns) / 1e9)

    def look(self, now: Moment) -> Found:
        """Inputs that are stuck, and keys that were left in a panel."""
        return {**self.inputs.conditions(), **self.keys.conditions(now.monotonic_ns)}

    def _unproved(self, received: Received, state: State | None) -> str | None:
        """Why this first report of a device proves nothing, as others may have come before it; else None."""
        doubtful = self.unproved.pop(received.device, None)
        if doubtful == ANY_ROUND:
            return None if _begins_anew(received, state) else _REASONS["gap"]
        running = state.round if state is not None and state.in_round else None
        same = running is not None and running.id == doubtful
        return "a start in the round, and no report before it" if same else None

    def _words(self, received: Received, state: State | None) -> Intaken:
        reading, device = received.reading, received.device
        self.inputs.heard(device, reading)
        found = self.felt.heard(reading, state) if device == FELT else ()
        if isinstance(reading, FeltSeen):
            return Intaken(found)
        if isinstance(reading, InputStuck | InputFreed):
            return Intaken()
        if isinstance(reading, KeyPressed):
            return self._pressed(device, reading, received.monotonic_ns, state)
        if isinstance(reading, ShufflerSaid):
            return Intaken((shuffler_event(device, reading, state), *identified(device, reading, state)))
        if isinstance(reading, DeviceUnreachable):
            self.keys.turn(device, None, received.monotonic_ns)
            return Intaken((events.DeviceLost(device, reading.reason[:400]),))
        if isinstance(reading, DeviceReachable):
            return Intaken(_connected(device, reading, state), connected=True)
        if device == SECOND:
            return Intaken(second_events(device, reading))
        if isinstance(reading, Unreadable) and reading.refused:
            return Intaken((events.DeviceReported(device, reading.reason[:400]),), Refused(reading.reason))
        if isinstance(reading, Unreadable):
            answer = None if reading.continued else NotUnderstood()
            return Intaken(_unreadable(device, reading, state), answer)
        return Intaken(self.recent.once(received, reading_events(device, reading, state)))

    def _pressed(self, device: str, reading: KeyPressed, at_ns: int, state: State | None) -> Intaken:
        if reading.word in ("KEY", "NOKEY"):
            badge = reading.arguments[0] if reading.word == "KEY" else None
            if badge is not None and state is not None and not is_listed(state, badge):
                self.keys.turn(device, None, at_ns)  # whoever shows it does not act by the badge before
                return _not_taken(device, reading, "unknown_badge")
            self.keys.turn(device, badge, at_ns)
            return Intaken((events.DeviceReported(device, reading.line[:400]),), Accepted())
        event = keypad_event(reading, self.keys.badge(device))
        if event is None:
            return _not_taken(device, reading, "key_needed")
        if isinstance(event, events.SeatsTaken) and seats_from(state) == "wagering":
            return _not_taken(device, reading, "seats_not_here")
        return Intaken((event,))


def _not_taken(device: str, pressed: KeyPressed, code: events.KeyRefusal) -> Intaken:
    """A key that may not act."""
    return Intaken((events.KeyRefused(device, pressed.line[:400], code),))


def _unreadable(device: str, reading: Unreadable, state: State | None) -> tuple[AnyEvent, ...]:
    """A fault for the record. Where no number will ever tell whether it was a card, people have to look: in a
    round it counts as a card that was not read, for a supervisor to enter.
    """
    fault = events.DeviceFaulted(device, reading.reason[:400])
    if not reading.may_be_card or reading.continued:
        return (fault,)
    if state is not None and state.in_round:
        return (fault, events.CardUnread("what came may have been a card, and cannot be read"))
    return (fault, events.ReportsMissed(device, reason="what came may have been a card, and cannot be read"))


def parted(event: AnyEvent) -> AnyEvent:
    """A card that the beam has told from the one before."""
    return msgspec.structs.replace(event, parted=True) if isinstance(event, events.CardRead) else event


def not_taken_in(received: Received, state: State | None, why: str) -> Intaken:
    """A reading that we failed on: kept as a fault, and a shoe's holds the table, for it may have been a
    card.
    """
    fault = events.DeviceFaulted(received.device, f"the controller could not take in a reading: {why}"[:400])
    if state is None or received.device not in state.configuration.shoe_devices:
        return Intaken((fault,))
    missed = events.ReportsMissed(
        received.device, None, received.number, "the controller could not take it in"
    )
    return Intaken((fault, missed))


def _begins_anew(received: Received, state: State | None) -> bool:
    """Between rounds a shoe that says that it has started may count from anywhere."""
    return isinstance(received.reading, StartReported) and (state is None or not state.in_round)


def _missed(log: ReportLog, received: Received, reason: str) -> AnyEvent:
    expected = None if log.last is None else log.cycle.after(log.last.number)
    return events.ReportsMissed(received.device, expected, received.number, reason)


def _connected(device: str, reading: DeviceReachable, state: State | None) -> tuple[AnyEvent, ...]:
    """The first connection of a run is no news, unless the record still says that the device was lost."""
    was_lost, unit = state is not None and device in state.lost, identified(device, reading, state)
    if reading.first and not was_lost:
        connected = f"connected: {reading.identity or 'no identity'}"
        return (events.DeviceReported(device, connected[:400]), *unit)
    restored = events.DeviceRestored(device, reading.identity, reading.replaced)
    if not reading.replaced:
        return (restored, *unit)
    return (
        restored,
        *unit,
        events.DeviceFaulted(device, "another device answers under the same name than before"),
    )


def stamp_fields(received: Received) -> Mapping[str, object]:
    """What of a reading goes into the stamp of its events: the device, the bytes, its own number."""
    return {
        "device": received.device,
        "raw": received.raw.hex() if received.raw else None,
        "report": received.number,
        "monotonic_ns": received.monotonic_ns,
    }
