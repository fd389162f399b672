"""The daemon is struck in a round: the pins go to the safe state, and the round is played on."""

from __future__ import annotations

from tests.machine.looking import (
    UNIT,
    active,
    demand,
    heard,
    pins_are_safe,
    restarts,
    until,
)
from tests.machine.table import DATA, MachineTable

STALLED_BYTES_S = 1


def killed(table: MachineTable) -> str:
    """kill -9 with bets open: the pins are safe, and the table comes back to the same round."""
    bets_open(table)
    return struck(table, f"systemctl kill --signal=KILL --kill-whom=main {UNIT}")


def frozen(table: MachineTable) -> str:
    """SIGSTOP with bets open: the watchdog notices."""
    bets_open(table)
    return struck(table, f"systemctl kill --signal=STOP --kill-whom=main {UNIT}")


def hung(table: MachineTable) -> str:
    """The journal's disk answers nothing any more, with bets open: a process that waits for it cannot even be
    killed, and the pins are safe all the same.
    """
    bets_open(table)
    before = restarts(table)
    throttle(table, STALLED_BYTES_S)
    # What is no key is written down, and does nothing. A disk that is throttled takes one write at once.
    table.keypad.ask("SYNC 0", 2.0)
    table.keypad.send("SYNC 1")
    try:
        safe_s = pins_within(table, "true")
        until(lambda: not active(table), "the watchdog has had enough")
    finally:
        throttle(table, 0)
    return comes_back(table, safe_s, before)


def throttle(table: MachineTable, bytes_s: int) -> None:
    """So fast is the journal's disk; 0: as fast as it can."""
    limits = dict.fromkeys(("bps_rd", "bps_wr", "iops", "iops_rd", "iops_wr"), 0)
    table.daemon.monitor("block_set_io_throttle", device=DATA, bps=bytes_s, **limits)


def bets_open(table: MachineTable) -> None:
    """And the light says so."""
    table.hands.open()
    until(lambda: table.levels()["green"] == 1, "the light is green")


def struck(table: MachineTable, blow: str) -> str:
    """Strike, and play on."""
    before = restarts(table)
    return comes_back(table, pins_within(table, blow), before)


def pins_within(table: MachineTable, blow: str) -> float:
    """Strike, and look at the pins every tenth of a second by the machine's clock; after how many seconds of
    it they were safe.
    """
    since = "now() { date +%s%N; }; begun=$(now)"
    look = pins_are_safe("echo $(( ($(now) - begun) / 1000000 )) && exit 0")
    said = table.daemon.sh(f"{since}; {blow}; for i in $(seq 600); do {look}; sleep 0.1; done; exit 1", 600)
    demand(said.status == 0, f"the pins are not safe: {table.levels()}")
    return int(said.out) / 1000


def comes_back(table: MachineTable, safe_s: float, before: int) -> str:
    """The round goes on where it was; ``before``: so often the service had been started again."""
    again = until(lambda: restarts(table) > before and active(table), "the service was started again")
    table.daemon.generation += 1
    demand(table.hands.finish(), "the round was voided")
    heard(table)
    return f"pins safe after {safe_s:.1f} s of its clock, back {again:.0f} s later, the round played on"
