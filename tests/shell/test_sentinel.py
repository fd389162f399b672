"""A loop that stalls: outputs go safe, the service manager waits a bounded time, and the round goes on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from controller.round.state import State
from controller.shell.conditions import Moment
from controller.shell.daemon import serve
from controller.shell.lamps import AGAIN_NS
from controller.shell.observing.snapshot import EventCounts
from controller.shell.sentinel import FRESH_S, PATIENCE_S, Heartbeat, Sentinel
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.gpio.simulator import SimulatedBoard
from drivers.keypad.simulator import Keypad
from tests.faults.disk import OK, Call, Disk, sqlite_on
from tests.harness import patience
from tests.harness.bench import Bench
from tests.harness.process import until
from tests.harness.rules_by_hand import play
from tests.harness.whole import Whole, must, whole
from tests.shell.test_lamps import BETTING, DEALING, PINS, SAFE, LitTable, lit, table

__all__ = ["table"]

LONG_S = patience.PATIENCE_S
CARDS = 20
GOES_ON_S = 8.8


class Stood:
    """A sentinel at a clock of its own, and what it did, in order."""

    def __init__(self) -> None:
        self.did: list[str] = []
        self.switches = True
        self._heartbeat = Heartbeat()
        self._heartbeat.at_s = 100.0
        self.sentinel = Sentinel(
            self._heartbeat, self._put_safe, lambda: self.did.append("fed"), goes_on_s=GOES_ON_S
        )

    def _put_safe(self) -> bool:
        self.did.append("safe")
        return self.switches

    def after(self, *stood_s: float) -> list[str]:
        """What it does when the loop has stood for so long."""
        self.did.clear()
        for each in stood_s:
            self.sentinel.look(100.0 + each)
        return self.did


@pytest.fixture
def watched() -> Stood:
    made = Stood()
    made.sentinel.ready()
    return made


def test_a_loop_that_goes_on_is_fed_for_and_its_outputs_are_left_alone(watched: Stood) -> None:
    assert watched.after(0.0, FRESH_S - 0.01) == ["fed", "fed"]


def test_who_is_fed_for_is_not_fed_for_at_every_look(watched: Stood) -> None:
    assert watched.after(0.0, 0.05, 0.1) == ["fed"]


def test_progress_of_a_while_ago_is_neither_a_reason_to_feed_nor_to_go_safe(watched: Stood) -> None:
    assert watched.after(FRESH_S + 0.01, PATIENCE_S - 0.01) == []


def test_for_a_loop_that_stalls_the_outputs_go_safe_before_anybody_is_fed(watched: Stood) -> None:
    assert watched.after(PATIENCE_S + 0.01) == ["safe", "fed"]


def test_outputs_that_cannot_be_put_safe_are_left_to_who_outlives_us(watched: Stood) -> None:
    watched.switches = False
    assert watched.after(PATIENCE_S + 0.1, 1.0, 2.0) == ["safe"] * 3


def test_a_loop_that_stalls_for_ever_is_not_fed_for_for_ever(watched: Stood) -> None:
    assert watched.after(GOES_ON_S - 0.1) == ["safe", "fed"]
    assert watched.after(GOES_ON_S + 0.1, 60.0, 3600.0) == ["safe"] * 3


def test_nobody_is_fed_before_he_counts() -> None:
    assert Stood().after(0.0, PATIENCE_S + 0.01) == ["safe"]


@pytest.mark.parametrize(
    ("state", "shown"), [(BETTING, ({"green", "shoe_lock"}, "lock")), (DEALING, ({"red"}, "unlock"))]
)
def test_what_the_sentinel_takes_away_is_shown_again_when_the_loop_goes_on(
    table: LitTable, state: State, shown: tuple[set[str], str]
) -> None:
    table.lamps.show(state)
    assert table.lamps.stall()
    assert table.shown == SAFE
    asked = len(table.shoe.commands)
    assert table.lamps.stall()
    assert len(table.shoe.commands) == asked  # each command is one numbered report more
    assert table.lamps.look(Moment(0)) == {}
    assert table.shown == shown


def test_a_commit_that_comes_through_shows_what_it_has_brought(table: LitTable) -> None:
    table.lamps.show(BETTING)
    table.lamps.stall()
    table.lamps.show(DEALING)
    assert table.shown == ({"red"}, "unlock")


def test_what_is_not_durable_stays_dark_though_the_loop_goes_on(table: LitTable) -> None:
    """The disk is slow and then refuses: nothing is shown again before it takes what waits."""
    table.lamps.show(BETTING)
    table.lamps.stall()
    table.lamps.halt()
    table.lamps.look(Moment(AGAIN_NS))
    assert table.shown == SAFE
    table.board.broken = True
    assert table.lamps.stall()


def test_a_loop_that_hangs_in_an_output_is_not_waited_for(
    table: LitTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, on = threading.Event(), threading.Event()

    def hang(_: bool) -> None:
        inside.set()
        on.wait(LONG_S)

    monkeypatch.setattr(table.outputs, "hold_lamp", hang)
    loop = threading.Thread(target=table.lamps.show, args=(BETTING,))
    loop.start()
    assert inside.wait(LONG_S)
    assert not table.lamps.stall()
    on.set()
    loop.join()
    assert table.lamps.stall()


def test_pins_that_do_not_switch_are_not_said_to_be_safe(table: LitTable) -> None:
    table.lamps.show(BETTING)
    table.outputs.release()
    table.board.broken = True
    assert not table.lamps.stall()


def test_after_the_stop_nothing_more_is_said_to_the_shoe(table: LitTable) -> None:
    table.lamps.show(DEALING)
    table.lamps.stop()
    said = list(table.shoe.commands)
    assert table.lamps.stall()
    table.lamps.look(Moment(0))
    assert (table.shoe.commands, table.shown) == (said, SAFE)


def test_a_flood_that_takes_its_time_is_no_loop_that_stalls(bench: Bench) -> None:
    """Hundreds of cards in one transaction may take a small machine longer than the sentinel's patience."""
    moments: list[str] = []

    class Noted(Heartbeat):
        def beat(self) -> None:
            moments.append("progress")

    bench.loop.heartbeat = Noted()
    for _ in range(CARDS):
        bench.type("HOLD")
    bench.loop.step()
    assert len(moments) > CARDS


