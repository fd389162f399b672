"""Devices lost and restored, restarts, missed reports: what they do to the table."""

from __future__ import annotations

from collections.abc import Mapping

from controller.round.holds import about, end_hold, hold_for, say_held
from controller.round.secrecy import may_quote
from controller.round.state import Software, State
from controller.round.turn import Turn
from controller.vocabulary.events import (
    DeviceFaulted,
    DeviceIdentified,
    DeviceLost,
    DeviceRestored,
    ReportsMissed,
    SoftwareStarted,
)
from controller.vocabulary.evidence import Proof
from controller.vocabulary.irregularities import Irregularity
from controller.vocabulary.messages import DeviceLostMessage, DeviceRestoredMessage


def device_lost(turn: Turn, event: DeviceLost) -> None:
    """A device does not answer. One that the dealing needs holds the table; another only alerts."""
    if event.device in turn.state.lost:
        return
    turn.set(lost=(*turn.state.lost, event.device))
    turn.say(DeviceLostMessage(device=event.device, reason=quoted(turn, event.reason)))
    if is_needed(turn, event.device):
        hold_for(turn, "device_lost", Proof(device=event.device))
    else:
        turn.raise_alert(
            f"device-{event.device}", "device_lost", f"the device {event.device} does not answer"
        )


def is_needed(turn: Turn, device: str) -> bool:
    """Whether the dealing needs the device; a shuffler that only mixes resting sets is not among them."""
    state = turn.state
    newest = state.newest  # what is plugged in follows it at once
    return device in (*state.configuration.shoe_devices, *newest.shoe_devices)


def hold_for_lost_devices(turn: Turn) -> None:
    """After a void has ended every hold: a device that is still lost holds the table again."""
    for device in turn.state.lost:
        if is_needed(turn, device) and not is_held_for(turn.state, device):
            hold_for(turn, "device_lost", Proof(device=device))


def device_restored(turn: Turn, event: DeviceRestored) -> None:
    """A device answers. It may be another unit than before also where nobody noticed that one was lost."""
    if event.device in turn.state.lost:
        go_on_with(turn, event)
    if event.replaced:
        doubt_unit(turn, event.device)


def go_on_with(turn: Turn, event: DeviceRestored) -> None:
    """Between rounds the table goes on by itself; in a round a supervisor must clear the hold, for a card may
    have passed unseen, even where the round had been allowed to go on without the device.
    """
    turn.set(lost=tuple(device for device in turn.state.lost if device != event.device))
    turn.say(DeviceRestoredMessage(device=event.device, identity=event.identity))
    turn.clear_alert(f"device-{event.device}")
    if not turn.state.in_round:
        go_on_between_rounds(turn, event.device)
    elif is_needed(turn, event.device) and not is_held_for(turn.state, event.device):
        hold_for(turn, "device_lost", Proof(device=event.device, why="it answers again"))


def device_identified(turn: Turn, event: DeviceIdentified) -> None:
    """Which unit answers: where it is another one than before, nobody knows what passed it meanwhile."""
    known = turn.state.units.get(event.device, {})
    before = known.get(event.kind, event.identity)
    turn.set(units={**turn.state.units, event.device: {**known, event.kind: event.identity}})
    if before != event.identity:
        doubt_unit(turn, event.device)


def doubt_unit(turn: Turn, device: str, why: str = "another unit answers than before") -> None:
    """In a round the reports of another unit, or of another driver, prove nothing about the cards before."""
    if turn.state.in_round:
        doubt(turn, device, Proof(device=device, why=why))


def doubt(turn: Turn, device: str, proof: Proof) -> None:
    """A card may have passed unseen; at a device that the dealing does not need that is only told."""
    if is_needed(turn, device):
        hold_for(turn, "restart_doubt", proof)
    else:
        turn.raise_alert(f"reports-{device}", "reports_missed", f"reports of {device} were missed")


def go_on_between_rounds(turn: Turn, device: str) -> None:
    """The device is back: a hold that was about nothing else is over."""
    hold = turn.state.hold
    if hold is None or hold.reason != "device_lost" or hold.waiting:
        return
    left = tuple(finding for finding in hold.findings if not is_loss_of(finding, device))
    if left:
        turn.set(holds=(*turn.state.holds[:-1], rest := about(hold, left)))
        if rest.reason != hold.reason:
            say_held(turn)
    else:
        end_hold(turn, "continue", "controller", "the device answers again between rounds")


def is_held_for(state: State, device: str) -> bool:
    """Whether the table holds for the loss of the device already."""
    return any(is_loss_of(finding, device) for hold in state.holds for finding in hold.findings)


def is_loss_of(finding: Irregularity, device: str) -> bool:
    """Whether a finding is the loss of the device."""
    return finding.code == "device_lost" and finding.evidence.device == device


def software_started(turn: Turn, event: SoftwareStarted) -> None:
    """After a restart clocks run in full again; a shoe without numbers cannot prove that no card passed
    meanwhile, and nobody remembers what a second reader or a beam had said alone."""
    before = turn.state
    software = Software(event.version, event.digest, event.boot, event.devices, event.public_key)
    turn.set(software=software, timers=())
    newest = before.newest
    if before.in_round and not (before.configuration.shoe_numbered and newest.shoe_numbered):
        hold_for(turn, "restart_doubt", Proof(why="the shoe's reports carry no numbers"))
    elif before.unwitnessed:
        why = "what a second reader or a beam said just before is not remembered"
        hold_for(turn, "restart_doubt", Proof(why=why))
    for device in exchanged(before, event.devices):
        doubt_unit(turn, device, "it has another driver, or is plugged in elsewhere, than before the restart")
    if event.devices:
        forget_devices(turn, exchanged(before, event.devices))


def exchanged(before: State | None, devices: Mapping[str, str]) -> tuple[str, ...]:
    """The devices that have another driver, or another place to be plugged in, than in the life before."""
    known = {} if before is None or before.software is None else before.software.devices
    return tuple(device for device, driver in devices.items() if known.get(device, driver) != driver)


def forget_devices(turn: Turn, others: tuple[str, ...]) -> None:
    """What is known of a device goes with it: which unit it was, and that it did not answer."""
    present = () if turn.state.software is None else turn.state.software.devices
    units = turn.state.units.items()
    turn.set(units={device: unit for device, unit in units if device in present and device not in others})
    for device in [device for device in turn.state.lost if device not in present]:
        turn.set(lost=tuple(lost for lost in turn.state.lost if lost != device))
        turn.clear_alert(f"device-{device}")
        if not turn.state.in_round:
            go_on_between_rounds(turn, device)


def reports_missed(turn: Turn, event: ReportsMissed) -> None:
    """The device's own numbers prove a gap: a card may have passed unseen."""
    proof = Proof(device=event.device, why=event.reason, expected=event.expected, received=event.got)
    doubt(turn, event.device, proof)


def device_faulted(turn: Turn, event: DeviceFaulted) -> None:
    """The journal keeps it; one alert for each device shows people the last that was told, and how often."""
    turn.raise_repeated(
        f"fault-{event.device}", "device_fault", f"{event.device}: {quoted(turn, event.reason)}"
    )


def quoted(turn: Turn, text: str) -> str:
    """A device's text, where it cannot name a card that lies face down."""
    return text if may_quote(turn.state, turn.game) else "its words are in the record until the reveal"
