"""A second unit for the same table, and a second table on the same unit."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from tests.harness.house import BASE
from tests.harness.settlement import Settlement
from tests.machine.looking import AGAIN_WITHIN_S, FILE, UNIT, active, demand, heard, started, until
from tests.machine.table import SERIALS, MachineTable, a_machine, data_disk, devices
from tests.machine.troubles import log

OTHER = "8"
OTHER_UNIT = f"dealer-table@{OTHER}"


@contextmanager
def second_table(table: MachineTable, name: str) -> Iterator[MachineTable]:
    """Another table on the same machine, with devices and books of its own."""
    folder = table.folder / f"table-{name}"
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        shoe, keypad = stack.enter_context(devices(folder))
        settlement = Settlement(table.broker.port, f"{BASE.rpartition('/')[0]}/{name}")
        stack.callback(settlement.stop)
        made = table.beside(folder, table.daemon, shoe, keypad, settlement)
        made.name, made.other = name, {}
        made.serials = {device: f"{serial}OF{name}" for device, serial in SERIALS.items()}
        for number, (device, serial) in enumerate(made.serials.items(), 3):
            table.daemon.lay(f"{device}-{name}", folder / device)
            table.daemon.plug(f"{device}-{name}", number, serial)
        yield made
        for device in made.serials:
            table.daemon.unplug(f"{device}-{name}")
            table.daemon.lift(f"{device}-{name}")


def two_tables(table: MachineTable) -> str:
    """A second table on the same machine: both are played at once, and one is killed in the other's round."""
    with second_table(table, OTHER) as other:
        other.configure("--no-enable")
        table.daemon.must(f"systemctl start {OTHER_UNIT}", AGAIN_WITHIN_S)
        until(lambda: running(other), "the second table is active")
        other.hands.load()
        both_deal(table, other)
        table.hands.open()
        before = (pid(table, UNIT), pid(table, OTHER_UNIT))
        table.daemon.must(f"systemctl kill --signal=KILL --kill-whom=main {OTHER_UNIT}")
        demand(table.hands.finish(), "the round of the first table was voided")
        until(lambda: pid(table, OTHER_UNIT) not in (0, before[1]) and running(other), "it is started again")
        table.daemon.generation += 1
        both_deal(table, other)
        demand(pid(table, UNIT) == before[0], "the first table was started again as well")
        dealt = len(other.hands.rounds)
        table.daemon.must(f"systemctl stop {OTHER_UNIT}", AGAIN_WITHIN_S)
    return f"both dealt at once; one killed in the other's round; {dealt} rounds of the second in its books"


def running(table: MachineTable) -> bool:
    """Whether the service of this table is ready."""
    return table.daemon.sh(f"systemctl is-active --quiet dealer-table@{table.name}").status == 0


def pid(table: MachineTable, unit: str) -> int:
    """Of the main process of a service; 0: none."""
    return int(table.daemon.must(f"systemctl show {unit} --property=MainPID --value"))


def both_deal(*tables: MachineTable) -> None:
    """A round at each, at the same time; all is heard afterwards."""
    dealers = [threading.Thread(target=each.hands.round, daemon=True) for each in tables]
    for dealer in dealers:
        dealer.start()
    for dealer in dealers:
        dealer.join()
    for each in tables:
        heard(each)


@contextmanager
def spare_unit(table: MachineTable) -> Iterator[MachineTable]:
    """A second machine for the same table, off, with devices of its own; its books are those of the first."""
    folder = table.folder / "spare"
    (folder / "share").mkdir(parents=True)
    shutil.copy(table.folder / "share" / "ca.pem", folder / "share")
    with ExitStack() as stack:
        shoe, keypad = stack.enter_context(devices(folder))
        machine = a_machine(folder, table.daemon.kernel, table.image, data_disk(folder / "data.raw"))
        stack.callback(machine.cut)
        yield table.beside(folder, machine, shoe, keypad, table.settlement)


def second_unit(table: MachineTable) -> str:
    """A spare is switched on beside the first unit and is turned away; the first one dies in a round, the
    spare takes its place, and the first one, when it is back, finds that it was replaced.
    """
    with spare_unit(table) as spare:
        turned_away(table, spare)
        table.hands.open()
        until(lambda: table.settlement.display.get("phase") == "betting", "bets are open")
        table.daemon.cut()
        took_place(table, spare)
        table.daemon.boot()
        until(lambda: "was replaced by epoch" in log(table), "the first unit says that it was replaced")
        demand(not active(table), "the first unit runs")
        spare.hands.round()
        heard(spare)
    return "turned away while the first lived; took its place, its round void once; the first stays silent"


def turned_away(table: MachineTable, spare: MachineTable) -> None:
    """The spare neither replaces a unit that lives nor speaks beside it."""
    spare.daemon.boot()
    spare.plug_in()
    spare.configure("--no-enable")
    refused = replaced(spare)
    demand(bool(refused[0]) and "lives and answers" in refused[1], f"replace said {refused}")
    spare.daemon.must(f"systemctl start --no-block {UNIT}")
    until(lambda: "another unit" in log(spare), "the spare says that another unit is the table")
    until(lambda: not active(spare), "the spare does not run")
    until(
        lambda: any(alert["code"] == "newcomer" for alert in table.settlement.of("alert.raised")),
        "the first unit tells of the newcomer",
    )
    table.hands.round()
    heard(table)


def took_place(table: MachineTable, spare: MachineTable) -> None:
    """The spare is the table now: it voids the round that ran, and plays."""
    until(lambda: state(table.settlement) == "lost", "the broker says that the first unit is lost")
    before = len(table.settlement.taken)
    table.settlement.stop()
    spare.daemon.must("rm -f /var/lib/dealer-table/7.db*")  # of the life in which it was turned away
    status, said = replaced(spare)
    demand(status == 0, f"replace said {said}")
    demand(f"settlement has everything up to {before}" in said, f"of what is in the books it says {said}")
    spare.settlement = Settlement(spare.broker.port, BASE)
    started(spare)
    spare.hands.load()
    spare.hands.round()
    heard(spare)
    demand(len(spare.settlement.of("round.void")) == 1, "the round that ran is not void once")


def replaced(spare: MachineTable) -> tuple[int, str]:
    """What ``replace`` does at the spare, and says."""
    said = spare.daemon.sh(f"dealer-table replace --config {FILE} --badge B12 2>&1", AGAIN_WITHIN_S)
    return said.status, said.out


def state(settlement: Settlement) -> str:
    """Of the table, as the broker retains it."""
    said: str = json.loads(settlement.retained.get("status") or b"{}").get("state", "")
    return said
