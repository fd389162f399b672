"""Which device is behind a path, as far as the system can tell."""

from __future__ import annotations

import os
from pathlib import Path

_SYS_CHAR = Path("/sys/dev/char")


def identity_of(fd: int) -> str:
    """Name the device of an open descriptor.

    A USB device gives vendor, product and serial number, which stay the same when it comes back under
    another name; anything else gives device numbers and inode.
    """
    status = os.fstat(fd)
    major, minor = os.major(status.st_rdev), os.minor(status.st_rdev)
    usb = _usb_identity(_SYS_CHAR / f"{major}:{minor}" / "device")
    return usb or f"character device {major}:{minor}, inode {status.st_ino} on {status.st_dev}"


def lasts(identity: str) -> bool:
    """Whether an identity is the same after the next start of this machine, so that another one is another
    device's.
    """
    return identity.startswith("usb ")


def is_other_device(fd: int, path: str) -> bool:
    """True if the path now leads to another device than the open descriptor; a path that is gone says
    nothing.
    """
    try:
        there = os.stat(path)
    except OSError:
        return False
    here = os.fstat(fd)
    return (there.st_dev, there.st_ino, there.st_rdev) != (here.st_dev, here.st_ino, here.st_rdev)


def _usb_identity(device: Path) -> str | None:
    """Climb from the port's node in sysfs to the USB device that carries it."""
    try:
        place = device.resolve(strict=True)
    except OSError:
        return None
    for folder in (place, *place.parents):
        vendor, product = _read(folder / "idVendor"), _read(folder / "idProduct")
        if vendor and product:
            named = (vendor + ":" + product, _read(folder / "manufacturer"), _read(folder / "product"))
            serial = _read(folder / "serial")
            parts = ["usb", *(part for part in named if part), *(["serial", serial] if serial else [])]
            return " ".join(parts)
    return None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
