"""The daemon under a service manager: ready, alive by the loop's own progress, frozen, ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.shell.wiring.safe_outputs import leave_safe
from controller.vocabulary.errors import DeviceError
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.gpio import GpioLights
from drivers.gpio.outputs import GpioOutputs
from drivers.gpio.simulator import SimulatedBoard
from tests.cli.program import PROGRAM, dealer_table
from tests.harness.configuration import configured
from tests.harness.patience import PATIENCE_S

SHOE = '[devices.shoe]\ndriver = "angel-eye"\nport = "{folder}/shoe"\n'
NO_OUTPUTS = SHOE.replace("angel-eye", "bee-tek")
LIGHTS = '[devices.lights]\ndriver = "gpio"\n'
ALL_LIGHTS = GpioLights(red=16, yellow=20, green=21, hold=12, buzzer=7, shoe_lock=8)


class Service:
    """A daemon with somebody who listens to what it says."""

    def __init__(self, process: subprocess.Popen[bytes], ear: socket.socket) -> None:
        self.process = process
        self._ear = ear
        self.heard: list[str] = []

    def hear(self, word: str, within_s: float = PATIENCE_S) -> None:
        """Listen until the word is said."""
        ends = time.monotonic() + within_s
        while True:
            self._ear.settimeout(max(0.001, ends - time.monotonic()))
            said = self._ear.recv(4096).decode().splitlines()
            self.heard += said
            if any(line.startswith(word) for line in said):
                return

    def await_silence(self, seconds: float) -> None:
        """As the service manager does: no word within the watchdog's time."""
        with suppress(TimeoutError):
            while True:
                self.hear("WATCHDOG=1", seconds)


@contextmanager
def service(folder: Path, text: str) -> Iterator[Service]:
    file = configured(folder, text)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(folder / "notify"))
        surroundings = os.environ | {"NOTIFY_SOCKET": str(folder / "notify"), "WATCHDOG_USEC": "10000000"}
        call: list[str | Path] = [*PROGRAM, "run", "--config", file]
        process = subprocess.Popen(call, env=surroundings, stderr=subprocess.DEVNULL)
        try:
            yield Service(process, ear)
        finally:
            process.kill()
            process.wait()


def safe_outputs(folder: Path, text: str) -> str:
    """What the service manager runs after each end; what that prints."""
    done = dealer_table("safe-outputs", "--config", str(configured(folder, text)))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedAngelEye]:
    with SimulatedAngelEye(tmp_path / "shoe") as shoe:
        yield shoe


@pytest.mark.parametrize("table", [NO_OUTPUTS, SHOE + "lock = false", SHOE + "safe_locked = false"])
def test_ready_alive_and_stopped_in_good_order(tmp_path: Path, table: str) -> None:
    with service(tmp_path, table) as daemon:
        daemon.hear("READY=1")
        daemon.hear("WATCHDOG=1")
        assert any(line.startswith("STATUS=idle") for line in daemon.heard)
        daemon.process.send_signal(signal.SIGTERM)
        daemon.hear("STOPPING=1")
        assert daemon.process.wait(PATIENCE_S) == 0
    assert not any(line.startswith("WATCHDOG_USEC") for line in daemon.heard)


def watched(daemon: Service) -> float:
    """The seconds after which the manager takes this daemon for dead, once it has been fed in time."""
    daemon.hear("WATCHDOG_USEC=")
    (limit,) = (line for line in daemon.heard if line.startswith("WATCHDOG_USEC="))
    daemon.hear("WATCHDOG=1")
    daemon.hear("WATCHDOG=1")
    return int(limit.partition("=")[2]) / 1e6


@pytest.mark.parametrize("outputs", ["pins", "the lock of the shoe"])
def test_a_table_with_outputs_is_watched_closely_enough(tmp_path: Path, outputs: str) -> None:
    """Two seconds from the freeze to safe outputs: the manager notices within 1.2 s, the rest is for
    ``safe-outputs`` (``make bench`` measures it: "outputs safe after a freeze").
    """
    with service(tmp_path, NO_OUTPUTS + LIGHTS if outputs == "pins" else SHOE) as daemon:
        assert 0.5 <= watched(daemon) <= 1.2


