"""The parts of the Debian package: what can be looked at without building it."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from making.deb import PACKAGING, PLACES, SCRIPTS, WrongMachine, check_machine, requirements, share
from making.lock import LOCK, normal
from making.targets import MACHINES, PYTHONS

HOUSE = Path(__file__).resolve().parents[2]
CONSTRAINTS = dict(
    line.split("==") for line in (HOUSE / "constraints.txt").read_text().splitlines() if "==" in line
)
LOCKED = dict(re.findall(r"^([\w.-]+)==(\S+)", LOCK.read_text(), re.MULTILINE))


def test_the_lock_has_the_versions_that_are_tested() -> None:
    """After a change of constraints.txt: python -m making.lock."""
    assert {name: CONSTRAINTS[name] for name in LOCKED} == LOCKED


def test_the_lock_has_everything_that_the_program_asks_for() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    asked = {normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) for line in project["dependencies"]}
    assert asked <= set(LOCKED)


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("name", MACHINES)
def test_every_wheel_is_pinned_by_its_hash(name: str, python: str) -> None:
    lines = requirements(MACHINES[name], python).splitlines()
    assert len(lines) >= 20
    assert all("--hash=sha256:" in line for line in lines)
    assert any(line.startswith("lgpio==") for line in lines) is (name == "arm64" and python == "3.11")


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
