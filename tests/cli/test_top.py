"""``top``: what it says of each thing, and a demo that it watches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest

from controller.cli.top import device_words, edge_words, hold_words, picture
from controller.outbox.counters import OutboxCounters
from controller.shell.observing.snapshot import DeviceFigures, LoopFigures, Observation, RunningUnit
from controller.vocabulary.display import ShownHold
from controller.vocabulary.histogram import Histogram
from tests.cli.program import answered, dealer_table
from tests.harness.broker import free_port
from tests.harness.process import PROGRAM, Program, until

QUIET = DeviceFigures(
    connected=True, connections=1, losses=0, bytes_in=9, frames_in=3, noise_in=0, writes_failed=0
)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "connected, 3 frames, 0 bytes of noise"),
        ({"connected": False, "connections": 0}, "NEVER CONNECTED, 3 frames, 0 bytes of noise"),
        ({"connected": False, "losses": 1}, "LOST, 3 frames, 0 bytes of noise, lost 1 time"),
        ({"connections": 3, "losses": 2}, "connected, 3 frames, 0 bytes of noise, lost 2 times"),
    ],
)
def test_a_line_is_lost_only_where_it_was_there(changed: dict[str, int], words: str) -> None:
    assert device_words(msgspec.structs.replace(QUIET, **changed)) == words


def of_this(folder: Path) -> list[str]:
    """The programs that were given something in this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().decode(errors="replace") if entry.name.isdigit() else ""
        except OSError:
            continue  # it has just ended
        found += [words] if str(folder) in words else []
    return found


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where demos of this test have their folders; its name is short enough for one of a socket."""
    with TemporaryDirectory() as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


def test_a_demo_whose_folder_is_too_deep_for_a_window_deals_on(here: Path) -> None:
    deep = here / ("deep" * 30)
    deep.mkdir()
    assert "1 round in" in dealer_table("demo", "--rounds", "1", "--pace-s", "0", TMPDIR=str(deep)).stdout
    assert [*deep.iterdir()] == []


def test_top_watches_a_bench(tmp_path: Path, here: Path) -> None:
    call = [PROGRAM, "demo", "--bench", "--port", free_port(), "--pace-s", "0.05", "--rounds", "9"]
    with Program(call, tmp_path / "bench.log") as bench:
        bench.until(lambda: dealer_table("top", "--once").returncode == 0, "it is seen")
        assert "north/7 (live)" in answered("top", "--once")


def test_top_watches_a_demo_and_a_demo_that_is_killed_leaves_nothing_behind(
    tmp_path: Path, here: Path
) -> None:

    def dealt() -> bool:
        seen = dealer_table("top", "--json")
        return seen.returncode == 0 and "round.settled" in seen.stdout

    with Program([PROGRAM, "demo", "--game", "baccarat", "--pace-s", "0.05"], tmp_path / "demo.log") as demo:
        demo.until(dealt, "a round is settled")
        assert "demo/1 (live)" in answered("top", "--once")
        assert len(of_this(here)) == 2, "a broker, and who tidies up"
    until(lambda: not of_this(here) and not [*here.iterdir()], "all is gone")
    done = dealer_table("top", "--once")
    assert (done.returncode, done.stdout) == (1, "")
    assert "no demo and no bench runs here" in done.stderr


@pytest.mark.parametrize(
    ("edges", "said"),
    [
        ({}, "not watched"),
        ({"tie": 0.14, "banker": 0.0103}, "least on Banker: +1.03 %"),
        (
            {"tie": -0.02, "banker": 0.01},
            "least on Tie: -2.00 %; 1 bet favours the players",
        ),
    ],
)
def test_the_house_edge_is_that_of_the_worst_bet(edges: dict[str, float], said: str) -> None:
    assert edge_words(edges) == said


def test_a_hold_says_whose_key_opens_what() -> None:
    hold = ShownHold(
        round=None,
        reason="requested",
        meaning="the dealer asked for a supervisor",
        evidence=(),
        choices=("continue", "void"),
        what_they_do={},
        waiting=2,
        beneath=(),
    )
    nothing = "void (no round runs: only the hold ends)"
    said = f"requested; with the supervisor's key: continue, {nothing}; 2 more came while it holds"
    assert hold_words(hold) == said


def test_each_alert_has_a_line_in_words_and_each_such_line_is_red() -> None:
    """It is about something else than its code says, or just that."""
    seen = Observation(
        unit=RunningUnit("north/7", "live", "1", "", 1),
        uptime_s=1,
        display=None,
        alerts={"condition-broker": "unreachable", "no_shoe": "no_shoe"},
        alert_messages={"condition-broker": "the broker does not answer", "no_shoe": "no shoe is loaded"},
        loop=LoopFigures(),
        outbox=OutboxCounters(
            connected=True,
            listening=True,
            connections=1,
            head=0,
            sent=0,
            taken=0,
            acknowledged={},
            pending=0,
            publish_s=Histogram(),
        ),
        devices={},
        house_edge={},
        counted={},
        commit_s=Histogram(),
        oldest_unacknowledged_s=0,
        disk_free_bytes=0,
        temperature_celsius=None,
    )
    red = [line.plain for line in picture(seen) if line.style]
    assert [line.split("  ")[-1].strip() for line in red[1:]] == [
        "unreachable (broker): the broker does not answer",
        "no_shoe: no shoe is loaded",
    ]
