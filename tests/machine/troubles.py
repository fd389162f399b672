"""What goes wrong around a table: clock, network, disk, memory. Rounds are dealt meanwhile; none is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.machine.looking import UNIT, active, demand, heard, restarts, until
from tests.machine.table import CARD, HOST, NAME, MachineTable
from tests.machine.timeserver import TimeServer

FULL = """\
fallocate --length $(df --output=avail --block-size=1 {0} | tail -n 1) {0}/filled
until ! dd if=/dev/zero of={0}/filled bs=1M count=8 oflag=append conv=notrunc 2>/dev/null; do :; done"""
"""Bytes into a folder until its disk takes no more, of root neither."""
HUNGRY = """\
taken = []
while True:
    taken.append(bytes([1]) * (16 << 20))
"""
"""A program that writes to all the memory that there is."""
NOBODY = "10.0.2.99"
"""An address of the machine's network where nobody is."""


def born_late(table: MachineTable) -> str:
    """A Pi has no clock of its own: it begins somewhen in the past and without a network, deals, meets a
    certificate that is not valid yet, and hears the time at last. One that has run before goes on with the
    time that it has kept; so that is forgotten.
    """
    machine = table.daemon
    machine.must("systemctl stop systemd-timesyncd; find /var/lib -path '*timesync/clock' -delete")
    machine.off()
    machine.boot(extra=("-rtc", "base=1970-01-01T00:00:00"), cable=False)
    until(lambda: active(table), "the service is active")
    began = machine.must("date +%Y-%m-%d").strip()
    demand(began < time.strftime("%Y-%m-%d"), f"it knows the time: {began}")
    table.hands.round()
    before = len(table.settlement.taken)
    machine.cable_out(False)
    until(lambda: "not yet valid" in log(table), "the broker's certificate is not yet valid")
    demand(len(table.settlement.taken) == before, "it trusted a certificate that is not valid yet")
    with TimeServer():
        until(lambda: abs(float(machine.must("date +%s")) - time.time()) < 600, "the time has come")
    heard(table)
    told = len(table.settlement.taken) - before
    return f"began on {began}; a round; certificate refused; with the time {told} messages told"


def clock_jumps(table: MachineTable) -> str:
    """Forwards and back by hours and a day, with bets open."""
    jumps = ("3 hours", "5 hours ago", "1 day", "40 days")
    for jump in jumps:
        table.hands.open()
        table.daemon.must(f"date --set '{jump}'")
        demand(table.hands.finish(), "the round was voided")
        heard(table)
    table.daemon.must(f"date --set @{time.time():.0f}")
    return f"{len(jumps)} jumps in a round each, all played on"


def cable_pulled(table: MachineTable) -> str:
    """The cable of the network is out for a round; the books have it afterwards."""
    with away(table) as told:
        table.daemon.cable_out(True)
        table.hands.round()
        table.daemon.cable_out(False)
    return f"a round without a network, {told[0]} messages told afterwards"


def address_gone(table: MachineTable) -> str:
    """The machine loses its address, and gets it again."""
    with away(table) as told:
        table.daemon.must(f"ip address flush dev {CARD}")
        table.hands.round()
        table.daemon.must(f"networkctl reconfigure {CARD}")
    return f"a round without an address, {told[0]} messages told afterwards"


def name_wrong(table: MachineTable) -> str:
    """The broker's name leads to where nobody is: the table finds it by its other way."""
    table.daemon.must(f"sed -i 's/.* {NAME}/{NOBODY} {NAME}/' /etc/hosts")
    with away(table) as told:
        table.proxy.inflict("cut")
        table.hands.round()
    table.daemon.must(f"sed -i 's/.* {NAME}/{HOST} {NAME}/' /etc/hosts")
    return f"its second way was found, {told[0]} messages told"


def broker_away(table: MachineTable) -> str:
    """The broker is gone for a round."""
    with away(table) as told:
        table.broker.stop()
        table.hands.round()
        table.broker.start()
    return f"a round without a broker, {told[0]} messages told afterwards"


