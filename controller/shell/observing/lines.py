"""Lines of the log about what a table did: holds, devices, voids, refusals. Codes and places, no card."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from controller.vocabulary.effects import Refuse, Say
from controller.vocabulary.events import AnyEvent, DeviceFaulted
from controller.vocabulary.messages import (
    DeviceLostMessage,
    DeviceRestoredMessage,
    EpochStartedMessage,
    RoundVoid,
    ShoeEnded,
    TableClosedMessage,
    TableHeld,
    TableOpenedMessage,
    TableResumed,
)

log = logging.getLogger(__name__)


def log_said(says: Iterable[Say]) -> None:
    """After the commit: a line for each message that people who run the machine look for."""
    for say in says:
        match say.message:
            case TableHeld(round=about, reason=reason, again=False):
                log.warning("the table holds: %s, %s", reason, place(about))
            case TableResumed(round=about, reason=reason, choice=choice, by=by):
                log.info("the hold is over: %s, %s, %s by %s", reason, place(about), choice, by)
            case RoundVoid(round=about, reason=reason):
                log.warning("round %s is void: %s", about, reason)
            case ShoeEnded(shoe=shoe, reason=reason):
                log.info("shoe %s is no longer used: %s", shoe, reason)
            case DeviceLostMessage(device=device, reason=reason):
                log.warning("%s is lost: %s", device, reason)
            case DeviceRestoredMessage(device=device):
                log.info("%s answers again", device)
            case TableOpenedMessage():
                log.info("the table opens")
            case TableClosedMessage():
                log.info("the table closes")
            case EpochStartedMessage(previous=previous):
                log.warning("this unit goes on for epoch %d", previous)


def log_refused(who: str, refusals: Iterable[Refuse]) -> None:
    """Somebody was told no; ``why`` may hold what was typed, so only the code is logged."""
    for refusal in refusals:
        log.info("refused to %s: %s", who, refusal.code)


def log_faults(events: Iterable[AnyEvent]) -> None:
    """A device said what makes no sense, or raised an alarm; its words may name a card, so only the record
    has them."""
    for event in events:
        if isinstance(event, DeviceFaulted):
            log.warning("%s reports a fault: the record has its words", event.device)


def place(about: str | None) -> str:
    """Where it happened."""
    return "between rounds" if about is None else f"round {about}"
