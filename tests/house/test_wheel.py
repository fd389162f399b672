"""What is installed is what was written: pay tables, odds and pages travel with the code."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
ROOMS = ("controller", "drivers")
BUILD = "import sys, setuptools.build_meta as build; print(build.build_wheel(sys.argv[1]))"


def test_an_installed_package_holds_every_file_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "source"
    for room in ROOMS:
        shutil.copytree(HOUSE / room, source / room, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(HOUSE / name, source / name)
    written = {str(path.relative_to(source)) for path in source.glob("*/**/*") if path.is_file()}

    call = [sys.executable, "-c", BUILD, str(tmp_path)]
    subprocess.run(call, cwd=source, check=True, capture_output=True, timeout=120)

    (wheel,) = tmp_path.glob("dealer_table-*.whl")
    assert written - set(zipfile.ZipFile(wheel).namelist()) == set()
