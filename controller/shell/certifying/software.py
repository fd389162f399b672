"""Is the software authentic? The program by its manifest, and beside it every library that it can load."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from controller.shell.approval import forged_caches
from controller.shell.certifying import Check
from controller.shell.identity import PACKAGES, check_manifest, digest_of, software_digest
from controller.vocabulary.errors import InputError, why

PART = "software"
_CACHE = "__pycache__"


def look(manifest: str | None, files: tuple[str, ...]) -> tuple[list[Check], dict[str, str]]:
    """The checks, and what is alike wherever this software runs. ``manifest``: the file of approved digests,
    None where the table names none; ``files``: of the configuration. InputError where it cannot be read.
    """
    checks = [_approved(manifest, files)]
    alike = {
        "program": software_digest(),
        "python": f"{platform.python_version()} {digest_of(sys.executable)}",
    }
    libraries = library_digests()
    alike |= {f"library {name}": digest for name, digest in libraries.items()}
    forged = forged_caches()
    seen = "; ".join(forged) or "none differs from its source"
    checks.append(Check(PART, "compiled files", "failed" if forged else "passed", seen))
    checks.append(Check(PART, "libraries", "passed", f"{len(libraries)} digests, to be compared: see alike"))
    return checks, alike


def _approved(manifest: str | None, files: tuple[str, ...]) -> Check:
    """The manifest against the disk."""
    if manifest is None:
        seen = "the configuration names no identity.manifest: give one with --manifest"
        return Check(PART, "manifest", "missing", seen)
    try:
        text = Path(manifest).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the manifest {manifest}: {why(error)}") from error
    found = check_manifest(text, files)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Check(
        PART,
        "manifest",
        "failed" if found else "passed",
        "; ".join(found) or f"all as in {manifest}, {digest}",
    )


def library_digests() -> dict[str, str]:
    """Every package or module that is no part of Python's own library and none of ours: its name, and the
    SHA-256 over the names and digests of its files.
    """
    found: dict[str, str] = {}
    for folder in _installed_places():
        for entry in sorted(folder.iterdir()):
            if entry.name not in (_CACHE, *PACKAGES) and entry.suffix != ".pth" and entry.name not in found:
                found[entry.name] = _digest(entry)
    return found


def _installed_places() -> Iterator[Path]:
    """Where libraries are looked for, each once, in this order."""
    own = {Path(os.__file__).parent.resolve()}
    own |= {place / "lib-dynload" for place in own}
    seen: set[Path] = set()
    for name in sys.path:
        folder = Path(name or ".").resolve()
        if folder.is_dir() and folder not in own | seen and _holds_libraries(folder):
            seen.add(folder)
            yield folder


def _holds_libraries(folder: Path) -> bool:
    """Not the source of the program itself, which its own digest covers."""
    return folder.name in ("site-packages", "dist-packages", "common")


def _digest(entry: Path) -> str:
    files = [entry] if entry.is_file() else sorted(path for path in entry.rglob("*") if path.is_file())
    lines = [
        f"{digest_of(file)}  {file.relative_to(entry.parent)}\n" for file in files if _CACHE not in file.parts
    ]
    return hashlib.sha256("".join(lines).encode()).hexdigest()
