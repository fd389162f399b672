"""Devices lost and restored, restarts, missed reports: what they do to the table."""

from __future__ import annotations

from controller.round.holds import about, end_hold, hold_for, say_held
from controller.round.secrecy import may_quote
from controller.round.state import Software
from controller.round.turn import Turn
from controller.vocabulary.events import (
    DeviceFaulted,
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
    return device in turn.state.configuration.shoe_devices


def hold_for_lost_devices(turn: Turn) -> None:
    """After a void has ended every hold: a device that is still lost holds the table again."""
    for device in turn.state.lost:
        if is_needed(turn, device):
            hold_for(turn, "device_lost", Proof(device=device))


def device_restored(turn: Turn, event: DeviceRestored) -> None:
    """Between rounds the table goes on by itself; in a round a supervisor must clear the hold, for a card may
    have passed unseen, even where the round had been allowed to go on without the device.
    """
    if event.device not in turn.state.lost:
        return
    turn.set(lost=tuple(device for device in turn.state.lost if device != event.device))
    turn.say(DeviceRestoredMessage(device=event.device, identity=event.identity))
    turn.clear_alert(f"device-{event.device}")
    if not turn.state.in_round:
        go_on_between_rounds(turn, event.device)
    elif is_needed(turn, event.device) and not any(
        is_loss_of(finding, event.device) for hold in turn.state.holds for finding in hold.findings
    ):
        hold_for(turn, "device_lost", Proof(device=event.device, why="it answers again"))


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


def is_loss_of(finding: Irregularity, device: str) -> bool:
    """Whether a finding is the loss of the device."""
    return finding.code == "device_lost" and finding.evidence.device == device


def software_started(turn: Turn, event: SoftwareStarted) -> None:
    """After a restart clocks run in full again; a shoe without numbers cannot prove that no card passed
    meanwhile."""
    turn.set(software=Software(event.version, event.digest, event.boot), timers=())
    if turn.state.in_round and not turn.state.configuration.shoe_numbered:
        hold_for(turn, "restart_doubt", Proof(why="the shoe's reports carry no numbers"))


def reports_missed(turn: Turn, event: ReportsMissed) -> None:
    """The device's own numbers prove a gap: a card may have passed unseen."""
    if not is_needed(turn, event.device):
        turn.raise_alert(
            f"reports-{event.device}", "reports_missed", f"reports of {event.device} were missed"
        )
        return
    proof = Proof(device=event.device, why=event.reason, expected=event.expected, received=event.got)
    hold_for(turn, "restart_doubt", proof)


def device_faulted(turn: Turn, event: DeviceFaulted) -> None:
    """The journal keeps it; an alert, which the device's next fault replaces, shows it to people."""
    turn.raise_alert(f"fault-{event.device}", "device_fault", f"{event.device}: {quoted(turn, event.reason)}")


def quoted(turn: Turn, text: str) -> str:
    """A device's text, where it cannot name a card that lies face down."""
    return text if may_quote(turn.state, turn.game) else "its words are in the record until the reveal"
