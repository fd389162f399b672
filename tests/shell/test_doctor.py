"""The doctor on a real broker and simulated devices: what is well, what is wrong, and what to do about it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import serial

from controller.journal.files import WriterLock
from controller.settings.loader import load_configuration
from controller.shell.clock import SystemClock
from controller.shell.doctor import Diagnosis, examine
from controller.shell.doctor.machine import check_pins_stay
from controller.shell.wiring.assembly import table_broker
from controller.shell.wiring.probe import probes_of
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.camera.simulator import SimulatedCamera
from drivers.gpio.simulator import SimulatedBoard
from tests.cli.program import dealer_table
from tests.harness.broker import Broker, password_file
from tests.harness.configuration import configured

BEE_TEK = '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n'
ANGEL_EYE = '[devices.shoe]\ndriver = "angel-eye"\nport = "{folder}/shoe"\n'
"""It answers: the doctor need not listen for two seconds, as it does at a shoe that may only be silent."""
CAMERA = '[devices.shoe]\ndriver = "camera"\nsource = "{folder}/shoe"\nframes_per_s = 200\n'
PINS = """
[devices.panel]
driver = "gpio"
key_switch = 25
buttons = { open = 5 }
[devices.beam]
driver = "gpio"
pin = 24
[devices.lights]
driver = "gpio"
red = 16
green = 21
"""


def visit(
    folder: Path,
    devices: str,
    *,
    port: int = 1,
    mqtt: str = "",
    journal: str = "{folder}/journal.db",
    board: SimulatedBoard | None = None,
) -> dict[str, Diagnosis]:
    """Everything that the doctor finds, by name."""
    configuration = load_configuration(written(folder, devices, port=port, mqtt=mqtt, journal=journal))
    probes = probes_of(configuration, None if board is None else board.factory)
    found = examine(configuration, SystemClock(), table_broker(configuration), probes)
    return {finding.name: finding for finding in found}


def written(folder: Path, devices: str, *, port: int, mqtt: str, journal: str) -> Path:
    return configured(folder, f"[mqtt]\nport = {port}\n{mqtt}\n[journal]\npath = '{journal}'", devices)


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedAngelEye]:
    with SimulatedAngelEye(tmp_path / "shoe") as shoe:
        yield shoe


def test_a_table_that_is_well(tmp_path: Path, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.shell.doctor.machine.SLOW_SYNC_MS", 60_000.0)  # whatever disk this is
    with SimulatedAngelEye(tmp_path / "shoe"):
        found = visit(tmp_path, ANGEL_EYE, port=broker.port)
    grades = {
        name: finding.grade for name, finding in found.items() if name not in ("clock", "configuration")
    }
    names = ("software", "disk", "sync", "memory", "broker", "broker round trip", "shoe")
    assert grades == dict.fromkeys(names, "ok")
    assert "last byte" in found["shoe"].seen
    assert "digest" in found["software"].seen
    assert all((finding.mend == "") == (finding.grade == "ok") for finding in found.values())


def test_a_broker_that_is_not_there(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    found = visit(tmp_path, ANGEL_EYE)["broker"]
    assert (found.grade, found.mend) == ("fault", "start the broker, or fix mqtt.host and mqtt.port")


def guarded(folder: Path, rights: str) -> Broker:
    """A broker that knows one user, with these rights."""
    passwords = password_file(folder / "broker", {"table-7": "right"})
    acl = folder / "broker" / "acl"
    acl.write_text(f"user table-7\n{rights}\n")
    acl.chmod(0o600)
    lines = [f"password_file {passwords}", f"acl_file {acl}"]
    return Broker(folder / "broker", lines=lines, anonymous=False)


@pytest.mark.parametrize(
    ("password", "rights", "name", "grade", "words"),
    [
        ("right", "topic readwrite dealer-table/#", "broker round trip", "ok", " ms"),
        ("wrong", "topic readwrite dealer-table/#", "broker", "fault", "mqtt.password_file"),
        ("right", "topic read dealer-table/#", "broker rights", "fault", "publish"),
        ("right", "topic write dealer-table/#", "broker r", "fault", "ACL"),
    ],
)
def test_login_and_rights(
    tmp_path: Path, shoe: SimulatedAngelEye, password: str, rights: str, name: str, grade: str, words: str
) -> None:
    (tmp_path / "password").write_text(password)
    broker = guarded(tmp_path, rights)
    broker.start()
    try:
        mqtt = 'username = "table-7"\npassword_file = "password"'
        found = visit(tmp_path, ANGEL_EYE, port=broker.port, mqtt=mqtt)
    finally:
        broker.stop()
    (seen,) = (finding for key, finding in found.items() if key.startswith(name) and finding.grade == grade)
    assert words in seen.seen + seen.mend


def test_a_journal_where_nobody_can_write(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    found = visit(tmp_path, ANGEL_EYE, journal="/proc/journal.db")["sync"]
    assert (found.grade, found.mend) == ("fault", "give the folder to the user of the service")


def test_a_journal_without_a_folder(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    found = visit(tmp_path, ANGEL_EYE, journal="{folder}/nowhere/journal.db")["disk"]
    assert (found.grade, found.mend) == ("fault", f"make it: mkdir -p {tmp_path}/nowhere")


def test_a_port_that_is_not_there(tmp_path: Path) -> None:
    found = visit(tmp_path, ANGEL_EYE)["shoe"]
    assert (found.grade, found.seen) == ("fault", f"{tmp_path}/shoe is not there")
    assert "devices.shoe.port" in found.mend


def test_a_port_that_another_program_holds(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    with serial.Serial(shoe.path, exclusive=True):
        found = visit(tmp_path, ANGEL_EYE)["shoe"]
    assert found.grade == "fault"
    assert "another program" in found.seen
    assert "a running daemon?" in found.mend


def test_the_devices_of_a_table_at_work_are_no_fault(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    """At three in the morning `a program holds the port` would send people after the wrong thing."""
    at_work = WriterLock(tmp_path / "journal.db")
    with serial.Serial(shoe.path, exclusive=True):
        found = visit(tmp_path, ANGEL_EYE)
    at_work.release()
    assert "shoe" not in found
    assert (found["table"].grade, str(os.getpid()) in found["table"].seen) == ("warning", True)
    assert "dealer-table top" in found["table"].mend
    assert "table" not in visit(tmp_path, ANGEL_EYE)


def test_a_port_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "shoe").write_text("no port")
    found = visit(tmp_path, ANGEL_EYE)["shoe"]
    assert found.grade == "fault"


def test_a_shoe_that_is_switched_off(tmp_path: Path) -> None:
    with SimulatedAngelEye(tmp_path / "shoe") as shoe:
        shoe.ignore_commands = True
        found = visit(tmp_path, ANGEL_EYE + "command_timeout_ms = 50\n")["shoe"]
    assert (found.grade, "nobody answers" in found.seen) == ("fault", True)
    assert found.mend.startswith("switch the device on")


def test_a_camera_tells_its_pictures_and_a_test_mark(tmp_path: Path) -> None:
    with SimulatedCamera(tmp_path / "shoe", seed=1) as shoe:
        shoe.empty(60)
        found = visit(tmp_path, CAMERA)["shoe"]
    assert "frames a second; zxing-cpp reads a test mark in " in found.seen
    assert found.grade in ("ok", "warning")


def test_a_camera_that_is_not_there(tmp_path: Path) -> None:
    found = visit(tmp_path, CAMERA)["shoe"]
    assert found.grade == "fault"
    assert "devices.shoe.source" in found.mend


def test_pins_are_taken_and_looked_at(
    tmp_path: Path, shoe: SimulatedAngelEye, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.shell.wiring.probe.LEVELS_S", 3.0)
    board = SimulatedBoard()
    board.set_input(25, True)
    found = visit(tmp_path, ANGEL_EYE + PINS, board=board)
    assert [found[name].grade for name in ("panel", "beam", "lights")] == ["ok", "ok", "ok"]
    assert "the key is turned" in found["panel"].seen
    assert board.output(16)
    assert not board.output(21)


def test_a_beam_that_something_stands_in(
    tmp_path: Path, shoe: SimulatedAngelEye, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.shell.wiring.probe.LEVELS_S", 3.0)
    board = SimulatedBoard()
    board.set_input(24, True)
    found = visit(tmp_path, ANGEL_EYE + PINS, board=board)["beam"]
    assert (found.grade, found.seen) == ("warning", "GPIO24: the beam is broken")


def test_a_board_without_pins(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    board = SimulatedBoard()
    board.broken = True
    found = visit(tmp_path, ANGEL_EYE + PINS, board=board)
    assert {found[name].grade for name in ("panel", "beam", "lights")} == {"fault"}
    assert "the GPIO chip is gone" in found["lights"].seen
    assert "group gpio" in found["lights"].mend


@pytest.mark.parametrize(
    ("devices", "module", "kept", "graded"),
    [
        (PINS, "pinctrl_bcm2835", "N", ["warning"]),
        (PINS, "pinctrl_rp1", "N", ["warning"]),
        (PINS, "pinctrl_bcm2835", "Y", []),
        (PINS, "another", "N", []),
        ("", "pinctrl_bcm2835", "N", []),
    ],
)
def test_a_kernel_that_lets_outputs_go(
    tmp_path: Path, devices: str, module: str, kept: str, graded: list[str]
) -> None:
    parameter = tmp_path / "module" / module / "parameters" / "persist_gpio_outputs"
    parameter.parent.mkdir(parents=True)
    parameter.write_text(f"{kept}\n")
    text = written(tmp_path, ANGEL_EYE + devices, port=1, mqtt="", journal="{folder}/journal.db")
    configuration = load_configuration(text)
    found = check_pins_stay(configuration, tmp_path / "module")
    assert [finding.grade for finding in found] == graded
    assert all(f"{module}.persist_gpio_outputs=1" in finding.mend for finding in found)


def test_on_the_command_line(tmp_path: Path) -> None:
    path = written(tmp_path, BEE_TEK, port=1, mqtt="", journal="{folder}/journal.db")
    for words in ((), ("--json",)):
        with SimulatedBeeTek(tmp_path / "shoe"):
            run = dealer_table("doctor", "--config", str(path), *words)
        assert run.returncode == 1, "a broker that is not there is a fault"
        lines = run.stdout.splitlines()
        if words:
            found = [json.loads(line) for line in lines]
            assert {"name", "grade", "seen", "mend"} >= set(found[0])
            assert [one["grade"] for one in found if one["name"] == "broker"] == ["fault"]
        else:
            assert any(line.startswith("fault    broker ") for line in lines)
            assert any("-> start the broker" in line for line in lines)


def test_a_wrong_configuration_is_a_wrong_call(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("nonsense")
    assert dealer_table("doctor", "--config", str(tmp_path / "table.toml")).returncode == 2
    assert os.listdir(tmp_path) == ["table.toml"]