# The real daemon, on a disk that keeps a sync until it is let go.

DEVICES = """
[devices.shoe]
driver = "angel-eye"
port = "{folder}/shoe"
[devices.panel]
driver = "keypad"
port = "{folder}/keypad"
[devices.lights]
driver = "gpio"
""" + "\n".join(f"{name} = {number}" for name, number in PINS.named())


class StandingDisk(Disk):
    """As a worn card in a card slot: a sync takes as long as it likes."""

    watches = frozenset({"sync"})

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()

    def before(self, call: Call) -> int:
        self.free.wait(LONG_S)
        return OK


class Service:
    """The daemon, what hangs on it, and the service manager's ear."""

    def __init__(self, shoe: SimulatedAngelEye, keypad: Keypad, ear: socket.socket) -> None:
        self.shoe, self.keypad, self.board, self.disk = shoe, keypad, SimulatedBoard(), StandingDisk()
        self._ear = ear
        ear.settimeout(LONG_S)
        self.whole: Whole

    def hear(self) -> list[str]:
        """The next words."""
        return self._ear.recv(4096).decode().splitlines()

    def fed(self, times: int) -> None:
        """Wait until the watchdog is fed so often from now on."""
        self._ear.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                self.hear()
        self._ear.settimeout(LONG_S)
        while times:
            times -= "WATCHDOG=1" in self.hear()

    def shows(self, lamps: set[str], *, locked: bool) -> None:
        """Wait until the pins and the shoe are so."""
        pause = threading.Event()
        for _ in range(int(LONG_S / 0.01)):
            if (lit(self.board), self.shoe.locked) == (lamps, locked):
                return
            pause.wait(0.01)
        raise AssertionError(f"{lit(self.board)}, the shoe locked: {self.shoe.locked}")


@pytest.fixture
def service(
    tmp_path: Path, keypad: Keypad, manager: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Service]:
    monkeypatch.setenv("WATCHDOG_USEC", "60000000")

    def live(table: Whole) -> None:
        with closing(table.assembly.windows(EventCounts())) as windows:
            serve(table.assembly, windows)

    with SimulatedAngelEye(tmp_path / "shoe", answer_timeout_s=LONG_S) as shoe:
        made = Service(shoe, keypad, manager)
        with sqlite_on(made.disk), whole(tmp_path, DEVICES, pins=made.board.factory, life=live) as made.whole:
            try:
                yield made
            finally:
                made.disk.free.set()


def standing(table: Service, begin: Callable[[], object], times: int) -> None:
    """Something happens whose sync does not end: everything is safe, and the manager is fed on."""
    table.disk.free.clear()
    begin()
    table.shows({"red", "shoe_lock"}, locked=True)
    table.fed(times)


def test_no_green_light_over_a_loop_that_stalls_and_it_comes_back(service: Service) -> None:
    must(service.keypad, "SHOE 416", "OPEN")
    service.shows({"green", "shoe_lock"}, locked=True)
    standing(service, lambda: service.keypad.send("KEY boss"), times=8)
    service.disk.free.set()
    service.shows({"green", "shoe_lock"}, locked=True)
    assert service.keypad.answer(LONG_S) == "OK"


def test_a_round_goes_on_behind_a_slow_sync_and_the_locks_reports_are_no_card(service: Service) -> None:
    cards = ["2S", "3H", "AD", "2C", "7S", "5H"]
    must(service.keypad, "SHOE 416", "OPEN", "CLOSE")
    service.shows({"red"}, locked=False)

    drawn: list[str] = []

    def draw(hand: str, number: int) -> str:
        card = cards[len(drawn)]

        def out() -> None:
            with service.shoe.guard:  # the last command may not have come yet
                assert service.shoe.guard.wait_for(
                    lambda: service.shoe.card(card, hand, number) is not None, LONG_S
                )

        service.shows({"red"}, locked=False)
        if len(drawn) == 1:
            standing(service, out, times=1)
            service.disk.free.set()
        else:
            out()
        drawn.append(card)
        service.whole.wait_said("round.card", len(drawn))
        return card

    played = play(draw)
    service.whole.wait_said("round.result")
    state = service.whole.state
    assert (state.hold, len(service.whole.said("round.card"))) == (None, len(drawn))
    assert service.whole.said("round.result")[0]["outcome"]["winner"] == played.winner
    assert not [alert for alert in state.alerts if alert.code != "broker"]


def test_an_error_that_nobody_foresaw_does_not_end_it(
    watched: Stood, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would put the outputs safe."""
    monkeypatch.setattr("controller.shell.sentinel.LOOK_S", 0.01)
    failures = [OSError("no such socket"), RuntimeError("a library")]
    real = watched.sentinel.look

    def look(now_s: float) -> None:
        if failures:
            raise failures.pop()
        real(now_s)

    monkeypatch.setattr(watched.sentinel, "look", look)
    watched.sentinel.start()
    try:
        until(lambda: "fed" in watched.did, "it looks on")
    finally:
        watched.sentinel.stop()
