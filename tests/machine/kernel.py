"""The machine's kernel: Debian's own, with a module that it leaves out, and what it needs to find its disk.

Pins that can be read back are ``gpio-sim`` of the same sources. Debian builds neither it nor the simulated
interrupts below it, so both become one module here; nothing else is compiled.
"""

from __future__ import annotations

import io
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from tests.machine.parts import BUILD, SOURCE, made, quietly

WANTED = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")
KBUILD = "obj-m := gpio-sim.o\ngpio-sim-y := pins.o irq_sim.o\n"
NOT_EXPORTED = ("handle_simple_irq(irq_to_desc(irqnum));", "generic_handle_irq(irqnum);")
"""What only the kernel itself may call, and what does the same for a module: the handler is that one."""
EARLY = ("virtio_pci", "virtio_blk", "ext4", "crc32c_generic", "overlay")
"""Loaded before there is a disk."""
LATER = (
    *("virtio_net", "virtio_console", "virtio_rng", "9p", "9pnet_virtio", "f2fs", "autofs4", "configfs"),
    *("xhci_pci", "ftdi_sio", "vivid", "softdog", "dm_flakey", "sch_fq_codel", "evdev"),
)
"""Copied to the machine's disk, where udev loads what it finds."""
INIT = """\
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
for module in $(/bin/busybox cat /modules); do /bin/busybox insmod /$module || echo "no $module"; done
until [ -b /dev/vda ]; do /bin/busybox sleep 0.05; done
/bin/busybox mount -t ext4 -o ro,noatime /dev/vda /root
/bin/busybox mount -t proc none /proc
if /bin/busybox grep -q keep-root /proc/cmdline; then
    cd /forgotten
    /bin/busybox mount -t tmpfs none .
    cd /forgotten
    /bin/busybox mkdir new work
    /bin/busybox mount -t overlay -o lowerdir=/root,upperdir=new,workdir=work none /whole
    /bin/busybox sed -i '/^.dev.vda /d' /whole/etc/fstab
    cd /
    exec /bin/busybox switch_root /whole /sbin/init
fi
exec /bin/busybox switch_root /root /sbin/init
"""
"""``keep-root``: what is written to the disk lies in memory, as Raspberry Pi OS has it with its overlay."""


@dataclass(frozen=True)
class Kernel:
    """What qemu is given, and the folder of modules for the machine's disk."""

    version: str
    image: Path
    initrd: Path
    modules: Path


def version() -> str:
    """Of the kernel that Debian has now, by the headers that are installed."""
    headers = sorted(Path("/usr/src").glob("linux-headers-*-amd64"))
    if not headers:
        raise SystemExit("machine: no headers of a kernel in /usr/src; install linux-headers-amd64")
    return headers[-1].name.removeprefix("linux-headers-")


def kernel() -> Kernel:
    """Fetched and made, where it is not yet."""
    name = version()
    of = f"{name} {SOURCE.stat().st_size} {KBUILD} {EARLY} {LATER} {INIT}"
    folder = made(BUILD / "kernel", of, lambda path: make_kernel(path, name))
    return Kernel(name, folder / "vmlinuz", folder / "initrd", folder / "lib/modules")


def make_kernel(folder: Path, name: str) -> None:
    """Unpack Debian's, build the module, and keep of all modules the few that are needed."""
    shutil.rmtree(folder, ignore_errors=True)
    whole = folder / "whole"
    whole.mkdir(parents=True)
    quietly(["apt-get", "-q", "download", f"linux-image-{name}"], cwd=folder)
    (package,) = folder.glob("linux-image-*.deb")
    quietly(["dpkg-deb", "-x", package, whole])
    shutil.copy(whole / f"boot/vmlinuz-{name}", folder / "vmlinuz")
    modules = whole / "lib/modules" / name
    shutil.copy(pins_module(folder / "pins", name), modules / "kernel")
    quietly(["depmod", "-b", whole, name])
    kept = folder / "lib/modules" / name
    for file in (*modules_for(whole, name, *EARLY, *LATER, "gpio-sim"), *modules.glob("modules.[bo]*")):
        target = kept / file.relative_to(modules)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    quietly(["depmod", "-b", folder, name])
    (folder / "initrd").write_bytes(initrd(modules_for(whole, name, *EARLY)))
    shutil.rmtree(whole)
    package.unlink()


def pins_module(folder: Path, name: str) -> Path:
    """Build ``gpio-sim`` with the interrupts below it."""
    folder.mkdir()
    with tarfile.open(SOURCE) as sources:
        for member in sources:
            if member.name.partition("/")[2] in WANTED and (file := sources.extractfile(member)):
                (folder / Path(member.name).name).write_bytes(file.read())
    (folder / "gpio-sim.c").rename(folder / "pins.c")
    interrupts = folder / "irq_sim.c"
    interrupts.write_text(interrupts.read_text().replace(*NOT_EXPORTED))
    (folder / "Kbuild").write_text(KBUILD)
    quietly(["make", "-C", f"/usr/src/linux-headers-{name}", f"M={folder}", "modules"])
    return folder / "gpio-sim.ko"


def modules_for(root: Path, name: str, *wanted: str) -> list[Path]:
    """Modules and what they need, each once, in the order in which they can be loaded."""
    found: dict[Path, None] = {}
    for module in wanted:
        call: list[str | Path] = ["modprobe", "-d", root, "-S", name, "--show-depends", module]
        for line in quietly(call).splitlines():
            if line.startswith("insmod "):
                found[Path(line.split()[1])] = None
    return list(found)


def initrd(modules: list[Path]) -> bytes:
    """A first file system: busybox, the modules, and a script that goes on to the disk."""
    packed = io.BytesIO()
    for folder in ("bin", "dev", "proc", "root", "forgotten", "whole"):
        packed.write(entry(folder, 0o040755, b""))
    packed.write(entry("bin/busybox", 0o100755, Path("/bin/busybox").read_bytes()))
    for module in modules:
        packed.write(entry(module.name, 0o100644, module.read_bytes()))
    packed.write(entry("modules", 0o100644, " ".join(module.name for module in modules).encode()))
    packed.write(entry("init", 0o100755, INIT.encode()))
    packed.write(entry("TRAILER!!!", 0, b""))
    return packed.getvalue()


def entry(name: str, mode: int, body: bytes) -> bytes:
    """One file of an archive as the kernel unpacks it (cpio, "newc"): a head of hexadecimal numbers, its name
    and its body, each filled up to four bytes.
    """
    numbers = (0, mode, 0, 0, 1, 0, len(body), 0, 0, 0, 0, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % number for number in numbers) + name.encode() + b"\0"
    return head.ljust(-(-len(head) // 4) * 4, b"\0") + body.ljust(-(-len(body) // 4) * 4, b"\0")
