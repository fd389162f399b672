"""``docs/how-to/add-a-device.md``, typed into a copy of the program: the shoe of the page deals."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.framing import Framing
from drivers.ports import NumberedDriver
from drivers.serial_port import PortDriver
from drivers.settings import PortTimes, ShoeDevice
from drivers.simulated_device import SimulatedDevice
from tests.cli.program import HOUSE
from tests.harness.patience import PATIENCE_S

PAGE = (HOUSE / "docs/how-to/add-a-device.md").read_text()
_BLOCK = re.compile(r"^```python\n# (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1], match[2]) for match in _BLOCK.finditer(PAGE)]
DEVICE = "drivers/harbour.py"
MOST_LINES = 100

DEALT = '''
from pathlib import Path

from drivers.harbour import SimulatedHarbour
from drivers.keypad.simulator import Keypad
from tests.harness.whole import PANEL, must, whole

SHOE = """
[devices.shoe]
driver = "harbour"
port = "{folder}/shoe"
"""


def test_a_round_from_the_new_shoe(tmp_path: Path) -> None:
    with (
        SimulatedHarbour(tmp_path / "shoe") as shoe,
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, SHOE + PANEL) as table,
    ):
        must(keypad, "SHOE 416", "OPEN", "CLOSE")
        shoe.draw("8S")
        shoe.unread_card()
        table.wait_hold("card_unread")
        must(keypad, "KEY 17", "ENTER 5C", "CLEAR enter")
        shoe.unplug()
        table.wait_hold("device_lost")
        shoe.replug()
        table.wait_said("device.restored")
        must(keypad, "CLEAR continue")
        shoe.draw("KC")
        shoe.draw("2D")
        assert table.wait_said("round.result")["hands"] == {"player": ["8S", "KC"], "banker": ["5C", "2D"]}
'''
TABLE = """
table.site = "north"
table.id = "7"
game.name = "2-card-action"
game.layout = "C"
journal.path = "7.db"
devices.shoe = {{ driver = "{driver}", port = "/dev/shoe"{more} }}
"""
BUILT = """
import sys
from controller.settings.loader import load_configuration
from controller.shell.wiring.devices import drivers_of

drivers_of(load_configuration(sys.argv[1]))
print(*sorted({"drivers.harbour", "drivers.bee_tek", "drivers.scanner"} & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program with all that the page adds."""
    house = tmp_path_factory.mktemp("house")
    leave_out = shutil.ignore_patterns("__pycache__")
    for folder in ("controller", "drivers", "making"):
        shutil.copytree(HOUSE / folder, house / folder, ignore=leave_out)
    names = (
        "conftest",
        "drivers/listening",
        "harness/configuration",
        "harness/patience",
        "harness/whole",
        "schema/shapes",
        "scenarios/conversation",
        "house/representations",
    )
    for file in ("pyproject.toml", *(f"tests/{name}.py" for name in names)):
        (house / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HOUSE / file, house / file)
    for path, text in BLOCKS:
        (house / path).parent.mkdir(parents=True, exist_ok=True)
        (house / path).write_text(text)
    (house / "tests/test_dealt.py").write_text(DEALT)
    return house


def in_copy(copy: Path, *words: str, status: int = 0) -> str:
    """What Python says to these words in the copy."""
    call = [sys.executable, *words]
    run = subprocess.run(call, cwd=copy, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert run.returncode == status, run.stdout + run.stderr
    return run.stdout + run.stderr


def test_the_device_is_one_file_and_short() -> None:
    assert [path for path, _ in BLOCKS if not path.startswith("tests/")] == [DEVICE]
    assert len("".join(text for _, text in BLOCKS).splitlines()) < 2 * MOST_LINES
    assert len(dict(BLOCKS)[DEVICE].splitlines()) < MOST_LINES


@pytest.mark.parametrize(
    ("owner", "names"),
    [
        (Framing, ["feed", "silence", "cut_off"]),
        (PortDriver, ["arrived", "acknowledge", "_say"]),
        (PortTimes, ["with_silence"]),
        (NumberedDriver, ["report_log"]),
        (ShoeDevice, ["numbered", "doubles"]),
        (SimulatedDevice, ["hear", "pass_time", "deadline_ns", "_wake"]),
    ],
)
def test_what_the_page_says_of_frames_is_there(owner: type, names: list[str]) -> None:
    section = PAGE.partition("## 2. Frames, answers and numbers")[2].partition("## 3.")[0]
    for name in names:
        assert hasattr(owner, name)
        assert re.search(rf"`[^`]*\b{name}\b[^`]*`", section), name


def test_the_shoe_of_the_page_deals(copy: Path) -> None:
    tests = ("tests/drivers/test_harbour.py", "tests/test_dealt.py")
    in_copy(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert str(copy) in in_copy(copy, "-c", "import drivers.harbour; print(drivers.__file__)")


def test_a_whole_demo_table_is_dealt_from_it(copy: Path) -> None:
    words = ("demo", "--game", "2-card-action", "--shoe", "harbour", "--rounds", "2", "--pace-s", "0")
    assert "2 rounds" in in_copy(copy, "-m", "controller", *words)


def configured(copy: Path, driver: str, more: str = "") -> str:
    """A table's file with this shoe."""
    (copy / "table.toml").write_text(TABLE.format(driver=driver, more=more))
    return str(copy / "table.toml")


def test_its_keys_are_checked_described_and_drawn(copy: Path) -> None:
    check = ("-m", "controller", "check-config")
    said = in_copy(copy, *check, configured(copy, "harbour", ", cut_card = 1"), status=2)
    assert "devices.shoe.cut_card: 1 is wrong; needed is true or false" in said
    said = in_copy(copy, *check, configured(copy, "harbor"), status=2)
    assert '"bee-tek", "harbour", "scanner", "camera"; did you mean "harbour"?' in said
    assert "shoe (harbour)" in in_copy(copy, *check, configured(copy, "harbour"))
    schema = json.loads(in_copy(copy, "-m", "controller", "schema", "configuration"))["$defs"]
    assert "agree_within_ms" in schema["SecondHarbour"]["properties"]
    assert schema["HarbourShoe"]["properties"]["cut_card"]["description"].startswith("Whether its cut card")
    page = in_copy(copy, "-c", "from making.pages.configuration import draw; print(draw())")
    assert '`[devices.second_reader]` with `driver = "harbour"`' in page


@pytest.mark.parametrize(
    ("driver", "module"), [("harbour", "drivers.harbour"), ("bee-tek", "drivers.bee_tek")]
)
def test_only_what_a_file_names_is_imported(copy: Path, driver: str, module: str) -> None:
    assert in_copy(copy, "-c", BUILT, configured(copy, driver)).split() == [module]


def test_the_copy_passes_the_judges_of_types_style_and_arrows(copy: Path) -> None:
    in_copy(copy, "-m", "ruff", "check", *(path for path, _ in BLOCKS))
    in_copy(copy, "-m", "mypy", "-p", "drivers")
    in_copy(copy, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()")
