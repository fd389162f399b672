"""What a disk can do to a table that plays: the table of docs/explanation/what-is-promised.md, line by line.

The daemon is the real one on a real file; between SQLite and the file lies our own layer (``disk``), which
needs no rights. What a real small disk and a real limit of the kernel do stands in ``tests/journal``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.verify import verify
from tests.faults.loop import Figures, examine
from tests.faults.recording import play_and_stop
from tests.faults.shim import shimmed
from tests.harness.deals import DEALS
from tests.harness.house import BadHouse, bad_house
from tests.harness.patience import PATIENCE_S
from tests.harness.people import Croupier, Dealt

[GAME] = [deal for deal in DEALS if deal.game == "2-card-action"]
SLOW_S = 2.0


@contextmanager
def table(folder: Path, journal: str = "") -> Iterator[tuple[BadHouse, Croupier, Path]]:
    """A table that has played a round; a file whose words are what its disk does."""
    control = folder / "control"
    control.mkdir()
    with bad_house(folder, GAME, f"[journal]\n{journal}", program=shimmed(control)) as house:
        yield house, Croupier(house, random.Random(4), deal=GAME), control / "fault"


def end_well(house: BadHouse, people: Croupier) -> None:
    """Everything arrived and is right, and the journal is whole."""
    assert (house.close_down(), house.consumer.stop()) == (0, 0)
    figures = examine(house, people, Figures(GAME.game, 4))
    assert figures.clean, figures
    assert figures.voids == 0
    assert verify(house.journal).findings == []


def cards_told(house: BadHouse) -> int:
    """So many cards the consumer has heard of."""
    return sum(b"round.card" in body for body in house.consumer.kept())


def deal(house: BadHouse, people: Croupier, earlier: int = 0) -> tuple[str, str]:
    """Two cards, and the daemon has heard both: nobody settles before. Where no byte waits in the kernel, one
    may still be on its way through it, so the daemon is asked. ``earlier``: cards that came before its start.
    """
    cards = people.draw("first", 1), people.draw("second", 1)
    house.daemon.until(lambda: house.frames("shoe") == people.drawn() - earlier, "both cards are heard")
    return cards


def on_felt(cards: tuple[str, str]) -> Dealt:
    """The round that these cards are."""
    return Dealt({"layout": "C", "cards": list(cards)})


def ways(house: BadHouse, fault: Path, words: str) -> tuple[Callable[[], object], Callable[[], object]]:
    """How this fault begins and ends."""
    away = house.journal.with_name("away.db")
    if words == "moved":
        return lambda: house.journal.rename(away), lambda: away.rename(house.journal)
    return lambda: fault.write_text(words), lambda: fault.write_text("")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("full", "database or disk is full"),
        ("io", "disk I/O error"),
        ("readonly", "attempt to write a readonly database"),
        ("moved", "deleted or moved while it was open"),
    ],
)
def test_what_cannot_be_written_is_not_confirmed_and_happens_when_it_can(
    tmp_path: Path, words: str, complaint: str
) -> None:
    with table(tmp_path) as (house, people, fault):
        begin, end = ways(house, fault, words)
        people.round()
        people.must("OPEN")
        people.must("CLOSE")
        house.wait_delivered()
        cards = cards_told(house)
        begin()
        dealt = deal(house, people)
        house.daemon.until(lambda: complaint in house.daemon.log, "the log says what is wrong with the disk")
        house.keypad.send("SETTLED")
        assert house.keypad.answer(0.5) is None
        assert cards_told(house) == cards
        end()
        assert house.keypad.answer(PATIENCE_S) == "OK"
        house.daemon.until(lambda: "takes writes again" in house.daemon.log, "the log says that it is over")
        people.dealt.append(on_felt(dealt))
        end_well(house, people)


def test_a_sync_of_two_seconds_makes_the_table_slow_and_nothing_else(tmp_path: Path) -> None:
    with table(tmp_path) as (house, people, fault):
        people.load()
        fault.write_text(f"slow {SLOW_S}")
        begun_s = time.monotonic()
        people.must("OPEN")
        assert time.monotonic() - begun_s >= SLOW_S
        people.must("CLOSE")
        dealt = deal(house, people)
        people.key("SETTLED")
        fault.write_text("")
        people.dealt.append(on_felt(dealt))
        end_well(house, people)


def test_too_little_room_opens_no_round_and_says_so(tmp_path: Path) -> None:
    with table(tmp_path, "min_free_mb = 1000000") as (house, people, _fault):
        people.load()
        answer = house.keypad.press("OPEN")
        assert answer is not None
        assert answer.startswith("NO ")
        assert "MB of disk are free, 1000000 must be" in answer


def flipped(path: Path) -> None:
    """A bit of the first record's body."""
    body = path.read_bytes()
    place = body.index(b'"event":"table_configured"')
    path.write_bytes(body[:place] + bytes((body[place] ^ 4,)) + body[place + 1 :])


