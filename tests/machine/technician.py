"""What a technician does at a machine, from the first start to pulled plugs; each step says what was seen."""

from __future__ import annotations

import json
import subprocess
import sys

from making.targets import HOUSE
from tests.machine.looking import (
    AGAIN_WITHIN_S,
    FILE,
    UNIT,
    demand,
    gone,
    heard,
    started,
    until,
)
from tests.machine.table import BY_ID, SERIALS, MachineTable

CHECKER = HOUSE / "docs/examples/laboratory/check_certificate.py"
BOTH = {"shoe", "panel"}
KEEP_ROOT = "keep-root"
"""For the machine's first file system: see ``kernel.INIT``."""


def boot(table: MachineTable) -> str:
    """The machine comes up with what is plugged in."""
    table.daemon.boot()
    table.plug_in()
    return booted(table)


def booted(table: MachineTable) -> str:
    """How long that took, by the machine's clock and by the host's."""
    own_s = float(table.daemon.must("cat /proc/uptime").split()[0])
    return f"up after {own_s:.0f} s of its own clock, {table.daemon.boot_s[-1]:.0f} s of the host's"


def set_up(table: MachineTable) -> str:
    """The devices are found under names that stay, and the configuration is written."""
    listed = table.daemon.must("dealer-table setup --list --listen-s 1 2>&1", AGAIN_WITHIN_S)
    for serial in SERIALS.values():
        demand(BY_ID.format(serial) in listed, f"setup does not find {serial}: {listed}")
    table.configure("--no-enable")
    table.daemon.must(f"dealer-table check-config {FILE} 2>&1")
    return "both devices by id, configuration written and right"


def doctor(table: MachineTable) -> str:
    """Everything answers."""
    said = table.daemon.sh(f"dealer-table doctor --config {FILE} 2>&1", AGAIN_WITHIN_S)
    faults = [line for line in said.out.splitlines() if line.startswith("fault")]
    demand(not faults and said.status == 0, said.out)
    return f"{len([line for line in said.out.splitlines() if line[:1].strip()])} findings, no fault"


def commission(table: MachineTable) -> str:
    """By script, while no table runs: lamps and the lock; the shoe answers its commands over USB."""
    table.daemon.must(f"systemctl stop {UNIT}; yes y | head -n 40 >/tmp/answers", AGAIN_WITHIN_S)
    said = table.daemon.sh(
        f"cd /tmp && dealer-table commission --config {FILE} --by script --only lamps --only lock"
        ' </tmp/answers 2>&1; grep -ho \'"verdict":"[a-z]*"\' commissioning-7.progress | sort | uniq -c',
        AGAIN_WITHIN_S,
    )
    demand('"failed"' not in said.out and "lock: " in said.out, said.out)
    demand({"LK 01", "LK 02"} <= set(table.shoe.commands), f"the shoe heard {table.shoe.commands}")
    started(table)
    return "lamps and lock asked, LK 01 and LK 02 answered by the shoe"


def start(table: MachineTable) -> str:
    """The service, with its sandbox and its watchdog."""
    waited = started(table)
    table.hands.load()
    return f"ready after {waited:.0f} s, a shoe is loaded"


def play(table: MachineTable) -> str:
    """A few rounds; every result as the cards lie."""
    for _ in range(3):
        table.hands.round()
    heard(table)
    return f"{len(table.hands.rounds)} rounds so far, {len(table.settlement.taken)} messages"


def lights(table: MachineTable) -> str:
    """The pins show what the table shows."""
    table.hands.open()
    until(lambda: table.levels()["green"] == 1, "the light is green")
    betting = table.levels()
    wanted = {"red": 0, "green": 1, "shoe_lock": 1}
    demand({name: betting[name] for name in wanted} == wanted, f"bets are open: {betting}")
    table.hands.must("CLOSE")
    until(lambda: table.levels()["shoe_lock"] == 0, "the shoe lets cards out")
    dealing = table.levels()
    demand(dealing["green"] == 0, f"bets are closed: {dealing}")
    table.hands.press("KEY", "boss")
    table.hands.must("VOID", "supervisor")
    table.hands.press("NOKEY")
    return f"bets open: {shown(betting)}; cards are due: {shown(dealing)}"


