"""All steps, in their order."""

from __future__ import annotations

from collections.abc import Callable

from tests.machine import buttons, camera, safety, technician, troubles, units, upgrade
from tests.machine.table import MachineTable

Step = Callable[[MachineTable], str]
Steps = dict[str, Step]

FIRST: Steps = {"boot": technician.boot, "setup": technician.set_up, "start": technician.start}
"""Every other step stands on these."""
STEPS: Steps = {
    **FIRST,
    "doctor": technician.doctor,
    "commission": technician.commission,
    "play": technician.play,
    "lights": technician.lights,
    "shoe pulled and put elsewhere": technician.shoe_away,
    "keypad pulled": technician.keypad_away,
    "sockets exchanged": technician.swapped,
    "buttons that bounce": buttons.buttons,
    "two tables on one machine": units.two_tables,
    "camera away": camera.camera_away,
    "kill -9": safety.killed,
    "SIGSTOP": safety.frozen,
    "disk hung": safety.hung,
    "network cable out": troubles.cable_pulled,
    "address gone": troubles.address_gone,
    "name wrong": troubles.name_wrong,
    "broker away": troubles.broker_away,
    "clock jumps": troubles.clock_jumps,
    "memory short": troubles.memory_short,
    "disk full": troubles.disk_full,
    "inodes full": troubles.inodes_full,
    "system disk full": troubles.log_full,
    "rebooted in a round": technician.rebooted,
    "no clock, no network": troubles.born_late,
    "root read-only": technician.root_kept,
    "certify": technician.certified,
    "second unit": units.second_unit,
}
"""The last one leaves the first machine to itself: it was replaced."""
UPGRADE: Steps = {**FIRST, "upgrade and back": upgrade.there_and_back}
"""On a machine with the package of the version before."""
SLICE = ("boot", "setup", "start", "play", "lights", "shoe pulled and put elsewhere", "kill -9")
"""What fits into ten minutes."""
