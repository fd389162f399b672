"""How a step looks at the machine and at the books outside of it: what it demands, and waits for."""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.machine.qemu import pause
from tests.machine.table import LEVELS, PINS, MachineTable

UNIT = "dealer-table@7"
FILE = "/etc/dealer-table/7.toml"
SAFE = {"red": 1, "yellow": 0, "green": 0, "hold": 0, "shoe_lock": 1}
AGAIN_WITHIN_S = 600.0
"""An emulated processor needs ten seconds to begin a program of Python, beside much other work a minute."""


class Wrong(AssertionError):
    """The machine did not do what it must."""


def demand(so: bool, what: str) -> None:
    """Wrong where it is not so."""
    if not so:
        raise Wrong(what)


def until(so: Callable[[], bool], what: str, within_s: float = AGAIN_WITHIN_S) -> float:
    """Wait until it is so; how many seconds that took. Wrong where it takes longer."""
    begun_s = looked_s = time.monotonic()
    while not so():
        now_s = time.monotonic()
        demand(now_s - begun_s < within_s, f"not within {within_s:.0f} s: {what}")
        pause(max(0.2, 2 * (now_s - looked_s)))  # a look takes the machine from what is waited for
        looked_s = time.monotonic()
    return time.monotonic() - begun_s


def gone(table: MachineTable) -> set[str]:
    """The devices that do not answer, by the stream."""
    found: set[str] = set()
    with table.settlement.guard:
        for heard in table.settlement.messages:
            name, said = heard["type"].removeprefix("dealertable."), heard["data"]
            if name == "device.lost.v1":
                found.add(said["device"])
            elif name == "device.restored.v1":
                found.discard(said["device"])
    return found


def active(table: MachineTable) -> bool:
    """Whether the table's service has said that it is ready."""
    return table.daemon.sh(f"systemctl is-active --quiet {UNIT}").status == 0


def restarts(table: MachineTable) -> int:
    """How often the service manager has started the table again."""
    return int(table.daemon.must(f"systemctl show {UNIT} --property=NRestarts --value"))


def started(table: MachineTable) -> float:
    """Start the table and wait until it is ready; after how many seconds it was."""
    begun_s = time.monotonic()
    table.daemon.must(f"systemctl enable --now {UNIT}", AGAIN_WITHIN_S)
    until(lambda: active(table), "the service is active")
    table.daemon.generation += 1
    return time.monotonic() - begun_s


def unheard(table: MachineTable) -> int:
    """So many rounds that were dealt to their end are not settled in the books."""
    return sum(felt.played is not None for felt in table.hands.rounds) - len(
        table.settlement.of("round.settled")
    )


def heard(table: MachineTable) -> None:
    """All that was dealt is in the books outside, and right."""
    until(lambda: unheard(table) <= 0, "every round is settled in the books")
    demand(not table.misjudged(), "; ".join(table.misjudged()))


def pins_are_safe(then: str) -> str:
    """A condition of the machine's shell: every pin is in the safe state; what to do ``then``."""
    safe = "".join(str(SAFE[name]) for name in PINS)
    return f"[ $(cat {' '.join(LEVELS)} | tr -d '\\n') = {safe} ] && {then}"
