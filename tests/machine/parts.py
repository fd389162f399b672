"""What a machine is made of: programs of this host, and parts made once and kept in build/machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from making.targets import HOUSE

BUILD = HOUSE / "build" / "machine"
SOURCE = Path("/usr/src/linux-source-6.1.tar.xz")
NEEDED = {
    "qemu-system-x86": "qemu-system-x86_64",
    "qemu-utils": "qemu-img",
    "debootstrap": "debootstrap",
    "linux-source-6.1": str(SOURCE),
    "linux-headers-amd64": "/usr/share/doc/linux-headers-amd64",
    "busybox-static": "/bin/busybox",
    "kmod": "depmod",
    "f2fs-tools": "mkfs.f2fs",
    "make": "make",
}
"""Debian's package, and what shows that it is there."""
PATH = f"{os.environ['PATH']}:/usr/local/sbin:/usr/sbin:/sbin"


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


def quietly(words: Sequence[str | Path], cwd: Path | None = None) -> str:
    """Run a wordy program in silence; what it said. A SystemExit with its words where it fails."""
    environment = {**os.environ, "PATH": PATH, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment, cwd=cwd)
    if done.returncode:
        raise SystemExit(f"machine: {' '.join(map(str, words))}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout


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
