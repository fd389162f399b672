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
        self.folder, self.kernel, self.drives = folder, kernel, list(drives)
        self._cables, self._memory_mb, self._line, self.extra = dict(cables), memory_mb, line, list(extra)
        self._plugs: dict[str, tuple[int, str]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._way: socket.socket | None = None
        self._monitor: socket.socket | None = None
        self._heard: dict[str, bytes] = {}
        self._number = 0
        self.share = folder / "share"
        self.share.mkdir(parents=True, exist_ok=True)
        self.bare = False
        """Whether it starts with its first disk alone, and nothing plugged in."""
        self.generation = 0
        self.boot_s: list[float] = []
        self.console = folder / "console.log"

    @property
    def log(self) -> str:
        """The end of what the console showed."""
        return self.console.read_text(errors="replace")[-4000:] if self.console.exists() else ""

    def check(self) -> None:
        """Nothing: a machine that was cut off is coming back."""

    def boot(self, line: str = "", extra: Sequence[str] = (), *, cable: bool = True) -> None:
        """Switch on; returns when the machine answers. This time: ``line`` is more for the kernel, ``extra``
        more for qemu, not ``cable``: that of the network is out.
        """
        begun_s = time.monotonic()
        self.start(line, extra)
        if not cable:
            self.cable_out(True)
        while not self._read("way", LONGEST_BOOT_S).get("hello"):
            pass
        self._is_up(begun_s)

    def remember(self, memory: Path) -> None:
        """Boot up to where the machine waits for its other disks, and write its memory to a file; it is off
        then. Nothing is plugged in meanwhile: no other disk has been read.
        """
        self.bare = True
        self.boot("systemd.unit=waiting.target")
        self.must("sync")
        self.monitor("stop")
        self.monitor("migrate", uri=f"exec:cat >{memory}")
        while (said := self.monitor("query-migrate"))["status"] != "completed":
            if said["status"] == "failed":
                raise MachineFailed(f"the memory cannot be written: {said}")
            pause(0.1)
        self.cut()
        self.bare = False

    def wake(self, memory: Path, *units: str) -> None:
        """Switch on with that memory, plug disks and devices in, and start these units with all that they
        need: what a whole boot does from the moment at which it looks for its other disks. Returns when the
        machine answers.
        """
        begun_s = time.monotonic()
        self.bare = True
        self.start(extra=["-incoming", f"exec:cat {memory}"])
        self.bare = False
        while self.monitor("query-status")["status"] == "inmigrate":
            pause(0.05)
        self.monitor("cont")
        for drive in self.drives[1:]:
            self._add(drive.rpartition(" -device ")[2])
        for name, (plug, serial) in self._plugs.items():
            self._add(self._device(name, plug, serial))
        self._call({"awake_at_s": time.time()}, LONGEST_BOOT_S)
        self.must(f"systemctl --no-block start {' '.join(units)}")
        self._is_up(begun_s)

    def start(self, line: str = "", extra: Sequence[str] = ()) -> None:
        """Switch on; returns at once."""
        how = acceleration(self.kernel)
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
        words += ["-kernel", str(self.kernel.image), "-initrd", str(self.kernel.initrd)]
        # Emulated, its clock counts instructions: on a host with other work it is slow, and does not notice.
        words += ["-icount", "shift=1"] if how == "tcg" else []
        words += ["-append", f"{KERNEL_LINE} {self._line} {line}".strip()]
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
        for name, (plug, serial) in self._plugs.items() if not self.bare else ():
            words += ["-device", self._device(name, plug, serial)]
        for number, drive in enumerate(self.drives):
            words += (drive.rpartition(" -device ")[0] if number and self.bare else drive).split(" ")
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*words, *self.extra, *extra], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self._way, self._monitor = self._connected(paths["agent"]), self._connected(paths["qmp"])
        self._heard = {"way": b"", "monitor": b""}
        self._read("monitor", ANSWER_S)
        self.monitor("qmp_capabilities")

    def _is_up(self, begun_s: float) -> None:
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
        said = self._call({"command": command, "timeout_s": timeout_s}, timeout_s + LONGEST_BOOT_S)
        return Said(said["status"], said["out"])

    def _call(self, what: dict[str, object], within_s: float) -> dict[str, Any]:
        """Ask the agent in the machine."""
        try:
            self._send(what)
            while (said := self._read("way", within_s)).get("number") != self._number:
                pass
        except OSError as problem:
            raise MachineFailed(f"the machine was switched off: {problem}") from problem
        return said

    def _send(self, what: dict[str, object]) -> None:
        if self._way is None:
            raise MachineFailed("the machine is off")
        self._number += 1
        self._way.sendall(json.dumps({"number": self._number, **what}).encode() + b"\n")

    def must(self, command: str, timeout_s: float = 180.0) -> str:
        """The same, for what must succeed; its output. An AssertionError with it where it does not."""
        said = self.sh(command, timeout_s)
        if said.status:
            raise AssertionError(f"{command}: status {said.status}\n{said.out}")
        return said.out

    def monitor(self, what: str, **arguments: object) -> Any:
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

    def lay(self, name: str, terminal: Path) -> None:
        """One more cable, to the terminal of a device."""
        self._cables[name] = str(terminal)
        if self._process is not None:
            backend = {"type": "serial", "data": {"device": str(terminal)}}
            self.monitor("chardev-add", id=name, backend=backend)

    def lift(self, name: str) -> None:
        """Take a cable away, whose device is unplugged; qemu holds its end until the machine is off."""
        del self._cables[name]

    def plug(self, name: str, socket_number: int, serial: str) -> None:
        """Put the device at the end of a cable into a USB socket, under a serial number."""
        if self._process is not None:
            self._add(self._device(name, socket_number, serial))
        self._plugs[name] = (socket_number, serial)

    def unplug(self, name: str) -> None:
        """Pull it out."""
        if self._process is not None:
            self.monitor("device_del", id=f"usb-{name}")
        del self._plugs[name]

    def _add(self, device: str) -> None:
        """A device in the words of the command line."""
        driver, *rest = device.split(",")
        self.monitor("device_add", driver=driver, **dict(one.split("=") for one in rest))

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

    def off(self, how: str = "poweroff", seconds: float = LONGEST_BOOT_S) -> None:
        """Shut down as systemd does; a machine that wants to boot again is off, too."""
        with contextlib.suppress(MachineFailed, OSError):
            self._send({"command": f"systemctl {how}", "timeout_s": 5})
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
