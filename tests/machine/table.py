"""A table on the machine: its disks, what is plugged in, who deals, and broker and books outside of it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, cast

from controller.settings.writing import toml_text
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.keypad.simulator import Keypad
from tests.faults.loop import judge
from tests.harness.broker import Broker
from tests.harness.dealer import Dealer
from tests.harness.deals import DEALS
from tests.harness.house import BASE, House
from tests.harness.people import Dealt
from tests.harness.settlement import Settlement
from tests.machine.image import quietly
from tests.machine.qemu import Machine

HOST = "10.0.2.2"
"""Of the host, as the machine sees it."""
BY_ID = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{}-if00-port0"
SERIALS = {"shoe": "ANGEL1", "keypad": "PAD1"}
PINS = {"red": 16, "yellow": 20, "green": 21, "hold": 12, "shoe_lock": 8}
LEVEL = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}/value"
BACCARAT = DEALS[0]


def answers(port: int) -> dict[str, Any]:
    """What a technician answers to ``setup``, in the form of a configuration."""
    return {
        "table": {"site": "north", "id": "7"},
        "game": {"name": "baccarat"},
        "mqtt": {
            "host": HOST,
            "port": port,
            "consumers": ["settlement"],
            "ack_timeout_s": 5,
            "keepalive_s": 10,
        },
        "journal": {"path": "/var/lib/dealer-table/7.db"},
        "devices": {
            "shoe": {
                "driver": "angel-eye",
                "port": BY_ID.format(SERIALS["shoe"]),
                "command_timeout_ms": 3000,
            },
            "panel": {"driver": "keypad", "port": BY_ID.format(SERIALS["keypad"])},
            "lights": {"driver": "gpio", **PINS},
        },
    }


class Hands(Dealer):
    """Deals baccarat at a machine that is slow, and may be cut off under the hands."""

    patience_s = 400.0

    def taken(self) -> bool:
        return self.hand.settled()


@dataclass
class MachineTable:
    """All of it. It has the members of `House` that a dealer works with."""

    folder: Path
    daemon: Machine
    shoe: SimulatedAngelEye
    keypad: Keypad
    broker: Broker
    settlement: Settlement
    hands: Hands = field(init=False)

    def deal_with(self, chance: Random) -> None:
        """Somebody comes to deal."""
        self.hands = Hands(cast(House, self), chance)

    def configure(self, how: str = "") -> str:
        """Set the table up as a technician does, and start it."""
        (self.daemon.share / "answers.toml").write_text(toml_text(answers(self.broker.port)))
        return self.daemon.must(
            "dealer-table setup --answers /share/answers.toml --no-questions --no-doctor --listen-s 0"
            f" --replace {how} 2>&1",
            400,
        )

    def plug_in(self) -> None:
        """Both cables into their usual sockets."""
        for number, (name, serial) in enumerate(SERIALS.items(), 1):
            self.daemon.plug(name, number, serial)

    def levels(self) -> dict[str, int]:
        """What the pins are at."""
        files = " ".join(LEVEL.format(number) for number in PINS.values())
        return dict(zip(PINS, map(int, self.daemon.must(f"cat {files}").split()), strict=True))

    def misjudged(self) -> list[str]:
        """Results and voids as the books have them, against the felt."""
        dealt = [
            Dealt({"cards": [card for _, card in felt.cards]}) if felt.played else Dealt(void=True)
            for felt in self.hands.rounds
        ]
        return [*judge(self.settlement.messages, dealt, BACCARAT)[2], *self.settlement.wrong]


def data_disk(path: Path, system: str = "ext4") -> Path:
    """An empty disk for the journal."""
    path.unlink(missing_ok=True)
    quietly(["truncate", "-s", "256M", path])
    quietly([f"mkfs.{system}", "-q", *(["-F"] if system == "ext4" else ["-f"]), path])
    return path


def root_disk(path: Path, image: Path) -> Path:
    """A disk that begins as the image and keeps what is written."""
    path.unlink(missing_ok=True)
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-b", image, "-F", "raw", path],
        check=True,
        capture_output=True,
    )
    return path


@contextmanager
def machine_table(
    folder: Path, kernel: Path, image: Path, data: Path, chance: Random
) -> Iterator[MachineTable]:
    """A table whose machine is off; everything ends with the context."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        broker = Broker(folder / "broker")
        broker.start()
        stack.callback(broker.stop)
        shoe = SimulatedAngelEye(folder / "shoe", tries=1_000_000, answer_timeout_s=4)
        stack.callback(shoe.stop)
        keypad = stack.enter_context(Keypad(folder / "keypad"))
        drives = [f"-drive file={root_disk(folder / 'root.qcow2', image)},format=qcow2,if=virtio"]
        drives.append(f"-drive file={data},format=raw,if=virtio")
        cables = {"shoe": str(folder / "shoe"), "keypad": str(folder / "keypad")}
        machine = Machine(folder, kernel, drives, cables)
        stack.callback(machine.cut)
        settlement = Settlement(broker.port, BASE)
        stack.callback(settlement.stop)
        made = MachineTable(folder, machine, shoe, keypad, broker, settlement)
        made.deal_with(chance)
        yield made
