"""What is answered to a device or to a command that asked for something."""

from __future__ import annotations

from controller.outbox.commands import CommandArrived, Decisions, Refusal, Seats
from controller.round.state import State
from controller.shell.intake import Accepted, Answer, Refused, seats_from
from controller.vocabulary.effects import Effect, Refuse, Say
from controller.vocabulary.events import AnyEvent, DecisionsReported, SeatsTaken
from controller.vocabulary.message import Message
from controller.vocabulary.messages import AlertRaised, ShoeStarted
from controller.vocabulary.replies import Reply, refusal


def answer_of(effects: list[Effect]) -> Answer:
    """What the device is told: the first refusal, why the shoe that was loaded opens no round, or that all is
    well."""
    refusals = [effect.why for effect in effects if isinstance(effect, Refuse)]
    why = [*refusals, *_why_barred([effect.message for effect in effects if isinstance(effect, Say)])]
    return Refused(why[0]) if why else Accepted()


def _why_barred(said: list[Message]) -> list[str]:
    """Why a shoe that begins with these messages opens no round: what a person mistyped is seen at once.

    It is loaded all the same, and the answer says so: cards that somebody put into the shoe are not the ones
    that were in it, and no round may be dealt from them.
    """
    if not any(isinstance(message, ShoeStarted) for message in said):
        return []
    return [
        f"this shoe opens no round: {one.message}"
        for one in said
        if isinstance(one, AlertRaised) and one.id == "shoe"
    ]


def event_of(command: Decisions | Seats) -> AnyEvent:
    """What a command of the settlement system says to the table."""
    if isinstance(command, Seats):
        return SeatsTaken(command.seats)
    return DecisionsReported(command.hand, command.play, command.fold, command.auto)


def refused_here(notice: CommandArrived, state: State | None) -> Refusal | None:
    """Why a command never reaches the table: seats are the panel's to say, or another round is meant."""
    if isinstance(notice.command, Seats) and seats_from(state) != "wagering":
        text = 'the panel says which seats play, unless game.seats_from = "wagering"'
        return Refusal(notice.name, "seats_from_panel", text, notice.command.id)
    meant = notice.command.round
    running = None if state is None or state.round is None else state.round.id
    if meant is None or meant == running:
        return None
    text = f"the numbers are for round {meant}, the last one is {running or 'not known'}"
    return Refusal(notice.name, "other_round", text, notice.command.id)


def reply_of(request_id: str, effects: list[Effect]) -> Reply:
    """What a command is answered with."""
    refused = next((effect for effect in effects if isinstance(effect, Refuse)), None)
    return (
        Reply(id=request_id, ok=True) if refused is None else refusal(request_id, refused.code, refused.why)
    )
