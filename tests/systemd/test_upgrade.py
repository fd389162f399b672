"""An upgrade in a folder: the real maintainer scripts, and a service manager of a few lines whose units are
files.

What a booted systemd adds is tried by hand (docs/how-to/update.md).
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from controller.vocabulary.values import IN_ROUND
from tests.harness.patience import PATIENCE_S

PACKAGING = Path(__file__).resolve().parents[2] / "packaging" / "debian"
UNIT = "dealer-table@7.service"
SYSTEMCTL = """#!/bin/sh
# Units are files in $UNITS; a unit starts where the program says so.
command=$1; shift
case "$1" in --*) shift ;; esac
unit=$1
case "$command" in
list-units)
    cd "$UNITS"
    for each in *.service; do [ ! -f "$each" ] || echo "$each loaded active running"; done ;;
show)
    case "$*" in
    *NRestarts*) echo 0 ;;
    *) echo "StatusText=$(cat "$UNITS/$unit")"; [ ! -f "$UNITS/next" ] || mv "$UNITS/next" "$UNITS/$unit" ;;
    esac ;;
start) "$DPKG_ROOT/opt/dealer-table/bin/dealer-table" && echo idle >"$UNITS/$unit" ;;
stop) rm -f "$UNITS/$unit" ;;
is-active) [ -f "$UNITS/${2:-$unit}" ] ;;
esac
"""
PYTHON = """#!/bin/sh
[ "$1" = -c ] && echo 3.11
exit 0
"""


class Machine:
    """A root with the package of version 1 and one table that runs."""

    def __init__(self, root: Path) -> None:
        self.root, self.units = root, root / "units-that-run"
        for folder in ("run/systemd/system", "units-that-run", "var/lib/dealer-table"):
            (root / folder).mkdir(parents=True)
        for name, text in (("systemctl", SYSTEMCTL), ("udevadm", "#!/bin/sh\n"), ("sleep", "#!/bin/sh\n")):
            self.program(root / "programs" / name, text)
        (root / "var/lib/dealer-table/7.db").write_text("the record of play")
        self.unpack(1)
        self.says("idle, 0 messages unacknowledged")

    def program(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # as dpkg does: another file, and not the old one written over
        path.write_text(text)
        path.chmod(0o755)

    def unpack(self, version: int, *, works: bool = True) -> None:
        opt = self.root / "opt/dealer-table"
        (opt / "lib/python3.11").mkdir(parents=True, exist_ok=True)
        self.program(opt / "bin/python3", PYTHON)
        self.program(opt / "bin/dealer-table", f"#!/bin/sh\n# {version}\nexit {0 if works else 1}\n")
        self.program(self.root / "usr/lib/systemd/system/dealer-table@.service", f"# {version}\n")

    def script(self, name: str, *words: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.root}/programs:{os.environ['PATH']}"
        own = {"DPKG_ROOT": str(self.root), "UNITS": str(self.units), "PATH": path} | surroundings
        call = ["sh", str(PACKAGING / name), *words]
        return subprocess.run(
            call, env=os.environ | own, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )

    def upgrade(self, to: int, *, works: bool = True) -> subprocess.CompletedProcess[str]:
        """As dpkg does it; how the last script of the new package ended."""
        assert self.script("prerm", "upgrade", str(to)).returncode == 0
        assert not self.runs
        self.unpack(to, works=works)
        return self.script("postinst", "configure", "1")

    @property
    def runs(self) -> bool:
        return (self.units / UNIT).exists()

    def says(self, status: str) -> None:
        (self.units / UNIT).write_text(f"{status}\n")

    def version(self) -> int:
        return int((self.root / "opt/dealer-table/bin/dealer-table").read_text().split()[2])

    def unit_version(self) -> int:
        return int((self.root / "usr/lib/systemd/system/dealer-table@.service").read_text().split()[1])

    def left_behind(self) -> set[str]:
        names = ("opt/dealer-table.before", "opt/dealer-table.failed", "run/dealer-table-upgrade")
        return {name for name in names if (self.root / name).exists()}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_what_ran_runs_again_with_the_new_program(machine: Machine) -> None:
    done = machine.upgrade(2)
    assert (done.returncode, done.stderr, machine.runs) == (0, "", True)
    assert (machine.version(), machine.unit_version(), machine.left_behind()) == (2, 2, set())


def test_a_round_is_waited_for(machine: Machine) -> None:
    machine.says("dealing, round 12")
    (machine.units / "next").write_text("settled\n")
    done = machine.script("prerm", "upgrade", "2")
    assert done.stdout == f"dealer-table: waiting for the end of the round of {UNIT}\n"
    assert (done.returncode, machine.runs) == (0, False)


@pytest.mark.parametrize("phase", sorted(IN_ROUND))
def test_a_round_that_does_not_end_stops_the_upgrade_and_not_the_table(machine: Machine, phase: str) -> None:
    machine.says(f"{phase}, round 12")
    done = machine.script("prerm", "upgrade", "2", DEALER_TABLE_WAIT_S="3")
    assert done.returncode == 1
    assert "Try again between two rounds" in done.stderr
    assert (machine.units / UNIT).read_text().startswith(phase)
    # dpkg then asks the new package, which must not wave it through.
    assert machine.script("prerm", "failed-upgrade", "1").returncode == 1


def test_in_a_round_only_who_says_so_goes_on(machine: Machine) -> None:
    machine.says("dealing, round 12")
    assert machine.script("prerm", "upgrade", "2", DEALER_TABLE_WAIT_S="0").returncode == 0
    assert not machine.runs


def test_a_version_that_does_not_come_up_makes_way_for_the_one_before(machine: Machine) -> None:
    done = machine.upgrade(2, works=False)
    assert done.returncode == 1
    assert "the version before is started again" in done.stderr
    assert (machine.runs, machine.version(), machine.unit_version()) == (True, 1, 1)
    assert (machine.root / "var/lib/dealer-table/7.db").read_text() == "the record of play"


def test_a_failed_version_is_tried_again_when_it_is_configured_again(machine: Machine) -> None:
    """Somebody mended what kept it from coming up: a file, a right, a disk."""
    machine.upgrade(2, works=False)
    failed = machine.root / "opt/dealer-table.failed/bin/dealer-table"
    machine.program(failed, "#!/bin/sh\n# 2\nexit 0\n")
    assert machine.script("postinst", "configure", "1").returncode == 0
    assert (machine.version(), machine.unit_version(), machine.left_behind()) == (2, 2, set())
    assert machine.runs


def test_after_a_way_back_another_package_is_installed_and_not_the_failed_one(machine: Machine) -> None:
    machine.upgrade(2, works=False)
    done = machine.upgrade(3)
    assert (done.returncode, done.stderr) == (0, "")
    assert (machine.version(), machine.unit_version(), machine.left_behind()) == (3, 3, set())


def test_an_upgrade_that_is_called_off_starts_what_ran(machine: Machine) -> None:
    machine.script("prerm", "upgrade", "2")
    assert machine.script("postinst", "abort-upgrade", "2").returncode == 0
    assert (machine.runs, machine.version(), machine.left_behind()) == (True, 1, set())


def test_a_table_that_was_off_stays_off(machine: Machine) -> None:
    (machine.units / UNIT).unlink()
    assert machine.upgrade(2, works=False).returncode == 0
    assert not machine.runs


@pytest.mark.parametrize("word", ["remove", "purge"])
def test_no_removal_takes_a_journal(machine: Machine, word: str) -> None:
    machine.script("prerm", "remove")
    done = machine.script("postrm", word)
    assert done.returncode == 0
    assert (machine.root / "var/lib/dealer-table/7.db").exists()
    assert ("are kept" in done.stderr) is (word == "purge")
