"""A table on the machine: its disks, what is plugged in, who deals, and broker and books outside of it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, cast

import trustme

from controller.settings.writing import toml_text
from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.keypad.simulator import Keypad
from tests.faults.loop import judge
from tests.harness.broker import Broker, free_port
from tests.harness.dealer import Dealer
from tests.harness.deals import DEALS
from tests.harness.house import BASE, House
from tests.harness.people import Dealt
from tests.harness.proxy import FaultProxy
from tests.harness.settlement import Settlement
from tests.machine.kernel import Kernel
from tests.machine.parts import quietly
from tests.machine.qemu import Machine, MachineFailed

HOST = "10.0.2.2"
"""Of the host, as the machine sees it."""
BY_ID = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_{}-if00-port0"
SERIALS = {"shoe": "ANGEL1", "keypad": "PAD1"}
PINS = {"red": 16, "yellow": 20, "green": 21, "hold": 12, "shoe_lock": 8}
PIN = "/sys/devices/platform/gpio-sim.0/gpiochip0/sim_gpio{}"
LEVELS = [f"{PIN.format(number)}/value" for number in PINS.values()]
CARD = "$(basename /sys/class/net/e*)"
"""Of the network, for the machine's shell."""
DATA = "data"
"""The journal's disk, for qemu."""
BACCARAT = DEALS[0]

NAME = "broker.floor"
"""The broker's name; it stands in /etc/hosts of the machine."""
AUTHORITY = "/etc/dealer-table/ca.pem"


def answers(name: str, serials: Mapping[str, str], *hosts: str) -> dict[str, Any]:
    """What a technician answers to ``setup``, in the form of a configuration."""
    return {
        "table": {"site": "north", "id": name},
        "game": {"name": "baccarat"},
        "mqtt": {
            "hosts": list(hosts),
            "tls": {"ca_file": AUTHORITY},
            "consumers": ["settlement"],
            "ack_timeout_s": 5,
            "keepalive_s": 240,  # a slow machine is late for the broker, whose clock is the host's
        },
        "journal": {"path": f"/var/lib/dealer-table/{name}.db"},
        "devices": {
            "shoe": {
                "driver": "angel-eye",
                "port": BY_ID.format(serials["shoe"]),
                "command_timeout_ms": 3000,
            },
            "panel": {"driver": "keypad", "port": BY_ID.format(serials["keypad"])},
        },
    }


class Hands(Dealer):
    """Deals baccarat at a machine that is slow, and may be cut off under the hands."""

    patience_s = 300.0

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
    proxy: FaultProxy
    """The first way to the broker, by its name; the second one leads there by its address."""
    tls_port: int
    settlement: Settlement
    image: Path
    """What its machine's first disk began as."""
    hands: Hands = field(init=False)
    packages: tuple[Path, ...] = ()
    """That of the version before and that of this one, where one is put over the other."""
    name: str = "7"
    serials: Mapping[str, str] = field(default_factory=lambda: SERIALS)
    other: Mapping[str, Any] = field(default_factory=lambda: {"lights": {"driver": "gpio", **PINS}})
    """Its devices that are not at USB plugs; they come over those that are."""
    cards: str = ""
    """The map of the codes on its cards, where a camera reads them."""

    def beside(
        self,
        folder: Path,
        machine: Machine,
        shoe: SimulatedAngelEye,
        keypad: Keypad,
        settlement: Settlement,
    ) -> MachineTable:
        """Another one at the same broker."""
        made = replace(self, folder=folder, daemon=machine, shoe=shoe, keypad=keypad, settlement=settlement)
        made.deal_with(Random(3))
        return made

    def deal_with(self, chance: Random) -> None:
        """Somebody comes to deal."""
        self.hands = Hands(cast(House, self), chance)

    def configure(self, how: str = "") -> str:
        """Set the table up as a technician does; it is not started."""
        self.answer()
        return self.daemon.must(self.configuring("/share", how), 400)

    def answer(self) -> None:
        """Write down what a technician answers, where the machine shares it."""
        answered = answers(self.name, self.serials, *ways(self))
        answered["devices"] |= self.other
        answered |= {"cards": {"map": self.cards}} if self.cards else {}
        (self.daemon.share / "answers.toml").write_text(toml_text(answered))

    @staticmethod
    def configuring(folder: str, how: str) -> str:
        """For the machine's shell: set up with the answers that lie in its ``folder``."""
        return (
            f"install -D -m 644 {folder}/ca.pem {AUTHORITY};"
            f" dealer-table setup --answers {folder}/answers.toml --no-questions --no-doctor --listen-s 0"
            f" --replace {how} 2>&1"
        )

    def plug_in(self) -> None:
        """Both cables into their usual sockets."""
        for number, (name, serial) in enumerate(SERIALS.items(), 1):
            self.daemon.plug(name, number, serial)

    def levels(self) -> dict[str, int]:
        """What the pins are at."""
        read = self.daemon.must(f"cat {' '.join(LEVELS)}").split()
        return dict(zip(PINS, map(int, read), strict=True))

    def tell(self) -> None:
        """Print what the machine says of itself, where it still answers."""
        with suppress(MachineFailed):
            log = "journalctl -b --no-pager -n 60 -u 'dealer-table*'"
            print(self.daemon.sh(f"{log}; dmesg | tail -n 20; systemctl --failed --no-pager").out, flush=True)

    def misjudged(self) -> list[str]:
        """Results and voids as the books have them, against the felt."""
        dealt = [
            Dealt({"cards": [card for _, card in felt.cards]}) if felt.played else Dealt(void=True)
            for felt in self.hands.rounds
        ]
        return [*judge(self.settlement.messages, dealt, BACCARAT)[2], *self.settlement.wrong]


