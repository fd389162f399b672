"""What a technician does at a machine, from the first start to pulled plugs; each step says what was seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tests.machine.qemu import pause
from tests.machine.table import BY_ID, PINS, SERIALS, MachineTable

UNIT = "dealer-table@7"
FILE = "/etc/dealer-table/7.toml"
SAFE = {"red": 1, "yellow": 0, "green": 0, "hold": 0, "shoe_lock": 1}
AGAIN_WITHIN_S = 300.0
"""On an emulated processor a program of Python takes ten seconds to begin."""
BOTH = {"shoe", "panel"}


@dataclass(frozen=True)
class Seen:
    """A step that was done."""

    step: str
    seen: str
    wrong: str
    seconds: float


Step = Callable[[MachineTable], str]


class Wrong(AssertionError):
    """The machine did not do what it must."""


def demand(so: bool, what: str) -> None:
    """Wrong where it is not so."""
    if not so:
        raise Wrong(what)


def until(so: Callable[[], bool], what: str, within_s: float = AGAIN_WITHIN_S) -> float:
    """Wait until it is so; how many seconds that took. Wrong where it takes longer."""
    begun_s = time.monotonic()
    while not so():
        demand(time.monotonic() - begun_s < within_s, f"not within {within_s:.0f} s: {what}")
        pause(0.2)
    return time.monotonic() - begun_s


def lost(table: MachineTable) -> set[str]:
    """The devices that do not answer, by the stream."""
    gone: set[str] = set()
    with table.settlement.guard:
        for heard in table.settlement.messages:
            name, said = heard["type"].removeprefix("dealertable."), heard["data"]
            if name == "device.lost.v1":
                gone.add(said["device"])
            elif name == "device.restored.v1":
                gone.discard(said["device"])
    return gone


def set_up(table: MachineTable) -> str:
    """The devices are found under names that stay, and the configuration is written."""
    listed = table.daemon.must("dealer-table setup --list --listen-s 1 2>&1", 400)
    for serial in SERIALS.values():
        demand(BY_ID.format(serial) in listed, f"setup does not find {serial}: {listed}")
    table.configure("--no-enable")
    table.daemon.must(f"dealer-table check-config {FILE} 2>&1")
    return "both devices by id, configuration written and right"


def doctor(table: MachineTable) -> str:
    """Everything answers."""
    said = table.daemon.sh(f"dealer-table doctor --config {FILE} 2>&1", 400)
    faults = [line for line in said.out.splitlines() if line.startswith("fault")]
    demand(not faults and said.status == 0, said.out)
    return f"{len([line for line in said.out.splitlines() if line[:1].strip()])} findings, no fault"


def commission(table: MachineTable) -> str:
    """By script: lamps and the lock; the shoe answers its commands over USB."""
    table.daemon.must("yes y | head -n 40 >/tmp/answers")
    said = table.daemon.sh(
        f"cd /tmp && dealer-table commission --config {FILE} --by script --only lamps --only lock"
        ' </tmp/answers 2>&1; grep -ho \'"verdict":"[a-z]*"\' commissioning-7.progress | sort | uniq -c',
        400,
    )
    demand('"failed"' not in said.out and "lock: " in said.out, said.out)
    demand({"LK 01", "LK 02"} <= set(table.shoe.commands), f"the shoe heard {table.shoe.commands}")
    return "lamps and lock asked, LK 01 and LK 02 answered by the shoe"


def start(table: MachineTable) -> str:
    """The service, with its sandbox and its watchdog."""
    table.daemon.must(f"systemctl enable --now {UNIT}", 400)
    table.daemon.generation += 1
    waited = until(lambda: active(table), "the service is active")
    table.hands.load()
    return f"ready after {waited:.0f} s, a shoe is loaded"


def active(table: MachineTable) -> bool:
    return table.daemon.sh(f"systemctl is-active --quiet {UNIT}").status == 0


def play(table: MachineTable) -> str:
    """A few rounds; every result as the cards lie."""
    for _ in range(3):
        table.hands.round()
    heard(table)
    return f"{len(table.hands.rounds)} rounds so far, {len(table.settlement.taken)} messages"


def heard(table: MachineTable) -> None:
    """All that was dealt is in the books outside, and right."""
    rounds = [felt for felt in table.hands.rounds if felt.played]
    until(
        lambda: len(table.settlement.of("round.settled")) >= len(rounds),
        "every round is settled in the books",
    )
    demand(not table.misjudged(), "; ".join(table.misjudged()))


def lights(table: MachineTable) -> str:
    """The pins show what the table shows."""
    table.hands.open()
    betting = table.levels()
    wanted = {"red": 0, "green": 1, "shoe_lock": 1}
    demand({name: betting[name] for name in wanted} == wanted, f"bets are open: {betting}")
    table.hands.must("CLOSE")
    until(lambda: table.levels()["shoe_lock"] == 0, "the shoe lets cards out", 60)
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
    waited = until(lambda: "shoe" in lost(table), "the shoe is lost")
    table.daemon.plug("shoe", 5, SERIALS["shoe"])
    back = until(lambda: "shoe" not in lost(table), "the shoe is back")
    table.hands.round()
    heard(table)
    return f"told after {waited:.0f} s, well again {back:.0f} s after it was in another socket"


def keypad_away(table: MachineTable) -> str:
    """The same for the keypad, in its own socket."""
    table.daemon.unplug("keypad")
    waited = until(lambda: "panel" in lost(table), "the keypad is lost")
    table.daemon.plug("keypad", 2, SERIALS["keypad"])
    until(lambda: "panel" not in lost(table), "the keypad is back")
    table.daemon.generation += 1
    table.hands.round()
    heard(table)
    return f"told after {waited:.0f} s; played on"


def swapped(table: MachineTable) -> str:
    """Both cables change places: names by serial number stay with their devices."""
    for name in SERIALS:
        table.daemon.unplug(name)
    until(lambda: lost(table) >= BOTH, "both are lost")
    table.daemon.plug("shoe", 2, SERIALS["shoe"])
    table.daemon.plug("keypad", 1, SERIALS["keypad"])
    until(lambda: not lost(table) & BOTH, "both are back")
    table.daemon.generation += 1
    table.hands.round()
    heard(table)
    return "played on with exchanged sockets"


def killed(table: MachineTable) -> str:
    """kill -9 with bets open: the pins are safe, and the table comes back to the same round."""
    return struck(table, f"systemctl kill --signal=KILL --kill-whom=main {UNIT}")


def frozen(table: MachineTable) -> str:
    """SIGSTOP with bets open: the watchdog notices."""
    return struck(table, f"systemctl kill --signal=STOP --kill-whom=main {UNIT}")


def struck(table: MachineTable, blow: str) -> str:
    """Strike in a round, look at the pins every fifth of a second within the machine, and play on."""
    table.hands.open()
    before = restarts(table)
    safe = "".join(str(SAFE[name]) for name in PINS)
    look = f"[ $(cat {' '.join(LEVELS)} | tr -d '\\n') = {safe} ] && echo $i && exit 0"
    said = table.daemon.sh(f"{blow}; for i in $(seq 600); do {look}; sleep 0.2; done; exit 1", 300)
    demand(said.status == 0, f"the pins are not safe: {table.levels()}")
    again = until(lambda: active(table) and restarts(table) > before, "the service was started again")
    table.daemon.generation += 1
    demand(table.hands.finish(), "the round was voided")
    heard(table)
    return f"pins safe after {int(said.out) / 5:.0f} s or less, back after {again:.0f} s, the round played on"


LEVELS = [f"/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{number}/value" for number in PINS.values()]


def restarts(table: MachineTable) -> int:
    return int(table.daemon.must(f"systemctl show {UNIT} --property=NRestarts --value"))


def network_away(table: MachineTable) -> str:
    """The cable of the network is out for a round; the books have it afterwards."""
    table.daemon.cable_out(True)
    before = len(table.settlement.taken)
    table.hands.round()
    table.daemon.cable_out(False)
    heard(table)
    return f"a round without a network, {len(table.settlement.taken) - before} messages told afterwards"


def certified(table: MachineTable) -> str:
    """The unit's own report, checked outside by the laboratory's program."""
    machine = table.daemon
    machine.must(f"systemctl stop {UNIT}; dealer-table manifest {FILE} >/tmp/approved", 400)
    call = f"dealer-table certify --config {FILE} --manifest /tmp/approved --report /share --rounds 200 2>&1"
    said = machine.sh(call, 900)
    demand(said.status == 0, said.out)
    machine.must(f"systemctl start {UNIT}", 400)
    machine.generation += 1
    return f"{len(said.out.splitlines()) - 1} checks passed, outputs read back"


def rebooted(table: MachineTable) -> str:
    """Shut down in order, and on again: the table is there by itself."""
    table.daemon.off()
    table.daemon.boot()
    table.hands.round()
    heard(table)
    return f"played on, {table.daemon.boot_s[-1]:.0f} s to boot"


STEPS: dict[str, Step] = {
    "setup": set_up,
    "doctor": doctor,
    "commission": commission,
    "start": start,
    "play": play,
    "lights": lights,
    "shoe pulled and put elsewhere": shoe_away,
    "keypad pulled": keypad_away,
    "sockets exchanged": swapped,
    "kill -9": killed,
    "SIGSTOP": frozen,
    "network cable out": network_away,
    "reboot": rebooted,
    "certify": certified,
}