@contextmanager
def away(table: MachineTable) -> Iterator[list[int]]:
    """Something of the network is missing; afterwards all is in the books. How many messages came, as the
    only member of the list, when it has ended.
    """
    told, before = [0], len(table.settlement.taken)
    yield told
    heard(table)
    told[0] = len(table.settlement.taken) - before


def disk_full(table: MachineTable) -> str:
    """The journal's disk fills up in a round: nothing is said that is not written, and it goes on."""
    table.hands.open()
    table.daemon.must(FULL.format("/var/lib/dealer-table"), 600)
    since = table.daemon.must("date +@%s").strip()
    dealing = threading.Thread(target=table.hands.finish, daemon=True)
    dealing.start()
    until(
        lambda: "disk" in log(table, since=since) or not dealing.is_alive(), "it says that the disk is full"
    )
    said = [line for line in log(table, since=since).splitlines() if "disk" in line]
    table.daemon.must("rm /var/lib/dealer-table/filled")
    dealing.join(table.hands.patience_s)
    table.hands.round()
    heard(table)
    return f"{said[-1].partition(': ')[2] if said else 'the round needed no more room'}; played on"


def inodes_full(table: MachineTable) -> str:
    """No file can be made any more: the table plays, and comes back after kill -9."""
    folder = "/var/lib/dealer-table/filled"
    table.daemon.must(
        f"mkdir {folder}; cd {folder}; seq 100000 | xargs touch 2>/dev/null; df -i . | tail -n 1"
    )
    with away(table):
        table.hands.round()
        back(table)
        table.hands.round()
    table.daemon.must(f"rm -r {folder}", 600)
    return "a round, kill -9, back, a round"


def log_full(table: MachineTable) -> str:
    """The disk of everything else is full, with the system's own journal on it: the table plays on, and comes
    back after kill -9.
    """
    table.daemon.must("mkdir -p /var/log/journal; journalctl --flush")
    table.daemon.must(FULL.format("/var"), 1800)
    with away(table):
        table.hands.round()
        back(table)
        table.hands.round()
    table.daemon.must("rm /var/filled")
    return "a round, kill -9, back, a round"


def memory_short(table: MachineTable) -> str:
    """Another program takes all the memory: it is the one that goes."""
    before = restarts(table)
    locked = table.daemon.must(f"grep VmLck /proc/$(systemctl show {UNIT} -p MainPID --value)/status")
    demand(int(locked.split()[1]) > 0, "the table does not hold its memory")
    table.hands.open()
    table.daemon.must(f"systemd-run --quiet --collect --unit=neighbour python3 -c '{HUNGRY}'")
    until(
        lambda: (
            "neighbour.service: A process of this unit has been killed by the OOM killer"
            in log(table, "neighbour")
        ),
        "the kernel ends the neighbour",
    )
    demand(table.hands.finish(), "the round was voided")
    heard(table)
    demand(restarts(table) == before, "the table was killed")
    memory = int(table.daemon.must(f"systemctl show {UNIT} --property=MemoryCurrent --value")) / 1e6
    return f"the neighbour was ended, not the table ({memory:.0f} MB of 1 GB); played on"


def back(table: MachineTable) -> None:
    """kill -9; it is started again."""
    before = restarts(table)
    table.daemon.must(f"systemctl kill --signal=KILL --kill-whom=main {UNIT}")
    until(lambda: restarts(table) > before and active(table), "the service was started again")
    table.daemon.generation += 1


def log(table: MachineTable, unit: str = UNIT, since: str = "") -> str:
    """The last that a unit said, since the machine was switched on or since a time: a clock that has jumped
    knows no today.
    """
    begin = f"--since={since}" if since else "--boot"
    return table.daemon.sh(f"journalctl --no-pager --lines=40 --unit={unit} {begin}").out