def torn(path: Path) -> None:
    """Half of each page behind the first holds what it never held."""
    body, chance = bytearray(path.read_bytes()), random.Random(4)
    for place in range(4096, len(body), 4096):
        body[place : place + 2048] = chance.randbytes(2048)
    path.write_bytes(body)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:8192])


def play_far(house: BadHouse, people: Croupier) -> None:
    """Two rounds, so that a start goes on from a snapshot far behind the first record."""
    play_and_stop(house, people, 2)
    with SqliteReader.open(house.journal) as reader:
        snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot[0] > 10


@pytest.mark.parametrize("damage", [flipped, torn, cut])
def test_a_damaged_journal_is_not_played_on(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    with table(tmp_path) as (house, people, _fault):
        play_far(house, people)
        damage(house.journal)
        damaged = house.journal.read_bytes()
        house.daemon.start()
        assert house.daemon.wait() == 1
        assert "damaged" in house.daemon.log or "malformed" in house.daemon.log
        assert "Traceback" not in house.daemon.log
        assert house.journal.read_bytes() == damaged


def test_old_damage_in_a_long_journal_lets_the_round_end_and_opens_no_other(tmp_path: Path) -> None:
    with table(tmp_path) as (house, people, fault):
        play_far(house, people)
        earlier = people.drawn()
        fault.with_name("long").touch()
        house.daemon.start()
        people.must("OPEN")
        people.must("CLOSE")
        assert house.daemon.stop() == 0
        flipped(house.journal)
        house.daemon.start()
        complaint = "the journal is damaged: record 1 does not fit its hash"
        house.daemon.until(lambda: complaint in house.daemon.log, "the walk has found it")
        deal(house, people, earlier)
        people.must("SETTLED")
        for _ in range(2):
            answer, _ = people.press("OPEN")
            assert answer.startswith(f"NO {complaint}")
            house.wait_delivered()
            assert house.daemon.stop() == 0
            house.daemon.start()
        told = [body for body in house.consumer.kept() if b'"condition-journal_damaged"' in body]
        assert [b"alert.raised" in body for body in told] == [True], "said once, and never taken back"


def test_a_deleted_journal_is_a_new_epoch_and_an_alarm_at_the_consumer(tmp_path: Path) -> None:
    with table(tmp_path) as (house, people, _fault):
        people.round()
        house.wait_delivered()
        kept = house.consumer.kept()
        assert house.daemon.stop() == 0
        for path in tmp_path.glob("journal.db*"):
            path.unlink()
        house.daemon.start()
        house.daemon.until(
            lambda: "ALARM: the table has a new journal" in house.consumer.log,
            "the consumer sounds the alarm",
        )
        knows = "the broker knows this table under epoch"
        house.daemon.until(lambda: knows in house.daemon.log, knows)
        assert house.consumer.stop() == 1
        assert house.consumer.kept() == kept
