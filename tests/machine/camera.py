"""A table whose shoe is read by a camera, which goes away and comes back."""

from __future__ import annotations

from tests.machine.looking import AGAIN_WITHIN_S, demand, gone, heard, until
from tests.machine.table import MachineTable
from tests.machine.units import running, second_table

TABLE = "9"
UNIT = f"dealer-table@{TABLE}"
MARKS = "/usr/share/dealer-table/examples/cards/pattern.toml"
SMALL = {"width_px": 320, "height_px": 180, "frames_per_s": 5}
"""An emulated processor has no time for more."""
SIMULATED = "n_devs=1 num_inputs=1 input_types=0"
"""Of the kernel's own camera: a webcam, whose picture shows a clock."""
DRIVER = "/sys/bus/platform/drivers/vivid"


def camera_away(table: MachineTable) -> str:
    """The camera of a second table is gone under the program that reads it, and comes back."""
    machine = table.daemon
    machine.must(f"modprobe vivid {SIMULATED}; udevadm settle; test -c /dev/video0")
    with second_table(table, TABLE) as other:
        other.other = {"shoe": {"driver": "camera", "source": "/dev/video0", **SMALL}}
        other.cards = MARKS
        other.configure("--no-enable")
        machine.must(f"systemctl start {UNIT}", AGAIN_WITHIN_S)
        until(lambda: running(other), "the table with a camera is active")
        other.hands.load()
        demand("shoe" not in gone(other), "the camera is lost from the beginning")
        machine.must(f"echo vivid.0 >{DRIVER}/unbind")
        waited = until(lambda: "shoe" in gone(other), "the camera is lost")
        table.hands.round()
        heard(table)
        machine.must(f"echo vivid.0 >{DRIVER}/bind; udevadm settle; test -c /dev/video0")
        back = until(lambda: "shoe" not in gone(other), "the camera is back")
        other.hands.must("OPEN")
        other.hands.press("KEY", "boss")
        other.hands.must("VOID", "supervisor")
        machine.must(f"systemctl stop {UNIT}; modprobe -r vivid", AGAIN_WITHIN_S)
    return f"told after {waited:.0f} s, well again {back:.0f} s after it was back; a round opened"
