"""Our side of a comparison: the rounds of the shadow's own record, each with its result, holds and bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from controller.outbox.envelope import Envelope, name_of
from controller.shadow.following import EXPORT
from controller.shell.history import Entry
from controller.vocabulary.events import CardRead, CardUnread, HoldCleared

MOST_RAW = 40
"""So many frames of a round are kept; a babbling line says no more with the next one."""


@dataclass(slots=True)
class OurRound:
    """A round as this table followed it."""

    id: str
    opened_at: str
    first: int
    last: int = 0
    ended_at: str = ""
    """When something was last said of it."""
    cards: list[str] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    result: dict[str, Any] | None = None
    void: dict[str, Any] | None = None
    held: list[dict[str, Any]] = field(default_factory=list)
    """Each hold once, with its evidence."""

    @property
    def over(self) -> bool:
        """Whether it has come to something."""
        return self.result is not None or self.void is not None or bool(self.held)

    @property
    def dealt(self) -> bool:
        """Whether a card lies."""
        return bool(self.cards)

    @property
    def span(self) -> tuple[datetime, datetime]:
        """From the opening to the last word."""
        return datetime.fromisoformat(self.opened_at), datetime.fromisoformat(self.ended_at or self.opened_at)

    def note(self, entry: Entry) -> None:
        """A record while this is the round."""
        self.last = entry.record.number
        event, stamp = entry.event, entry.stamp
        if isinstance(event, CardRead | CardUnread):
            self.cards.append(event.code if isinstance(event, CardRead) else "unread")
            self.ended_at = stamp.at
        if stamp.raw and stamp.device not in (None, EXPORT) and len(self.raw) < MOST_RAW:
            self.raw.append(f"{stamp.device} {stamp.raw}")
        for message in entry.said:
            self._said(message, by_us=isinstance(event, HoldCleared))

    def _said(self, message: Envelope, *, by_us: bool) -> None:
        name = name_of(message.type_)
        if name == "table.held":
            hold: dict[str, Any] = msgspec.json.decode(message.data)
            self.held = [one for one in self.held if one["hold"] != hold["hold"]] + [hold]
        elif name == "round.result" and message.subject == self.id:
            self.result = msgspec.json.decode(message.data)
            self.ended_at = message.time
        elif name == "round.void" and message.subject == self.id and not by_us:
            self.void = msgspec.json.decode(message.data)


def paragraph_of(evidence: list[dict[str, Any]]) -> str | None:
    """The first paragraph that the evidence of a hold names."""
    return next((str(one["paragraph"]) for one in evidence if one.get("paragraph")), None)
