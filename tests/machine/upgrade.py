"""From the version before to this one and back, each with bets open."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from making.targets import HOUSE
from tests.machine.looking import active, demand, heard, until
from tests.machine.parts import BUILD, made, quietly
from tests.machine.table import MachineTable
from tests.machine.troubles import log

BEFORE = "6e5584e^"
"""The last whose journals are of an older form, so that both ways of an upgrade are to be seen."""


def package_before() -> Path:
    """The package of that version, made of this repository's own history."""
    revision = quietly(["git", "-C", HOUSE, "rev-parse", f"{BEFORE}^{{commit}}"]).strip()
    (package,) = made(BUILD / "package-before", revision, make_before).glob("*.deb")
    return package


def make_before(folder: Path) -> None:
    """As ``make deb`` made it then, not compressed."""
    shutil.rmtree(folder, ignore_errors=True)
    source = folder / "source"
    source.mkdir(parents=True)
    quietly(["git", "-C", HOUSE, "archive", f"--output={folder}/source.tar", BEFORE])
    quietly(["tar", "-xf", folder / "source.tar", "-C", source])
    call = [sys.executable, "-m", "making.deb", "--arch", "amd64", "--quick", "--to", str(folder)]
    quietly(call, cwd=source)
    shutil.rmtree(source)
    (folder / "source.tar").unlink()
    (package,) = folder.glob("*.deb")
    package.rename(folder / "dealer-table_before_amd64.deb")


def there_and_back(table: MachineTable) -> str:
    """One step: the way back begins where the way there has ended."""
    return f"{waits(table)}; back: {back(table)}"


def waits(table: MachineTable) -> str:
    """The upgrade begins with bets open: it waits for the end of the round, and the next one is the new
    version's.
    """
    was = software(table)
    table.hands.open()
    install(table, table.packages[1])
    until(lambda: "waiting for the end of the round" in log(table, "upgrade"), "the upgrade waits")
    demand(active(table), "the table was stopped in a round")
    demand(table.hands.finish(), "the round was voided")
    until(lambda: installed(table), "the package is installed")
    until(lambda: software(table) != was, "the new version says that it is the table")
    table.daemon.generation += 1
    table.hands.round()
    heard(table)
    return "it waited for the round; the next one is the new version's"


def back(table: MachineTable) -> str:
    """The version before is installed over it with bets open, and does not wait: it cannot read the journal,
    says so, and this version is started again; the round is played on.
    """
    was = software(table)
    table.hands.open()
    install(table, table.packages[0], "DEALER_TABLE_WAIT_S=0")
    until(lambda: "dealer-table: the version before" in log(table, "upgrade"), "it goes back")
    until(lambda: active(table), "the table is started")
    table.daemon.generation += 1
    demand("install that software again" in log(table), "the old program does not say why")
    demand(table.hands.finish(), "the round was voided")
    table.hands.round()
    heard(table)
    demand(software(table) == was, "the program that runs is not this version")
    return "refused with words, this version started again, the round played on"


def install(table: MachineTable, package: Path, *environment: str) -> None:
    """Begin to install a package; what it says is in the log of ``upgrade``."""
    shutil.copy(package, table.daemon.share / package.name)
    told = " ".join(f"--setenv={one}" for one in environment)
    table.daemon.sh("systemctl reset-failed upgrade")
    table.daemon.must(f"systemd-run --quiet --unit=upgrade {told} dpkg -i /share/{package.name}")


def installed(table: MachineTable) -> bool:
    """Whether the installation has ended; an AssertionError where it failed."""
    state = table.daemon.must("systemctl show upgrade --property=ActiveState --value").strip()
    demand(state != "failed", log(table, "upgrade"))
    return state == "inactive"


def software(table: MachineTable) -> str:
    """The digest of the software that says that it is the table; waits for its word."""
    until(lambda: bool(table.settlement.retained.get("status")), "the table says that it is there")
    return str(json.loads(table.settlement.retained["status"])["digest"])
