"""``make bench PART=wear``: bytes and syncs of a card and a round at the block device, and in turn those of
the journal as it was before it minded that: pages of 4 KB, what is deleted overwritten, snapshots as text,
the log moved into the file twice as often, the place of a consumer written by itself after each event,
without a sync.

The journal of real rounds is written as the daemon writes it: an event is a transaction, a snapshot goes with
the end of a round, and the log is moved into the file after so many records. It lies on a loop device with
ext4 of its own, and the device counts. The place of a consumer goes with the next event, and is written by
itself where that comes later than the daemon waits for it: how many of them do is the pace of the dealing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controller.journal import sqlite
from controller.journal.sqlite import SqliteJournal
from controller.outbox.stream import FLUSH_AFTER_S
from controller.shell.housekeeping import CHECKPOINT_EVERY_RECORDS
from controller.shell.identity import software_digest
from controller.shell.replay import configured_by
from controller.shell.restart import encode_snapshot, snapshot_text
from controller.shell.wear import SECTOR_BYTES, life_years
from controller.vocabulary.codec import encode_event
from controller.vocabulary.effects import Say
from controller.vocabulary.events import (
    AnyEvent,
    BetsClosed,
    BetsOpened,
    CardRead,
    DecisionsClosed,
    RoundSettled,
)
from controller.vocabulary.messages import RoundFinal
from tests.bench.timing import Grown, Mark, part_arguments, told
from tests.faults.crashes import scratch
from tests.harness.keys import SIGNER
from tests.harness.rounds import EPOCH, TABLES, Happened, Rounds, configuration_of

DISK_MB = 512
PAGE_BEFORE, CHECKPOINT_BEFORE = 4096, 64
ROUNDS, FIRST = 100, 100
"""Rounds that count, and those before them, more than a shoe: while the log grows, and it does with the
snapshots of the first shoe, ext4 writes its length as well."""
ROUNDS_AN_HOUR = 80
CARD_BYTES = 32_000_000_000
MOST = 0.5
"""Of what it cost before."""
GAME = "baccarat"
CONSUMER = "settlement"
CARD_S = 3.0
"""From one thing that the dealer does to the next, at most, where nobody is waited for."""
PAUSES_S: dict[type[AnyEvent], float] = {
    BetsOpened: 10,
    BetsClosed: 20,
    DecisionsClosed: 15,
    RoundSettled: 10,
}
"""Before these people pay, bet and think. A round of baccarat is a minute, one of hold'em 85 seconds."""
NEEDS = "wear: wants root, losetup, mkfs.ext4 and a free loop device: sudo make bench PART=wear"


@dataclass(frozen=True)
class Cost:
    """Of the device since it was made, or of some rounds."""

    bytes: int
    syncs: int
    cards: int = 0

    def since(self, before: Cost, cards: int) -> Cost:
        return Cost(self.bytes - before.bytes, self.syncs - before.syncs, cards)


@contextmanager
def ext4(folder: Path) -> Iterator[tuple[Path, str]]:
    """A new file system and the name of its device. OSError or CalledProcessError where there can be none."""
    image, place = folder / "disk", folder / "mounted"
    image.touch()
    os.truncate(image, DISK_MB << 20)
    place.mkdir()
    run("mkfs.ext4", "-q", image)
    device = run("losetup", "--find", "--show", image).strip()
    try:
        run("mount", device, place)
        try:
            yield place, Path(device).name
        finally:
            run("umount", "-l", place)
    finally:
        run("losetup", "--detach", device)


def run(*words: str | Path) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def count(place: Path, device: str) -> Cost:
    run("sync", "-f", place)
    figures = [int(word) for word in Path("/sys/block", device, "stat").read_text().split()]
    return Cost(figures[6] * SECTOR_BYTES, figures[15])


def by_hand(event: AnyEvent) -> bool:
    """Whether an event comes later than the place of a consumer waits for it."""
    return PAUSES_S.get(type(event), CARD_S) > FLUSH_AFTER_S


def each(_event: AnyEvent) -> bool:
    """The slowest that there is: no place of a consumer goes with an event."""
    return True


BY_HAND = "dealt by hand"
PACES: dict[str, Callable[[AnyEvent], bool]] = {BY_HAND: by_hand, "each event alone": each}


