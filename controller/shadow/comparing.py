"""The comparison: a fold over the shadow's own record, in which both sides stand.

A round that is dealt here from the other system's line is that line's. One that a shoe dealt is found again
by its time, where the line says one, and by its cards; each is used once. Nothing else is remembered, so the
report is the same whenever it is made.
"""

from __future__ import annotations

from collections import Counter, deque
from datetime import datetime, timedelta

import msgspec
from msgspec.structs import replace

from controller.shadow.difference import Difference, Report
from controller.shadow.following import CANNOT_BE_READ, EXPORT
from controller.shadow.judging import differences
from controller.shadow.old_line import OldLine, read_old_line
from controller.shadow.rounds import OurRound
from controller.shell.history import Entry
from controller.table import core_configuration
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import DeviceReported, SoftwareStarted, TableConfigured

MOST_LISTED = 5000
"""Differences in a report; more are counted. A week in which nothing fits must not fill the memory."""
MOST_OPEN = 2000
"""Rounds that wait for their line: a night's list may come in the morning."""
LINE_SHOWN = 2000


class Comparison:
    """Both sides so far. ``note`` each record in order; ``report`` at any time."""

    def __init__(self, match_s: int) -> None:
        self._match = timedelta(seconds=match_s)
        self._configuration: CoreConfiguration | None = None
        self._deals = False
        self._round: OurRound | None = None
        self._waiting: deque[OurRound] = deque()
        self._found: list[Difference] = []
        self._kinds: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._since: str | None = None
        self._until: str | None = None
        self._software = SoftwareStarted()

    def note(self, entry: Entry) -> list[Difference]:
        """One more record; the differences that it brings to light."""
        event = entry.event
        self._counts["records"] = entry.record.number
        self._since, self._until = self._since or entry.stamp.at, entry.stamp.at
        if isinstance(event, TableConfigured):
            self._configured(event)
        elif isinstance(event, SoftwareStarted):
            self._counts["starts"] += 1
            self._software = event
        found: list[Difference] = []
        if self._round is not None:
            self._round.note(entry)
        if (opened := entry.opened()) is not None:
            self._put_aside()
            self._round = OurRound(opened.id, opened.opened_at, entry.record.number)
            self._counts["rounds"] += 1
            if len(self._waiting) > MOST_OPEN:
                found += self._unknown_there(self._waiting.popleft())
        if isinstance(event, DeviceReported) and event.device == EXPORT and entry.stamp.raw is not None:
            found += self._line(event, bytes.fromhex(entry.stamp.raw), entry)
        self._kinds.update(one.kind for one in found)
        self._found += found[: max(0, MOST_LISTED - len(self._found))]
        return found

    def report(self) -> Report:
        """As it stands; rounds that still wait for their line are no difference yet."""
        configuration, counts = self._configuration, self._counts
        table = None if configuration is None else configuration.table
        return Report(
            table="" if table is None else f"{table.site}/{table.id}",
            game="" if configuration is None else configuration.game.name,
            version=self._software.version,
            digest=self._software.digest,
            since=self._since,
            until=self._until,
            records=counts["records"],
            lines=counts["lines"],
            rounds=counts["rounds"],
            compared=counts["compared"],
            agreed=counts["agreed"],
            kinds=dict(self._kinds),
            restarts=max(0, counts["starts"] - 1),
            more=sum(self._kinds.values()) - len(self._found),
            differences=tuple(self._found),
        )

    def _configured(self, event: TableConfigured) -> None:
        self._configuration = core_configuration(event.core)
        devices = event.configuration.get("devices")
        shoe = devices.get("shoe") if isinstance(devices, dict) else None
        self._deals = isinstance(shoe, dict) and shoe.get("driver") == EXPORT

    def _put_aside(self) -> None:
        """The next round is open: the one before may wait for its line."""
        if self._round is not None and self._round.dealt and not self._deals:
            self._waiting.append(self._round)
        self._round = None

    def _line(self, event: DeviceReported, raw: bytes, entry: Entry) -> list[Difference]:
        self._counts["lines"] += 1
        try:
            if event.words.startswith(CANNOT_BE_READ):
                raise InputError(event.words.removeprefix(CANNOT_BE_READ))
            line = read_old_line(raw)
        except InputError as error:
            return [
                _proved(
                    Difference(kind="unreadable", words=error.message), None, None, raw, entry.stamp.report
                )
            ]
        if not line.is_round or self._configuration is None:
            return []
        passed: list[Difference] = []
        ours = self._round if self._deals else self._match_of(line, passed)
        if self._deals:
            self._round = None
        if ours is None and not self._deals:
            words = "the shoe here dealt no such round"
            found = [Difference(kind="unknown_here", words=words)]
        else:
            found = list(differences(line, ours, self._configuration, dealt_by_line=self._deals))
            self._counts["compared"] += 1
            self._counts["agreed"] += not found
        return passed + [_proved(one, line, ours, raw, entry.stamp.report) for one in found]

    def _match_of(self, line: OldLine, passed: list[Difference]) -> OurRound | None:
        """The round of ours that a line tells of; rounds that are too old for any further line go to
        ``passed``."""
        at = line.moment()
        if at is not None:
            while self._waiting and self._waiting[0].span[1] + 2 * self._match < at:
                passed += self._unknown_there(self._waiting.popleft())
        near = [one for one in self._candidates() if at is None or self._is_near(one, at)]
        wanted = None if line.cards is None else list(line.cards)
        same = [one for one in near if one.cards == wanted]
        found = next(iter(same or near), None)
        if found is None:
            return None
        if found is self._round:
            self._round = None
        else:
            before = []
            while self._waiting[0] is not found:
                before.append(self._waiting.popleft())
            self._waiting.popleft()
            if at is None:  # lines come in the order of the rounds
                for one in before:
                    passed += self._unknown_there(one)
            else:
                self._waiting.extendleft(reversed(before))
        return found

    def _candidates(self) -> list[OurRound]:
        running = [self._round] if self._round is not None and self._round.over else []
        return [*self._waiting, *running]

    def _is_near(self, ours: OurRound, at: datetime) -> bool:
        began, ended = ours.span
        return began - self._match <= at <= ended + self._match

    def _unknown_there(self, ours: OurRound) -> list[Difference]:
        words = "the other system's list has no such round"
        return [_proved(Difference(kind="unknown_there", words=words), None, ours, None, None)]


def _proved(
    found: Difference, line: OldLine | None, ours: OurRound | None, raw: bytes | None, ends: int | None
) -> Difference:
    """With all that proves it."""
    if ours is not None:
        found = replace(
            found,
            round=ours.id,
            at=ours.opened_at,
            cards=tuple(ours.cards),
            raw=tuple(ours.raw),
            records=(ours.first, ours.last),
        )
    if line is not None:
        their_round = None if line.round is None else str(line.round)
        found = replace(found, their_round=their_round, at=line.at or found.at)
    if raw is not None:
        found = replace(found, line=raw[:LINE_SHOWN].decode("utf-8", "replace"), line_ends=ends)
    return msgspec.convert(msgspec.to_builtins(found), Difference)
