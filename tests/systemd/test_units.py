"""The units: they verify, they are hardened, and they still let the hardware through."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from tests.harness.patience import PATIENCE_S

HOUSE = Path(__file__).resolve().parents[2]
UNITS = sorted((HOUSE / "systemd").glob("*.service"))
PROGRAM = "/opt/dealer-table/bin/dealer-table"
MOST_EXPOSED = 2.0


def settings_of(unit: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for line in unit.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found[name].append(value)
    return found


TABLE = settings_of(HOUSE / "systemd" / "dealer-table@.service")


def analyze(*words: str) -> subprocess.CompletedProcess[str]:
    call = ["systemd-analyze", *words]
    return subprocess.run(call, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_verifies(tmp_path: Path, unit: Path) -> None:
    installed = tmp_path / unit.name
    installed.write_text(unit.read_text().replace(PROGRAM, "/bin/true"))
    done = analyze("verify", "--man=no", str(installed))
    assert (done.returncode, [line for line in done.stderr.splitlines() if unit.stem in line]) == (0, [])


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_hardened(unit: Path) -> None:
    done = analyze("security", "--offline=true", "--no-pager", str(unit))
    level = re.search(r"exposure level for \S+ ([0-9.]+)", done.stdout)
    assert level is not None, done.stderr
    assert float(level[1]) <= MOST_EXPOSED


def test_the_devices_of_a_table_are_let_through_and_nothing_hides_what_the_hardware_needs() -> None:
    """PrivateDevices hides every device; ProcSubset=pid the model of the board, and the pins with it."""
    kinds = ("ttyUSB", "ttyACM", "ttyAMA", "ttyS", "gpiochip", "video4linux", "media", "dma_heap")
    assert {f"char-{kind} rw" for kind in kinds} <= {*TABLE["DeviceAllow"]}
    assert not {"PrivateDevices", "ProcSubset", "PrivateNetwork", "PrivateUsers"} & {*TABLE}


def test_the_service_is_watched_and_comes_back() -> None:
    assert TABLE["Type"] == ["notify"]
    assert TABLE["WatchdogSec"] == ["10s"]
    assert TABLE["WatchdogSignal"] == ["SIGKILL"]  # a frozen process takes no other
    assert (TABLE["Restart"], TABLE["StartLimitIntervalSec"]) == (["on-failure"], ["0"])
    assert TABLE["RestartPreventExitStatus"] == ["2"]


def test_a_neighbour_that_takes_all_the_memory_is_ended_and_not_the_table() -> None:
    assert int(TABLE["OOMScoreAdjust"][0]) < 0
    assert TABLE["LimitMEMLOCK"] == ["infinity"]  # else nothing is held: see controller/shell/memory.py


def test_whatever_ended_the_daemon_the_outputs_are_put_into_the_safe_state() -> None:
    assert TABLE["ExecStopPost"] == [f"{PROGRAM} safe-outputs --config /etc/dealer-table/%i.toml"]


def test_secrets_come_as_credentials() -> None:
    assert "mqtt-password:dealer-table-%i.mqtt-password" in TABLE["LoadCredential"]


def test_the_users_are_made_with_the_groups_of_the_devices(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    rules = HOUSE / "systemd" / "dealer-table.sysusers"
    subprocess.run(["systemd-sysusers", f"--root={tmp_path}", rules], check=True, capture_output=True)
    groups = fields_of(tmp_path / "etc/group")
    assert {groups[group][-1] for group in ("dialout", "gpio", "video")} == {"dealer-table"}
    users = fields_of(tmp_path / "etc/passwd")
    shells = {users[user][-1].rpartition("/")[2] for user in users if user.startswith("dealer-")}
    assert shells == {"nologin"}


def fields_of(file: Path) -> dict[str, list[str]]:
    return {line.split(":")[0]: line.split(":") for line in file.read_text().splitlines()}


def test_udev_keeps_modem_manager_away_and_names_the_plugs() -> None:
    rules = (HOUSE / "systemd" / "70-dealer-table.rules").read_text()
    assert 'ENV{ID_MM_DEVICE_IGNORE}="1"' in rules
    assert 'SYMLINK+="dealer-table/plug-' in rules
    words = r'(?:[A-Z_]+(?:\{[A-Za-z_]+\})?(?:==|!=|=|\+=)"[^"]*"(?:, ?|$))+'
    for line in rules.splitlines():
        assert not line or line.startswith("#") or re.fullmatch(words, line), line


def test_every_configured_place_of_the_examples_is_in_the_rules() -> None:
    places = (HOUSE / "systemd" / "71-dealer-table-places.rules.example").read_text()
    assert set(re.findall(r'SYMLINK\+="dealer-table/(\w+)"', places)) == {"shoe", "shuffler", "keypad"}
