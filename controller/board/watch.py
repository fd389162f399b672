"""From the messages of broker or table to what the pages get: keeps the floor, and tells what changed.

Lives on the event loop's thread alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import msgspec

from controller.board.acknowledged import Acknowledgements, Acknowledging
from controller.board.floor import Floor, Key, SeenTable, keep_only, read_display, take
from controller.board.hub import Hub, event
from controller.board.jackpot import Jackpot
from controller.board.picture import (
    Held,
    StrengthAsked,
    floor_line,
    holds,
    silence_of,
    strength_asked,
    table_pictures,
)
from controller.board.settings import SignalSource
from controller.odds.counting import odds_of
from controller.vocabulary.errors import DealerTableError
from controller.vocabulary.parts import HandStrength

Strength = Mapping[str, HandStrength]
CHANNELS = ("name", "table", "dealer", "floor")
"""Beginnings of the hub's channels: that a table is there, its players' picture, its dealer's, its line."""


def utc_now() -> str:
    """The time as pages get it, RFC 3339, milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class FloorWatch:
    """The board's memory; what reads the clock is here, what it means is in ``floor`` and ``picture``."""

    def __init__(
        self,
        hub: Hub,
        build: str,
        source: SignalSource = "broker",
        acknowledged: Acknowledgements | None = None,
    ) -> None:
        self._hub = hub
        self._acknowledged = acknowledged
        self._build = build
        self.source = source
        self._floor: Floor = {}
        self._since: dict[Key, str] = {}
        self._held: dict[Key, Held] = {}
        self._fresh: set[str] | None = set()
        self._strengths: dict[StrengthAsked, Strength] = {}
        self._counting: set[asyncio.Task[None]] = set()
        self._writing = asyncio.Lock()
        self.alive = False
        self._under_key: bytes | None = None
        self.jackpot: Callable[[], Jackpot | None] = lambda: None
        """The house's, as its file says it now."""
        self._silent_since: str | None = None
        hub.make_beat = self._beat

    @property
    def tables(self) -> int:
        """Tables that are known."""
        return len(self._floor)

    @property
    def floor(self) -> Floor:
        """All that is known; a value, which may be read from any thread."""
        return self._floor

    def connected(self) -> None:
        """A new connection: what does not come again is not retained any more."""
        self._fresh = set()
        self.named_under_key(b"null")

    def heard(self, topic: str, payload: bytes) -> None:
        """A retained message."""
        if self._fresh is not None and payload:
            self._fresh.add(topic)
        before = self._floor
        self._floor, key = take(before, topic, payload)
        if key is not None:
            self._note_silence(key, before.get(key))
            self._note_hold(key, before.get(key))
            self._tell(key)

    def complete(self) -> None:
        """All that is retained has come again."""
        if self._fresh is not None:
            self._floor, changed = keep_only(self._floor, self._fresh)
            self._fresh = None
            for key in changed:
                self._tell(key)

    def signal(self, alive: bool) -> None:
        """The source answers, or does not."""
        if alive != self.alive:
            self.alive = alive
            self._silent_since = None if alive else utc_now()
            if self._under_key is not None:  # a key that nobody hears of is out
                self._tell_all()
            self._hub.beat()

    def named_under_key(self, said: bytes) -> None:
        """What the one table of a local source lets its own dealer's page name, as JSON; null: nothing."""
        under_key = None if said == b"null" else said
        if under_key != self._under_key:
            self._under_key = under_key
            self._tell_all()

    def _tell_all(self) -> None:
        for key in self._floor:
            self._tell(key)

    def _beat(self) -> bytes:
        """Says that we live, what time it is, and whether we hear our source."""
        body = {
            "now": utc_now(),
            "heard": self.alive,
            "source": self.source,
            "since": self._silent_since,
            "build": self._build,
            "tables": len(self._floor),
            "jackpot": self.jackpot(),
        }
        return event("beat", msgspec.json.encode(body))

    def _note_silence(self, key: Key, before: SeenTable | None) -> None:
        """A table that falls silent while we look: since now. One found silent: nobody knows."""
        seen = self._floor.get(key)
        silent = seen is not None and silence_of(seen, None) is not None
        was_heard = before is not None and before.status is not None and silence_of(before, None) is None
        if silent and was_heard:
            self._since[key] = utc_now()
        elif not silent:
            self._since.pop(key, None)

    def _note_hold(self, key: Key, before: SeenTable | None) -> None:
        """A table that begins to hold while we look: since now. One found in a hold: for longer."""
        if not holds(self._floor.get(key)):
            self._held.pop(key, None)
        elif key not in self._held:
            self._held[key] = Held(utc_now(), before is None or before.display is None)

    def _tell(self, key: Key) -> None:
        name, players, dealer, line = (f"{channel}/{key.path}" for channel in CHANNELS)
        seen = self._floor.get(key)
        named = msgspec.json.encode({"path": key.path})
        if seen is None:
            for channel in (name, players, dealer, line):
                self._hub.put(channel, event("gone", named))
            return
        silence = silence_of(seen, self._since.get(key))
        known = {} if self._acknowledged is None else self._acknowledged.of(seen)
        under_key = self._under_key if self.alive and silence is None else None
        pictures = table_pictures(seen, silence, self._strength(seen), known, under_key)
        self._hub.put(players, event("table", pictures.players))
        self._hub.put(dealer, event("table", pictures.dealer))
        self._hub.put(line, event("line", floor_line(seen, silence, self._held.get(key), known)))
        self._hub.put(name, event("name", named))

    async def acknowledge(self, asked: Acknowledging) -> int:
        """How many of the alerts that a person saw are still there, and now recorded as seen by the badge.

        PermissionError where this badge may not, or nothing is recorded here; OSError where it cannot be.
        """
        if self._acknowledged is None or not self._acknowledged.may(asked.badge):
            raise PermissionError
        seen = self._floor.get(Key(asked.site, asked.table, asked.mode))
        lines = [] if seen is None else self._acknowledged.lines(seen, asked, utc_now())
        if seen is not None and lines:
            async with self._writing:
                await asyncio.to_thread(self._acknowledged.write, lines)
            self._acknowledged.adopt(lines)
            self._tell(seen.key)
        return len(lines)

    def _strength(self, seen: SeenTable) -> Strength | None:
        """How strong the hands are, if that is counted; else it is counted aside and told then."""
        asked = strength_asked(read_display(seen.display))
        if asked is None:
            return None
        if asked in self._strengths:
            return self._strengths[asked]
        task = asyncio.get_running_loop().create_task(self._count(seen.key, asked))
        self._counting.add(task)
        task.add_done_callback(self._counting.discard)
        return None

    async def _count(self, key: Key, asked: StrengthAsked) -> None:
        counted = await asyncio.to_thread(strength_of, asked)
        if counted is None:
            return
        if len(self._strengths) >= 64:
            self._strengths.pop(next(iter(self._strengths)))
        self._strengths[asked] = counted
        seen = self._floor.get(key)
        if seen is not None and strength_asked(read_display(seen.display)) == asked:
            self._tell(key)


def strength_of(asked: StrengthAsked) -> Strength | None:
    """The exact counts for each hand; None where the cards are none of one deck."""
    try:
        return odds_of(asked.game).strengths(asked.face_up)
    except DealerTableError:
        return None