def shown(levels: dict[str, int]) -> str:
    """The outputs that are on."""
    return " ".join(name for name, level in levels.items() if level) or "all dark"


def shoe_away(table: MachineTable) -> str:
    """Pulled, told, and put into another socket: the same name, the same table."""
    table.daemon.unplug("shoe")
    waited = until(lambda: "shoe" in gone(table), "the shoe is lost")
    table.daemon.plug("shoe", 5, SERIALS["shoe"])
    back = until(lambda: "shoe" not in gone(table), "the shoe is back")
    table.hands.round()
    heard(table)
    return f"told after {waited:.0f} s, well again {back:.0f} s after it was in another socket"


def keypad_away(table: MachineTable) -> str:
    """The same for the keypad, in its own socket."""
    table.daemon.unplug("keypad")
    waited = until(lambda: "panel" in gone(table), "the keypad is lost")
    table.daemon.plug("keypad", 2, SERIALS["keypad"])
    until(lambda: "panel" not in gone(table), "the keypad is back")
    table.daemon.generation += 1
    table.hands.round()
    heard(table)
    return f"told after {waited:.0f} s; played on"


def swapped(table: MachineTable) -> str:
    """Both cables change places: names by serial number stay with their devices."""
    for name in SERIALS:
        table.daemon.unplug(name)
    until(lambda: gone(table) >= BOTH, "both are lost")
    table.daemon.plug("shoe", 2, SERIALS["shoe"])
    table.daemon.plug("keypad", 1, SERIALS["keypad"])
    until(lambda: not gone(table) & BOTH, "both are back")
    table.daemon.generation += 1
    table.hands.round()
    heard(table)
    return "played on with exchanged sockets"


def certified(table: MachineTable) -> str:
    """The unit's own report, checked outside by the laboratory's program."""
    machine = table.daemon
    for old in machine.share.glob("certificate-*"):
        old.unlink()
    machine.must(f"systemctl stop {UNIT}; dealer-table manifest {FILE} >/tmp/approved", AGAIN_WITHIN_S)
    call = f"dealer-table certify --config {FILE} --manifest /tmp/approved --report /share --rounds 200 2>&1"
    said = machine.sh(call, 900)
    demand(said.status == 0, said.out)
    (report,) = machine.share.glob("certificate-*.jsonl")
    key = json.loads(table.settlement.retained["status"])["public_key"]
    checked = subprocess.run(
        [sys.executable, CHECKER, report, "--key", key], capture_output=True, text=True, check=False
    )
    demand(checked.returncode == 0, checked.stdout + checked.stderr)
    started(table)
    return f"{len(said.out.splitlines()) - 1} checks passed, outputs read back, signature right outside"


def rebooted(table: MachineTable) -> str:
    """An unattended reboot with bets open: shut down in order, on again, and the round is there by itself."""
    table.hands.open()
    table.daemon.off("reboot")
    table.daemon.boot()
    said = booted(table)
    demand(table.hands.finish(), "the round was voided")
    table.hands.round()
    heard(table)
    return f"{said}; the round played on"


def root_kept(table: MachineTable) -> str:
    """With a root that keeps nothing of what is written to it, and the journal on a disk of its own: a power
    cut with bets open, and the round is there by itself.
    """
    table.daemon.off()
    table.daemon.boot(KEEP_ROOT)
    table.daemon.must("touch /etc/forgotten")
    table.hands.round()
    table.hands.open()
    table.daemon.cut()
    table.daemon.boot(KEEP_ROOT)
    demand(table.daemon.sh("test -e /etc/forgotten").status == 1, "the root has kept what was written")
    demand(table.hands.finish(), "the round was voided")
    heard(table)
    table.daemon.off()
    table.daemon.boot()
    return "a round, power cut with bets open, the round played on; nothing else was kept"
