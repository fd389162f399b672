"""The list of defects is kept up with the code; ``make mutants`` tries them all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from controller.games.paytable import load_pay_table
from tests.mutants.defects import HOUSE, Defect, DefectError, defects
from tests.mutants.run import try_all

ALL = defects()
LEAST = 150
"""The list grows with every issue."""


def test_the_list_grows_and_names_each_defect_once() -> None:
    names = [defect.name for defect in ALL]
    assert len(names) == len(set(names)) >= LEAST


@pytest.mark.parametrize("defect", ALL, ids=lambda defect: defect.name)
def test_the_old_text_still_stands_there_once_and_the_new_one_could(defect: Defect) -> None:
    defect.applied(HOUSE)
    assert defect.file.split("/")[0] in ("config", "controller", "drivers", "packaging")
    assert defect.tests
    assert [test for test in defect.tests if not (HOUSE / test.split("::")[0]).exists()] == []


def test_a_changed_pay_table_is_sealed_anew(tmp_path: Path) -> None:
    changed = next(defect for defect in ALL if "/pay_tables/baccarat" in defect.file)
    own_id = changed.applied(HOUSE).replace('id = "', 'id = "own-').encode()
    with pytest.raises(Exception, match="the digest is"):
        load_pay_table(own_id)  # all rows are as sealed, only the name is not
    with pytest.raises(Exception, match="published is 8:1"):
        load_pay_table(changed.applied(HOUSE).encode())


RULE = "def sign(number: int) -> int:\n    return (number > 0) - (number < 0)\n"
TEST = """
from controller.rule import sign


def test_sign():
    assert [sign(number) for number in (-2, 2)] == [-1, 1]
"""


@pytest.fixture
def small_house(tmp_path: Path) -> Path:
    """One rule and a test that forgets nought."""
    for folder in ("controller", "tests"):
        (tmp_path / folder).mkdir()
    (tmp_path / "controller" / "rule.py").write_text(RULE)
    (tmp_path / "tests" / "test_rule.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def defect(old: str, new: str) -> Defect:
    return Defect(f"{old} becomes {new}", "controller/rule.py", old, new, ("tests/test_rule.py",))


def test_what_no_test_notices_survives_and_what_one_notices_is_killed(small_house: Path) -> None:
    tried = try_all(
        [
            defect("number < 0", "number <= 0"),
            defect("number > 0", "number > 2"),
            defect("number: int", "number: str = nobody"),
        ],
        small_house,
        workers=2,
    )
    assert [one.verdict for one in tried] == ["survived", "killed", "error"]
    assert tried[1].by == "tests/test_rule.py::test_sign"
    assert (small_house / "controller" / "rule.py").read_text() == RULE


def test_where_the_tests_are_red_anyway_nothing_is_tried(small_house: Path) -> None:
    (small_house / "tests" / "test_rule.py").write_text("def test_red():\n    assert False\n")
    red = "without any defect the tests are not green: tests/test_rule.py::test_red"
    with pytest.raises(DefectError, match=red):
        try_all([defect("number < 0", "number <= 0")], small_house, workers=1)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("number", "it", "stands 3 times"),
        ("nowhere", "it", "stands 0 times"),
        ("int:", "int", "would be no Python"),
        ("int:", "int:", "the same"),
    ],
)
def test_a_defect_that_cannot_be_put_there_is_an_error(
    small_house: Path, old: str, new: str, message: str
) -> None:
    with pytest.raises(DefectError, match=message):
        defect(old, new).applied(small_house)


def test_a_defect_in_a_file_that_is_gone_is_an_error(small_house: Path) -> None:
    (small_house / "controller" / "rule.py").unlink()
    with pytest.raises(DefectError, match=r"there is no file controller/rule\.py"):
        defect("a", "b").applied(small_house)


def test_a_name_that_no_defect_has_is_a_wrong_call() -> None:
    asked = [sys.executable, "-m", "tests.mutants", "no such defect"]
    done = subprocess.run(asked, cwd=HOUSE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
