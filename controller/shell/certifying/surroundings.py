"""What could change what the software does, and is no file of it: variables of the environment, what the
linker loads before it, what Python runs at its start, libraries of the system, and how the service begins it.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from controller.shell.certifying import Check
from controller.shell.identity import digest_of
from controller.vocabulary.errors import why

PART = "software"
OF_THE_LINKER = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT")
OF_PYTHON = (
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "PYTHONPLATLIBDIR",
    "PYTHONPYCACHEPREFIX",
    "PYTHONOPTIMIZE",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "PYTHONWARNINGS",
)
"""Those that name code, or change how it runs; Python passes over them where it is isolated (``-I``)."""
AT_THE_START = ("sitecustomize", "usercustomize")
"""Python imports them by itself, wherever they lie on its path."""
PRELOADED = Path("/etc/ld.so.preload")
SERVICES = (
    Path("/etc/systemd/system.control"),
    Path("/run/systemd/system.control"),
    Path("/run/systemd/transient"),
    Path("/etc/systemd/system"),
    Path("/run/systemd/system"),
    Path("/usr/local/lib/systemd/system"),
    Path("/usr/lib/systemd/system"),
)
ALL_SERVICES = ("dealer-.service.d", "service.d")
"""Folders whose files systemd adds to every service whose name begins so, and to all."""
_LIBRARY = re.compile(r"\S+\s+\S+\s+\S+\s+\S+\s+\S+\s+(/.*\.so\S*)")
"""A line of /proc/self/maps that ends with a library."""


def look(instance: str, elsewhere: Iterable[Path]) -> tuple[list[Check], dict[str, str]]:
    """The checks, and what is alike on units of one system. ``instance``: the name that the service gives to
    this table. ``elsewhere``: folders whose libraries are looked at by others.
    """
    set_here = [f"{name} is set: {os.environ[name]}" for name in _variables() if os.environ.get(name)]
    set_here += _preloaded()
    seen = "; ".join(set_here) or "nothing in it changes what runs"
    specs = {name: find_spec(name) for name in AT_THE_START}
    found = {
        name: spec.origin for name, spec in specs.items() if spec is not None and spec.origin is not None
    }
    says = ", ".join(f"{name} in {origin}" for name, origin in found.items()) or "nothing but Python"
    alike = {f"at the start {name}": digested(Path(origin)) for name, origin in found.items()}
    alike |= {f"system library {path}": digested(path) for path in mapped(elsewhere)}
    alike["service"] = service(instance)
    return [
        Check(PART, "environment", "failed" if set_here else "passed", seen),
        Check(PART, "run at the start", "passed", f"{says}; digests to be compared: see alike"),
    ], alike


def _preloaded() -> list[str]:
    try:
        words = PRELOADED.read_text(errors="replace").split()
    except FileNotFoundError:
        return []
    except OSError as error:
        return [f"{PRELOADED} cannot be read: {why(error)}"]
    return [f"{PRELOADED} loads {' '.join(words)}"] if words else []


def _variables() -> tuple[str, ...]:
    return OF_THE_LINKER if _isolated() else OF_THE_LINKER + OF_PYTHON


def _isolated() -> bool:
    return bool(sys.flags.ignore_environment)


def mapped(elsewhere: Iterable[Path], maps: str | None = None) -> list[Path]:
    """The libraries that this process has loaded, but those below the folders named. ``maps``: as in
    /proc/self/maps.
    """
    text = Path("/proc/self/maps").read_text(encoding="utf-8") if maps is None else maps
    loaded = {Path(line[1]) for line in map(_LIBRARY.match, text.splitlines()) if line is not None}
    folders = tuple(elsewhere)
    return sorted(path for path in loaded if not any(map(path.is_relative_to, folders)))


def service(instance: str, folders: Iterable[Path] = SERVICES) -> str:
    """SHA-256 over how systemd begins this table: its unit and whatever a house or anybody else has added to
    it, for all tables or this one. The table's own name is left out: another unit has another one.
    """
    lines = sorted(f"{digested(path)}  {name}\n" for name, path in _service_files(instance, folders))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _service_files(instance: str, folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    names = (("", ""), (instance, "%i"))
    for folder in folders:
        for name, told in (
            (f"dealer-table@{one}.service", f"dealer-table@{as_}.service") for one, as_ in names
        ):
            if (folder / name).exists():
                yield f"{folder}/{told}", folder / name
            for path in sorted((folder / f"{name}.d").glob("*.conf")):
                yield f"{folder}/{told}.d/{path.name}", path
        for group in ALL_SERVICES:
            for path in sorted((folder / group).glob("*.conf")):
                yield str(path), path


def digested(path: Path) -> str:
    """SHA-256 of a file, hex; where it cannot be read, why."""
    try:
        return digest_of(path)
    except OSError as error:
        return f"cannot be read: {why(error)}"
