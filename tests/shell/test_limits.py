"""What must be well before a round opens: said at half of a limit, stopping at the whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.shell.limits import (
    EVERY_NS,
    MOST_MARKS,
    BacklogAge,
    LimitWatch,
    check_age,
    check_free,
    check_outbox,
)
from controller.vocabulary.conditions import Condition
from tests.harness.configuration import configured
from tests.shell.watched import Watched

TABLE = """
mqtt = { max_waiting_messages = 1000, max_unacknowledged_s = 60 }
journal.min_free_mb = 0
devices.shoe = { driver = "angel-eye", port = "/dev/shoe" }
"""
SECOND_NS = 1_000_000_000


class Floor:
    """A watch over a stream that a test moves by hand."""

    def __init__(self, configuration: Configuration) -> None:
        self.head = self.acknowledged = 0
        self.now_ns = 0
        self.configuration = configuration
        self.held: dict[str, Condition] = {}
        self.start()

    def start(self) -> None:
        """A start of the daemon: only the record knows what was."""
        watch = LimitWatch(self.configuration, lambda: (self.head, self.acknowledged))
        self.watched = Watched(watch.look, held=self.held)
        self.held = self.watched.held

    def pass_s(self, seconds: int) -> list[str]:
        """Look every two seconds; what was told."""
        said: list[str] = []
        for _ in range(0, seconds * SECOND_NS, EVERY_NS):
            self.now_ns += EVERY_NS
            said += self.watched.look(self.now_ns)
        return said


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    return Floor(load_configuration(configured(tmp_path, TABLE)))


def test_a_message_that_waits_is_said_at_half_and_stops_at_the_whole(floor: Floor) -> None:
    floor.head = 5
    assert floor.pass_s(30) == []
    assert floor.pass_s(4) == ["outbox_old is said"]
    assert floor.pass_s(24) == []
    assert floor.pass_s(4) == ["outbox_old stops"]
    assert floor.pass_s(600) == []
    floor.head, floor.acknowledged = 9, 9
    assert floor.pass_s(2) == ["outbox_old is over"]


def test_a_stream_that_is_acknowledged_late_but_steadily_stops_nothing(floor: Floor) -> None:
    for _ in range(200):
        floor.head += 1
        floor.acknowledged = max(0, floor.head - 10)
        assert floor.pass_s(2) == []


def test_the_oldest_message_counts_not_the_newest(floor: Floor) -> None:
    floor.head = 1
    assert floor.pass_s(20) == []
    floor.head = 50
    assert floor.pass_s(12) == ["outbox_old is said"]
    floor.acknowledged = 1
    assert floor.pass_s(2) == ["outbox_old is over"]


@pytest.mark.parametrize("waited_s", [40, 70])
def test_a_restart_does_not_forget_how_long_it_was(floor: Floor, waited_s: int) -> None:
    floor.head = 5
    floor.pass_s(waited_s)
    held = dict(floor.held)
    floor.start()
    assert floor.pass_s(10) == []
    assert floor.held == held
    assert floor.pass_s(60) == (["outbox_old stops"] if waited_s == 40 else [])


def test_without_a_limit_nobody_counts(floor: Floor) -> None:
    mqtt = msgspec.structs.replace(floor.configuration.mqtt, max_unacknowledged_s=0)
    floor.configuration = msgspec.structs.replace(floor.configuration, mqtt=mqtt)
    floor.start()
    floor.head = 5
    assert floor.pass_s(10_000) == []


def test_the_number_of_messages_is_said_at_half_and_stops_at_the_whole(floor: Floor) -> None:
    said = []
    for head in (499, 500, 999, 1000, 1500, 1000):
        floor.head, floor.acknowledged = head + 100, 100
        floor.now_ns += EVERY_NS
        said.append(floor.watched.look(floor.now_ns))
    assert said == [[], ["outbox_full is said"], [], ["outbox_full stops"], [], []]


def test_a_folder_that_is_gone_stops_the_next_opening_and_not_the_daemon(
    floor: Floor, tmp_path: Path
) -> None:
    journal = msgspec.structs.replace(
        floor.configuration.journal, path=str(tmp_path / "disk" / "journal.db"), min_free_mb=1
    )
    floor.configuration = msgspec.structs.replace(floor.configuration, journal=journal)
    (tmp_path / "disk").mkdir()
    floor.start()
    assert floor.pass_s(4) == []
    (tmp_path / "disk").rename(tmp_path / "pulled out")
    assert floor.pass_s(4) == ["disk_short stops"]
    assert "is no folder" in floor.watched.changes[-1].message
    (tmp_path / "pulled out").rename(tmp_path / "disk")
    assert floor.pass_s(4) == ["disk_short is over"]


CHECKS: dict[str, Callable[[float, Condition | None], Condition | None]] = {
    "number": lambda part, held: check_outbox(round(1000 * part), 1000, held),
    "age": lambda part, held: check_age(60 * part, 60, held),
    "disk": lambda part, held: check_free(round(100 / part), 100, held),
}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_no_limit_flutters(check: Callable[[float, Condition | None], Condition | None]) -> None:
    """The same values on the way up and on the way down."""
    held: Condition | None = None
    seen = []
    for part in (0.4, 0.48, 0.52, 0.95, 1.02, 0.95, 0.85, 0.52, 0.48, 0.4):
        held = check(part, held)
        seen.append("well" if held is None else "stops" if held.blocks_opening else "near")
    assert seen == ["well", "well", "near", "near", "stops", "stops", "near", "near", "near", "well"]


def test_a_long_absence_costs_no_memory_and_keeps_its_age() -> None:
    backlog = BacklogAge()
    for second in range(3 * MOST_MARKS):
        assert backlog.age_s(second + 1, 0, float(second)) == second
    assert backlog.age_s(3 * MOST_MARKS, 3 * MOST_MARKS, 1e6) == 0
