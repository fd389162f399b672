"""Which device is behind a path, as far as the system can tell."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_SYS_CHAR = Path("/sys/dev/char")
_PSEUDO_TERMINALS = range(136, 144)
"""Major numbers of their far ends, as Linux gives them out."""
_MOST_LINKS = 40


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


class Way(NamedTuple):
    """How a path led to a pseudo-terminal: the links on it, and the terminal itself."""

    links: tuple[tuple[int, int, int], ...]
    """Device, inode and time of each link."""
    terminal: tuple[int, int, int]
    """Device number, inode and time."""


def way_to(path: str, fd: int | None = None) -> Way | None:
    """The way to a pseudo-terminal; None where there is none, or something else. ``fd``: it, already open."""
    try:
        there = os.stat(path if fd is None else fd)
        if os.major(there.st_rdev) not in _PSEUDO_TERMINALS:
            return None
        links: list[tuple[int, int, int]] = []
        while os.path.islink(path) and len(links) < _MOST_LINKS:
            link = os.lstat(path)
            links.append((link.st_dev, link.st_ino, link.st_ctime_ns))
            path = os.path.join(os.path.dirname(path), os.readlink(path))
    except OSError:
        return None
    return Way(tuple(links), (there.st_rdev, there.st_ino, there.st_ctime_ns))


def is_taken_over(before: Way | None, path: str) -> bool:
    """True if nobody has pointed the path elsewhere since ``before``, and the pseudo-terminal is another all
    the same: the old one is gone, and whoever opens one next is given its number.
    """
    now = None if before is None else way_to(path)
    return before is not None and now is not None and now.links == before.links and now != before


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
