"""What the machine boots: a kernel of our own configuration, and Debian 12 with the project's package.

Each part is made once and kept in build/machine under the digest of what it is made of.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from making.targets import HOUSE

BUILD = HOUSE / "build" / "machine"
ROOM = Path(__file__).parent
SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")
NEEDED = {
    "qemu-system-x86": "qemu-system-x86_64",
    "qemu-utils": "qemu-img",
    "debootstrap": "debootstrap",
    "linux-source-6.1": str(SOURCE),
    "f2fs-tools": "mkfs.f2fs",
    "gcc": "gcc",
    "make": "make",
    "flex": "flex",
    "bison": "bison",
    "bc": "bc",
    "libelf-dev": "/usr/include/libelf.h",
    "xz-utils": "xz",
}
"""Debian's package, and what shows that it is there."""
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
PATH = f"{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin"

FILES = {
    "etc/hostname": "table\n",
    "etc/sysctl.d/50-pid-max.conf": "# A small kernel has a smaller limit.\n",
    "etc/fstab": (
        "/dev/vda / ext4 defaults,noatime 0 1\n"
        "/dev/vdb /var/lib/dealer-table auto defaults,noatime,nofail,x-systemd.device-timeout=600 0 2\n"
        "share /share 9p trans=virtio,version=9p2000.L,msize=262144,nofail 0 0\n"
    ),
    "etc/systemd/network/10-card.network": "[Match]\nName=e*\n[Network]\nDHCP=ipv4\n",
    # A Pi 4, for gpiozero; mounted over the real one for the table and for people.
    "etc/pi-cpuinfo": "Hardware\t: BCM2835\nRevision\t: c03114\nModel\t\t: simulated pins\n",
    "etc/systemd/system/dealer-table@.service.d/pi.conf": (
        "[Unit]\nAfter=pins.service share.mount var-lib-dealer\\x2dtable.mount evidence.service\n"
        "[Service]\nBindReadOnlyPaths=/etc/pi-cpuinfo:/proc/cpuinfo\n"
    ),
    # Looked at before the table opens it: what the cut has left.
    "etc/systemd/system/evidence.service": (
        "[Unit]\nRequiresMountsFor=/share /var/lib/dealer-table\n"
        "[Service]\nType=oneshot\n"
        "ExecStart=/usr/local/sbin/evidence\n"
        "[Install]\nWantedBy=multi-user.target\n"
    ),
    "usr/local/sbin/evidence": (
        "#!/bin/sh\ncd /share\nrm -rf found\ncp -r /var/lib/dealer-table found\ntouch found/copied\n"
    ),
    "usr/local/sbin/pins": (
        "#!/bin/sh\nset -e\nmount -t configfs none /sys/kernel/config 2>/dev/null || true\n"
        "d=/sys/kernel/config/gpio-sim/pins\nmkdir -p $d/bank\necho 28 >$d/bank/num_lines\n"
        "echo pinctrl-bcm2835 >$d/bank/label\necho 1 >$d/live\n"
        "mount --bind /etc/pi-cpuinfo /proc/cpuinfo\nudevadm settle\n"
    ),
    "etc/systemd/system/pins.service": (
        "[Unit]\nDescription=A chip of simulated pins\nAfter=systemd-udevd.service\n"
        "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/usr/local/sbin/pins\n[Install]\nWantedBy=multi-user.target\n"
    ),
    "etc/systemd/system/technician.service": (
        "[Unit]\nAfter=pins.service share.mount\n"
        "[Service]\nExecStart=/usr/bin/python3 /usr/local/lib/agent.py\nRestart=always\n"
        "[Install]\nWantedBy=multi-user.target\n"
    ),
}
ENABLED = ("pins.service", "technician.service", "evidence.service")


def install_needed() -> None:
    """Install what of Debian's packages is missing on this host; says which."""
    missing = [package for package, sign in NEEDED.items() if not there(sign)]
    if missing:
        print(f"machine: system packages: {' '.join(missing)}", flush=True)
        words = ["apt-get", "-q", "-y", "--no-install-recommends", "install", *missing]
        quietly([*([] if os.getuid() == 0 else ["sudo", "-n"]), *words])


def there(sign: str) -> bool:
    """Whether a program or a file is there."""
    return Path(sign).exists() if sign.startswith("/") else shutil.which(sign, path=PATH) is not None


def quietly(words: Sequence[str | Path], **given: object) -> None:
    """Run a wordy program in silence; a SystemExit with its words where it fails."""
    environment = {**os.environ, "PATH": PATH, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, **given)  # type: ignore[call-overload]
    if done.returncode:
        raise SystemExit(f"machine: {' '.join(map(str, words))}\n{(done.stdout + done.stderr)[-3000:]}")