def played(name: str, rounds: int, late: Callable[[AnyEvent], bool], *, before: bool = False) -> Cost:
    """What so many rounds of a table cost; ``late``: which event comes after the place of a consumer was
    written by itself; ``before``: as the journal was.
    """
    with scratch() as folder, ext4(folder) as (place, device):
        table = Rounds(configured_by(configuration_of(folder, name)), software_digest())
        journal = made(place / "journal.db", before=before)
        with journal:
            journal.add_consumer(CONSUMER)
            journal.seal = SIGNER.seal
            start, settled, cards = Cost(0, 0), 0, 0
            for happened in table.played(FIRST + rounds):
                if settled == FIRST and not start.bytes:
                    start, cards = count(place, device), 0
                if late(happened.event) and not before:
                    journal.flush()
                write(journal, happened, before=before)
                if before:
                    journal._connection.execute("PRAGMA synchronous = NORMAL")
                    journal.flush()
                    journal._connection.execute("PRAGMA synchronous = FULL")
                settled += isinstance(happened.event, RoundSettled)
                cards += isinstance(happened.event, CardRead)
            return count(place, device).since(start, cards)


def made(path: Path, *, before: bool) -> SqliteJournal:
    usual = sqlite.PAGE_SIZE
    sqlite.PAGE_SIZE = PAGE_BEFORE if before else usual
    try:
        journal = SqliteJournal.create(path, epoch=EPOCH)
    finally:
        sqlite.PAGE_SIZE = usual
    if before:
        journal._connection.execute("PRAGMA secure_delete = ON")
    return journal


def write(journal: SqliteJournal, happened: Happened, *, before: bool) -> None:
    """What the daemon and its consumer do with one event."""
    event, stamp, handled = happened
    state = handled.table.state
    final = any(
        isinstance(effect, Say) and isinstance(effect.message, RoundFinal) for effect in handled.effects
    )
    snapshot = None
    if final and state is not None:
        snapshot = snapshot_text(state, {}).encode() if before else encode_snapshot(state, {})
    journal.commit([encode_event(event, stamp)], handled.messages, snapshot=snapshot)
    journal.set_cursor(CONSUMER, journal.stream_head)
    if journal.record_head % (CHECKPOINT_BEFORE if before else CHECKPOINT_EVERY_RECORDS) == 0:
        journal.checkpoint()


def main() -> int:
    parser = part_arguments("wear", __doc__)
    parser.add_argument("--table", choices=TABLES, default=GAME, help="[%(default)s]")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="[%(default)s]")
    chosen = parser.parse_args()
    try:
        before = played(chosen.table, chosen.rounds, each, before=True)
        costs = {pace: played(chosen.table, chosen.rounds, late) for pace, late in PACES.items()}
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{NEEDS} ({getattr(error, 'stderr', None) or error})", file=sys.stderr)
        return 2
    rows = [
        (pace, *row(cost, chosen.rounds), f"{cost.bytes / before.bytes:.2f}")
        for pace, cost in {"as before": before, **costs}.items()
    ]
    ours = costs[BY_HAND]
    now, then = (f"{one.bytes / one.cards / 1000:.1f} kB a card" for one in (ours, before))
    what = f"bytes at the block device, {BY_HAND}"
    marks = [Mark(what, now, then, ours.bytes / before.bytes, MOST, at_least=False)]
    head = ("pace", "bytes a card", "syncs", "bytes a round", "syncs", "years", "of before")
    title = (
        f"{chosen.table}, {chosen.rounds} rounds, ext4; years of a card of 32 GB at {ROUNDS_AN_HOUR} rounds"
        " an hour day and night"
    )
    return told(chosen.json, marks, [Grown(title, head, rows)])


def row(cost: Cost, rounds: int) -> tuple[str, ...]:
    years = life_years(CARD_BYTES, cost.bytes, rounds / ROUNDS_AN_HOUR * 3600) or 0
    of_cards = (f"{cost.bytes / cost.cards:,.0f}", f"{cost.syncs / cost.cards:.1f}")
    return (
        *of_cards,
        f"{cost.bytes / rounds:,.0f}",
        f"{cost.syncs / rounds:.1f}",
        f"{years:,.0f}",
    )


if __name__ == "__main__":
    raise SystemExit(main())
