"""``python -m making.lock``: write packaging/requirements.txt, the wheels of the package with their hashes.

The versions are those of constraints.txt; to be run when one of them changes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import Any

from making.targets import HOUSE, MACHINES, PYTHONS, Machine, leaves_out

LOCK = HOUSE / "packaging" / "requirements.txt"
HEAD = """\
# The wheels that the Debian package is made of, for all its machines. Written by `python -m making.lock`.
"""
NOT_NEEDED = ("dealer-table", "setuptools")
"""colorzero names setuptools and does not use it."""


def main() -> int:
    """Ask the index, and write the file."""
    hashes: dict[str, set[str]] = {}
    versions = pinned(needed())
    for machine in MACHINES.values():
        for python in PYTHONS:
            wanted = [line for line in versions if not leaves_out(line.split("==")[0], machine, python)]
            for line, digest in found(machine, python, wanted):
                hashes.setdefault(line, set()).add(digest)
    lines = [
        " \\\n".join([line, *(f"    --hash=sha256:{one}" for one in sorted(hashes[line]))])
        for line in versions
    ]
    LOCK.parent.mkdir(exist_ok=True)
    LOCK.write_text(HEAD + "\n".join(lines) + "\n")
    print(f"{LOCK}: {len(lines)} projects, {sum(map(len, hashes.values()))} wheels")
    return 0


def needed() -> set[str]:
    """Names of everything that the program needs, as pip resolves them."""
    report = pip(
        "install", "--dry-run", "--ignore-installed", "--no-build-isolation", "-c", "constraints.txt", "."
    )
    names = {normal(item["metadata"]["name"]) for item in report["install"]}
    return (names | {"lgpio"}) - set(NOT_NEEDED)


def pinned(names: set[str]) -> list[str]:
    """``name==version`` of each, from constraints.txt; KeyError where one is not there."""
    lines = (HOUSE / "constraints.txt").read_text().splitlines()
    versions = {line.split("==")[0]: line for line in lines if "==" in line}
    return [versions[name] for name in sorted(names)]


def found(machine: Machine, python: str, wanted: list[str]) -> list[tuple[str, str]]:
    """Line and SHA-256 of the wheel that pip takes for each."""
    with tempfile.TemporaryDirectory() as folder:
        words = [*machine.pip_words(python), f"--target={folder}"]
        report = pip("install", "--dry-run", "--ignore-installed", *words, *wanted)
    answer = []
    for item in report["install"]:
        name, version = normal(item["metadata"]["name"]), item["metadata"]["version"]
        answer.append((f"{name}=={version}", item["download_info"]["archive_info"]["hashes"]["sha256"]))
    return answer


def normal(name: str) -> str:
    """A project's name as constraints.txt writes it."""
    return name.lower().replace("_", "-").replace(".", "-")


def pip(*words: str) -> Any:
    """pip's report on what it would install."""
    with tempfile.NamedTemporaryFile() as report:
        call = [sys.executable, "-m", "pip", "--quiet", *words, "--report", report.name]
        subprocess.run(call, check=True, cwd=HOUSE, stderr=subprocess.PIPE)
        return json.load(report)


if __name__ == "__main__":
    sys.exit(main())
