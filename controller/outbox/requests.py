"""Carries out the commands that are the outbox's own business, and answers."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from controller.outbox.commands import Command, Decisions, Refusal, Resend, Who
from controller.outbox.notices import CommandArrived, CommandRefused, Newcomer, Notice
from controller.outbox.payloads import canonical_json
from controller.outbox.pump import Pump
from controller.outbox.rows import Rows
from controller.outbox.topics import Topics


class Requests:
    """Answers ``resend``, ``snapshot`` and ``who``; ``decisions`` is the table's and becomes a notice."""

    def __init__(self, topics: Topics, rows: Rows, pump: Pump) -> None:
        self._topics = topics
        self._rows = rows
        self._pump = pump

    def carry_out(self, name: str, command: Command | Refusal) -> list[Notice]:
        """Do what was asked, or say why not."""
        if isinstance(command, Decisions):
            return [CommandArrived(name, command)]
        if isinstance(command, Who):
            self.reply(
                command.id, {"ok": True, "epoch": self._rows.epoch, "sequence": self._rows.stream_head}
            )
            return [Newcomer(command.epoch, command.boot)]
        outcome: Refusal | None = None
        if isinstance(command, Resend):
            outcome = self._resend(name, command)
        elif isinstance(command, Refusal):
            outcome = command
        else:
            self.reply(command.id, {"ok": True, **self._snapshot()})
        if outcome is None:
            return []
        self.refuse(outcome)
        return [CommandRefused(outcome)]

    def reply(self, request_id: str, answer: Mapping[str, object]) -> None:
        """Answer a command under its id."""
        self._pump.reply(self._topics.reply(request_id), canonical_json({"id": request_id, **answer}))

    def refuse(self, refusal: Refusal) -> None:
        """Tell who asked that a command is not carried out, where it said under which id."""
        if refusal.id is not None:
            self.reply(refusal.id, {"ok": False, "error": {"code": refusal.code, "message": refusal.message}})

    def _resend(self, name: str, command: Resend) -> Refusal | None:
        head = self._rows.stream_head
        if command.epoch is not None and command.epoch != self._rows.epoch:
            return Refusal(name, "other_epoch", f"the epoch is {self._rows.epoch}", command.id)
        if command.sequence > head:
            return Refusal(name, "beyond_head", f"the stream ends at {head}", command.id)
        kept = self._rows.messages(command.sequence - 1, 1)
        if not kept or kept[0].sequence != command.sequence:
            oldest = kept[0].sequence if kept else head + 1
            return Refusal(name, "no_longer_kept", f"the oldest message kept is {oldest}", command.id)
        self._pump.go_back(command.sequence)
        self.reply(command.id, {"ok": True, "epoch": self._rows.epoch, "from": command.sequence, "to": head})
        return None

    def _snapshot(self) -> dict[str, object]:
        base = len(self._topics.base) + 1
        retained = {
            topic[base:]: msgspec.Raw(payload) for topic, payload in self._pump.retained.items() if payload
        }
        return {
            "epoch": self._rows.epoch,
            "sequence": self._rows.stream_head,
            "hash": self._rows.stream_hash,
            "cursors": self._pump.cursors,
            "retained": retained,
        }
