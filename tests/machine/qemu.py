"""One machine in qemu: booted, asked, plugged, and cut off as a pulled mains plug does."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.machine.kernel import Kernel

LONGEST_BOOT_S = 1800.0
"""Of a machine whose every instruction is emulated, on a host with other work; alone it takes a minute."""
KERNEL_LINE = "console=ttyS0 panic=-1 quiet no_timer_check"
ANSWER_S = 240.0
"""qemu's own answers need no machine, and come at once on a host that has time."""
PROGRAM = "qemu-system-x86_64"


class MachineFailed(Exception):
    """The machine does not come up, or does not answer."""


@dataclass(frozen=True)
class Said:
    """What a command in the machine said, and its status."""

    status: int
    out: str


@cache
def acceleration(kernel: Kernel) -> str:
    """ "kvm" where it really runs a kernel, "tcg" anywhere: some hosts offer a KVM that hangs."""
    if not os.access("/dev/kvm", os.W_OK):
        return "tcg"
    words = [PROGRAM, "-accel", "kvm", "-cpu", "host", "-m", "128", "-display", "none", "-no-reboot"]
    words += ["-serial", "stdio", "-monitor", "none", "-kernel", str(kernel.image), "-append"]
    try:
        # Without a root file system a kernel that runs panics at once.
        subprocess.run(
            [*words, "console=ttyS0 panic=-1"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return "tcg"
    return "kvm"


class Machine:
    """A machine that may be switched on again and again. `sh` and the plugs are for one thread."""

    def __init__(
        self,
        folder: Path,
        kernel: Kernel,
        drives: Sequence[str],
        cables: Mapping[str, str],
        *,
        memory_mb: int = 1024,
        line: str = "",
        extra: Sequence[str] = (),
    ) -> None:
        """``drives`` in qemu's words, ``cables`` a name and the terminal of each serial device. What `plug`
        puts in is still there when the machine starts again.
        """
        self.folder, self._kernel, self.drives = folder, kernel, list(drives)
        self._cables, self._memory_mb, self._line, self.extra = dict(cables), memory_mb, line, list(extra)
        self._plugs: dict[str, tuple[int, str]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._way: socket.socket | None = None
        self._monitor: socket.socket | None = None
        self._heard: dict[str, bytes] = {}
        self._number = 0
        self.share = folder / "share"
        self.share.mkdir(parents=True, exist_ok=True)
        self.generation = 0
        self.boot_s: list[float] = []
        self.console = folder / "console.log"

    @property
    def log(self) -> str:
        """The end of what the console showed."""
        return self.console.read_text(errors="replace")[-4000:] if self.console.exists() else ""

    def check(self) -> None:
        """Nothing: a machine that was cut off is coming back."""

    def boot(self) -> None:
        """Switch on; returns when the machine answers."""
        begun_s = time.monotonic()
        self.start()
        self.wait_up(begun_s)

    def start(self) -> None:
        """Switch on; returns at once."""
        how = acceleration(self._kernel)
        paths = {name: self.folder / f"{name}.sock" for name in ("agent", "qmp")}
        for path in paths.values():
            path.unlink(missing_ok=True)
        words = [
            PROGRAM,
            "-accel",
            how,
            "-cpu",
            "host" if how == "kvm" else "max",
            "-m",
            str(self._memory_mb),
        ]
        words += ["-display", "none", "-nodefaults", "-no-reboot"]
        words += ["-kernel", str(self._kernel.image), "-initrd", str(self._kernel.initrd)]
        # Emulated, its clock counts instructions: on a host with other work it is slow, and does not notice.
        words += ["-icount", "shift=1"] if how == "tcg" else []
        words += ["-append", f"{KERNEL_LINE} {self._line}".strip()]
        words += ["-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console"]
        words += [
            "-device",
            "virtio-serial-pci",
            "-chardev",
            f"socket,id=agent,path={paths['agent']},server=on,wait=off",
        ]
        words += ["-device", "virtserialport,chardev=agent,name=technician"]
        words += ["-qmp", f"unix:{paths['qmp']},server=on,wait=off", "-device", "virtio-rng-pci"]
        words += ["-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net,id=card"]
        words += ["-virtfs", f"local,path={self.share},mount_tag=share,security_model=none"]
        words += ["-device", "qemu-xhci,id=usb,p2=8,p3=8"]
        for name, terminal in self._cables.items():
            words += ["-chardev", f"serial,id={name},path={terminal}"]
        for name, (plug, serial) in self._plugs.items():
            words += ["-device", self._device(name, plug, serial)]
        for drive in self.drives:
            words += drive.split(" ")
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*words, *self.extra], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._way, self._monitor = self._connected(paths["agent"]), self._connected(paths["qmp"])
        self._heard = {"way": b"", "monitor": b""}
        self._read("monitor", ANSWER_S)
        self.monitor("qmp_capabilities")

    def wait_up(self, begun_s: float) -> None:
        """Wait until the machine answers. MachineFailed where it does not."""
        while not self._read("way", LONGEST_BOOT_S).get("hello"):
            pass
        self.generation += 1
        self.boot_s.append(time.monotonic() - begun_s)

    def _connected(self, path: Path) -> socket.socket:
        made = socket.socket(socket.AF_UNIX)
        for _ in range(5000):
            self._alive()
            try:
                made.connect(str(path))
            except OSError:
                time.sleep(0.02)
            else:
                return made
        raise MachineFailed(f"qemu does not listen at {path}")

    def _alive(self) -> None:
        if self._process is None or self._process.poll() is not None:
            said = (self.folder / "qemu.log").read_text(errors="replace")[-2000:]
            raise MachineFailed(f"the machine is off\n{said}\n{self.log}")

    def _read(self, name: str, seconds: float) -> dict[str, Any]:
        """The next line from the agent ("way") or from qemu ("monitor")."""
        way = self._way if name == "way" else self._monitor
        if way is None:
            raise MachineFailed("the machine is off")
        end_s = time.monotonic() + seconds
        while b"\n" not in self._heard[name]:
            way.settimeout(max(0.01, end_s - time.monotonic()))
            try:
                chunk = way.recv(65536)
            except TimeoutError:
                raise MachineFailed(f"no answer within {seconds} s\n{self.log}") from None
            if not chunk:
                self._alive()
                raise MachineFailed("the machine was switched off")
            self._heard[name] += chunk
        line, _, self._heard[name] = self._heard[name].partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        return said

    def sh(self, command: str, timeout_s: float = 180.0) -> Said:
        """Run a command of the shell as root in the machine; MachineFailed where it is off. ``timeout_s`` is
        by the machine's own clock, which is slow on a host with other work.
        """
        try:
            self._send(command, timeout_s)
            while (said := self._read("way", timeout_s + LONGEST_BOOT_S)).get("number") != self._number:
                pass
        except OSError as problem:
            raise MachineFailed(f"the machine was switched off: {problem}") from problem
        return Said(said["status"], said["out"])

    def _send(self, command: str, timeout_s: float) -> None:
        if self._way is None:
            raise MachineFailed("the machine is off")
        self._number += 1
        call = {"number": self._number, "command": command, "timeout_s": timeout_s}
        self._way.sendall(json.dumps(call).encode() + b"\n")

    def must(self, command: str, timeout_s: float = 180.0) -> str:
        """The same, for what must succeed; its output. An AssertionError with it where it does not."""
        said = self.sh(command, timeout_s)
        if said.status:
            raise AssertionError(f"{command}: status {said.status}\n{said.out}")
        return said.out

    def monitor(self, what: str, **arguments: object) -> object:
        """Ask qemu itself."""
        if self._monitor is None:
            raise MachineFailed("the machine is off")
        self._monitor.sendall(json.dumps({"execute": what, "arguments": arguments}).encode() + b"\n")
        while True:
            said = self._read("monitor", ANSWER_S)
            if "error" in said:
                raise MachineFailed(f"{what}: {said['error']}")
            if "return" in said:
                return said["return"]

    def plug(self, name: str, socket_number: int, serial: str) -> None:
        """Put the device at the end of a cable into a USB socket, under a serial number."""
        if self._process is not None:
            _, *rest = self._device(name, socket_number, serial).split(",")
            words = dict(one.split("=") for one in rest)
            self.monitor("device_add", driver="usb-serial", **words)
        self._plugs[name] = (socket_number, serial)

    def unplug(self, name: str) -> None:
        """Pull it out."""
        if self._process is not None:
            self.monitor("device_del", id=f"usb-{name}")
        del self._plugs[name]

    @staticmethod
    def _device(name: str, plug: int, serial: str) -> str:
        return f"usb-serial,id=usb-{name},chardev={name},bus=usb.0,port={plug},serial={serial}"

    def cable_out(self, out: bool) -> None:
        """Pull the cable of the network, or put it in again."""
        self.monitor("set_link", name="card", up=not out)

    def cut(self) -> None:
        """The power goes."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
        self._gone()

    def off(self, seconds: float = LONGEST_BOOT_S) -> None:
        """Shut down as systemd does."""
        with contextlib.suppress(MachineFailed, OSError):
            self._send("systemctl poweroff", 5)
        if self._process is not None:
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.cut()
                raise MachineFailed(f"does not shut down within {seconds} s\n{self.log}") from None
        self._gone()

    def _gone(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.wait()
        for way in (self._way, self._monitor):
            if way is not None:
                way.close()
        self._way = self._monitor = None


def pause(seconds: float) -> None:
    """Let the machine go on for a while."""
    threading.Event().wait(seconds)
