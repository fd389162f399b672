"""The part of mypy that keeps Python off the screen: what it refuses, and what it lets be."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
READ = """
import logging
from pathlib import Path
from drivers.readings import CommandAnswered
from controller.vocabulary.cards import Card
log = logging.getLogger()

def told(
    link: CommandAnswered, card: Card, raw: bytes, names: list[str], badge: str | None, path: Path,
    why: OSError, refused: ValueError, one: str, many: int, share: float,
    either: bytes | int, pairs: dict[str, int],
) -> None:
    print(f"{link}")  # refused
    print(link)  # refused
    str(link)  # refused
    log.warning("it said %s", link)  # refused
    "{}".format(raw)  # refused
    f"{raw!r}"  # refused
    f"{raw.hex()} {link!s}"  # refused
    f"{names}"  # refused
    f"{names[0]} {', '.join(names)}"
    f"{pairs}"  # refused
    f"{(one, many)}"  # refused
    f"{badge}"  # refused
    f"{badge or 'nobody'}"
    f"{either}"  # refused
    f"{why}"  # refused
    f"{why.strerror}"  # refused: it may be None
    f"{why.strerror or 'no word'}"
    f"{refused} {card} {path} {many} {share:.2f}"
    f"{one!r} {one}"
    f"{many!r}"  # refused
    f"{told}"  # refused
    f"{CommandAnswered}"  # refused
    repr(link)  # refused
    repr(one), repr(share)
    log.info("%s of %s", one, many)
"""

OTHERS = "disable_error_code = import-untyped, str-bytes-safe"
"""What mypy itself finds there is not asked."""


def test_what_people_would_read_as_python_is_refused_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "read.py").write_text(READ)
    plugin = HOUSE / "tests/house/representations.py"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nplugins = {plugin}\n{OTHERS}\n")
    words = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "--cache-dir", "cache", "read.py"]
    said = subprocess.run(
        words, cwd=tmp_path, env={"MYPYPATH": str(HOUSE)}, capture_output=True, text=True, check=False
    )
    refused = re.findall(r"^read\.py:(\d+): error: people would read Python", said.stdout, re.MULTILINE)
    expected = [number for number, line in enumerate(READ.splitlines(), 1) if "# refused" in line]
    assert [int(number) for number in refused] == expected, said.stdout + said.stderr
    assert said.stdout.count("error:") == len(expected), said.stdout
