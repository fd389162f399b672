"""A settlement system as seen from the table: it keeps what comes, acknowledges well or badly, forgets.

Written from the contract alone: messages of the stream follow each other by ``sequence`` and ``prevhash``,
each comes exactly once to who asks again for what is missing, and a repetition is the same message.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from tests.harness.keys import as_hashed
from tests.simulation.stack_broker import Broker, Watcher
from tests.simulation.stack_time import WorldTime

Mood = Literal["good", "late", "twice", "ahead", "back", "silent"]
MOODS: tuple[Mood, ...] = ("good", "late", "twice", "ahead", "back", "silent")
ASK_EVERY_S = 5.0
LATE_S = 3.0
SILENT_S = 700.0
"""Then somebody has found out why it says nothing."""


class Settler:
    """One consumer of one table."""

    def __init__(self, broker: Broker, now: WorldTime, name: str, base: str) -> None:
        """``base``: the topics of the table begin so."""
        self.name = name
        self._broker, self._now, self._base = broker, now, base
        self.mood: Mood = "good"
        self._silent_s = 0.0
        """Since when it says nothing."""
        self.epoch: int | None = None
        self.kept: list[bytes] = []
        """The stream from 1 on, canonical."""
        self.known: list[bytes] = []
        """All that it ever held: what it has forgotten must come again to the byte."""
        self.said = 0
        """The most that it ever acknowledged, by mistake too."""
        self.wrong: list[str] = []
        self._head = 0
        self._asked_s = 0.0
        self._owes_s: float | None = None
        self._asks = 0
        self._watcher: Watcher | None = None

    @property
    def here(self) -> bool:
        """Whether it hears the broker."""
        return self._watcher is not None

    def come(self) -> None:
        """Listen, and say how far it is."""
        if self._watcher is None:
            topics = tuple(f"{self._base}/{part}" for part in ("events", "status"))
            self._watcher = self._broker.attach(topics, self._hear)
            if self.kept:
                self._acknowledge()

    def leave(self) -> None:
        """Hear nothing any more."""
        if self._watcher is not None:
            self._broker.detach(self._watcher)
            self._watcher = None

    def forget(self, messages: int) -> None:
        """It is put back to an older copy of its own disk."""
        del self.kept[max(0, len(self.kept) - messages) :]

    def tick(self) -> None:
        """Ask for what is missing, acknowledge what waited."""
        now_s = self._now.monotonic()
        if not self.here or not self._broker.up:
            return
        if self.mood != "silent":
            self._silent_s = now_s
        elif now_s - self._silent_s > SILENT_S:
            self.mood = "good"
            self._acknowledge()
        if self._owes_s is not None and now_s >= self._owes_s:
            self._acknowledge()
        if len(self.kept) < self._head and now_s - self._asked_s >= ASK_EVERY_S:
            self._asked_s = now_s
            self._asks += 1
            expires = datetime.fromtimestamp(self._now.time(), UTC) + timedelta(seconds=60)
            asked = {
                "id": f"{self.name}-{self._asks}",
                "expires": expires.isoformat(),
                "sequence": len(self.kept) + 1,
            }
            self._broker.publish(f"{self._base}/commands/resend", json.dumps(asked).encode())

    def _hear(self, topic: str, payload: bytes, retained: bool) -> None:
        if not self._broker.up:
            return
        if topic.endswith("/status"):
            if payload:
                said = json.loads(payload)
                self._head = max(self._head, said["sequence"]) if said["state"] == "online" else self._head
            return
        self._take(payload)

    def _take(self, payload: bytes) -> None:
        body = as_hashed(payload)
        said: dict[str, Any] = json.loads(body)
        number = said["sequence"]
        self.epoch = self.epoch or said["epoch"]
        if said["epoch"] != self.epoch:
            self.wrong.append(f"message {number} of epoch {said['epoch']}, not {self.epoch}")
        elif number <= len(self.known) and self.known[number - 1] != body:
            self.wrong.append(f"message {number} came again and is another one")
        elif number == len(self.kept) + 1:
            before = hashlib.sha256(self.kept[-1]).hexdigest() if self.kept else "0" * 64
            if said["prevhash"] != before:
                self.wrong.append(f"message {number} does not follow on the one before")
            self.kept.append(body)
            if number > len(self.known):
                self.known.append(body)
        self._head = max(self._head, number)
        self._answer()

    def _answer(self) -> None:
        match self.mood:
            case "good":
                self._acknowledge()
            case "late":
                self._owes_s = self._now.monotonic() + LATE_S
            case "twice":
                self._acknowledge()
                self._acknowledge()
            case "ahead":
                self._acknowledge(more=5)
            case "back":
                self._acknowledge(more=-min(3, len(self.kept)))
            case "silent":
                pass

    def _acknowledge(self, more: int = 0) -> None:
        """All that it has, or by mistake ``more``."""
        self._owes_s = None
        number = len(self.kept) + more
        self.said = max(self.said, number)
        said: dict[str, object] = {"epoch": self.epoch or 0, "sequence": number}
        if not more and self.kept:
            said["hash"] = hashlib.sha256(self.kept[-1]).hexdigest()
        self._broker.publish(f"{self._base}/acks/{self.name}", json.dumps(said).encode(), retain=True)
