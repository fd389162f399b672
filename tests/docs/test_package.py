"""The parts of the Debian package: what can be looked at without building it."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from making.deb import LOCK, PACKAGING, PLACES, SCRIPTS, WrongMachine, check_machine, share
from making.targets import MACHINES, PYTHONS
from tests.cli.program import HOUSE

PINNED = set((HOUSE / "constraints.txt").read_text().splitlines())
ENTRIES = [line for line in LOCK.read_text().replace(" \\\n", " ").splitlines() if not line.startswith("#")]
LOCKED = {wanted.name: wanted for wanted in (Requirement(entry.split(" --hash")[0]) for entry in ENTRIES)}


def test_the_lock_has_the_versions_that_are_tested() -> None:
    """After a change of constraints.txt: make lock."""
    assert {f"{wanted.name}{wanted.specifier}" for wanted in LOCKED.values()} <= PINNED


def test_the_lock_has_everything_that_the_program_asks_for() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    assert {canonicalize_name(Requirement(line).name) for line in project["dependencies"]} <= set(LOCKED)


def test_every_library_is_pinned_by_its_hashes() -> None:
    assert len(ENTRIES) >= 20
    assert all("--hash=sha256:" in entry for entry in ENTRIES)


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", MACHINES)
def test_every_library_is_in_every_package_but_lgpio(name: str, python: str) -> None:
    """It has a wheel for the pins of a Raspberry Pi and Python 3.11; for 3.13 the system has its own."""
    machine = {
        "platform_machine": MACHINES[name].wheel,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
    }
    left_out = {one.name for one in LOCKED.values() if one.marker and not one.marker.evaluate(machine)}
    assert left_out == (set() if (name, python) == ("arm64", "3.11") else {"lgpio"})


@pytest.mark.parametrize(
    "script", [*(PACKAGING / name for name in SCRIPTS), HOUSE / "packaging/try-package.sh"]
)
def test_the_scripts_are_shell(script: Path) -> None:
    subprocess.run(["sh", "-n", script], check=True)
    assert "set -e" in script.read_text()


def test_nothing_deletes_a_journal() -> None:
    for name in SCRIPTS:
        for line in (PACKAGING / name).read_text().splitlines():
            assert not ("/var/lib/dealer-table" in line and re.search(r"\brm\b|-delete", line)), line


def test_every_file_for_the_system_has_its_place() -> None:
    assert {path.name for path in (HOUSE / "systemd").iterdir()} == set(PLACES)


def test_a_library_of_another_machine_is_refused(tmp_path: Path) -> None:
    library = tmp_path / "opt" / "a.so"
    library.parent.mkdir()
    library.write_bytes(b"\x7fELF" + bytes(14) + (62).to_bytes(2, "little"))
    check_machine(tmp_path, MACHINES["amd64"])
    with pytest.raises(WrongMachine, match=r"opt/a\.so is not for arm64"):
        check_machine(tmp_path, MACHINES["arm64"])


def test_what_is_the_same_for_both_pythons_lies_once(tmp_path: Path) -> None:
    common, sites = tmp_path / "common", [tmp_path / "one", tmp_path / "two"]
    common.mkdir()
    for number, site in enumerate(sites):
        for name in ("pure", "compiled", "compiled.libs", "alone.libs"):
            (site / name).mkdir(parents=True)
            (site / name / "file").write_text(name + (str(number) if name == "compiled" else ""))
    share(sites, common)
    assert {path.name for path in common.iterdir()} == {"pure", "alone.libs"}
    # Libraries stay beside the package that looks for them.
    assert {path.name for path in sites[0].iterdir()} == {"compiled", "compiled.libs"}
    assert {path.name for path in sites[1].iterdir()} == {"compiled", "compiled.libs"}