def ways(table: MachineTable) -> tuple[str, str]:
    """To the broker, as the configuration names them: by its name, and by its address."""
    return f"{NAME}:{table.proxy.port}", f"{HOST}:{table.tls_port}"


def data_disk(path: Path, system: str = "ext4") -> Path:
    """An empty disk for the journal."""
    path.unlink(missing_ok=True)
    quietly(["truncate", "-s", "256M", path])
    quietly([f"mkfs.{system}", "-q", *(["-F", "-N", "4096"] if system == "ext4" else ["-f"]), path])
    return path


def drive(name: str, path: Path, form: str) -> str:
    """A disk in qemu's words. The machine's disks are /dev/vda, vdb ... in the order in which they are named,
    which holds for devices that are named as such: one of ``-drive if=virtio`` comes behind all of them.
    """
    return f"-drive file={path},format={form},if=none,id={name} -device virtio-blk-pci,drive={name}"


def root_disk(path: Path, image: Path, form: str = "raw") -> Path:
    """A disk that begins as the image and keeps what is written."""
    path.unlink(missing_ok=True)
    subprocess.run(
        ["qemu-img", "create", "-q", "-f", "qcow2", "-b", image, "-F", form, path],
        check=True,
        capture_output=True,
    )
    return path


def broker_with_tls(folder: Path) -> tuple[Broker, int]:
    """A broker that runs, and its port with TLS; its certificate is valid since yesterday, and what signed it
    lies in the folder that the machine shares.
    """
    place, port = folder / "broker", free_port()
    place.mkdir(parents=True)
    (folder / "share").mkdir(exist_ok=True)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "share" / "ca.pem")
    issued = authority.issue_cert(HOST, NAME, not_before=datetime.now(UTC) - timedelta(days=1))
    issued.private_key_pem.write_to_path(place / "key.pem")
    issued.cert_chain_pems[0].write_to_path(place / "cert.pem")
    files = [f"certfile {place}/cert.pem", f"keyfile {place}/key.pem"]
    broker = Broker(place, lines=[f"listener {port} 127.0.0.1", *files])
    broker.start()
    return broker, port


@contextmanager
def machine_table(
    folder: Path, kernel: Kernel, image: Path, data: Path, chance: Random
) -> Iterator[MachineTable]:
    """A table whose machine is off; everything ends with the context."""
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        broker, tls_port = broker_with_tls(folder)
        stack.callback(broker.stop)
        proxy = FaultProxy(tls_port)
        stack.callback(proxy.stop)
        shoe, keypad = stack.enter_context(devices(folder))
        machine = a_machine(folder, kernel, image, data)
        stack.callback(machine.cut)
        settlement = Settlement(broker.port, BASE)
        stack.callback(settlement.stop)
        made = MachineTable(folder, machine, shoe, keypad, broker, proxy, tls_port, settlement, image)
        made.deal_with(chance)
        yield made


@contextmanager
def devices(folder: Path) -> Iterator[tuple[SimulatedAngelEye, Keypad]]:
    """A shoe and a keypad at the ends of two cables."""
    with ExitStack() as stack:
        shoe = SimulatedAngelEye(folder / "shoe", tries=1_000_000, answer_timeout_s=4)
        stack.callback(shoe.stop)
        yield shoe, stack.enter_context(Keypad(folder / "keypad"))


def a_machine(folder: Path, kernel: Kernel, image: Path, data: Path) -> Machine:
    """Off, with a first disk that begins as the image, and the cables of its devices."""
    drives = [drive("root", root_disk(folder / "root.qcow2", image), "qcow2"), drive(DATA, data, "raw")]
    cables = {"shoe": str(folder / "shoe"), "keypad": str(folder / "keypad")}
    return Machine(folder, kernel, drives, cables)
