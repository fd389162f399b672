"""The machine's disk: Debian 12 with the project's package."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path

from making.targets import HOUSE
from tests.machine.kernel import Kernel
from tests.machine.parts import BUILD, made, quietly

ROOM = Path(__file__).parent
SUITE = "bookworm"
PACKAGES = [
    "systemd",
    "systemd-sysv",
    "systemd-timesyncd",
    "udev",
    "dbus",
    "python3",
    "openssl",
    "libstdc++6",
]
PACKAGES += ["ca-certificates", "iproute2", "kmod", "procps", "libzbar0", "e2fsprogs"]
LGPIO = "lgpio==0.2.2.0"
"""Of the wheels; the package itself brings it where a Pi is."""
OVERLAY = ROOM / "overlay"
"""Files of the machine that no package brings, at their places."""
MASKED: tuple[str, ...] = ("serial-getty@ttyS0", "getty@tty1", "apt-daily.timer", "dpkg-db-backup.timer")
MASKED += ("proc-sys-fs-binfmt_misc.automount", "systemd-binfmt")
ENABLED = ("pins.service", "technician.service", "evidence.service")


def base() -> Path:
    """Debian 12 as a folder, without the package."""
    return made(BUILD / "base", f"{SUITE} {PACKAGES}", make_base)


def make_base(path: Path) -> None:
    """Have debootstrap make it; it needs root."""
    if os.getuid() != 0:
        raise SystemExit("machine: debootstrap needs root; run this as root")
    shutil.rmtree(path, ignore_errors=True)
    quietly(["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, path])


def image(package: Path, kernel: Kernel) -> Path:
    """A root file system with this package installed and what the tests need of a machine."""
    told = (
        hashlib.sha256(package.read_bytes()).hexdigest()
        + "".join(
            f"{file} {file.read_text()}"
            for file in sorted(OVERLAY.rglob("*"))
            if file.is_file() and "__pycache__" not in file.parts
        )
        + LGPIO
        + kernel.version
    )
    target = BUILD / f"{package.stem}.img"
    return made(target, told + str(PACKAGES), lambda path: make_image(path, package, base(), kernel))


def make_image(path: Path, package: Path, debian: Path, kernel: Kernel) -> None:
    """Install into a copy of the base, as a chroot, and make a file system of it."""
    root = BUILD / "root"
    shutil.rmtree(root, ignore_errors=True)
    quietly(["cp", "-a", debian, root])
    shutil.copy(package, root / "tmp/package.deb")
    quietly(["chroot", root, "dpkg", "-i", "/tmp/package.deb"])
    (root / "tmp/package.deb").unlink()
    shutil.copytree(kernel.modules, root / "lib/modules", dirs_exist_ok=True)
    shutil.copytree(OVERLAY, root, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "share").mkdir(exist_ok=True)
    (root / "etc/machine-id").write_text("")
    for folder in ("etc", "var"):
        (root / folder / ".updated").touch()  # else the first boot makes what is made already
    quietly(["chroot", root, "systemctl", "enable", "systemd-networkd", *ENABLED])
    quietly(["chroot", root, "systemctl", "mask", *MASKED])
    # Where Python looks whatever is installed: an upgrade clears what does not belong to the package.
    brought = root / "usr/lib/python3.11"
    machine = ["--python-version=3.11", "--python-platform=x86_64-manylinux_2_34"]
    call = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--link-mode=copy", "--no-deps"]
    quietly([*call, *machine, f"--target={brought}", LGPIO])
    (brought / ".lock").unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    quietly(["truncate", "-s", "2G", path])
    quietly(["mkfs.ext4", "-q", "-F", "-L", "root", "-d", root, path])
    shutil.rmtree(root)


PACKED = ("controller", "drivers", "making", "packaging", "systemd", "config")


def deb() -> Path:
    """The package of this working copy, made anew where a file of it has changed."""
    listed = quietly(["git", "-C", HOUSE, "ls-files", "-co", "--exclude-standard", *PACKED]).splitlines()
    files = (HOUSE / name for name in sorted({*listed}))
    of = {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}
    (package,) = made(BUILD / "package", str(of), make_deb).glob("*.deb")
    return package


def make_deb(folder: Path) -> None:
    """As ``make deb``, elsewhere and not compressed."""
    shutil.rmtree(folder, ignore_errors=True)
    quietly([sys.executable, "-m", "making.deb", "--arch", "amd64", "--quick", "--to", folder], cwd=HOUSE)
