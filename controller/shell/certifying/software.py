"""Is the software authentic? The program by its manifest, and beside it all else that Python can load."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.machinery import all_suffixes
from importlib.util import find_spec
from pathlib import Path

from controller.shell.approval import forged_caches, program_sources
from controller.shell.certifying import Check, surroundings
from controller.shell.certifying.surroundings import digested
from controller.shell.identity import PACKAGES, check_manifest, digest_of, software_digest
from controller.vocabulary.errors import InputError, why

PART = "software"
STANDARD = "of Python itself"
LIBRARY_FOLDERS = ("site-packages", "dist-packages", "common")
"""Whatever lies in these counts: lines of a ``.pth`` file are run, a library loads any file beside it."""
_CACHE = "__pycache__"


def look(
    manifest: str | None, files: tuple[str, ...], instance: str = ""
) -> tuple[list[Check], dict[str, str]]:
    """The checks, and what is alike wherever this software runs. ``manifest``: the file of approved digests,
    None where the table names none; ``files``: of the configuration; ``instance``: what the service calls
    this table. InputError where the manifest cannot be read.
    """
    checks = [_approved(manifest, files)]
    alike = {
        "program": software_digest(),
        "python": f"{platform.python_version()} {digest_of(sys.executable)}",
    }
    libraries = library_digests()
    alike |= {f"library {name}": digest for name, digest in libraries.items()}
    forged = forged_caches(_loaded_sources())
    seen = "; ".join(forged) or "none differs from its source"
    checks.append(Check(PART, "compiled files", "failed" if forged else "passed", seen))
    checks.append(Check(PART, "libraries", "passed", f"{len(libraries)} digests, to be compared: see alike"))
    of_surroundings, around = surroundings.look(instance, (*_pythons_own(), *library_places()))
    return checks + of_surroundings, alike | around


def _loaded_sources() -> list[str]:
    """Those of the libraries that this process runs, and may run a compiled file instead of."""
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    return sorted(file for file in files - set(program_sources()) if file.endswith(".py"))


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
    """Whatever Python finds that is none of ours, by its name: the SHA-256 over the names and digests of its
    files. Of what Python brings itself there is one.
    """
    own = _pythons_own()
    found = {STANDARD: _digest_of_all((folder.name, folder) for folder in own)}
    for folder in library_places():
        if folder.is_file():  # an archive of modules
            found.setdefault(folder.name, digest_of(folder))
            continue
        everything = folder.name in LIBRARY_FOLDERS
        for entry in sorted(folder.iterdir()):
            if (everything or _importable(entry)) and entry.name != _CACHE and not _ours(entry):
                found.setdefault(entry.name, _digest_of_all([(entry.name, entry)]))
    return found


def library_places() -> list[Path]:
    """Where Python looks for what it does not bring itself, each once, in its order."""
    own, places = _pythons_own(), dict[Path, None]()
    for name in sys.path:
        place = Path(name or ".").resolve()
        standard = any(map(place.is_relative_to, own)) and place.name not in LIBRARY_FOLDERS
        if place.exists() and not standard:
            places[place] = None
    return list(places)


def _pythons_own() -> list[Path]:
    """The folders of the standard library."""
    return sorted({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")})


def _importable(entry: Path) -> bool:
    """In a folder that is no place of packages, where much may lie that Python does not look at."""
    if entry.is_dir():
        return any((entry / f"__init__{suffix}").exists() for suffix in all_suffixes())
    return entry.name.endswith(tuple(all_suffixes()))


def _ours(entry: Path) -> bool:
    """The program itself, which its own digest covers; not what only has its name."""
    spec = find_spec(entry.name) if entry.name in PACKAGES else None
    return spec is not None and str(entry) in map(os.path.realpath, spec.submodule_search_locations or ())


def _digest_of_all(entries: Iterable[tuple[str, Path]]) -> str:
    lines = (f"{digest}  {name}\n" for place, entry in entries for name, digest in _digests(place, entry))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _digests(name: str, entry: Path) -> Iterator[tuple[str, str]]:
    """Of a file, or of each below a folder, by its name; a link to a folder is not followed, and is told.

    Within what Python brings itself the places of other libraries are passed over: those have digests of
    their own. A library may have a folder of such a name, and that is its own.
    """
    others = LIBRARY_FOLDERS if entry in _pythons_own() else ()
    if not entry.is_dir():
        yield name, digested(entry)
        return
    for path, folders, files in os.walk(entry):
        elsewhere = others if path == str(entry) else ()
        folders[:] = sorted(one for one in folders if one not in (_CACHE, *elsewhere))
        below = f"{name}{path[len(str(entry)) :]}"
        for one in folders:
            if os.path.islink(place := os.path.join(path, one)):
                yield f"{below}/{one}", f"leads to {os.readlink(place)}"
        for one in sorted(files):
            yield f"{below}/{one}", digested(Path(path, one))