def test_the_short_watchdog_begins_with_its_first_feeding(tmp_path: Path) -> None:
    """In one breath with READY: else nobody feeds it before the loop's first step is done."""
    with service(tmp_path, SHOE) as daemon:
        daemon.hear("READY=1")
        assert {"READY=1", "WATCHDOG_USEC=1200000", "WATCHDOG=1"} <= set(daemon.heard)


def test_a_frozen_daemon_is_silent_and_a_shoe_whose_lock_is_its_only_output_is_locked(
    tmp_path: Path, shoe: SimulatedAngelEye
) -> None:
    """There is no pin at this table, but a shoe that stays open lets cards out that nobody takes in."""
    with service(tmp_path, SHOE) as daemon:
        limit_s = watched(daemon)
        daemon.process.send_signal(signal.SIGSTOP)
        shoe.turn_lock(False)
        daemon.await_silence(limit_s)
        daemon.process.kill()
        safe_outputs(tmp_path, SHOE)
    with shoe.guard:
        assert shoe.guard.wait_for(lambda: shoe.locked, PATIENCE_S)


def test_a_wrong_configuration_is_not_tried_again(tmp_path: Path) -> None:
    with service(tmp_path, SHOE.replace("angel-eye", "angle-eye")) as daemon:
        assert daemon.process.wait(PATIENCE_S) == 2


@pytest.mark.parametrize("locked", [True, False])
@pytest.mark.parametrize("light", ["red", "yellow", "off"])
def test_after_a_kill_the_outputs_stand_in_the_configured_safe_state(light: str, locked: bool) -> None:
    board = SimulatedBoard()
    lights = replace(ALL_LIGHTS, buzzer=None, safe_light=light, safe_locked=locked)
    outputs = GpioOutputs("lights", lights, board.factory)
    outputs.start()
    outputs.light("green")
    outputs.hold_lamp(True)
    outputs.unlock() if locked else outputs.lock()
    board.kill_users()

    assert leave_safe(lights, board.factory) == 5

    shown = {name: board.output(getattr(lights, name)) for name in ("red", "yellow", "green")}
    assert shown == {name: name == light for name in shown}
    assert board.output(12) is False
    assert board.output(8) is locked


def test_a_chip_that_is_gone_is_said() -> None:
    board = SimulatedBoard()
    board.broken = True
    with pytest.raises(DeviceError, match="GPIO chip is gone"):
        leave_safe(ALL_LIGHTS, board.factory)


def test_a_mistake_elsewhere_in_the_file_leaves_no_light_on(tmp_path: Path) -> None:
    said = safe_outputs(tmp_path, SHOE.replace("angel-eye", "?") + LIGHTS)
    assert said == "0 outputs are in the safe state\n"


@pytest.mark.parametrize(("result", "told"), [("success", []), ("signal", ["LK 02"])])
def test_a_shoe_is_not_told_twice_after_a_good_end(
    tmp_path: Path, shoe: SimulatedAngelEye, monkeypatch: pytest.MonkeyPatch, result: str, told: list[str]
) -> None:
    """Its reports are numbered: two that nobody hears are a gap, and the next start would hold for it."""
    monkeypatch.setenv("SERVICE_RESULT", result)
    safe_outputs(tmp_path, SHOE)
    assert not told or shoe.wait_command("LK 02")
    assert shoe.commands == told


@pytest.mark.parametrize(
    ("keys", "locked"), [("", True), ("lock = false", False), ("safe_locked = false", False)]
)
def test_a_shoe_that_takes_commands_is_locked_after_a_kill(
    tmp_path: Path, shoe: SimulatedAngelEye, keys: str, locked: bool
) -> None:
    assert ("the shoe is told to lock" in safe_outputs(tmp_path, SHOE + keys)) is locked
    assert not locked or shoe.wait_command("LK 02")
    assert shoe.commands == (["LK 02"] if locked else [])