def made(path: Path, of: str, make: Callable[[Path], None]) -> Path:
    """The file or folder, made where it is not there or was made of something else."""
    mark = path.with_name(f"{path.name}.made-of")
    wanted = hashlib.sha256(of.encode()).hexdigest()
    if not path.exists() or not mark.exists() or mark.read_text() != wanted:
        print(f"machine: making {path.relative_to(HOUSE)}", flush=True)
        mark.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path)
        mark.write_text(wanted)
    return path


def kernel() -> Path:
    """A kernel of Debian's sources and our configuration; minutes."""
    fragment = (ROOM / "kernel.config").read_text()
    return made(BUILD / "kernel", f"{fragment} {SOURCE.stat().st_size}", make_kernel)


def make_kernel(path: Path) -> None:
    """Build it."""
    tree = BUILD / "linux"
    if not (tree / "Makefile").exists():
        tree.mkdir(exist_ok=True)
        quietly(["tar", "xJf", SOURCE, "--strip-components=1", "-C", tree])
    quietly(["make", "tinyconfig"], cwd=tree)
    quietly(["scripts/kconfig/merge_config.sh", "-m", ".config", ROOM / "kernel.config"], cwd=tree)
    quietly(["make", "olddefconfig"], cwd=tree)
    settled = (tree / ".config").read_text().splitlines()
    wanted = [line for line in (ROOM / "kernel.config").read_text().splitlines() if line.endswith("=y")]
    refused = [line for line in wanted if line not in settled]
    if refused:
        raise SystemExit(f"machine: this kernel has not {' '.join(refused)}")
    quietly(["make", f"-j{(os.cpu_count() or 1) + 1}", "bzImage"], cwd=tree)
    shutil.copy(tree / "arch/x86/boot/bzImage", path)


def base() -> Path:
    """Debian 12 as a folder, without the package."""
    return made(BUILD / "base", f"{SUITE} {PACKAGES}", make_base)


def make_base(path: Path) -> None:
    """Have debootstrap make it; it needs root."""
    if os.getuid() != 0:
        raise SystemExit("machine: debootstrap needs root; run this as root")
    shutil.rmtree(path, ignore_errors=True)
    quietly(["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, path])


def image(package: Path) -> Path:
    """A root file system with this package installed and what the tests need of a machine."""
    told = (
        hashlib.sha256(package.read_bytes()).hexdigest()
        + str(FILES)
        + (ROOM / "agent.py").read_text()
        + LGPIO
    )
    target = BUILD / f"{package.stem}.img"
    return made(target, told + str(PACKAGES), lambda path: make_image(path, package, base()))


def make_image(path: Path, package: Path, debian: Path) -> None:
    """Install into a copy of the base, as a chroot, and make a file system of it."""
    root = BUILD / "root"
    shutil.rmtree(root, ignore_errors=True)
    quietly(["cp", "-a", debian, root])
    shutil.copy(package, root / "tmp/package.deb")
    quietly(["chroot", root, "dpkg", "-i", "/tmp/package.deb"])
    (root / "tmp/package.deb").unlink()
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for name in ("pins", "evidence"):
        (root / "usr/local/sbin" / name).chmod(0o755)
    shutil.copy(ROOM / "agent.py", root / "usr/local/lib/agent.py")
    (root / "share").mkdir(exist_ok=True)
    (root / "etc/machine-id").write_text("")
    quietly(["chroot", root, "systemctl", "enable", "systemd-networkd", *ENABLED])
    quietly(
        [
            "chroot",
            root,
            "systemctl",
            "mask",
            "serial-getty@ttyS0",
            "getty@tty1",
            "apt-daily.timer",
            "dpkg-db-backup.timer",
        ]
    )
    site = root / "opt/dealer-table/lib/python3.11/site-packages"
    quietly(
        [
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "--quiet",
            "--link-mode=copy",
            "--python-version=3.11",
            "--python-platform=x86_64-manylinux_2_34",
            f"--target={site}",
            "--no-deps",
            LGPIO,
        ]
    )
    (site / ".lock").unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    quietly(["truncate", "-s", "2G", path])
    quietly(["mkfs.ext4", "-q", "-F", "-L", "root", "-d", root, path])
    shutil.rmtree(root)


def deb() -> Path:
    """The package of this working copy, made anew where a file of it has changed."""
    call = [
        "git",
        "-C",
        str(HOUSE),
        "ls-files",
        "-s",
        "controller",
        "drivers",
        "making",
        "packaging",
        "systemd",
        "config",
    ]
    files = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    changed = subprocess.run(
        ["git", "-C", str(HOUSE), "diff"], capture_output=True, text=True, check=True
    ).stdout
    folder = made(BUILD / "package", files + changed, make_deb)
    (package,) = folder.glob("*.deb")
    return package


def make_deb(folder: Path) -> None:
    """As ``make deb``, elsewhere and not compressed."""
    shutil.rmtree(folder, ignore_errors=True)
    quietly([sys.executable, "-m", "making.deb", "--arch", "amd64", "--quick", "--to", folder], cwd=HOUSE)
