"""``docs/how-to/add-a-device.md``, typed into a copy of the program: the shoe of the page deals."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
PAGE = (HOUSE / "docs/how-to/add-a-device.md").read_text()
_BLOCK = re.compile(r"^```(python|diff)\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [match.groups() for match in _BLOCK.finditer(PAGE)]
MOST_LINES = 100

DEALT = '''
from pathlib import Path

from drivers.harbour.simulator import HarbourShoe
from drivers.keypad.simulator import Keypad
from tests.shell.whole import PANEL, must, whole

SHOE = """
[devices.shoe]
driver = "harbour"
port = "{folder}/shoe"
"""


def test_a_round_from_the_new_shoe(tmp_path: Path) -> None:
    with (
        HarbourShoe(tmp_path / "shoe") as shoe,
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, SHOE + PANEL) as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        shoe.card("8S")
        shoe.unread_card()
        table.wait_hold("card_unread")
        must(keypad, "KEY 17", "ENTER 5C", "CLEAR enter")
        shoe.unplug()
        table.wait_hold("device_lost")
        shoe.replug()
        table.wait_said("device.restored")
        must(keypad, "CLEAR continue")
        shoe.card("KC")
        shoe.card("2D")
        assert table.wait_said("round.result")["hands"] == {"player": ["8S", "KC"], "banker": ["5C", "2D"]}
'''


def change(text: str, steps: str) -> str:
    """A text with the lines of a block changed; what is to be replaced must stand there once."""
    old: list[str] = []
    new: list[str] = []
    for line in [*steps.splitlines(), "-"]:
        if line.startswith("-") and old:
            assert text.count("\n".join(old) + "\n") == 1, f"not once in the file: {old}"
            text = text.replace("\n".join(old) + "\n", "\n".join(new) + "\n")
            old, new = [], []
        (old if line.startswith("-") else new).append(line[1:])
    return text


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program with all that the page adds."""
    house = tmp_path / "house"
    leave_out = shutil.ignore_patterns("__pycache__")
    for folder in ("controller", "drivers"):
        shutil.copytree(HOUSE / folder, house / folder, ignore=leave_out)
    tests = ("conftest.py", "drivers/listening.py", "schema/shapes.py", "shell/whole.py")
    for file in ("pyproject.toml", *(f"tests/{name}" for name in tests)):
        (house / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / file, house / file)
    for kind, path, text in BLOCKS:
        (house / path).parent.mkdir(parents=True, exist_ok=True)
        (house / path).write_text(text if kind == "python" else change((house / path).read_text(), text))
    (house / "tests/shell/test_dealt.py").write_text(DEALT)
    return house


def test_the_example_is_short() -> None:
    lines = [line for _, _, text in BLOCKS for line in text.splitlines() if line.strip("+- ")]
    assert 50 < len(lines) < MOST_LINES


def test_the_shoe_of_the_page_deals(copy: Path) -> None:
    tests = ["tests/drivers/test_harbour.py", "tests/shell/test_dealt.py"]
    call = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    run = subprocess.run(call, cwd=copy, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    where = [sys.executable, "-c", "import drivers.harbour.driver; print(drivers.__file__)"]
    assert str(copy) in subprocess.run(where, cwd=copy, capture_output=True, text=True, check=True).stdout


def test_the_copy_passes_the_judges_of_types_and_style(copy: Path) -> None:
    files = [path for _, path, _ in BLOCKS if not path.startswith("tests/")]
    for call in (["ruff", "check", *files], ["mypy", "-p", "drivers.harbour"]):
        run = subprocess.run(
            [sys.executable, "-m", *call], cwd=copy, capture_output=True, text=True, timeout=280, check=False
        )
        assert run.returncode == 0, run.stdout + run.stderr
