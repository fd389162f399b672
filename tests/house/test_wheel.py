"""What is installed is what was written: pay tables, odds and pages travel with the code."""

import zipfile
from pathlib import Path

from making.deb import wheel


def test_an_installed_package_holds_every_file_of_the_source(tmp_path: Path) -> None:
    made = wheel(tmp_path)
    source = tmp_path / "source"
    rooms = [path for room in ("controller", "drivers") for path in (source / room).rglob("*")]
    written = {str(path.relative_to(source)) for path in rooms if path.is_file()}
    assert written - set(zipfile.ZipFile(made).namelist()) == set()
