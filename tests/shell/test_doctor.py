"""The doctor on a real broker and simulated devices: what is well, what is wrong, and what to do about it."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial

from controller.journal.files import WriterLock
from controller.outbox.reports import Connected, Subscribed
from controller.outbox.session import Session
from controller.settings.loader import load_configuration
from controller.shell.clock import Clock
from controller.shell.doctor import examine
from controller.shell.doctor.findings import Diagnosis
from controller.shell.doctor.machine import check_disk, check_memory, check_pins_stay
from controller.shell.doctor.outside import PATIENCE_S, check_broker, check_port
from controller.shell.wiring.assembly import table_broker
from controller.shell.wiring.probe import probes_of
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.camera.simulator import SimulatedCamera
from drivers.gpio.simulator import SimulatedBoard
from tests.cli.program import dealer_table
from tests.harness.broker import Broker, password_file
from tests.harness.configuration import Given, configured

BEE_TEK = 'devices.shoe = { driver = "bee-tek", port = "{folder}/shoe" }\n'
ANGEL_EYE = 'devices.shoe = { driver = "angel-eye", port = "{folder}/shoe" }\n'
"""It answers: the doctor need not listen for two seconds, as it does at a shoe that may only be silent."""
CAMERA = 'devices.shoe = { driver = "camera", source = "{folder}/shoe", frames_per_s = 200 }\n'
PROC = ANGEL_EYE + 'journal.path = "/proc/journal.db"'
NOWHERE = ANGEL_EYE + 'journal.path = "{folder}/nowhere/journal.db"'
PINS = """
devices.panel = { driver = "gpio", key_switch = 25, buttons = { open = 5 } }
devices.beam = { driver = "gpio", pin = 24 }
devices.lights = { driver = "gpio", red = 16, green = 21 }
"""


def visit(folder: Path, *given: Given, board: SimulatedBoard | None = None) -> dict[str, Diagnosis]:
    """Everything that the doctor finds, by name."""
    configuration = load_configuration(configured(folder, *given))
    probes = probes_of(configuration, None if board is None else board.factory)
    found = examine(configuration, Clock(), table_broker(configuration), probes)
    return {finding.name: finding for finding in found}


@pytest.fixture
def shoe(tmp_path: Path) -> Iterator[SimulatedAngelEye]:
    with SimulatedAngelEye(tmp_path / "shoe") as shoe:
        yield shoe


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch) -> SimulatedBoard:
    monkeypatch.setattr("controller.shell.wiring.probe.LEVELS_S", 3.0)
    return SimulatedBoard()


def test_a_table_that_is_well(
    tmp_path: Path, shoe: SimulatedAngelEye, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.shell.doctor.machine.SLOW_SYNC_MS", 60_000.0)  # whatever disk this is
    found = visit(tmp_path, ANGEL_EYE, {"mqtt": {"port": broker.port}})
    names = {"software", "disk", "sync", "wear", "memory", "broker", "broker round trip", "shoe"}
    assert names == {*found} - {"clock", "configuration"}
    assert {found[name].grade for name in names} == {"ok"}
    assert "last byte" in found["shoe"].seen
    assert "digest" in found["software"].seen
    assert all((finding.mend == "") == (finding.grade == "ok") for finding in found.values())


def test_the_doctor_takes_no_table_s_place_at_the_broker(tmp_path: Path, broker: Broker) -> None:
    configuration = load_configuration(configured(tmp_path, ANGEL_EYE, {"mqtt": {"port": broker.port}}))
    settings = table_broker(configuration)
    table = Session(settings)
    table.open(time.monotonic())
    assert isinstance(next(table.reports(PATIENCE_S)), Connected)
    found = {finding.name: finding.grade for finding in check_broker(configuration, settings)}
    assert found == {"broker": "ok", "broker round trip": "ok"}
    table.subscribe(["dealer-table/nothing"])
    assert isinstance(next(table.reports(PATIENCE_S)), Subscribed), "it has not been put out"
    table.hang_up()


@pytest.mark.parametrize(
    ("given", "name", "seen", "mend"),
    [
        (ANGEL_EYE, "broker", ".*", "start the broker, or fix mqtt.host and mqtt.port"),
        (PROC, "sync", ".*", "give the folder to the user of the service"),
        (NOWHERE, "disk", ".*", "make it: mkdir -p {folder}/nowhere"),
        (ANGEL_EYE, "shoe", "{folder}/shoe is not there", ".*devices.shoe.port"),
        (CAMERA, "shoe", ".*", ".*devices.shoe.source.*"),
    ],
)
def test_what_is_not_there_is_a_fault_with_what_to_do(
    tmp_path: Path, given: str, name: str, seen: str, mend: str
) -> None:
    found = visit(tmp_path, given)[name]
    assert found.grade == "fault"
    assert re.fullmatch(seen.replace("{folder}", str(tmp_path)), found.seen)
    assert re.fullmatch(mend.replace("{folder}", str(tmp_path)), found.mend)


def test_a_machine_that_is_too_small_or_too_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.shell.doctor.machine.SLOW_SYNC_MS", -1.0)
    monkeypatch.setattr("controller.shell.doctor.machine.LEAST_MEMORY_MB", 10**9)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=99_999_999))
    configuration = load_configuration(configured(tmp_path, ANGEL_EYE))
    found = [*check_disk(configuration), check_memory()]
    said = [(finding.name, finding.grade, finding.mend.split(":")[0]) for finding in found]
    assert said == [
        ("disk", "fault", "free some"),
        ("sync", "warning", "use a faster disk or another card"),
        ("memory", "fault", "end other programs, or use a larger board"),
    ]


@pytest.mark.parametrize(
    ("password", "rights", "name", "grade", "words"),
    [
        ("right", "readwrite", "broker round trip", "ok", " ms"),
        ("wrong", "readwrite", "broker", "fault", "mqtt.password_file"),
        ("right", "read", "broker rights", "fault", "publish"),
        ("right", "write", "broker r", "fault", "ACL"),
    ],
)
def test_login_and_rights(
    tmp_path: Path, shoe: SimulatedAngelEye, password: str, rights: str, name: str, grade: str, words: str
) -> None:
    (tmp_path / "password").write_text(password)
    users, acl = password_file(tmp_path / "broker", {"table-7": "right"}), tmp_path / "broker" / "acl"
    acl.write_text(f"user table-7\ntopic {rights} dealer-table/#\n")
    acl.chmod(0o600)
    lines = [f"password_file {users}", f"acl_file {acl}"]
    with Broker(tmp_path / "broker", lines=lines, anonymous=False) as broker:
        login = {"port": broker.port, "username": "table-7", "password_file": "password"}
        found = visit(tmp_path, ANGEL_EYE, {"mqtt": login})
    (seen,) = (finding for key, finding in found.items() if key.startswith(name) and finding.grade == grade)
    assert words in seen.seen + seen.mend


def test_a_port_that_another_program_holds(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    with serial.Serial(shoe.path, exclusive=True):
        found = visit(tmp_path, ANGEL_EYE)["shoe"]
    assert (found.grade, "another program" in found.seen) == ("fault", True)
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
    assert visit(tmp_path, ANGEL_EYE)["shoe"].grade == "fault"


def test_a_shoe_that_is_switched_off(tmp_path: Path, shoe: SimulatedAngelEye) -> None:
    shoe.ignore_commands = True
    found = visit(tmp_path, ANGEL_EYE.replace(" }", ", command_timeout_ms = 50 }"))["shoe"]
    assert (found.grade, "nobody answers" in found.seen) == ("fault", True)
    assert found.mend.startswith("switch the device on")


def test_a_camera_tells_its_pictures_and_a_test_mark(tmp_path: Path) -> None:
    with SimulatedCamera(tmp_path / "shoe", seed=1) as shoe:
        shoe.empty(60)
        found = visit(tmp_path, CAMERA)["shoe"]
    assert "frames a second; zxing-cpp reads a test mark in " in found.seen
    assert found.grade in ("ok", "warning")


def test_pins_are_taken_and_looked_at(tmp_path: Path, shoe: SimulatedAngelEye, board: SimulatedBoard) -> None:
    board.set_input(25, True)
    found = visit(tmp_path, ANGEL_EYE + PINS, board=board)
    assert [found[name].grade for name in ("panel", "beam", "lights")] == ["ok", "ok", "ok"]
    assert "the key is turned" in found["panel"].seen
    assert (board.output(16), board.output(21)) == (True, False)


def test_a_beam_that_something_stands_in(
    tmp_path: Path, shoe: SimulatedAngelEye, board: SimulatedBoard
) -> None:
    board.set_input(24, True)
    found = visit(tmp_path, ANGEL_EYE + PINS, board=board)["beam"]
    assert (found.grade, found.seen) == ("warning", "GPIO24: the beam is broken")


@pytest.mark.parametrize(
    ("active", "grade"),
    [
        ("ready", "ok"),
        ("running", "ok"),
        ("", "warning"),
        ("ready running", "warning"),
        ("jam ready", "warning"),
    ],
)
def test_a_shuffler_on_pins_is_ready_or_runs(
    tmp_path: Path, shoe: SimulatedAngelEye, board: SimulatedBoard, active: str, grade: str
) -> None:
    pins = {"running": 22, "ready": 23, "jam": 10}
    for contact in active.split():
        board.set_input(pins[contact], True)
    keys = ", ".join(f"{contact} = {pin}" for contact, pin in pins.items())
    device = f'devices.shuffler = {{ driver = "gpio", {keys} }}\n'
    found = visit(tmp_path, ANGEL_EYE + device, board=board)["shuffler"]
    assert (found.grade, found.seen.rpartition(": ")[2].split()[:-1]) == (
        grade,
        ", ".join(active.split()).split() or ["nothing"],
    )


def test_a_board_without_pins(tmp_path: Path, shoe: SimulatedAngelEye, board: SimulatedBoard) -> None:
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
    configuration = load_configuration(configured(tmp_path, ANGEL_EYE, devices))
    found = [*check_pins_stay(configuration, tmp_path / "module")]
    assert [finding.grade for finding in found] == graded
    assert all(f"{module}.persist_gpio_outputs=1" in finding.mend for finding in found)


def test_on_the_command_line(tmp_path: Path) -> None:
    path = configured(tmp_path, BEE_TEK)
    for words in ((), ("--json",)):
        with SimulatedBeeTek(tmp_path / "shoe"):
            run = dealer_table("doctor", "--config", str(path), *words)
        assert run.returncode == 1, "a broker that is not there is a fault"
        lines = run.stdout.splitlines()
        if words:
            found = [json.loads(line) for line in lines]
            assert {"name", "grade", "seen", "mend", "host"} >= set(found[0])
            assert [one["grade"] for one in found if one["name"] == "broker"] == ["fault"]
        else:
            assert any(line.startswith("fault    broker ") for line in lines)
            assert any("-> start the broker" in line for line in lines)


def test_a_wrong_configuration_is_a_wrong_call(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text("nonsense")
    assert dealer_table("doctor", "--config", str(tmp_path / "table.toml")).returncode == 2
    assert os.listdir(tmp_path) == ["table.toml"]


def test_paths_that_cannot_be_are_findings_like_any_other(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)
    configuration = load_configuration(configured(tmp_path, ANGEL_EYE, f'journal.path = "{folder}/j.db"'))
    assert [(one.name, one.grade) for one in check_disk(configuration)] == [("disk", "fault")]
    assert [one.grade for one in check_port("shoe", f"{folder}/shoe", list)] == ["fault"]
