"""Puts one defect after another into a copy of the house and looks whether its tests notice.

A defect that no test notices *survives*: a test is missing. Before all, the tests must be green in the copy
without any defect, or their red would mean nothing.
"""

from __future__ import annotations

import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.mutants.defects import Defect, DefectError, Product

NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "*.egg-info", "dist", "build"
)
PATIENCE_S = 3600
"""For all tests of a defect: whether a slow machine would have noticed it is not known then."""
TEST_S = 120
"""For one test: a defect that makes it hang is noticed."""
WAIT_S = 40
"""For what a test waits for: without a defect all of it comes sooner, and with one much of it never."""

OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", f"--timeout={TEST_S}")

GREEN, RED, UNFINISHED = 0, 1, -1
"""Exit status of pytest: all passed; some failed. Any other says that the tests could not be run."""

NOTICED = re.compile(r"(?:FAILED|ERROR) (tests/.*?)(?: - |$)")
"""How pytest sums up a test that is red."""

Verdict = Literal["killed", "survived", "error"]


@dataclass(frozen=True)
class Tried:
    """What became of a defect."""

    defect: Defect
    verdict: Verdict
    by: str
    """The test that noticed, or what went wrong."""
    seconds: float


@contextmanager
def copies(house: Path, number: int) -> Iterator[list[Path]]:
    """So many copies of the house, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        paths = [Path(folder) / f"copy-{place}" for place in range(number)]
        for path in paths:
            shutil.copytree(house, path, ignore=NOT_COPIED, symlinks=True)
        yield paths


def run_tests(copy: Path, tests: Sequence[str]) -> tuple[int, str]:
    """Exit status of pytest in a copy, and the first test that failed or the last line that it said."""
    asked = [sys.executable, "-m", "pytest", *OPTIONS, *tests]
    environment = {
        **os.environ,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(copy),
        "TEST_PATIENCE_S": str(WAIT_S),
    }
    try:
        done = subprocess.run(
            asked, cwd=copy, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        return UNFINISHED, f"no end within {PATIENCE_S} s"
    lines = [line for line in done.stdout.splitlines() if line.strip()] or done.stderr.splitlines() or [""]
    failed = [found[1] for line in lines if (found := NOTICED.match(line))]
    return done.returncode, (failed[0] if failed else lines[-1])


def change_of(defect: Defect, product: Product) -> tuple[str, str] | DefectError:
    """Path and changed text of the file, or why the defect does not apply."""
    try:
        return defect.applied(product)
    except DefectError as error:
        return error


def try_defect(defect: Defect, change: tuple[str, str] | DefectError, copy: Path) -> Tried:
    """One defect in one copy, which is as before afterwards."""
    started = time.monotonic()
    if isinstance(change, DefectError):
        return Tried(defect, "error", str(change), 0.0)
    name, changed = change
    path = copy / name
    whole = path.read_bytes()
    try:
        path.write_text(changed)
        status, by = run_tests(copy, defect.tests)
    finally:
        path.write_bytes(whole)
    verdicts: dict[int, Verdict] = {GREEN: "survived", RED: "killed"}
    return Tried(defect, verdicts.get(status, "error"), by, time.monotonic() - started)


def try_all(
    chosen: Sequence[Defect], house: Path, workers: int, tell: Callable[[Tried], None] = lambda _: None
) -> list[Tried]:
    """Every defect, so many at a time; :class:`DefectError` where the tests are red without any."""
    with copies(house, workers) as paths, ThreadPoolExecutor(workers) as pool:
        every = sorted({test for defect in chosen for test in defect.tests})
        status, by = run_tests(paths[0], every)
        if status != GREEN:
            raise DefectError(f"without any defect the tests are not green: {by}")
        product = Product(paths[0])
        # Before anything is put into a copy: what is read then would not be the product.
        changes = [change_of(defect, product) for defect in chosen]
        free: queue.SimpleQueue[Path] = queue.SimpleQueue()
        for path in paths:
            free.put(path)

        def one(defect: Defect, change: tuple[str, str] | DefectError) -> Tried:
            copy = free.get()
            try:
                tried = try_defect(defect, change, copy)
            finally:
                free.put(copy)
            tell(tried)
            return tried

        return list(pool.map(one, chosen, changes))
