"""Disk, clock, memory and software: what the machine itself must offer."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from controller.journal.files import writer_of
from controller.settings.model import Configuration
from controller.shell.clock import Clock
from controller.shell.doctor.findings import Diagnosis, judged
from controller.shell.identity import software_digest, version
from controller.shell.wear import disk_of, life_years, written_bytes
from controller.vocabulary.errors import why

SYNCS = 20
SLOW_SYNC_MS = 100.0
LEAST_MEMORY_MB = 64
MEMINFO = Path("/proc/meminfo")
UPTIME = Path("/proc/uptime")
CARDS = "mmcblk"
"""What the system calls a memory card begins so."""
LEAST_YEARS = 1.0
PIN_MODULES = ("pinctrl_bcm2835", "pinctrl_rp1")
"""Who drives the pins of a Raspberry Pi."""


def check_disk(configuration: Configuration) -> Iterator[Diagnosis]:
    """The disk of the journal: is it writable, how much is free, how long a sync takes."""
    folder = Path(configuration.journal.path).parent
    if not os.path.isdir(folder):  # also where no such path can be
        yield Diagnosis("disk", "fault", f"{folder} is no folder", f"make it: mkdir -p {folder}")
        return
    free_mb = shutil.disk_usage(folder).free // 1_000_000
    least = configuration.journal.min_free_mb
    mend = f"free some: below {least} MB no round opens (journal.min_free_mb)"
    yield judged("disk", free_mb >= least, f"{free_mb} MB free at {folder}", mend)
    try:
        took = sync_ms(folder)
    except OSError as error:
        mend = "give the folder to the user of the service"
        yield Diagnosis("sync", "fault", f"cannot write in {folder}: {why(error)}", mend)
        return
    seen, mend = f"a sync takes {took:.1f} ms (median of {SYNCS})", "use a faster disk or another card"
    yield judged("sync", took <= SLOW_SYNC_MS, seen, f"{mend}: cards will wait", "warning")


def sync_ms(folder: Path) -> float:
    """Median time of one sync of a small write, milliseconds."""
    times: list[float] = []
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as file:
        for _ in range(SYNCS):
            file.write(b"x" * 512)
            file.flush()
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def check_pins_stay(configuration: Configuration, modules: Path = Path("/sys/module")) -> Iterator[Diagnosis]:
    """Does an output stay as ``safe-outputs`` left it, when nobody holds the pin? Raspberry Pi's own kernel
    leaves it so, another may make it an input.
    """
    for name in PIN_MODULES if configuration.devices.lights is not None else ():
        parameter = modules / name / "parameters" / "persist_gpio_outputs"
        if parameter.is_file() and parameter.read_text().strip() != "Y":
            seen = "the kernel lets an output go that nobody holds"
            mend = f"put {name}.persist_gpio_outputs=1 on its command line, and pull light and lock"
            lasts = "the safe state lasts only while a program runs"
            yield Diagnosis("pins", "warning", f"{seen}: {lasts}", f"{mend} to the safe side")
            return


def check_wear(configuration: Configuration) -> Diagnosis:
    """What the disk of the journal has taken since the system started; a card that wears out is a warning."""
    disk = disk_of(Path(configuration.journal.path).parent)
    try:
        up_s = float(UPTIME.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        disk = None
    years = None if disk is None else life_years(disk.size_bytes, disk.written_bytes, up_s)
    if disk is None or years is None:
        return Diagnosis("wear", "ok", "the system does not tell what is written to the disk of the journal")
    writer = writer_of(Path(configuration.journal.path))
    ours = None if writer is None else written_bytes(Path(f"/proc/{writer}/io"))
    of_which = "" if ours is None else f", {ours / 1e6:,.0f} MB of it by the daemon that writes the journal,"
    seen = (
        f"{disk.written_bytes / 1e6:,.0f} MB written to {disk.name} ({disk.size_bytes / 1e9:.0f} GB)"
        f"{of_which} in {up_s / 3600:.1f} h since the system started; at that pace "
    )
    if not disk.name.startswith(CARDS):
        seen += f"a memory card would live {years:,.1f} years; this disk is none"
        return Diagnosis("wear", "ok", seen)
    mend = "find out which program writes so much (/proc/*/io), or put the journal on another disk"
    return judged("wear", years >= LEAST_YEARS, f"{seen}this card lives {years:,.1f} years", mend, "warning")


def check_clock(clock: Clock) -> Diagnosis:
    """Wall time is a label, but people compare labels."""
    right = clock.synchronised()
    seen = f"{clock.now()}, {'synchronised' if right else 'not synchronised'}"
    mend = "let systemd-timesyncd or chrony reach a time server; play does not depend on it"
    return judged("clock", right, seen, mend, "warning")


def check_memory() -> Diagnosis:
    """Memory that can be had now."""
    try:
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines() if ":" in line)
        free_mb = int(lines["MemAvailable"].split()[0]) // 1024
    except (OSError, KeyError, ValueError):
        return Diagnosis("memory", "warning", "the system does not tell", "look at it by hand: free -m")
    mend = "end other programs, or use a larger board"
    return judged("memory", free_mb >= LEAST_MEMORY_MB, f"{free_mb} MB available", mend)


def check_software() -> Diagnosis:
    """Which program this is, for comparison with what was approved."""
    return Diagnosis("software", "ok", f"version {version()}, digest {software_digest()}")
